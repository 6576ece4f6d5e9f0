"""Links between pages: addresses that restore a view."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import polars as pl
import streamlit as st

from dashboard.app import PAGES

_PARAMETER: Final = {"sentence": "run", "change": "runs", "correlations": "run", "patterns": "run", "compare": "a"}
"""Pages that show single runs, and the query parameter that names the run there."""


def to_pages(title: str) -> None:
    """A row of links to the pages about a run. Args: title, as filters.runs() has it."""
    with st.container(horizontal=True, gap="small"):
        for name, parameter in _PARAMETER.items():
            if name in PAGES:
                label, icon = PAGES[name]
                page = Path(__file__).parent / "pages" / f"{name}.py"
                st.page_link(page, label=label, icon=icon, query_params={parameter: title})


def sentence(run: dict[str, Any], seq_id: int, layer: int) -> str:
    """The page about a sentence, at a layer of a run (a row of `filters.runs`), relative to this server."""
    return f"/sentence?run={quote(run['title'], safe='')}&sentence={seq_id}&layer={layer}"


def sentences(run: dict[str, Any], frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with a first column `sentence`: the address of each row's seq_id and layer."""
    at: Iterable[tuple[int, int]] = frame.select("seq_id", "layer").iter_rows()
    urls = [sentence(run, seq_id, layer) for seq_id, layer in at]
    return frame.select(pl.Series("sentence", urls, dtype=pl.String), *frame.columns)


def column() -> Any:
    """How a table shows `sentence`."""
    return st.column_config.LinkColumn("", display_text=":material/open_in_new:", width=40, help="Show the sentence")
