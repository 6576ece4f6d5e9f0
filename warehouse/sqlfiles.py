"""The package's .sql files: migrations, views and named queries."""

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_ROOT = Path(__file__).parent / "sql"


@dataclass(frozen=True)
class SqlFile:
    """One .sql file: `name` is the file's stem, `text` its whole content."""

    name: str
    text: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


@cache
def query(name: str) -> str:
    """Text of `sql/queries/<name>.sql`."""
    return (_ROOT / "queries" / f"{name}.sql").read_text(encoding="utf-8")


@cache
def folder(name: str) -> tuple[SqlFile, ...]:
    """Every file of `sql/<name>/`, sorted by name."""
    files = sorted((_ROOT / name).glob("*.sql"))
    return tuple(SqlFile(file.stem, file.read_text(encoding="utf-8")) for file in files)
