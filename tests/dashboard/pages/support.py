"""A page run without a browser: what stands on it."""

import io
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from streamlit import config
from streamlit.testing.v1 import AppTest

import dashboard
from tests.warehouse.conftest import House

PAGES = Path(dashboard.__file__).parent / "pages"


def visit(page: str, **query: str) -> AppTest:
    """The page as an address with these query parameters opens it; no exception, and nothing hostile as markdown."""
    config.set_option("runner.magicEnabled", False)  # as the server has it
    app = AppTest.from_file(str(PAGES / f"{page}.py"), default_timeout=180)
    for name, value in query.items():
        app.query_params[name] = value
    return settled(app.run())


def settled(app: AppTest) -> AppTest:
    assert not app.exception, [each.message for each in app.exception]
    for element in (*app.markdown, *app.caption, *app.subheader, *app.info):
        assert not re.search(r"(?<!\\)(<script|\*\*b|\[l|:red)", element.value), element.value
    return app


@dataclass(frozen=True)
class Drawn:
    """A chart: its spec, and the frames of data that it holds."""

    spec: dict[str, Any]
    frames: list[pl.DataFrame]

    def frame(self, *columns: str) -> pl.DataFrame:
        """The one frame that has these columns."""
        [found] = [frame for frame in self.frames if set(columns) <= set(frame.columns)]
        return found


def charts(app: AppTest) -> dict[str, Drawn]:
    """The charts by the title above each."""
    found = {}
    for element in app.get("vega_lite_chart"):
        proto = element.proto
        frames = [pl.read_ipc_stream(io.BytesIO(each.data.data)) for each in proto.datasets]
        found[proto.alt] = Drawn(json.loads(proto.spec), [frame for frame in frames if isinstance(frame, pl.DataFrame)])
    return found


def commands(app: AppTest) -> list[str]:
    """Commands to copy; not the queries."""
    return [code.value for code in app.code if code.language == "bash"]


def keyed(house: House, query: str) -> dict[tuple[Any, Any], Any]:
    """Rows of three columns: the first two as key of the third."""
    return {(a, b): value for a, b, value in house.rows(query)}
