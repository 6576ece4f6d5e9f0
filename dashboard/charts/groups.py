"""Groups of runs: each run thin, the mean with its interval; and two groups compared by relative depth."""

from typing import cast

import altair as alt
import polars as pl

from dashboard.charts.theme import COLOURS, HEIGHT, WIDTH, Chart, layer_axis, rule, told


def by_group(
    means: pl.DataFrame, runs: pl.DataFrame, title: str, *, nothing: float | None = None, height: int = HEIGHT
) -> Chart:
    """A group by layer: means has rows of layer, value, low, high; runs of run_id, layer, value, drawn thin behind."""
    n_layer = cast(int, means["layer"].max() or 1)
    x = layer_axis(n_layer)
    thin = (
        alt.Chart(runs.filter(pl.col("value").is_not_null()))
        .mark_line(strokeWidth=0.8, opacity=0.55, color="gray")
        .encode(x=x, y=alt.Y("value:Q", title=title), detail="run_id:N")
    )
    base = alt.Chart(means.filter(pl.col("value").is_not_null())).encode(x=x)
    spread = base.transform_filter("isValid(datum.low)")
    layers = [
        thin,
        spread.mark_area(opacity=0.18, color=COLOURS[0]).encode(y=alt.Y("low:Q", title=title), y2="high:Q"),
        spread.mark_rule(color=COLOURS[0]).encode(y=alt.Y("low:Q", title=title), y2="high:Q"),
        base.mark_line(strokeWidth=2, color=COLOURS[0]).encode(y=alt.Y("value:Q", title=title)),
        base.mark_point(filled=True, size=34, opacity=1, color=COLOURS[0]).encode(
            y=alt.Y("value:Q", title=title), tooltip=told(means)
        ),
    ]
    chart = alt.layer(*([rule(nothing)] if nothing is not None else []), *layers)
    return chart.properties(width=WIDTH, height=height)


def differences(frame: pl.DataFrame, title: str, *, height: int = HEIGHT) -> Chart:
    """Group b less group a by relative depth: rows of depth, value, low, high."""
    base = alt.Chart(frame.filter(pl.col("value").is_not_null())).encode(
        x=alt.X(
            "depth:Q",
            title="Relative depth (layer / layers)",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(grid=False, tickCount=5),
        ),
    )
    spread = base.transform_filter("isValid(datum.low)")
    return alt.layer(
        rule(0),
        spread.mark_rule(strokeWidth=1.5, color=COLOURS[0]).encode(y=alt.Y("low:Q", title=title), y2="high:Q"),
        base.mark_point(filled=True, size=40, opacity=1, color=COLOURS[0]).encode(
            y=alt.Y("value:Q", title=title), tooltip=told(frame)
        ),
    ).properties(width=WIDTH, height=height)


def difference_by_layer(frame: pl.DataFrame, title: str) -> Chart:
    """Run b less run a by layer: rows of layer, value, low, high, n_sequences."""
    n_layer = cast(int, frame["layer"].max() or 1)
    base = alt.Chart(frame.filter(pl.col("value").is_not_null())).encode(x=layer_axis(n_layer))
    spread = base.transform_filter("isValid(datum.low)")
    told = [
        alt.Tooltip(name, type="quantitative", format=".4~g")
        for name in ("layer", "value", "low", "high", "n_sequences")
    ]
    return alt.layer(
        rule(0),
        spread.mark_rule(strokeWidth=1.5, color=COLOURS[0]).encode(y=alt.Y("low:Q", title=title), y2="high:Q"),
        base.mark_point(filled=True, size=40, opacity=1, color=COLOURS[0]).encode(
            y=alt.Y("value:Q", title=title), tooltip=told
        ),
    ).properties(width=WIDTH, height=230)
