"""Opening the file: clear refusals, the readers' fence, and several processes at once."""

import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

import warehouse
from tests.warehouse.conftest import House
from tests.warehouse.synthetic import Shape
from warehouse import connect, migrate
from warehouse.check import check
from warehouse.errors import UsageError, WarehouseBusyError, WarehouseError


def test_missing_file_says_ingest_first(tmp_path: Path) -> None:
    with pytest.raises(WarehouseError, match=r"no warehouse at .*lens\.duckdb: run `lenshouse ingest` first"):
        warehouse.open(tmp_path / "lens.duckdb")
    assert not (tmp_path / "lens.duckdb").exists()


@pytest.mark.parametrize("opener", [connect.read, connect.write])
def test_folder_and_foreign_files_are_refused(tmp_path: Path, opener) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("not a database " * 1000)
    foreign = tmp_path / "foreign.duckdb"
    with duckdb.connect(str(foreign)) as con:
        con.execute("CREATE TABLE mine (x INTEGER)")
    for path, words in ((tmp_path, "is a folder"), (text, "is not a DuckDB file"), (foreign, "not a Lenshouse")):
        with pytest.raises(WarehouseError, match=words) as caught, opener(path):
            pass
        assert str(path) in str(caught.value) and "\n" not in str(caught.value)
    with duckdb.connect(str(foreign)) as con:
        assert con.execute("SHOW TABLES").fetchall() == [("mine",)]


@pytest.mark.parametrize("opener", [connect.read, connect.write])
@pytest.mark.parametrize("kind", ["csv", "tsv", "json", "parquet"])
def test_a_corpus_is_no_warehouse(tmp_path: Path, opener, kind: str) -> None:
    """DuckDB would make a database in memory of it, and what is written would be lost."""
    corpus = tmp_path / f"texts.{kind}"
    corpus.write_text("text,label\na film,1\n")
    with pytest.raises(WarehouseError, match=rf"texts\.{kind} is not a DuckDB file") as caught, opener(corpus):
        pass
    assert "\n" not in str(caught.value)
    assert corpus.read_text() == "text,label\na film,1\n"


@pytest.mark.parametrize("size", [0.9, 0.5, 0.1, 0.01])
def test_a_file_cut_short_is_damaged(house: House, size: float) -> None:
    house.ingest(Shape(lengths=(90, 90, 90)))
    whole = house.path.read_bytes()
    house.path.write_bytes(whole[: int(len(whole) * size)])
    with pytest.raises(WarehouseError, match=r"damaged.*ingest into a new one") as caught:
        warehouse.open(house.path).sql("FROM token_pair, token_norm")
    assert not isinstance(caught.value, UsageError) and "\n" not in str(caught.value)
    [finding] = check(house.path)
    assert finding.level == "error" and "damaged" in finding.what
    if size < 0.5:
        with pytest.raises(WarehouseError, match="damaged"):
            connect.make_usable(house.path)


def test_missing_parent_folder(tmp_path: Path) -> None:
    with pytest.raises(WarehouseError, match=r"the folder .* does not exist"), connect.write(tmp_path / "no" / "x"):
        pass


@pytest.mark.parametrize("opener", [connect.read, connect.write])
def test_newer_schema_is_refused(house: House, opener) -> None:
    with connect.write(house.path) as con:
        con.execute("INSERT INTO schema_migration VALUES (999, '0999_future', now()::TIMESTAMP)")
    with pytest.raises(WarehouseError, match=r"schema 999.*pip install --upgrade lenshouse"), opener(house.path):
        pass


