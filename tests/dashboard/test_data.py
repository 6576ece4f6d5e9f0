"""Questions of pages: what is shown as SQL gives the same rows, and answers follow the file."""

from pathlib import Path

import pytest
import streamlit as st

from dashboard import data
from warehouse import connect
from warehouse.sqltext import literal


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty warehouse that the pages are about."""
    path = tmp_path / "lens.duckdb"
    monkeypatch.setenv("LENSHOUSE_WAREHOUSE", str(path))
    st.cache_data.clear()
    with connect.write(path):
        pass
    return path


VALUES = [
    *(
        None,
        True,
        False,
        0,
        -3,
        2**40,
        0.1,
        1e-300,
        -2.5e17,
        "",
        "it's",
        "a\0b\0",
        "'; DROP TABLE run; --",
        "$n",
        "東京",
    ),
    *([], [1, 2], ["a'b", "c"], "\\n", '"', "🙂"),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_literals_mean_their_value(asked: Path, value: object) -> None:
    bound = data.house().sql("SELECT $value AS value", {"value": value})
    written = data.house().sql(f"SELECT {literal(value)} AS value")
    assert written["value"].to_list() == bound["value"].to_list()


def test_only_parameters_are_replaced(asked: Path) -> None:
    text = """-- One row, about $n.
-- Still the comment.
SELECT $n AS n, '$n' AS text, "$n" AS named, 'it''s $n' AS quoted -- and $n here
FROM (SELECT 1 AS "$n")"""
    answer = data.ask_text(text, {"n": 7})
    assert answer.sql.startswith("SELECT 7 AS n, '$n' AS text, \"$n\" AS named, 'it''s $n' AS quoted -- and $n here")
    assert answer.frame.rows() == data.house().sql(answer.sql).rows() == [(7, "$n", 1, "it's $n")]


def test_an_answer_lasts_until_the_file_changes(asked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    query = "SELECT count(*) AS n FROM corpus"
    assert data.ask_text(query, {}).frame.item() == 0
    with monkeypatch.context() as patched:
        patched.setattr(data, "house", lambda: pytest.fail("the file has not changed"))
        assert data.ask_text(query, {}).frame.item() == 0
    with connect.write(asked) as con:
        con.execute("INSERT INTO corpus (corpus_id, name, source, sha256) VALUES (1, 'a', 'b', 'c')")
    assert data.ask_text(query, {}).frame.item() == 1


def test_no_file_has_a_state(tmp_path: Path) -> None:
    assert data.state_of(tmp_path / "none") == (0, 0, 0)
