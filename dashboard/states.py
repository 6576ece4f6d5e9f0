"""What a page says when it has nothing to show: what is missing, and the command that makes it."""

import shlex
from typing import NoReturn

import polars as pl
import streamlit as st

from dashboard.data import WAIT, house
from warehouse.errors import LenshouseError, WarehouseBusyError
from warehouse.wording import printable


def require(frame: pl.DataFrame, missing: str, command: str) -> None:
    """End the page here when the frame is empty, saying in our own words what is missing and what computes it."""
    if frame.is_empty():
        nothing(missing, command)


def nothing(missing: str, command: str | None = None) -> NoReturn:
    """End the page with a note, and a command to copy."""
    missed(missing, command)
    st.stop()


def missed(missing: str, command: str | None = None) -> None:
    """In place of one chart: a note, and a command to copy; the page goes on."""
    st.info(missing, icon=":material/hourglass_empty:")
    if command is not None:
        st.code(command, language="bash", wrap_lines=True)


def command(words: str) -> str:
    """`lenshouse WORDS` on the warehouse of this dashboard."""
    return f"lenshouse {words} --warehouse {shlex.quote(printable(str(house().path)))}"


def failed(error: LenshouseError) -> None:
    """The error as one line, and what to do; nothing of it is rendered as markup."""
    if isinstance(error, WarehouseBusyError):
        st.warning(f"A job has been writing to the warehouse for more than {WAIT:.0f} s.", icon=":material/lock:")
    else:
        st.error("The warehouse could not be asked.", icon=":material/error:")
    st.text(printable(str(error)))
    st.button("Try again")
