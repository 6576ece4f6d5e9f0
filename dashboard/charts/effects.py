"""Effects of one layer: by relation as dots, by parts of speech of two words as cells."""

import altair as alt
import polars as pl

from dashboard.charts.panels import filled_where_significant
from dashboard.charts.theme import COLOURS, WIDTH, Chart, rule_at, told


def dots(frame: pl.DataFrame, title: str, *, nothing: float) -> Chart:
    """Values with their intervals, a row each, the largest on top: rows of series, value, low, high, is_significant."""
    order = frame.sort("value", descending=True)["series"].to_list()
    y = alt.Y("series:N", sort=order, title=None, axis=alt.Axis(labelLimit=130, labelOverlap=False))
    base = alt.Chart(frame).encode(y=y)
    x = {end: alt.X(f"{end}:Q", title=title) for end in ("value", "low")}
    return alt.layer(
        rule_at(nothing, "x"),
        base.mark_rule(strokeWidth=1.5, opacity=0.6, color=COLOURS[0]).encode(x=x["low"], x2="high:Q"),
        base.mark_point(size=40, opacity=1, strokeWidth=1.5, color=COLOURS[0]).encode(
            x=x["value"], fill=filled_where_significant(frame), tooltip=told(frame)
        ),
        data=frame,
    ).properties(width=WIDTH, height=16 * max(frame.height, 4))


def cells(frame: pl.DataFrame, title: str) -> Chart:
    """Rows of query_upos, key_upos, value, is_significant: orange above 0, blue below, a dot where significant."""
    most = max((abs(value) for value in frame["value"].drop_nulls()), default=1.0) or 1.0
    base = alt.Chart(frame).encode(
        x=alt.X("key_upos:N", title="Key: the word that contributes", axis=alt.Axis(labelAngle=-60)),
        y=alt.Y("query_upos:N", title="Query: the word that receives"),
    )
    squares = base.mark_rect().encode(
        color=alt.Color(
            "value:Q",
            scale=alt.Scale(scheme="blueorange", domain=[-most, most], domainMid=0),
            legend=alt.Legend(orient="right", title=title, gradientLength=120, format=".2~g"),
        ),
        tooltip=told(frame),
    )
    marks = base.transform_filter("datum.is_significant").mark_circle(size=12, opacity=1, color="black")
    n_rows = max(frame["query_upos"].n_unique(), 4)
    return alt.layer(squares, marks).properties(width=WIDTH, height=20 * n_rows)
