"""The Parameters page: every view with something to show and with nothing, and hostile tokens as text."""

from __future__ import annotations

from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import warehouse
from dashboard.parameter_views import VIEWS
from ingest.checkpoints import path_of
from tests.ingest.tiny import corpus, lenshouse, save
from warehouse import connect

PAGE = Path(__file__).parents[3] / "dashboard" / "pages" / "parameters.py"
HOSTILE = "<script>alert(1)</script> **bold** $x^2$ \u202e"


def opened(view: str, **filters: str) -> AppTest:
    page = AppTest.from_file(str(PAGE), default_timeout=60)
    page.query_params["view"] = view
    for name, value in filters.items():
        page.query_params[name] = value
    return page.run()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seeds of tiny models with everything that is known of parameters; an item's text is hostile."""
    root = tmp_path_factory.mktemp("parameters")
    house = root / "lens.duckdb"
    a, b = (save(root / f"tinybert-seed_{seed}", "bert", seed=seed) for seed in (1, 2))
    base, tuned = (path_of(f"lens-masked-128-seed0{end}") for end in ("", "-sentiment"))
    for words in (
        ("ingest", "--model", a, "--corpus", corpus(root), "--neurons", 3),
        ("project", "--model", a),
        ("project", "--model", a, "--pairs", "--pair-top-k", 5),
        ("align", a, b),
        ("diff", base, tuned, "--units", 2, "--top-k", 3),
        ("stitch", base, "--classifier", tuned, "--corpus", "demo:held-out", "--limit", 10, "--resamples", 100),
    ):
        done = lenshouse(*words, "--warehouse", house)
        assert done.code == 0, done.err
    with connect.write(house) as con:
        con.execute("UPDATE vocab SET display = $name WHERE display = 'the'", {"name": HOSTILE})
    return house


@pytest.fixture
def shown(filled: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LENSHOUSE_WAREHOUSE", str(filled))
    st.cache_data.clear()
    return filled


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_shows_something(view: str, shown: Path) -> None:
    page = opened(view, tokens="cat")
    assert not page.exception and not page.error and not page.warning
    assert page.get("vega_lite_chart") or page.dataframe


@pytest.mark.parametrize("view", VIEWS)
def test_an_empty_warehouse_says_what_to_do(view: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "empty.duckdb"
    with connect.write(path):
        pass
    monkeypatch.setenv("LENSHOUSE_WAREHOUSE", str(path))
    st.cache_data.clear()
    page = opened(view)
    assert not page.exception
    assert len(page.info) == 1 and page.code[0].value.startswith("lenshouse ")
    assert str(path) in page.code[0].value


def test_a_unit_shows_its_own_items(shown: Path) -> None:
    page = opened("Unit", layer="2", component="ff_value", unit="7")
    [query] = [code.value for code in page.code if "v_projection" in code.value]
    rows = warehouse.open(shown).sql(query)
    assert len(rows) == 40
    stored = warehouse.open(shown).sql(
        "SELECT token_id FROM projection WHERE layer = 2 AND component = 'ff_value' AND unit = 7 AND rank <= 20 "
        "ORDER BY sign DESC, rank"
    )
    assert rows["token_id"].to_list() == stored["token_id"].to_list()


def test_a_word_that_is_no_item_offers_its_pieces(shown: Path) -> None:
    page = opened("Token", tokens="catastrophe")
    assert not page.exception and len(page.warning) == 1
    assert any("catastrophe" in text.value for text in page.text)


def test_hostile_items_are_text(shown: Path) -> None:
    for view in ("Unit", "Pairs"):
        page = opened(view)
        assert not page.exception
        assert not any("<script>" in part.value for part in (*page.markdown, *page.caption, *page.subheader))
