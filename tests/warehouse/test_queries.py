"""What people ask, and how results leave."""

import io
import json
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
        ("SELECT * FROM tokn_pair", 'Did you mean "token_pair"'),
        ("SELECT nme FROM run", 'Candidate bindings: "name"'),
        ("SELECT name::INTEGER FROM run", "Could not convert string 'first'"),
        ("SELECT ? AS x", "Values were not provided"),
        ("", "gives no rows"),
        ("SELECT INTERVAL 3 DAY AS x", "cast it to VARCHAR"),
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
