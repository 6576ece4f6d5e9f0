"""Links from a run to the pages about it."""

from pathlib import Path
from typing import Final

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
