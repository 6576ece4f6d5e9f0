"""How far runs agree: by layer for each pair, and all runs against all."""

from typing import cast

import altair as alt
import polars as pl

from dashboard.charts.theme import HEIGHT, WIDTH, Chart, layer_axis, rule, series_scales


def agreement_by_layer(frame: pl.DataFrame, names: list[str]) -> Chart:
    """A thin line for each pair of runs: rows of pair, layer, series (what kind of pair it is), value (Pearson's r)."""
    colour, _ = series_scales(names)
    n_layer = cast(int, frame["layer"].max() or 1)
    base = alt.Chart(frame).encode(
        x=layer_axis(n_layer),
        y=alt.Y("value:Q", title="Pearson's r of FF-amp", scale=alt.Scale(domain=[_floor(frame), 1])),
        detail="pair:N",
        color=colour,
    )
    lines = base.mark_line(strokeWidth=1.2, opacity=0.75)
    points = base.mark_point(filled=True, size=18, opacity=0.9)
    return alt.layer(rule(0), lines, points).properties(width=WIDTH, height=HEIGHT)


def agreement_matrix(frame: pl.DataFrame, names: list[str]) -> Chart:
    """All runs against all: rows of a, b (`ID NAME` of runs, both ways round), value (r, mean over layers)."""
    side = max(26, min(64, 420 // max(len(names), 1)))
    base = alt.Chart(frame).encode(
        x=alt.X("b:N", sort=names, title="Run", axis=alt.Axis(labelAngle=0, labelExpr="split(datum.label, ' ')[0]")),
        y=alt.Y("a:N", sort=names, title=None, axis=alt.Axis(labelLimit=200)),
    )
    cells = base.mark_rect().encode(
        color=alt.Color(
            "value:Q", title="r", scale=alt.Scale(scheme="cividis", domain=[0, 1], clamp=True),
            legend=alt.Legend(orient="right", title="r", gradientLength=120),
        )
    )  # fmt: skip
    if side < 34:  # no room for a number
        return alt.layer(cells).properties(width=side * len(names), height=side * len(names))
    numbers = base.mark_text(fontSize=11).encode(
        text=alt.Text("value:Q", format=".2f"),
        color=alt.condition("datum.value > 0.55", alt.value("black"), alt.value("white")),
    )
    return alt.layer(cells, numbers).properties(width=side * len(names), height=side * len(names))


def _floor(frame: pl.DataFrame) -> float:
    """0, or below it where a pair disagrees."""
    return min(0.0, cast(float, frame["value"].min() or 0.0))
