"""Where the time of runs went."""

from typing import Final

import altair as alt
import polars as pl

from dashboard.charts.theme import COLOURS, WIDTH

PHASES: Final = ("tokenize", "forward", "core", "write", "load")


def seconds_by_phase(frame: pl.DataFrame, names: list[str]) -> alt.Chart:
    """A bar for each run: rows of series (its name), phase, seconds."""
    return (
        alt.Chart(frame.with_columns(place=pl.col("phase").replace_strict(dict(zip(PHASES, range(5), strict=True)))))
        .mark_bar(height={"band": 0.75})
        .encode(
            x=alt.X("seconds:Q", title="Wall time (s)", stack="zero"),
            y=alt.Y("series:N", scale=alt.Scale(domain=names), axis=alt.Axis(title=None, labelLimit=300)),
            color=alt.Color("phase:N", scale=alt.Scale(domain=list(PHASES), range=list(COLOURS[:5]))),
            order=alt.Order("place:Q"),
            tooltip=["series:N", "phase:N", alt.Tooltip("seconds:Q", format=".3~g", title="seconds")],
        )
        .properties(width=1.5 * WIDTH, height=alt.Step(22))
    )
