"""Queries that anybody may have written: refused, stopped, cut, and the one who asked lives on."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

import warehouse
from tests.warehouse.conftest import House
from warehouse import connect, guarded
from warehouse.errors import LenshouseError, UsageError, WarehouseBusyError, WarehouseError
from warehouse.guarded import Asking, Limits, ask, one_line
from warehouse.guarded_process import rows_of

SMALL = Limits(seconds=60, rows=1000, bytes=2**20, memory=256)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    house = House(tmp_path_factory.mktemp("guarded") / "lens.duckdb")
    house.ingest()
    return house.path


def test_rows_are_those_of_the_query(path: Path) -> None:
    query = "SELECT layer, query, key, attn FROM token_pair ORDER BY ALL"
    found = ask(path, query, SMALL)
    assert found.cut is None and found.seconds < 60
    assert found.frame.equals(warehouse.open(path).sql(query))


READS = (
    "FROM run", "DESCRIBE run", "SHOW TABLES", "SUMMARIZE run", "EXPLAIN SELECT 1", "VALUES (1)", "TABLE run",
    "WITH a AS (SELECT 1) FROM a", "PIVOT run ON status USING count(*)", "SELECT query FROM token_pair",
    "SELECT column_name, comment FROM duckdb_columns() WHERE table_name = 'v_ff_amp'", "SELECT 1;",
)  # fmt: skip


def test_whatever_reads_is_answered(path: Path) -> None:
    for query in READS:
        with confined(path) as con:
            schema, _, cut = rows_of(con, query, 10_000, 2**24)
        assert len(schema) > 0 and cut is None, query


FILES = (
    "FROM read_csv('{file}')", "FROM read_text('{file}')", "FROM read_blob('{file}')", "FROM read_parquet('{file}')",
    "FROM read_json('{file}')", "FROM '{file}'", "FROM \"{file}\"", "FROM glob('/*')", "FROM sniff_csv('{file}')",
    "FROM read_duckdb('{file}')", "FROM frame", "FROM guarded", "COPY run TO '{file}'", "COPY run FROM '{file}'",
    "EXPORT DATABASE '{file}.d'", "IMPORT DATABASE '{file}.d'", "ATTACH '{file}'", "ATTACH ':memory:' AS other",
)  # fmt: skip
STATEMENTS = (
    "INSTALL json", "LOAD json", "SET threads = 1", "SET enable_external_access = true", "RESET memory_limit",
    "PRAGMA database_list", "PRAGMA enable_profiling", "CALL pragma_version()", "CREATE TABLE x (i INTEGER)",
    "CREATE TEMP TABLE x (i INTEGER)", "CREATE VIEW x AS SELECT 1", "CREATE SECRET s (TYPE s3)", "DROP TABLE run",
    "INSERT INTO run SELECT * FROM run", "UPDATE run SET name = 'x'", "DELETE FROM run", "ALTER TABLE run ADD x INT",
    "BEGIN", "CHECKPOINT", "VACUUM", "USE memory", "PREPARE a AS SELECT 1", "EXECUTE a", "SET VARIABLE a = 1",
    "EXPLAIN ANALYZE DELETE FROM run", "SELECT 1; DROP TABLE run", "SELECT 1; SELECT 2", "DETACH lens",
)  # fmt: skip
INSIDES = (
    "FROM duckdb_settings()", "FROM \"duckdb_settings\"()", "FROM DUCKDB_SECRETS()", "FROM pg_settings",
    "FROM duckdb_databases", "FROM pragma_database_list", "SELECT current_setting('threads')",
    "SELECT current_setting /* so */ ('threads')", "SELECT getenv('HOME')", "FROM query('FROM run')",
    "FROM query_table('run')", "FROM which_secret('s3://a', 's3')", "SELECT write_log('x')", "SELECT sleep_ms(1)",
    "FROM json_execute_serialized_sql('{}')", "FROM duckdb_logs", "FROM duckdb_temporary_files()",
)  # fmt: skip
WRONG = ("SELECT", "SELECT nothing FROM run", "FROM nowhere", "-- a comment", ";", "SELECT '\ud800'",
         "SELECT 1/*", "SELECT " + "(" * 3000 + "1" + ")" * 3000)  # fmt: skip


@contextmanager
def confined(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """As the process of a query has it; a process for each of many small queries would take minutes."""
    with connect.read(path, confined=True, memory="256MiB") as con:
        yield con


@pytest.mark.parametrize(
    "query", ["COPY run TO 'x.csv'", "FROM read_text('/etc/hostname')", "SELECT 1; DROP TABLE run"]
)
def test_a_refusal_comes_back_from_the_process(path: Path, query: str) -> None:
    with pytest.raises(UsageError, match=r"may only read|statements in one query"):
        ask(path, query, SMALL)


@pytest.mark.parametrize("query", ["", "  \n", "SELECT 1 -- " + "x" * 20_000])
def test_an_empty_or_endless_text_needs_no_process(path: Path, query: str) -> None:
    with pytest.raises(UsageError, match=r"is empty|has 20,012 characters"):
        Asking(path, query)


def test_what_is_not_a_read_of_the_warehouse_is_refused(path: Path, tmp_path: Path) -> None:
    """One line each, nothing is written, and no error says what a file or a variable holds."""
    secret = tmp_path / "secret.csv"
    secret.write_text("a,b\nhidden,1\n")
    before = path.read_bytes()
    for query in (*FILES, *STATEMENTS, *INSIDES, *WRONG):
        with pytest.raises(LenshouseError) as refused, confined(path) as con:
            rows_of(con, query.replace("{file}", str(secret)), 1000, 2**20)
        told = one_line(refused.value)
        assert "\n" not in told and "hidden" not in told and 10 < len(told) <= 500, (query, told)
        assert "Traceback" not in told and "stopped" not in told, (query, told)
    assert path.read_bytes() == before and secret.read_text() == "a,b\nhidden,1\n"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["secret.csv"]


@pytest.mark.parametrize(
    "query",
    ["SELECT count(*) FROM range(1000000000000) AS a, range(10) AS b WHERE hash(a.range) = b.range"],
)  # fmt: skip
def test_an_endless_query_is_stopped(path: Path, query: str) -> None:
    with pytest.raises(WarehouseError, match=r"stopped after 2 s|needs more room"):
        ask(path, query, Limits(seconds=2, memory=256))


@pytest.mark.parametrize(
    "query",
    ["SELECT hash(range) AS h FROM range(300000000) ORDER BY h", "SELECT repeat('x', 10000000) FROM range(1000000)"],
)  # fmt: skip
def test_a_query_that_eats_memory_is_stopped(path: Path, query: str) -> None:
    with pytest.raises(LenshouseError, match=r"more (room|memory)"):
        ask(path, query, Limits(seconds=300, memory=128))
    assert [entry.name for entry in path.parent.iterdir() if "tmp" in entry.name] == [], "nothing went to the disk"


def test_results_are_cut_where_it_says(path: Path) -> None:
    few = ask(path, "SELECT range AS n FROM range(100000)", Limits(rows=2500))
    assert few.cut == "rows" and few.frame["n"].to_list() == list(range(2500))
    with confined(path) as con:
        assert rows_of(con, "SELECT range AS n FROM range(2500)", 2500, 2**20)[2] is None
        _, batches, cut = rows_of(con, "SELECT range AS n, repeat('x', 1000) AS x FROM range(5000)", 5000, 2**20)
    n = [value for batch in batches for value in batch.column("n").to_pylist()]
    assert cut == "bytes" and 500 < len(n) <= 2**20 / 1000 and n == list(range(len(n)))


def test_stop_ends_the_process_at_once(path: Path) -> None:
    asking = Asking(path, "SELECT count(*) FROM range(1000000000000) WHERE hash(range) = 1", Limits(seconds=60))
    try:
        while asking.seconds == 0:
            assert not asking.done(0.05)
    finally:
        started = time.monotonic()
        asking.stop()
    assert time.monotonic() - started < 20
    with pytest.raises(ProcessLookupError):
        os.kill(asking._process.pid, 0)
    asking.stop()
    with connect.write(path, wait=1):
        pass
    assert ask(path, "SELECT 1 AS one", SMALL).frame.item() == 1


def test_only_so_many_at_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded, "_slots", threading.BoundedSemaphore(1))
    asking = Asking(path, "FROM run", SMALL)
    with pytest.raises(WarehouseBusyError, match="running already"):
        Asking(path, "FROM run", SMALL)
    asking.stop()
    assert ask(path, "FROM run", SMALL).frame.height == 1


def test_the_process_knows_nothing_of_the_one_that_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hidden")
    assert "hidden" not in guarded._environment().values() and "HOME" not in guarded._environment()


def test_no_warehouse_and_one_that_is_written_to(path: Path, tmp_path: Path) -> None:
    with pytest.raises(WarehouseError, match="there is no warehouse"):
        ask(tmp_path / "none.duckdb", "FROM run", SMALL)
    with connect.write(path), pytest.raises(WarehouseBusyError, match=rf"process {os.getpid()}"):
        ask(path, "FROM run", SMALL, wait=0.2)


def test_a_process_that_cannot_begin_is_told_from_a_query_that_takes_long(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guarded, "_START", 0.0)
    asking = Asking(path, "FROM run", SMALL, wait=0.0)
    assert asking.done(0.0)
    with pytest.raises(WarehouseError, match=r"could not begin within 0 s, the machine is busy"):
        asking.found()


def test_values_that_have_no_form(path: Path) -> None:
    with pytest.raises(UsageError, match="cast it to VARCHAR"):
        ask(path, "SELECT INTERVAL 1 DAY AS span", SMALL)


def test_one_line() -> None:
    assert one_line(ValueError("a\n  b\x1b[31m\u202e" + "c" * 600)).startswith("a b\\x1b[31m\\u202eccc")
    assert len(one_line(ValueError("c" * 600))) == 500