def test_older_schema_says_how_to_upgrade(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    with connect.write(house.path):
        pass
    newer = migrate.known_version() + 1
    monkeypatch.setattr(migrate, "known_version", lambda: newer)
    with pytest.raises(WarehouseError, match=r"python -m warehouse\.migrate .*lens\.duckdb"):
        warehouse.open(house.path)


def test_an_older_view_is_not_read_but_renewed(house: House) -> None:
    """A corrected view must not go on giving its old numbers."""
    house.ingest(Shape())
    with connect.write(house.path) as con:
        con.execute("CREATE OR REPLACE VIEW v_mixing AS SELECT 42 AS answer")
        con.execute("UPDATE schema_view SET sha256 = 'old' WHERE name = 'v_mixing'")
    with pytest.raises(WarehouseError, match=r"older version.*python -m warehouse\.migrate"):
        warehouse.open(house.path)
    connect.make_usable(house.path)
    assert "mix_atb" in warehouse.open(house.path).sql("FROM v_mixing").columns


def test_first_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    """Whoever makes the file, what each has committed stays."""
    code = (
        "import sys, pathlib; from warehouse import connect\n"
        "with connect.write(pathlib.Path(sys.argv[1])) as con:\n"
        "    con.execute('INSERT INTO tokenizer VALUES (?, ?, ?)', [int(sys.argv[2]), sys.argv[2], sys.argv[2]])"
    )
    for trial in range(4):
        path = tmp_path / f"{trial}.duckdb"
        if trial % 2:
            path.touch()
        jobs = [subprocess.Popen([sys.executable, "-c", code, str(path), str(n)]) for n in range(3)]
        assert [job.wait() for job in jobs] == [0, 0, 0]
        assert warehouse.open(path).sql("SELECT count(*) FROM tokenizer").item() == 3
        assert [file.name for file in tmp_path.glob(f".{trial}*")] == []


def test_many_short_writes_of_many_processes_lose_nothing(tmp_path: Path) -> None:
    """With DuckDB's own lock alone, a row in some 2,000 was lost under load."""
    code = (
        "import sys, pathlib; from warehouse import connect\n"
        "for n in range(25):\n"
        "    with connect.write(pathlib.Path(sys.argv[1])) as con:\n"
        "        con.execute('INSERT INTO tokenizer VALUES ($1, $2, $2)', [int(sys.argv[2]) + n, f'{sys.argv[2]}.{n}'])"
    )
    path = tmp_path / "lens.duckdb"
    jobs = [subprocess.Popen([sys.executable, "-c", code, str(path), str(100 * n)]) for n in range(4)]
    assert [job.wait() for job in jobs] == [0, 0, 0, 0]
    assert warehouse.open(path).sql("SELECT count(*) FROM tokenizer").item() == 100
    assert sorted(file.name for file in tmp_path.iterdir()) == ["lens.duckdb"]


def test_a_killed_writer_leaves_no_turn_behind(house: House) -> None:
    code = (
        "import os, sys, pathlib; from warehouse.locks import writers_turn\n"
        "with writers_turn(pathlib.Path(sys.argv[1]), 1):\n"
        "    os._exit(9)"
    )
    assert subprocess.call([sys.executable, "-c", code, str(house.path)]) == 9
    assert [file.name for file in house.path.parent.glob(".*.writer")] != []
    with connect.write(house.path, 0.1):
        pass
    assert [file.name for file in house.path.parent.glob(".*.writer")] == []


def test_make_usable(house: House, tmp_path: Path) -> None:
    connect.make_usable(house.path)
    with pytest.raises(WarehouseError, match="does not exist"):
        connect.make_usable(tmp_path / "no" / "x.duckdb")
    with pytest.raises(WarehouseError, match="is a folder"):
        connect.make_usable(tmp_path)


def test_make_usable_takes_in_the_log_of_a_killed_writer(house: House) -> None:
    code = (
        "import os, sys, pathlib; from warehouse import connect\n"
        "with connect.write(pathlib.Path(sys.argv[1])) as con:\n"
        "    con.execute(\"INSERT INTO tokenizer VALUES (77, 'late', 'late')\")\n"
        "    os._exit(9)"
    )
    assert subprocess.call([sys.executable, "-c", code, str(house.path)]) == 9
    log = house.path.with_name(house.path.name + ".wal")
    assert log.exists()
    connect.make_usable(house.path)
    assert not log.exists()
    assert warehouse.open(house.path).sql("SELECT name FROM tokenizer WHERE tokenizer_id = 77").item() == "late"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM glob('/etc/*')",
        "COPY run TO '/tmp/stolen.csv'",
        "EXPORT DATABASE '/tmp/stolen'",
        "ATTACH '/tmp/other.duckdb' AS other",
        "INSTALL spatial",
        "LOAD spatial",
        "SET enable_external_access = true",
        "SET threads = 1",
        "CREATE TABLE mine (x INTEGER)",
        "DELETE FROM run",
        "SELECT 1; DROP TABLE run",
    ],
)
def test_readers_are_fenced(house: House, query: str) -> None:
    house.ingest()
    with pytest.raises(UsageError) as caught:
        warehouse.open(house.path).sql(query)
    assert "\n" not in str(caught.value)
    assert house.counts()["run"] == 1


