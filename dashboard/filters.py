"""Filters whose state is in the URL, so that a link restores the view. Each key is the name of a query parameter."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import polars as pl
import streamlit as st

from dashboard import states
from dashboard.data import ask
from warehouse.wording import printable

T = TypeVar("T")

_LONG = 60
"""Characters of a label; longer ones are cut in the middle."""

_SHORT = 26
"""Characters of the name of a run in a chart: two in a row of a legend."""


def plain(text: object, longest: int = _LONG) -> str:
    """Untrusted text for a label: on one line, no control characters, no longer than `longest`."""
    shown = printable(str(text))
    half = (longest - 1) // 2
    return shown if len(shown) <= longest else f"{shown[:half]}…{shown[-half:]}"


def escaped(text: object) -> str:
    """Untrusted text where Streamlit reads markdown: titles, captions, options of pills and segmented controls."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]()<>#+-.!|~$:&" else c for c in plain(text))


def runs() -> pl.DataFrame:
    """Complete runs: run_id, title ("3 MiniLM on demo"), label ("3 MiniLM", for charts), name of model and corpus, and
    what tells them apart.

    Ends the page where there are none.
    """
    frame = ask("runs").frame
    states.require(frame, "This warehouse holds no complete run yet.", states.command("ingest --model … --corpus …"))
    titles = [
        plain(f"{run_id} {model} on {corpus}")
        for run_id, model, corpus in frame.select("run_id", "model_name", "corpus_name").iter_rows()
    ]
    labels = [label(run_id, model) for run_id, model in frame.select("run_id", "model_name").iter_rows()]
    return frame.with_columns(title=pl.Series(titles, dtype=pl.String), label=pl.Series(labels, dtype=pl.String))


def label(run_id: int, model: str) -> str:
    """A run where there is little room, as in the legend of a chart; its number tells it from all others."""
    return plain(f"{run_id} {model}", _SHORT)


def one_run(frame: pl.DataFrame, *, label: str = "Run", key: str = "run", default: int = 0) -> dict[str, Any]:
    """One of `runs()`, the first (or `default`) where none is chosen: its row."""
    by_title = {row["title"]: row for row in frame.iter_rows(named=True)}
    return by_title[choice(label, list(by_title), key=key, default=default)]


def another_run(frame: pl.DataFrame, run: dict[str, Any], *, label: str, key: str) -> dict[str, Any] | None:
    """A second one of `runs()` beside the first: its row; None where none is chosen."""
    by_title = {row["title"]: row for row in frame.iter_rows(named=True) if row["run_id"] != run["run_id"]}
    return by_title.get(choice(label, ["none", *by_title], key=key))


def some_runs(frame: pl.DataFrame, *, n: int = 6, label: str = "Runs", key: str = "runs") -> pl.DataFrame:
    """Some of `runs()`, the first `n` where none are chosen; ends the page when the last one is taken out."""
    titles = frame["title"].to_list()
    chosen = st.multiselect(label, titles, default=titles[:n], key=key, bind="query-params")
    if not chosen:
        states.nothing("Choose at least one run.")
    return frame.filter(pl.col("title").is_in(chosen))


def choice(
    label: str,
    options: Sequence[T],
    *,
    key: str,
    about: str | None = None,
    default: int = 0,
    show: Callable[[T], str] = str,
) -> T:
    """One of several, in a list."""
    chosen: Any = st.selectbox(
        label, options, index=default, key=key, help=about, format_func=show, bind="query-params"
    )
    return options[default] if chosen is None else chosen


def switch(
    label: str, options: Sequence[str], *, key: str, about: str | None = None, show: Callable[[str], str] = str
) -> str:
    """One of a few of our own words, side by side."""
    chosen = st.segmented_control(
        label, options, default=options[0], key=key, help=about, format_func=show, required=True, bind="query-params"
    )
    return options[0] if chosen is None else chosen


def layer(n_layer: int, *, label: str = "Layer", key: str = "layer", default: int = 1) -> int:
    """A layer, from 1; no slider where there is but one."""
    if n_layer == 1:
        return 1
    return int(st.slider(label, 1, n_layer, min(default, n_layer), key=key, bind="query-params"))


def toggle(label: str, *, key: str, default: bool = False, about: str | None = None) -> bool:
    return bool(st.toggle(label, value=default, key=key, help=about, bind="query-params"))


def number(label: str, highest: int, *, key: str, default: int = 0, about: str | None = None) -> int:
    """A whole number from 0; one that is too high, as of a link to another warehouse, becomes the highest."""
    if (st.session_state.get(key) or 0) > highest:
        st.session_state[key] = highest
    chosen = st.number_input(label, 0, highest, default, 1, key=key, help=about, bind="query-params")
    return default if chosen is None else int(chosen)


def place(label: str, highest: int, *, key: str, about: str | None = None) -> int:
    """Where a window begins, from 0; no slider where it cannot move."""
    return 0 if highest < 1 else int(st.slider(label, 0, highest, 0, key=key, help=about, bind="query-params"))


def text(label: str, *, key: str, placeholder: str | None = None, about: str | None = None) -> str | None:
    """What is typed; None for nothing."""
    typed = st.text_input(
        label, key=key, max_chars=200, placeholder=placeholder, help=about, bind="query-params", autocomplete="off"
    )
    return typed or None
