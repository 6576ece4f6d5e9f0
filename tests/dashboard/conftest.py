"""Warehouses that pages are about, and a way to run a page without a browser."""

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
    warehouse.analyze(house.path, n_resamples=100)
    return house


@pytest.fixture
def show(monkeypatch: pytest.MonkeyPatch) -> Iterator[Show]:
    """Run a page of a warehouse (`app` for the whole dashboard), with these query parameters."""

    def run(page: str, path: Path, **query: str) -> AppTest:
        monkeypatch.setenv("LENSHOUSE_WAREHOUSE", str(path))
        config.set_option("runner.magicEnabled", False)  # as the server has it
        folder = Path(dashboard.__file__).parent
        script = "script/lenshouse_pages.py" if page == "app" else f"pages/{page}.py"
        tested = AppTest.from_file(folder / script, default_timeout=60)
        for name, value in query.items():
            tested.query_params[name] = value
        return tested.run()

    st.cache_data.clear()
    yield run
    st.cache_data.clear()
