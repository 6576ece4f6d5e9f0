"""What flows from keys to queries: a line for each pair, as thick as its value."""

from collections.abc import Sequence
from typing import Any, Final

import altair as alt
import polars as pl

from dashboard.charts.maps import DIVERGING, SIGNED, Axis, Measure, tooltip
from dashboard.charts.theme import COLOURS

LEAST: Final = 0.05
"""Lines below this share of the largest are not drawn; pages say how many."""

_WIDTH: Final = 150
"""Pixels between the two columns of tokens."""

_HOVERED: Final = (
    "!hovered.at || !hovered.at[0] || hovered.at[0] == 'key ' + datum.key || hovered.at[0] == 'query ' + datum.query"
)
"""Whether a line is to be seen: there is no token under the pointer, or it is one of the line's ends."""


def drawn(frame: pl.DataFrame, measure: Measure, top: float) -> pl.DataFrame:
    """The pairs that have a line, weakest first, so that the strongest lie above: their size beside them."""
    size = pl.col(measure.name).abs()
    return frame.with_columns(size=size).filter(pl.col("size") >= LEAST * top, pl.col("size") > 0).sort("size")


def flow(
    frame: pl.DataFrame,
    measure: Measure,
    rows: Axis,
    columns: Axis,
    *,
    top: float,
    told: Sequence[Measure],
    zoom: float = 1,
) -> alt.HConcatChart:
    """Keys on the left, queries on the right, both from the first to the last; signed values have a colour each.

    A pointer on a token leaves its lines alone. Args: frame, as `maps.one` takes it; top, the value of the thickest
    line; zoom, above 1 for more room.
    """
    order = {position: number for number, position in enumerate(sorted({*rows.positions, *columns.positions}))}
    place = pl.col("key", "query").replace_strict(order, return_dtype=pl.Int32).name.suffix("_row")
    lines = drawn(frame, measure, top).with_columns(place)
    step, width = zoom * max(10.0, min(20.0, 560 / max(len(order), 1))), round(zoom * _WIDTH)
    y = alt.Scale(domain=[-0.5, max(len(order) - 0.5, 0.5)], reverse=True, nice=False)
    hovered = alt.selection_point(name="hovered", fields=["at"], on="pointerover", clear="pointerout")
    line = (
        alt.Chart(lines)
        .mark_rule(strokeCap="round")
        .encode(
            x=alt.value(0),
            x2=alt.value(width),
            y=alt.Y("key_row:Q", scale=y, axis=None),
            y2="query_row:Q",
            strokeWidth=alt.StrokeWidth("size:Q", scale=alt.Scale(domain=[0, top], range=[0, 7]), legend=None),
            color=_colour(measure),
            opacity=alt.Opacity("size:Q", scale=alt.Scale(domain=[0, top], range=[0.15, 0.95]), legend=None),
            strokeOpacity=alt.condition(_HOVERED, alt.value(1), alt.value(0.05)),
            tooltip=tooltip(frame, told),
        )
    )
    left = _labels(columns, order, "key", "right").encode(x=alt.value(-8), y=alt.Y("row:Q", scale=y, axis=None))
    right = _labels(rows, order, "query", "left").encode(x=alt.value(width + 8), y=alt.Y("row:Q", scale=y, axis=None))
    heads = alt.Data(values=[{"x": 0, "text": "Key"}, {"x": 1, "text": "Query"}])
    head = (
        alt.Chart(heads)
        .mark_text(fontSize=11, fontWeight="bold", color="currentColor", dy=-12)
        .encode(x=alt.X("x:Q", scale=alt.Scale(domain=[0, 1], nice=False), axis=None), y=alt.value(0), text="text:N")
    )
    layers = alt.layer(line, left.add_params(hovered), right, head)
    return alt.hconcat(layers.properties(width=width, height=step * max(len(order), 1)))


def _colour(measure: Measure) -> Any:
    if measure.unit != SIGNED:
        return alt.value(COLOURS[0])
    return alt.condition(f"datum.{measure.name} < 0", alt.value(DIVERGING[0]), alt.value(DIVERGING[2]))


def _labels(axis: Axis, order: dict[int, int], name: str, align: str) -> alt.Chart:
    rows = [
        {"at": f"{name} {position}", "row": order[position], "text": label}
        for position, label in zip(axis.positions, axis.labels, strict=True)
    ]
    size = max(9, min(12, round(560 / max(len(order), 1)) - 2))
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_text(align=align, baseline="middle", fontSize=size, limit=90, color="currentColor")  # type: ignore[arg-type]
        .encode(text="text:N", tooltip=alt.value(None))
    )
