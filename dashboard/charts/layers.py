"""Numbers of one run by layer, each with its interval."""

from typing import cast

import altair as alt
import polars as pl
from altair import Undefined
from altair.utils.schemapi import UndefinedType

from dashboard.charts.theme import HEIGHT, WIDTH, Chart, layer_axis, rule, series_scales, told


def by_layer(
    frame: pl.DataFrame,
    names: list[str],
    title: str,
    *,
    nothing: float | None = None,
    slots: list[int] | None = None,
    height: int = HEIGHT,
) -> Chart:
    """Lines over layers with intervals as bands.

    Args: frame, rows of layer, series, value, low, high, and whatever a pointer on a value is to tell beside them;
    names, the series in the order of the legend; title, of the axis with its unit; nothing, the value that means no
    effect; slots, see series_scales.
    """
    return _lines(frame, names, title, nothing, slots=slots).properties(width=WIDTH, height=height)


def small_multiples(frame: pl.DataFrame, names: list[str], title: str, *, nothing: float) -> alt.VConcatChart:
    """The same, each series in a field of its own, all with one scale: three in a row."""
    ends = [frame[name].drop_nulls() for name in ("value", "low", "high")]
    low, high = (cast(float, f(getattr(end, f.__name__)() for end in ends if len(end))) for f in (min, max))
    scale = alt.Scale(domain=[min(low, nothing), max(high, nothing)], nice=True)
    fields = [
        _lines(frame.filter(series=name), [name], title if number % 3 == 0 else "", nothing, scale=scale).properties(
            width=WIDTH * 0.72, height=HEIGHT * 0.6, title=alt.TitleParams(name, fontSize=11, anchor="start")
        )
        for number, name in enumerate(names)
    ]
    rows = [alt.hconcat(*fields[first : first + 3], spacing=12) for first in range(0, len(fields), 3)]
    return alt.vconcat(*rows, spacing=12)


def _lines(
    frame: pl.DataFrame,
    names: list[str],
    title: str,
    nothing: float | None,
    scale: alt.Scale | UndefinedType = Undefined,
    slots: list[int] | None = None,
) -> Chart:
    colour, shape = series_scales(names, slots)
    n_layer = cast(int, frame["layer"].max() or 1)
    base = alt.Chart(frame.filter(pl.col("value").is_not_null())).encode(x=layer_axis(n_layer), color=colour)
    spread = base.transform_filter("isValid(datum.low)")
    layers = [
        spread.mark_area(opacity=0.18, line=False).encode(y=alt.Y("low:Q", title=title, scale=scale), y2="high:Q"),
        spread.mark_rule(strokeWidth=1).encode(y=alt.Y("low:Q", title=title, scale=scale), y2="high:Q"),
        base.mark_line(strokeWidth=1.5).encode(y=alt.Y("value:Q", title=title, scale=scale)),
        base.mark_point(filled=True, size=34, opacity=1).encode(
            y=alt.Y("value:Q", title=title, scale=scale),
            shape=shape,
            tooltip=told(frame),
        ),
    ]
    return alt.layer(*([rule(nothing)] if nothing is not None else []), *layers)
