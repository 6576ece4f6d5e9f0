"""A warehouse with one small complete run."""

from dataclasses import dataclass
from pathlib import Path

import pytest

import warehouse
from tests.warehouse.synthetic import Shape, write_parts

SMALL = Shape()


@dataclass(frozen=True)
class House:
    """A warehouse path under a test's own folder, and what it takes to fill it."""

    path: Path

    def parts(self, shape: Shape = SMALL) -> Path:
        return write_parts(warehouse.parts_folder(self.path), shape)

    def ingest(self, shape: Shape = SMALL) -> int:
        """Register, load and complete a run; returns its id."""
        folder = self.parts(shape)
        warehouse.register_run(self.path, folder)
        warehouse.load_shards(self.path, folder)
        return warehouse.complete_run(self.path, folder)

    def rows(self, query: str) -> list[tuple]:
        return warehouse.open(self.path).sql(query).rows()

    def counts(self) -> dict[str, int]:
        """Rows of every table but the schema's own."""
        tables = warehouse.open(self.path).tables().filter(kind="table")["name"]
        names = [name for name in tables if not name.startswith("schema_")]
        each = (f"SELECT '{name}', count(*) FROM {name}" for name in names)
        return dict(self.rows(" UNION ALL ".join(each)))


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path / "lens.duckdb")
