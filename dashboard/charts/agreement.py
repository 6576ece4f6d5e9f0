"""How far runs agree: by layer for each pair, and all runs against all."""

from typing import cast

import altair as alt
import polars as pl

from dashboard.charts.theme import HEIGHT, WIDTH, Chart, layer_axis, rule, series_scales, told


def agreement_by_layer(
    frame: pl.DataFrame, names: list[str], title: str = "Pearson's r of FF-amp", *, height: int = HEIGHT
) -> Chart:
    """A thin line for each pair of runs: rows of pair, layer, series (what kind of pair it is), value (Pearson's r),
    and whatever a pointer on a value is to tell beside them."""
    colour, _ = series_scales(names)
    n_layer = cast(int, frame["layer"].max() or 1)
    base = alt.Chart(frame).encode(
        x=layer_axis(n_layer),
        y=alt.Y("value:Q", title=title, scale=alt.Scale(domain=[_floor(frame), 1])),
        detail="pair:N",
        color=colour,
    )
    lines = base.mark_line(strokeWidth=1.2, opacity=0.75)
    points = base.mark_point(filled=True, size=18, opacity=0.9).encode(tooltip=told(frame))
    return alt.layer(rule(0), lines, points).properties(width=WIDTH, height=height)


def agreement_matrix(frame: pl.DataFrame, names: list[str]) -> Chart:
    """All runs against all: rows of a, b (`ID NAME` of runs, both ways round), value (r), and whatever a pointer on a
    cell is to tell beside them."""
    side = max(22, min(64, 360 // max(len(names), 1)))
    has_numbers = side >= 30
    base = alt.Chart(frame).encode(
        x=alt.X("b:N", sort=names, title="Run", axis=alt.Axis(labelAngle=0, labelExpr="split(datum.label, ' ')[0]")),
        y=alt.Y("a:N", sort=names, title=None, axis=alt.Axis(labelLimit=200)),
    )
    cells = base.mark_rect().encode(
        tooltip=told(frame),
        color=alt.Color(
            "value:Q", title="r", scale=alt.Scale(scheme="cividis", domain=[0, 1], clamp=True),
            legend=None if has_numbers else alt.Legend(orient="right", title="r", gradientLength=120),
        )
    )  # fmt: skip
    if not has_numbers:
        return alt.layer(cells).properties(width=side * len(names), height=side * len(names))
    numbers = base.mark_text(fontSize=11 if side > 38 else 9.5).encode(
        text=alt.Text("value:Q", format=".2f"),
        color=alt.condition("datum.value > 0.55", alt.value("black"), alt.value("white")),
    )
    return alt.layer(cells, numbers).properties(width=side * len(names), height=side * len(names))


def _floor(frame: pl.DataFrame) -> float:
    """0, or below it where a pair disagrees."""
    return min(0.0, cast(float, frame["value"].min() or 0.0))
