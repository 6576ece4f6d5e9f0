"""Questions of the pages: a named query with its values, asked once for each state of the warehouse file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import polars as pl
import streamlit as st

from warehouse import sqlfiles
from warehouse.paths import warehouse_path
from warehouse.queries import Warehouse
from warehouse.sqltext import with_values

WAIT: Final = 15.0
"""Seconds that a page waits while a writer has the file."""

MEMORY: Final = "1GiB"
"""What DuckDB may hold. One value for all questions: it shares a file among connections of one configuration only."""


@dataclass(frozen=True)
class Answer:
    """The rows of a question, and the question as anyone can ask it: values in place of its parameters."""

    frame: pl.DataFrame
    sql: str


def house() -> Warehouse:
    """The warehouse that the dashboard was started on."""
    return Warehouse(warehouse_path(), WAIT, MEMORY)


def ask(name: str, **values: Any) -> Answer:
    """Rows of `sql/queries/dashboard/<name>.sql`; they are kept until the file changes.

    Raises LenshouseError: no warehouse, one of another schema, or a writer that has it for longer than WAIT.
    """
    return ask_text(sqlfiles.query(f"dashboard/{name}"), values)


def ask_text(text: str, values: dict[str, Any]) -> Answer:
    """The same for the text of a query: one whose columns or tables are chosen from a fixed list, never typed."""
    named = {key: value for key, value in values.items() if f"${key}" in text}
    path = warehouse_path()
    return Answer(_frame(str(path), state_of(path), text, named), with_values(text, named))


def state_of(path: Path) -> tuple[int, int, int]:
    """Changes whenever a writer has committed; zeros where there is no file."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0, 0, 0
    return found.st_ino, found.st_size, found.st_mtime_ns


@st.cache_data(max_entries=500, max_size="256MB", show_spinner="Asking the warehouse")
def _frame(path: str, state: tuple[int, int, int], text: str, values: dict[str, Any]) -> pl.DataFrame:
    del path, state  # what tells one answer from another
    return house().sql(text, values or None)
