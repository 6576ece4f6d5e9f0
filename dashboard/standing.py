"""What is new and what is missing: a page follows the file while someone writes to it."""

from pathlib import Path

import streamlit as st

from dashboard import states
from dashboard.data import MEMORY, WAIT, house, state_of
from warehouse.analysis.standing import Standing, standing
from warehouse.wording import plural

EVERY = 5.0
"""Seconds between two looks at the file; one costs a stat, and no question."""


def follow() -> None:
    """Run the page again when a writer has committed."""
    path = house().path
    seen = state_of(path)

    @st.fragment(run_every=EVERY)
    def look() -> None:
        if state_of(path) != seen:
            st.rerun()

    look()


def missing_analysis(runs: list[int]) -> None:
    """Which results are missing or stale, with the command that computes them; nothing where all are up to date."""
    path = house().path
    found = _standing(str(path), state_of(path), tuple(runs))
    if found.pending:
        parts = ", ".join(sorted({part.replace("_", " ") for part, _ in found.pending}))
        st.warning(f"{plural(len(found.pending), 'result')} missing or stale: {parts}.", icon=":material/update:")
        st.code(states.command("analyze"), language="bash")
    if found.impossible or found.notes:
        with st.expander(f"What to know about the analysis ({len(found.impossible) + len(found.notes)})"):
            for part, subject, why in found.impossible:
                st.text(f"{part.replace('_', ' ')} of {subject}: {why}")
            for note in found.notes:
                st.text(note)


@st.cache_data(max_entries=20, show_spinner=False)
def _standing(path: str, state: tuple[int, int, int], runs: tuple[int, ...]) -> Standing:
    del state  # what tells one answer from another
    return standing(Path(path), runs, wait=WAIT, memory=MEMORY)
