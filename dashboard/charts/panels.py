"""A field for each of many series, all with one scale: what would be a tangle in one field."""

from typing import cast

import altair as alt
import polars as pl

from dashboard.charts.theme import COLOURS, Chart, layer_axis, rule_at, told

PER_ROW = 4


def panels(
    frame: pl.DataFrame, names: list[str], title: str, *, nothing: float, width: int = 158, height: int = 92
) -> Chart:
    """Lines over layers with intervals, a field for each series.

    Args: frame, rows of layer, series, value, low, high, and whatever a pointer on a value is to tell beside them; with
    a column is_significant, values without it are hollow; names, the series in their order; nothing, the value that
    means no effect.
    """
    n_layer = cast(int, frame["layer"].max() or 1)
    shown = frame.filter(pl.col("value").is_not_null() & pl.col("series").is_in(names))
    y = {end: alt.Y(f"{end}:Q", title=title, scale=alt.Scale(zero=False)) for end in ("value", "low")}
    base = alt.Chart().encode(x=layer_axis(n_layer, labels=6))
    points = base.mark_point(size=34, opacity=1, strokeWidth=1.5, color=COLOURS[0]).encode(
        y=y["value"], tooltip=told(shown)
    )
    layers = [
        rule_at(nothing),
        base.mark_rule(strokeWidth=1.2, opacity=0.6, color=COLOURS[0]).encode(y=y["low"], y2="high:Q"),
        base.mark_line(strokeWidth=1.2, opacity=0.6, color=COLOURS[0]).encode(y=y["value"]),
        points.encode(fill=filled_where_significant(shown)),
    ]
    return (
        alt.layer(*layers, data=shown)
        .properties(width=width, height=height)
        .facet(
            facet=alt.Facet("series:N", sort=names, title=None, header=alt.Header(labelLimit=width, labelPadding=2)),
            columns=PER_ROW,
            spacing=10,
        )
    )


def filled_where_significant(frame: pl.DataFrame) -> alt.Fill | alt.FillValue:
    """Filled where is_significant, hollow elsewhere; all filled where nothing is said of it."""
    if "is_significant" not in frame.columns:
        return alt.FillValue(COLOURS[0])
    scale = alt.Scale(domain=[True, False], range=[COLOURS[0], "transparent"])
    return alt.Fill("is_significant:N", scale=scale, legend=None)