def test_queries_do_not_see_python_variables(house: House) -> None:
    house.ingest()
    secret = warehouse.open(house.path).sql("SELECT 42 AS answer")
    assert secret.height == 1
    with pytest.raises(UsageError, match="there is no table or view secret"):
        warehouse.open(house.path).sql("SELECT * FROM secret")


@contextmanager
def started(code: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Python code in another process that has printed its first line; it is killed in the end."""
    command = [sys.executable, "-c", textwrap.dedent(code), *arguments]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True, cwd=root) as process:
        try:
            assert process.stdout and process.stdout.readline()
            yield process
        finally:
            process.kill()


HOLD = """
    import sys
    from pathlib import Path
    from warehouse import connect
    with getattr(connect, sys.argv[2])(Path(sys.argv[1])):
        print("open", flush=True)
        sys.stdin.readline()
"""


@pytest.mark.parametrize(("theirs", "ours"), [("write", "read"), ("write", "write"), ("read", "write")])
def test_busy_names_the_holder_and_passes(house: House, theirs: str, ours: str) -> None:
    with connect.write(house.path):
        pass
    with started(HOLD, str(house.path), theirs) as holder:
        opener = getattr(connect, ours)
        with pytest.raises(WarehouseBusyError, match=f"process {holder.pid} has had"), opener(house.path, 0.1):
            pass
        assert holder.stdin
        holder.stdin.write("\n")
        holder.stdin.flush()
        with opener(house.path, 30):
            pass


def test_readers_share(house: House) -> None:
    with connect.write(house.path):
        pass
    with started(HOLD, str(house.path), "read"), connect.read(house.path, 0.1) as con:
        assert con.execute("SELECT count(*) FROM run").fetchall() == [(0,)]


def test_writers_and_readers_take_turns(house: House) -> None:
    """Two writing processes lose no update while this one keeps reading."""
    with connect.write(house.path) as con:
        con.execute("INSERT INTO tokenizer VALUES (1, '0', 'f')")
    write = """
        import sys
        from pathlib import Path
        from warehouse import connect
        print("go", flush=True)
        for _ in range(10):
            with connect.write(Path(sys.argv[1])) as con:
                con.execute("UPDATE tokenizer SET name = (name::INTEGER + 1)::VARCHAR")
    """
    seen = []
    with started(write, str(house.path)) as one, started(write, str(house.path)) as other:
        while one.poll() is None or other.poll() is None:
            seen.append(int(house.rows("SELECT name FROM tokenizer")[0][0]))
            time.sleep(0.01)
        assert (one.returncode, other.returncode) == (0, 0)
    assert seen == sorted(seen)
    assert house.rows("SELECT name FROM tokenizer") == [("20",)]


def test_killed_writer_leaves_a_usable_file(house: House) -> None:
    with connect.write(house.path):
        pass
    code = """
        import os, sys
        from pathlib import Path
        from warehouse import connect
        print("go", flush=True)
        with connect.write(Path(sys.argv[1])) as con:
            con.execute("INSERT INTO tokenizer VALUES (1, 'committed', 'f')")
            con.begin()
            con.execute("INSERT INTO tokenizer VALUES (2, 'not committed', 'g')")
            os._exit(9)
    """
    with started(code, str(house.path)) as process:
        assert process.wait() == 9
    assert house.rows("SELECT name FROM tokenizer") == [("committed",)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("IO Error: Could not write file: No space left on device", "the disk of x is full"),
        ('IO Error: Cannot open file "x": Permission denied', "no permission to open x"),
        ('IO Error: Cannot open file "x": Read-only file system', "read-only file system"),
        ("Some Error: first line\n\nLINE 1: more", "x: Some Error: first line"),
    ],
)
def test_errors_of_the_file_system_say_what_to_do(text: str, words: str) -> None:
    message = str(connect._translated(duckdb.IOException(text), Path("x")))
    assert words in message and "\n" not in message
