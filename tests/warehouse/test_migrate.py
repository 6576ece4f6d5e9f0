"""Migrations are whole or not at all; views are renewed when their text changes."""

from pathlib import Path

import duckdb
import pytest

import warehouse
from tests.warehouse.conftest import House
from tests.warehouse.synthetic import Shape
from warehouse import migrate, sqlfiles
from warehouse.check import check
from warehouse.errors import WarehouseError
from warehouse.sqlfiles import SqlFile

FIRST = sqlfiles.folder("migrations")[0]
BROKEN = SqlFile(
    "0002_broken", "CREATE TABLE half (x INTEGER); INSERT INTO half VALUES (1); CREATE TABLE run (x INTEGER)"
)
FIXED = SqlFile("0002_fixed", "CREATE TABLE half (x INTEGER)")


def tables(con: duckdb.DuckDBPyConnection) -> set[str]:
    return {name for (name,) in con.execute(sqlfiles.query("table_names")).fetchall()}


def applied(con: duckdb.DuckDBPyConnection) -> list[tuple]:
    return con.execute("SELECT version, name FROM schema_migration ORDER BY version").fetchall()


def test_failing_migration_rolls_back_whole() -> None:
    with duckdb.connect(":memory:") as con:
        with pytest.raises(WarehouseError, match="0002_broken failed and was rolled back"):
            migrate.migrate(con, [FIRST, BROKEN], [])
        assert applied(con) == [(1, FIRST.name)]
        assert "half" not in tables(con) and "run" in tables(con)
        migrate.migrate(con, [FIRST, FIXED], [])
        assert applied(con) == [(1, FIRST.name), (2, "0002_fixed")]
        assert "half" in tables(con)


def test_migrating_again_changes_nothing() -> None:
    with duckdb.connect(":memory:") as con:
        migrate.migrate(con)
        before = con.execute("SELECT * FROM schema_migration").fetchall()
        migrate.migrate(con)
        assert con.execute("SELECT * FROM schema_migration").fetchall() == before


def test_migrations_are_numbered_without_gaps() -> None:
    numbers = [migrate.version_of(file) for file in sqlfiles.folder("migrations")]
    assert numbers == list(range(1, len(numbers) + 1)) and migrate.known_version() == numbers[-1]


def as_schema_1(path: Path) -> None:
    """Turn a warehouse into what version 1 would have made of the same runs."""
    newer = path.rename(path.with_name("newer.duckdb"))
    with duckdb.connect(path) as con:
        migrate.migrate(con, [FIRST], [])
        old = tables(con) - {"schema_migration", "schema_view"}
        con.execute(f"ATTACH '{newer}' AS newer (READ_ONLY)")
        for table in old:
            columns = ", ".join(name for name, *_ in con.execute(f"DESCRIBE {table}").fetchall())
            con.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM newer.{table}")
        con.execute("DETACH newer")
        con.execute('UPDATE run SET options = \'{"ff_bias": "path"}\'')
        con.execute("SELECT nextval('run_ids')")
        assert migrate.file_version(con) == 1
        later = {"head_norm", "head_pair", "rollout", "inlier_change", "word", "neuron_activation"}
        assert not tables(con) & later


def test_a_warehouse_of_schema_1_keeps_its_runs(house: House) -> None:
    """What an older version has left: the runs stay as they are, doctor finds nothing, and new runs go in."""
    house.ingest(Shape(name="old"))
    before = house.rows("FROM token_pair ORDER BY ALL")
    as_schema_1(house.path)
    told = rf"schema 1, now {migrate.known_version()}\): run `python -m warehouse\.migrate"
    with pytest.raises(WarehouseError, match=told):
        house.rows("FROM v_run")
    assert migrate.main([str(house.path)]) == 0
    assert house.rows("FROM token_pair ORDER BY ALL") == before
    assert house.rows("FROM head_norm") == house.rows("FROM head_pair") == house.rows("FROM rollout") == []
    [told_of] = [finding for finding in check(house.path) if finding.level != "ok"]
    assert "corpus 1 poem have no patterns" in told_of.what and "lenshouse annotate 1 --with split" in told_of.todo
    known = warehouse.find_run(house.path, Shape(name="old").fingerprint)
    assert known and known.status == "complete"
    assert house.ingest(Shape(name="new", seed=1)) == 2
    assert house.rows("SELECT DISTINCT run_name FROM v_head_pair") == [("new",)]
    assert {finding.level for finding in check(house.path)} == {"ok"}, "the new run has brought the patterns"


def test_changed_views_are_renewed_and_dropped_ones_go() -> None:
    base = SqlFile("v_base", "CREATE VIEW v_base AS SELECT 1 AS x;")
    other = SqlFile("v_base", "CREATE VIEW v_base AS SELECT 2 AS x;")
    above = SqlFile("v_above", "CREATE VIEW v_above AS SELECT x + 10 AS y FROM v_base;")
    with duckdb.connect(":memory:") as con:
        migrate.migrate(con, views=[above, base])
        assert con.execute("SELECT y FROM v_above").fetchall() == [(11,)]
        migrate.migrate(con, views=[above, other])
        assert con.execute("SELECT y FROM v_above").fetchall() == [(12,)]
        migrate.migrate(con, views=[other])
        with pytest.raises(duckdb.CatalogException):
            con.execute("SELECT y FROM v_above")


def test_a_broken_view_leaves_the_old_ones() -> None:
    good = SqlFile("v_base", "CREATE VIEW v_base AS SELECT 1 AS x;")
    bad = SqlFile("v_base", "CREATE VIEW v_base AS SELECT nothing AS x;")
    with duckdb.connect(":memory:") as con:
        migrate.migrate(con, views=[good])
        with pytest.raises(duckdb.BinderException):
            migrate.migrate(con, views=[bad])
        assert con.execute("SELECT x FROM v_base").fetchall() == [(1,)]


def test_every_view_says_its_grain_first() -> None:
    for view in sqlfiles.folder("views"):
        assert view.text.startswith("-- One row per "), view.name
        assert f"CREATE VIEW {view.name} AS" in view.text
