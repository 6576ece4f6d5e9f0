"""Warehouses that pages are about, and a way to run a page without a browser."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest
import streamlit as st
from streamlit import config
from streamlit.testing.v1 import AppTest

import dashboard
import warehouse
from tests.warehouse.analysis.support import annotate, shape
from tests.warehouse.conftest import House
from warehouse import connect
from warehouse.analysis import runner


@pytest.fixture(autouse=True)
def main_module() -> Iterator[None]:
    """AppTest leaves the page as the main program of this process, which every child process would then run first."""
    before = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = before


def drawn(tested: AppTest, number: int = 0) -> pl.DataFrame:
    """The rows of a chart, the largest set where it has several."""
    sets = [pl.read_ipc_stream(part.data.data) for part in tested.get("vega_lite_chart")[number].proto.datasets]
    return max(sets, key=lambda frame: frame.height)


Show = Callable[..., AppTest]


@pytest.fixture(scope="session")
def studied(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Two groups of two runs over one annotated corpus, analysed. Read it only: all tests share it."""
    house = House(tmp_path_factory.mktemp("studied") / "lens.duckdb")
    for number in range(4):
        family = ("left", "right")[number // 2]
        house.ingest(shape(name=f"{family}{number} on poem", model=f"{family}{number}", seed=number, model_seed=number,
                           family=family))  # fmt: skip
    annotate(house)
    warehouse.analyze(house.path, n_resamples=100, by_parts_of_speech=True)
    return house


@pytest.fixture
def show(monkeypatch: pytest.MonkeyPatch) -> Iterator[Show]:
    """Run a page of a warehouse (`app` for the whole dashboard), with these query parameters."""

    def run(page: str, path: Path, **query: str) -> AppTest:
        monkeypatch.setenv("LENSHOUSE_WAREHOUSE", str(path))
        config.set_option("runner.magicEnabled", False)  # as the server has it
        folder = Path(dashboard.__file__).parent
        script = "script/lenshouse_pages.py" if page == "app" else f"pages/{page}.py"
        tested = AppTest.from_file(folder / script, default_timeout=180)
        for name, value in query.items():
            tested.query_params[name] = value
        return tested.run()

    st.cache_data.clear()
    yield run
    st.cache_data.clear()


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
