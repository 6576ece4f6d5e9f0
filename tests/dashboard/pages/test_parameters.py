"""The page of parameters: full, empty, partial, with errors, and with text from anyone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import dashboard
from dashboard.parameter_units import context
from tests.warehouse.conftest import House
from warehouse import connect

HOSTILE = "<script>alert(1)</script> **b** [a](http://evil.example) \u202eesrever " + "x" * 5_000
VIEWS = ("Unit", "Search", "Pairs", "Fine-tuned", "Alignment", "Stitching")
PAGE = str(Path(dashboard.__file__).parent / "pages" / "parameters.py")
ALL = {"vocab_filter": "all", "ln_folded": False}
LATE = 300
"""Seconds; far more than a page takes on a busy machine."""


def fill(con: Any, table: str, **given: Any) -> None:
    """A row of a table; columns that are not given and may not be NULL are 0, empty or false."""
    empty = {"VARCHAR": "''", "TIMESTAMP": "TIMESTAMP '2026-01-01'", "BOOLEAN": "false"}
    columns = con.execute('SELECT name, type, "notnull" FROM pragma_table_info($t)', {"t": table}).fetchall()
    values = [f"${n}" if n in given else empty.get(t, "0") if needed else "NULL" for n, t, needed in columns]
    con.execute(f"INSERT INTO {table} VALUES ({', '.join(values)})", given)


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> House:
    """A model with each kind of row; one item and its name are hostile."""
    house = House(tmp_path_factory.mktemp("parameters") / "lens.duckdb")
    house.ingest()
    with connect.write(house.path) as con:
        con.execute("UPDATE vocab SET display = $text WHERE token_id = 5", {"text": HOSTILE})
        con.execute("UPDATE model SET name = $text", {"text": HOSTILE})
        fill(con, "projection_part", model_id=1, layer=2, component="ff_value", k=2, n_units=4, **ALL)
        for sign, rank, item, score in ((1, 1, 2, 3.5), (1, 2, 5, 2.5), (-1, 1, 3, -4.5), (-1, 2, 2, -1.5)):
            fill(con, "projection", model_id=1, layer=2, component="ff_value", unit=0, sign=sign, rank=rank,
                 token_id=item, score=score, **ALL)  # fmt: skip
        whose = {"model_id": 1, "layer": 1, "head": 0, "matrix": "VO", "exclude_same": False, **ALL}
        fill(con, "pair_projection_part", k=1, n_pairs=64, n_multiplied=64, **whose)
        fill(con, "pair_projection", rank=1, row_token_id=2, col_token_id=5, score=1.25, **whose)
        both = {"base_model_id": 1, "tuned_model_id": 1}
        fill(con, "parameter_shift", layer=1, component="w_o", relative=0.25, norm=1.0, base_norm=4.0, **both)
        fill(con, "parameter_diff", layer=1, component="w_o", unit=3, shift_rank=1, shift_norm=0.5, sign=1, rank=1,
             token_id=5, **both, **ALL)  # fmt: skip
        of = {"model_a": 1, "model_b": 1, "component": "w_o", "space": "embedding"}
        fill(con, "alignment", layer_a=1, layer_b=1, score=0.5, best_match=0.5, assigned=True, **of)
        fill(con, "alignment_summary", measure="score", n_layer_a=1, n_layer_b=1, n_own=1, p_value=1.0, **of)
        for kind, cut in (("stitched", 0), ("stitched", 1), ("classifier", None), ("chance", None)):
            fill(con, "stitching", model_a=1, model_b=1, corpus_name=HOSTILE, kind=kind, cut=cut, accuracy=0.75)
    return house


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    st.cache_data.clear()
    yield
    st.cache_data.clear()


def shown(monkeypatch: pytest.MonkeyPatch, path: Path, **query: str) -> AppTest:
    monkeypatch.setenv("LENSHOUSE_WAREHOUSE", str(path))
    app = AppTest.from_file(PAGE, default_timeout=LATE)
    for key, value in query.items():
        app.query_params[key] = value
    return app.run()


def markdown(app: AppTest) -> str:
    """All that Streamlit reads as markup."""
    kinds = (app.markdown, app.caption, app.title, app.header, app.subheader, app.info, app.error, app.warning)
    return " ".join(str(element.value) for kind in kinds for element in kind)


@pytest.mark.parametrize("view", VIEWS)
def test_a_full_page(full: House, monkeypatch: pytest.MonkeyPatch, view: str) -> None:
    app = shown(monkeypatch, full.path, view=view, token="the")
    assert not app.exception and not app.info
    assert app.subheader
    assert "<script>" not in markdown(app) and "](http" not in markdown(app)


def test_a_unit_says_what_is_stored(full: House, monkeypatch: pytest.MonkeyPatch) -> None:
    app = shown(monkeypatch, full.path)
    assert app.subheader[0].value == "What ff\\_value 0 of layer 2 says"
    stored = full.rows("SELECT count(*) FROM neuron_activation WHERE layer = 2 AND unit = 0")[0][0]
    assert app.dataframe[0].value.shape[0] == stored > 0


def test_a_unit_without_items_says_so(full: House, monkeypatch: pytest.MonkeyPatch) -> None:
    app = shown(monkeypatch, full.path, unit="3")
    assert app.info[0].value == "No items of this unit are stored." and not app.exception


def test_a_search_finds_both_signs_and_links_to_the_unit(full: House, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = shown(monkeypatch, full.path, view="Search", token="the").dataframe[0].value
    assert sorted(zip(frame["sign"], frame["score"], strict=True)) == [(-1, -1.5), (1, 3.5)]
    assert all(link.startswith("parameters?view=Unit&") and "layer=2" in link for link in frame["open"])


@pytest.mark.parametrize("word", ["thelens", "<b>x</b>", "$$\\x$$", "\u202e", "'; DROP TABLE vocab --"])
def test_a_word_that_is_no_item_is_told_as_text(full: House, monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    app = shown(monkeypatch, full.path, view="Search", token=word)
    assert not app.exception and app.info and "<b>" not in markdown(app)
    assert any(text.value.startswith("Items spelt like it: ") for text in app.text)


@pytest.mark.parametrize("view", VIEWS)
def test_a_warehouse_without_any_names_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, view: str) -> None:
    house = House(tmp_path / "lens.duckdb")
    house.ingest()
    app = shown(monkeypatch, house.path, view=view)
    assert not app.exception and len(app.info) == 1
    assert app.code[0].value.startswith("lenshouse ")


def test_no_warehouse_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = shown(monkeypatch, tmp_path / "none.duckdb")
    assert "none.duckdb" in app.exception[0].message


def test_context_marks_the_token_and_no_more() -> None:
    row = {"text": "a" * 100 + " dog " + "b" * 100, "char_start": 101, "char_end": 104}
    assert "⟦dog⟧" in context(row) and len(context(row)) < 120
    assert context({"text": "dog", "char_start": None, "char_end": None}) == "dog"
