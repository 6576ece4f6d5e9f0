"""What stands on a page: a chart or a table with its title, what it means, its data and the SQL behind it."""

import json
from collections.abc import Callable
from io import BytesIO
from typing import Any, Final

import altair as alt
import polars as pl
import streamlit as st

from dashboard import charts
from dashboard.data import Answer

_ROWS: Final = 1_000
"""Rows that a table shows; downloads have all."""


def figure(title: str, chart: alt.TopLevelMixin, answer: Answer, *, key: str, about: str | None = None) -> None:
    """A chart; PNG, SVG, CSV and Parquet of it; and its query.

    Args: title and about, our own words (markdown); key, unique on the page, begins the names of files.
    """
    st.subheader(title, help=about, anchor=False)
    st.altair_chart(charts.on_screen(chart), theme=None, width="stretch", key=f"{key}_chart", alt=title)
    with st.container(horizontal=True, gap="small"):
        _saving(answer, key, chart)
        _query(answer, key)


def table(
    title: str,
    answer: Answer,
    *,
    key: str,
    about: str | None = None,
    columns: dict[str, Any] | None = None,
    frame: pl.DataFrame | None = None,
    choose: bool = False,
) -> int | None:
    """Rows as text and numbers; `columns` are Streamlit's column configurations, `frame` stands in for the answer's.

    With `choose` a row can be selected: its number, None where none is.
    """
    st.subheader(title, help=about, anchor=False)
    shown = answer.frame if frame is None else frame
    chosen: list[int] = []
    if choose:
        state = st.dataframe(
            shown.head(_ROWS), hide_index=True, column_config=columns, key=f"{key}_table", on_select="rerun",
            selection_mode="single-row",
        )  # fmt: skip
        chosen = state["selection"]["rows"]
    else:
        st.dataframe(shown.head(_ROWS), hide_index=True, column_config=columns, key=f"{key}_table")
    if shown.height > _ROWS:
        st.caption(f"The first {_ROWS:,} of {shown.height:,} rows; downloads hold all.")
    with st.container(horizontal=True, gap="small"):
        _saving(answer, key)
        _query(answer, key)
    return chosen[0] if chosen else None


def _saving(answer: Answer, key: str, chart: alt.TopLevelMixin | None = None) -> None:
    with st.popover("Save", icon=":material/download:"):
        if chart is not None:
            _download("PNG", f"{key}.png", "image/png", lambda: charts.png(chart))
            _download("SVG", f"{key}.svg", "image/svg+xml", lambda: charts.svg_file(chart).encode())
        _download("CSV", f"{key}.csv", "text/csv", lambda: csv_file(answer.frame))
        _download("Parquet", f"{key}.parquet", "application/vnd.apache.parquet", lambda: _parquet(answer.frame))


def _download(label: str, name: str, mime: str, make: Callable[[], bytes]) -> None:
    """The file is made when it is asked for."""
    st.download_button(label, make, name, mime, key=f"save_{name}", on_click="ignore", width="stretch")


def csv_file(frame: pl.DataFrame) -> bytes:
    """Lists and structs as JSON text, bytes as hexadecimal digits: CSV has no form for them."""
    nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
    texts = [
        pl.Series(name, [None if value is None else json.dumps(value, default=str) for value in frame[name].to_list()],
                  dtype=pl.String)
        for name in nested
    ]  # fmt: skip
    binary = [pl.col(name).bin.encode("hex") for name, kind in frame.schema.items() if kind == pl.Binary]
    return frame.with_columns(*texts, *binary).write_csv().encode()


def _parquet(frame: pl.DataFrame) -> bytes:
    buffer = BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def _query(answer: Answer, key: str) -> None:
    with st.popover("SQL", icon=":material/code:", key=f"{key}_sql"):
        st.code(answer.sql, language="sql", wrap_lines=True, width=640)
