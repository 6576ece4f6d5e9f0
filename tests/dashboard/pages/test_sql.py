"""A query of one's own: rows, refusals, limits, links, charts."""

from pathlib import Path

import polars as pl
import pytest
from streamlit.testing.v1 import AppTest

import warehouse
from dashboard import asking
from dashboard.charts.quick import chartable, quick
from dashboard.examples import examples
from dashboard.exhibit import csv_file
from tests.dashboard.conftest import Show, drawn
from tests.warehouse.conftest import House
from warehouse.guarded import Limits

README = Path(__file__).parents[3] / "README.md"


def ask(tested: AppTest, query: str) -> AppTest:
    tested.text_area[0].set_value(query)
    next(button for button in tested.button if button.label == "Run").click()
    tested.run()
    assert not tested.exception, [error.value for error in tested.exception]
    return tested


def result(tested: AppTest) -> pl.DataFrame:
    return pl.from_pandas(tested.dataframe[-1].value)


def test_it_opens_with_the_schema_and_asks_nothing(studied: House, show: Show) -> None:
    tested = show("sql", studied.path)
    assert not tested.exception and "v_finding" in tested.text_area[0].value and len(tested.dataframe) == 1
    schema = tested.dataframe[0].value
    tables = warehouse.open(studied.path).tables()
    assert set(schema["name"]) == set(tables["name"]) and schema["comment"].notna().all()
    tested.text_input[0].set_value("RUN_ID v_ff_amp").run()
    found = tested.dataframe[0].value
    assert ["v_ff_amp", "run_id"] in found[["name", "column"]].to_numpy().tolist()
    assert all(
        "run_id" in " ".join(map(str, row)) and "v_ff_amp" in " ".join(map(str, row)) for row in found.to_numpy()
    )
    tested.text_input[0].set_value("nothing is called so").run()
    assert len(tested.dataframe[0].value) == 0


def test_rows_are_those_of_the_query(studied: House, show: Show) -> None:
    query = (
        "SELECT layer, component, value FROM v_change_interval WHERE run_id = 1 AND pair_filter = 'all' ORDER BY ALL"
    )
    tested = ask(show("sql", studied.path), query)
    assert result(tested)["value"].to_list() == warehouse.open(studied.path).sql(query)["value"].to_list()
    assert tested.query_params["sql"] == query
    assert drawn(tested)["c1"].to_list() == result(tested)["value"].to_list(), "a chart of the first number"


def test_a_link_restores_the_query_and_its_rows(studied: House, show: Show) -> None:
    tested = show("sql", studied.path, sql="SELECT 6 * 7 AS answer")
    assert tested.text_area[0].value == "SELECT 6 * 7 AS answer" and result(tested)["answer"].to_list() == [42]


def test_a_long_query_is_in_no_link(studied: House, show: Show) -> None:
    tested = ask(show("sql", studied.path, sql="SELECT 1"), "SELECT 1 -- " + "x" * 2000)
    assert "sql" not in tested.query_params and len(tested.dataframe) == 2


@pytest.mark.parametrize(
    ("query", "message"),
    [("DROP TABLE run", "may only read"), ("FROM read_text('/etc/hostname')", "may only read"), ("", "is empty"),
     ("SELECT * FROM v_chnage_interval", "did you mean v_change_interval"), ("SELECT <b> **x**", "Parser Error")],
)  # fmt: skip
def test_a_refusal_is_one_line_of_text(studied: House, show: Show, query: str, message: str) -> None:
    tested = ask(show("sql", studied.path), query)
    assert message in tested.text[-1].value and "\n" not in tested.text[-1].value
    assert len(tested.error) == 1 and "<b>" not in tested.error[0].value
    assert result(ask(tested, "SELECT 1 AS one"))["one"].to_list() == [1], "it goes on"


def test_cut_results_say_so(studied: House, show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "LIMITS", Limits(rows=10))
    tested = ask(show("sql", studied.path), "SELECT range AS n, repeat('x', 5000) AS x FROM range(20)")
    assert "the first 10 rows, there are more" in tested.warning[0].value
    assert result(tested)["n"].to_list() == list(range(10)) and result(tested)["x"].str.len_chars().max() == 1000


def test_an_endless_query_is_stopped(studied: House, show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "LIMITS", Limits(seconds=1))
    endless = "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT max(n) FROM t"
    tested = ask(show("sql", studied.path), endless)
    assert tested.text[-1].value == "the query was stopped after 1 s: ask for less, or filter by run and layer"


def test_examples_are_the_questions_of_the_readme(studied: House) -> None:
    readme = " ".join(README.read_text(encoding="utf-8").split())
    house = warehouse.open(studied.path)
    saved = examples()
    asked = [title for title, text in saved.items() if " ".join(text.split()) in readme]
    assert len(asked) >= 11 and len(saved) >= 14
    for title, text in saved.items():
        assert title.endswith("?") and house.fetch(text, limit=5).frame.width > 0


def test_an_example_fills_the_editor(studied: House, show: Show) -> None:
    tested = show("sql", studied.path)
    title = "What are mean and spread over seeds?"
    tested.selectbox[0].select(title).run()
    assert tested.text_area[0].value == examples()[title]


FRAME = pl.DataFrame(
    {"a.b[0]": [1, 2, 3], "it's : x": ["u", "<script>", "v" * 500], "image": [0.5, None, 2.0], "": [True, False, True],
     "list": [[1], [2], []]}
)  # fmt: skip


def test_a_chart_of_columns_with_any_names() -> None:
    assert chartable(FRAME) == ["a.b[0]", "it's : x", "image", ""]
    for mark in ("points", "lines", "bars"):
        spec = quick(FRAME, "a.b[0]", "image", "it's : x", mark).to_dict()
        assert {spec["encoding"][at]["field"] for at in ("x", "y", "color")} == {"c0", "c1", "c2"}
        assert spec["encoding"]["x"]["title"] == "a.b[0]"
        assert not {"image", "title"} & {entry["title"] for entry in spec["encoding"]["tooltip"]}
        [rows] = spec["datasets"].values()
        assert max(len(row["c2"]) for row in rows) == 60
    assert quick(FRAME, "image", "image", None, "points").to_dict()["encoding"]["y"]["field"] == "c0"


def test_csv_of_lists_and_bytes() -> None:
    frame = pl.DataFrame(
        {"l": [[1, 2], None], "s": [{"a": 'x,"y'}, {"a": None}], "b": [b"\x00\xff", None], "n": [1, 2]}
    )
    back = pl.read_csv(csv_file(frame))
    assert back.rows() == [("[1, 2]", '{"a": "x,\\"y"}', "00ff", 1), (None, '{"a": null}', None, 2)]
