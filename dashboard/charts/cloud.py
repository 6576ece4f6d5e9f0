"""Two numbers of many points: each drawn, or counted in bins."""

from typing import TypeVar

import altair as alt
import polars as pl

from dashboard.charts.theme import COLOURS, WIDTH, Chart, told

T = TypeVar("T", alt.X, alt.Y)


def cloud(frame: pl.DataFrame, x: str, y: str, *, named: pl.DataFrame | None = None, height: int = 270) -> Chart:
    """Points against each other.

    Args: frame, rows of unit, x, y, or, counted in bins, of x_from, x_to, y_from, y_to, n_points; x and y, titles of
    the axes with their units; named, rows of x, y, label of points that are drawn apart, with their labels.
    """
    chart = _bins(frame, x, y) if "n_points" in frame.columns else _points(frame, x, y)
    layers = [chart]
    if named is not None and not named.is_empty():
        base = alt.Chart(named).encode(x=_axis("x", x, alt.X), y=_axis("y", y, alt.Y), tooltip=told(named))
        layers.append(base.mark_point(size=50, filled=True, shape="diamond", color=COLOURS[1], opacity=1))
        layers.append(
            base.mark_text(align="left", dx=7, fontSize=10, color=COLOURS[1]).encode(text=alt.Text("label:N"))
        )
    return alt.layer(*layers).properties(width=WIDTH, height=height)


def _axis(name: str, title: str, channel: type[T]) -> T:
    return channel(f"{name}:Q", title=title, scale=alt.Scale(zero=False, nice=True), axis=alt.Axis(format="~g"))


def _points(frame: pl.DataFrame, x: str, y: str) -> alt.Chart:
    return (
        alt.Chart(frame)
        .mark_circle(size=22, opacity=0.45, color=COLOURS[0])
        .encode(x=_axis("x", x, alt.X), y=_axis("y", y, alt.Y), tooltip=told(frame))
    )


def _bins(frame: pl.DataFrame, x: str, y: str) -> alt.Chart:
    """Counts span magnitudes, so their colours are on a logarithmic scale."""
    return (
        alt.Chart(frame)
        .mark_rect()
        .encode(
            x=_axis("x_from", x, alt.X), x2="x_to:Q", y=_axis("y_from", y, alt.Y), y2="y_to:Q",
            color=alt.Color(
                "n_points:Q",
                scale=alt.Scale(scheme="cividis", type="log"),
                legend=alt.Legend(orient="right", title="Points", gradientLength=110, format="~s"),
            ),
            tooltip=told(frame),
        )
    )  # fmt: skip
