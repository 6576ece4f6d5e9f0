"""An analysed warehouse that pages are about: two groups of seeds, a parallel model, a corpus without words."""

import pytest
import streamlit as st

import warehouse
from tests.warehouse.analysis.support import annotate, shape
from tests.warehouse.conftest import House
from warehouse import connect
from warehouse.analysis import runner

HOSTILE = (
    "<script>alert(1)</script> **b** [l](http://evil.example) $x$ :red[a] \u202eesrever\x00 ' \" " + "long " * 1000
)
"""What a text, a token or a name may be."""


@pytest.fixture(scope="session")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Runs 1 and 2 are seeds of `one`, 3 and 4 of `other`, 5 is parallel and of no family; 6 is over another corpus,
    which has no words. Names, texts and some tokens are hostile."""
    house = House(tmp_path_factory.mktemp("pages") / "lens.duckdb")
    for seed in range(4):
        family = "one" if seed < 2 else "other"
        house.ingest(shape(name=f"r{seed}", model=f"m{seed}", seed=seed, model_seed=seed, family=family))
    house.ingest(shape(name="parallel", model="mp", seed=7, family=None, placement="parallel"))
    house.ingest(shape(name="bare", model="mb", seed=8, family=None, corpus="bare"))
    annotate(house)
    with connect.write(house.path) as con:
        con.execute("UPDATE corpus SET annotation = 'gold' WHERE corpus_id = 1")
        con.execute("UPDATE sequence SET text = text || $text WHERE seq_id % 2 = 0", {"text": HOSTILE})
        con.execute("UPDATE vocab SET display = $text WHERE token_id = 4", {"text": HOSTILE})
        con.execute("UPDATE model SET name = name || $text WHERE model_id = 2", {"text": HOSTILE})
        con.execute("UPDATE model SET family = family || $text WHERE family = 'other'", {"text": HOSTILE})
    parts = [part for part in runner.PARTS if "finding" not in part.name]
    warehouse.analyze(house.path, n_resamples=100, parts=parts)
    return house


@pytest.fixture
def pages(analysed: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """The pages are about the analysed warehouse."""
    monkeypatch.setenv("LENSHOUSE_WAREHOUSE", str(analysed.path))
    st.cache_data.clear()
    return analysed


@pytest.fixture
def bare(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> House:
    """The pages are about two complete runs over one corpus, neither annotated nor analysed."""
    house = House(tmp_path_factory.mktemp("bare") / "lens.duckdb")
    for seed in range(2):
        house.ingest(shape(name=f"r{seed}", seed=seed, model_seed=seed))
    monkeypatch.setenv("LENSHOUSE_WAREHOUSE", str(house.path))
    st.cache_data.clear()
    return house
