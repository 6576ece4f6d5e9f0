"""What people ask, and how results leave."""

import io
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl
import pytest

import warehouse
from tests.warehouse.conftest import House
from tests.warehouse.synthetic import Shape
from warehouse.errors import UsageError, WarehouseError
from warehouse.export import FORMATS, Format, export, format_of
from warehouse.queries import Warehouse


@pytest.fixture
def lens(house: House) -> Warehouse:
    house.ingest()
    return warehouse.open(house.path)


def test_parameters_are_bound(lens: Warehouse) -> None:
    hostile = "'; DROP TABLE run; --"
    assert lens.sql("SELECT ? AS text, ? AS x", [hostile, 2]).rows() == [(hostile, 2)]
    assert lens.sql("SELECT $text AS text", {"text": hostile}).rows() == [(hostile,)]


def test_sums_of_whole_numbers_are_whole_numbers(lens: Warehouse) -> None:
    frame = lens.sql("SELECT sum(n_pairs) AS n, 1.5::DECIMAL(4, 2) AS d FROM map_change")
    assert frame.schema["n"] == pl.Int64 and frame["n"].item() == 9 * 2 * 3 * 4 * 3


def test_empty_results_keep_their_columns(lens: Warehouse) -> None:
    frame = lens.sql("SELECT run_id, name FROM run WHERE false")
    assert (frame.columns, frame.height) == (["run_id", "name"], 0)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELEC 1", 'syntax error at or near "SELEC"'),
        ("SELECT * FROM tokn_pair", "no table or view tokn_pair: did you mean token_pair?"),
        ("SELECT nme FROM run", 'Candidate bindings: "name"'),
        ("SELECT name::INTEGER FROM run", "Could not convert string 'first'"),
        ("SELECT ? AS x", "Values were not provided"),
        ("", "gives no rows"),
        ("SELECT INTERVAL 3 DAY AS x", "cast it to VARCHAR"),
        ("SELECT 1; SELECT 2", "2 statements in one query: ask them one by one"),
        ("SELECT 1;; SELECT 2;", "2 statements"),
        ("SELECT 'half \ud83d'", "not UTF-8"),
    ],
)
def test_wrong_queries_get_one_line(lens: Warehouse, query: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        lens.sql(query)
    assert words in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(("limit", "height", "cut"), [(0, 0, True), (3, 3, True), (100, 100, False), (101, 100, False)])
def test_fetch_says_whether_rows_were_cut(lens: Warehouse, limit: int, height: int, cut: bool) -> None:
    rows = lens.fetch("SELECT key FROM token_pair ORDER BY ALL", limit=limit)
    assert (rows.frame.height, rows.cut) == (height, cut)


def test_tables_describe_runs(lens: Warehouse, house: House) -> None:
    tables = lens.tables()
    assert {"v_token_pair", "token_pair"} <= set(tables["name"]) and set(tables["kind"]) == {"view", "table"}
    described = lens.describe("v_ff_amp")
    assert described.filter(column="ff_amp")["comment"].item().startswith("after_ff_share - before_ff_share")
    with pytest.raises(UsageError, match=r"no table or view nothing .* it holds .*token_pair"):
        lens.describe("nothing")
    warehouse.register_run(house.path, house.parts(Shape(seed=5, name="second")))
    runs = lens.runs().rows(named=True)
    assert [(run["run_name"], run["status"], run["n_shards_loaded"]) for run in runs] == [
        ("first", "complete", 2),
        ("second", "running", 0),
    ]


PAIRS = "SELECT * FROM token_pair ORDER BY ALL"


def read(path: Path, format: Format) -> pl.DataFrame:
    if format == "csv":
        return pl.read_csv(path)
    return pl.read_parquet(path) if format == "parquet" else pl.DataFrame(json.loads(path.read_text()))


@pytest.mark.parametrize("format", FORMATS)
def test_files_hold_the_result(lens: Warehouse, tmp_path: Path, format: Format) -> None:
    path = tmp_path / f"out.{format}"
    assert export(lens, PAIRS, to=path, format=format_of(path)) == 100
    wanted = lens.sql(PAIRS)
    assert read(path, format).cast(dict(wanted.schema)).equals(wanted)
    assert export(lens, PAIRS, to=path, format=format) == 100  # over the old one
    assert export(lens, "SELECT run_id FROM run WHERE run_id > ?", [9], to=path, format=format) == 0
    assert read(path, format).height == 0
    assert [file.name for file in tmp_path.glob("*out*")] == [path.name]


def test_several_batches_are_one_result(lens: Warehouse, tmp_path: Path) -> None:
    query = "SELECT range AS n FROM range(250000)"
    for format in FORMATS:
        path = tmp_path / f"out.{format}"
        assert export(lens, query, to=path, format=format) == 250_000
        assert read(path, format)["n"].to_list() == list(range(250_000))


NO_FORM = (
    "SELECT finished_at - started_at AS c FROM v_run",
    "SELECT [INTERVAL 1 DAY] AS c",
    "SELECT union_value(a := 1) AS c",
    "SELECT 5::BIGNUM AS c",
)
NO_DAY = (
    "SELECT DATE 'infinity' AS c",
    "SELECT DATE '99999-01-01' AS c",
    "SELECT DATE '0044-03-15 (BC)' AS c",
    "SELECT TIMESTAMP 'infinity' AS c",
    "SELECT TIMESTAMP '-infinity' AS c",
    "SELECT TIMESTAMPTZ 'infinity' AS c",
    "SELECT TIMESTAMP_S 'infinity' AS c",
    "SELECT TIMESTAMP_MS 'infinity' AS c",
    "SELECT TIMESTAMP_NS 'infinity' AS c",
    "SELECT TIMESTAMP '10000-01-01' AS c",
    "SELECT [{'a': DATE 'infinity'}] AS c",
    "SELECT MAP {'a': DATE 'infinity'} AS c",
    "SELECT CASE WHEN range = 249999 THEN DATE 'infinity' END AS c FROM range(250000)",
)


@pytest.mark.parametrize("query", [*NO_FORM, *NO_DAY])
def test_what_polars_cannot_hold_is_refused(lens: Warehouse, query: str, capfd: pytest.CaptureFixture[str]) -> None:
    """It would panic, or show another value."""
    for ask in (
        lambda: lens.sql(query),
        lambda: lens.fetch(query, limit=300_000),
        lambda: export(lens, query, to=io.BytesIO(), format="json"),
    ):
        with pytest.raises(UsageError, match=r"^column c .*: cast it to VARCHAR in the query$"):
            ask()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("query", NO_FORM)
def test_what_has_no_form_is_refused_in_every_format(lens: Warehouse, query: str, format: Format) -> None:
    with pytest.raises(UsageError, match=r"column c"):
        export(lens, query, to=io.BytesIO(), format=format)


def test_dates_that_there_are(lens: Warehouse) -> None:
    frame = lens.sql(
        "SELECT * FROM (VALUES (DATE '0001-01-01', TIMESTAMP '0001-01-01', TIMESTAMP_S '0001-01-01'), "
        "(DATE '9999-12-31', TIMESTAMP '9999-12-31 23:59:59.999999', TIMESTAMP_S '9999-12-31 23:59:59'), "
        "(NULL, NULL, NULL))"
    )
    assert [str(day) for day in frame.rows()[1]] == ["9999-12-31", "9999-12-31 23:59:59.999999", "9999-12-31 23:59:59"]
    assert frame.rows()[2] == (None, None, None)


@pytest.mark.parametrize("format", ["csv", "json"])
@pytest.mark.parametrize("value", ["'x'::BLOB", "'101'::BIT", "['x'::BLOB]"])
def test_binary_columns(lens: Warehouse, value: str, format: Format) -> None:
    with pytest.raises(UsageError, match=r"(binary|nested) column b: use"):
        export(lens, f"SELECT {value} AS b", to=io.BytesIO(), format=format)
    assert lens.sql("SELECT 'x'::BLOB AS b").item() == b"x"


@pytest.mark.parametrize("format", FORMATS)
def test_columns_of_one_name_are_numbered(lens: Warehouse, tmp_path: Path, format: Format) -> None:
    assert lens.sql("SELECT 1 AS a, 2 AS a, 3 AS a_1, 4 AS a").rows(named=True) == [
        {"a": 1, "a_2": 2, "a_1": 3, "a_3": 4}
    ]
    path = tmp_path / f"out.{format}"
    export(lens, "SELECT * FROM run JOIN model USING (model_id)", to=path, format=format)
    assert read(path, format).select("name", "name_1").rows() == [("first", "tiny")]


def test_nothing_is_written_before_the_whole_result_is_there(lens: Warehouse) -> None:
    late = "SELECT CASE WHEN range = 249999 THEN 'x' ELSE '1' END::INTEGER AS n FROM range(250000)"
    for format in FORMATS:
        sink = io.BytesIO()
        with pytest.raises(UsageError, match="Could not convert"):
            export(lens, late, to=sink, format=format)
        assert sink.getvalue() == b""


def test_what_is_no_file_is_written_into(lens: Warehouse, tmp_path: Path) -> None:
    """A pipe or device stays what it is."""
    assert export(lens, PAIRS, to=Path("/dev/null"), format="csv") == 100
    assert Path("/dev/null").is_char_device()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        got = pool.submit(pipe.read_bytes)
        assert export(lens, "SELECT 1 AS a", to=pipe, format="csv") == 1
        assert got.result(10) == b"a\n1\n"
    assert pipe.is_fifo()
    standard, into = os.pipe()
    link = tmp_path / "stdout"
    link.symlink_to(f"/proc/self/fd/{into}")  # as /dev/stdout is
    assert export(lens, "SELECT 1 AS a", to=link, format="csv") == 1
    os.close(into)
    with os.fdopen(standard, "rb") as opened:
        assert opened.read() == b"a\n1\n"


def test_links_and_modes_stay(lens: Warehouse, tmp_path: Path) -> None:
    target, link = tmp_path / "secret.csv", tmp_path / "link.csv"
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to(target.name)
    export(lens, "SELECT 1 AS a", to=link, format="csv")
    assert link.is_symlink() and target.read_text() == "a\n1\n" and target.stat().st_mode & 0o777 == 0o600
    target.unlink()
    export(lens, "SELECT 2 AS a", to=link, format="csv")  # a link that leads nowhere yet
    assert link.is_symlink() and target.read_text() == "a\n2\n"
    assert sorted(path.name for path in tmp_path.glob("*.csv*")) == ["link.csv", "secret.csv"]
    loop = tmp_path / "loop.csv"
    loop.symlink_to(loop.name)
    with pytest.raises(WarehouseError, match="cannot be written"):
        export(lens, "SELECT 1 AS a", to=loop, format="csv")


def test_the_warehouse_is_not_written_over(lens: Warehouse, tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to(lens.path)
    for path in (lens.path, tmp_path / "link.csv"):
        with pytest.raises(UsageError, match="is the warehouse itself"):
            export(lens, PAIRS, to=path, format="csv")
    with pytest.raises(UsageError, match="format = 'xml': use one of csv, json, parquet"):
        export(lens, PAIRS, to=io.BytesIO(), format="xml")  # type: ignore[arg-type]


def test_standard_output_gets_the_bytes(lens: Warehouse) -> None:
    sink = io.BytesIO()
    query = (
        """SELECT 'x},{"' || chr(10) || chr(8232) AS s, sum(run_id) AS n, 'nan'::FLOAT AS bad, [1, 2] AS l FROM run"""
    )
    assert export(lens, query, to=sink, format="json") == 1
    assert json.loads(sink.getvalue()) == [{"s": 'x},{"\n\u2028', "n": 1, "bad": None, "l": [1, 2]}]
    sink = io.BytesIO()
    export(lens, "SELECT 'a,\"b' AS text, NULL AS nothing", to=sink, format="csv")
    assert sink.getvalue() == b'text,nothing\n"a,""b",\n'


def test_a_failing_export_leaves_the_old_file(lens: Warehouse, tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_text("old")
    late = "SELECT CASE WHEN range = 249999 THEN 'x' ELSE '1' END::INTEGER AS n FROM range(250000)"
    for query, words in ((late, "Could not convert"), ("SELECT [1] AS l", "nested column l"), ("SELEC", "syntax")):
        with pytest.raises(UsageError, match=words):
            export(lens, query, to=path, format="csv")
        assert path.read_text() == "old" and len(list(tmp_path.glob("*out*"))) == 1
    with pytest.raises(WarehouseError, match="cannot be written"):
        export(lens, PAIRS, to=tmp_path / "no" / "out.csv", format="csv")


def test_format_of_a_name() -> None:
    assert [format_of(Path(name)) for name in ("a.CSV", "b.json", "c.parquet")] == ["csv", "json", "parquet"]
    with pytest.raises(UsageError, match=r"out\.xlsx has no known format"):
        format_of(Path("out.xlsx"))
