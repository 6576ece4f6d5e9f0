"""How a number of each sequence is spread, layer by layer: quantiles in front, sequences behind."""

from typing import cast

import altair as alt
import polars as pl

from dashboard.charts.theme import COLOURS, HEIGHT, WIDTH, Chart

MOST_POINTS = 2_000
"""Points up to which each is drawn; more are counted in bins."""


def spread(quantiles: pl.DataFrame, behind: pl.DataFrame, title: str, *, height: int = HEIGHT) -> Chart:
    """Boxes from the lower to the upper quartile with the median, whiskers from the 5% to the 95% quantile.

    Args: quantiles, rows of layer, n_sequences, q05, q25, median, q75, q95; behind, one row a sequence (layer, seq_id,
    change) or, counted in bins, (layer, change_from, change_to, n_sequences); title, of the axis of the change.
    """
    n_layer = cast(int, quantiles["layer"].max() or 1)
    x = alt.X("layer:O", title="Layer", axis=alt.Axis(labelAngle=0, labelOverlap=True, grid=False))
    told = [alt.Tooltip(name, format="d" if name in ("layer", "n_sequences") else ".3f") for name in quantiles.columns]
    base = alt.Chart(quantiles).encode(x=x, tooltip=told)
    width = max(4, min(26, 300 // n_layer))
    layers = [
        _bins(behind, x, title) if "change_from" in behind.columns else _points(behind, x, title),
        base.mark_rule(color=COLOURS[0], strokeWidth=1.5).encode(y=alt.Y("q05:Q", title=title), y2="q95:Q"),
        base.mark_bar(color=COLOURS[0], opacity=0.28, stroke=COLOURS[0], size=width).encode(
            y=alt.Y("q25:Q", title=title), y2="q75:Q"
        ),
        base.mark_tick(color=COLOURS[1], thickness=2.5, size=width).encode(y=alt.Y("median:Q", title=title)),
    ]
    return alt.layer(*layers).properties(width=WIDTH, height=height)


def _points(frame: pl.DataFrame, x: alt.X, title: str) -> alt.Chart:
    """Every sequence, beside the others by a fixed offset of its number so that equal ones are told apart."""
    moved = frame.with_columns(offset=(pl.col("seq_id") * 0.6180339887) % 1)
    return (
        alt.Chart(moved)
        .mark_circle(size=14, opacity=0.45, color="gray")
        .encode(
            x=x,
            xOffset=alt.XOffset("offset:Q", scale=alt.Scale(domain=[-0.6, 1.6])),
            y=alt.Y("change:Q", title=title, scale=alt.Scale(zero=False)),
            tooltip=["layer", "seq_id", alt.Tooltip("change", format=".3f")],
        )
    )


def _bins(frame: pl.DataFrame, x: alt.X, title: str) -> alt.Chart:
    """How many sequences a bin holds, the darker the more."""
    return (
        alt.Chart(frame)
        .mark_rect()
        .encode(
            x=x,
            y=alt.Y("change_from:Q", title=title, scale=alt.Scale(zero=False)),
            y2="change_to:Q",
            color=alt.Color(
                "n_sequences:Q",
                title="Sequences",
                scale=alt.Scale(range=["#8883", "#888"]),
                legend=alt.Legend(orient="right", title="Sequences", gradientLength=90),
            ),
            tooltip=[
                "layer",
                alt.Tooltip("change_from", format=".2f"),
                alt.Tooltip("change_to", format=".2f"),
                "n_sequences",
            ],
        )
    )
