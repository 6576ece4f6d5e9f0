"""Let a query run while the page shows how long it takes: whatever else is clicked meanwhile stops it."""

from dataclasses import dataclass

import streamlit as st

from dashboard.data import WAIT, house
from warehouse.errors import LenshouseError
from warehouse.guarded import Asking, Found, Limits, one_line

LIMITS = Limits()


@dataclass(frozen=True)
class Outcome:
    """The text of a query, and its rows or why there are none."""

    text: str
    found: Found | None = None
    failure: str | None = None


def outcome_of(text: str) -> Outcome:
    """Ask and wait. A click anywhere, or leaving the page, ends the script at its next line on the page, and the
    query with it."""
    place = st.empty()
    try:
        with place.container(horizontal=True, vertical_alignment="center", key="asking"):
            asking = Asking(house().path, text, LIMITS, WAIT)
            try:
                clock = st.empty()
                st.button("Cancel", icon=":material/stop_circle:")
                while not asking.done(0.25):
                    clock.text(f"Asking, {asking.seconds:.0f} s of {LIMITS.seconds:.0f}")
                return Outcome(text, found=asking.found())
            finally:
                asking.stop()
    except LenshouseError as error:
        return Outcome(text, failure=one_line(error))
    finally:
        place.empty()
