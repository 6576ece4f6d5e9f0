"""A chart of whatever columns a query gave."""

from typing import Final, Literal

import altair as alt
import polars as pl

from dashboard.charts.theme import COLOURS, WIDTH

MARKS: Final = ("points", "lines", "bars")

ROWS: Final = 5_000
"""Rows that a chart is drawn from; the page says when there are more."""

_SPECIAL: Final = ("image", "title")
"""What a tooltip would load or set large instead of naming it."""


def chartable(frame: pl.DataFrame) -> list[str]:
    """Columns that an axis can show: numbers, times, truth values and text."""
    shown = (pl.String, pl.Boolean, pl.Date, pl.Datetime)
    return [
        name for name, kind in frame.schema.items() if kind.is_numeric() or isinstance(kind, shown) or kind in shown
    ]


def quick(frame: pl.DataFrame, x: str, y: str, colour: str | None, mark: str) -> alt.Chart:
    """The first ROWS rows, with one of MARKS. Columns may bear any names: the chart has its own for them."""
    names = list(dict.fromkeys(name for name in (x, y, colour) if name is not None))
    short = {name: f"c{number}" for number, name in enumerate(names)}
    drawn = frame.head(ROWS).select(pl.col(name).alias(short[name]) for name in names)
    drawn = drawn.with_columns(
        pl.when(pl.col(pl.String).str.len_chars() > 60)
        .then(pl.col(pl.String).str.slice(0, 59) + "…")
        .otherwise(pl.col(pl.String))
        .name.keep()
    )
    kinds = {name: _kind(drawn.schema[short[name]]) for name in names}
    x_kind = "O" if mark == "bars" and kinds[x] == "Q" and drawn[short[x]].n_unique() <= 50 else kinds[x]
    chart = alt.Chart(drawn.with_columns(pl.col(pl.Decimal).cast(pl.Float64)))
    whole = {name: drawn.schema[short[name]].is_integer() for name in names}

    def _axis(name: str) -> alt.Axis:
        return alt.Axis(tickMinStep=1) if whole[name] else alt.Axis()

    marked = {"points": chart.mark_point(filled=True), "lines": chart.mark_line(point=True), "bars": chart.mark_bar()}
    encoded = marked[mark].encode(
        x=alt.X(short[x], type=_TYPES[x_kind], title=x, scale=_scale(x_kind, mark), axis=_axis(x)),
        y=alt.Y(short[y], type=_TYPES[kinds[y]], title=y, scale=_scale(kinds[y], mark), axis=_axis(y)),
        tooltip=[
            alt.Tooltip(short[name], type=_TYPES[kinds[name]], title=f"{name} " if name in _SPECIAL else name or " ")
            for name in names
        ],
    )
    if colour is None:
        encoded = encoded.encode(color=alt.value(COLOURS[0]))
    elif kinds[colour] == "Q" and drawn[short[colour]].n_unique() > len(COLOURS):
        encoded = encoded.encode(color=alt.Color(short[colour], type="quantitative", title=colour, scale=_SEQUENTIAL))
    else:
        few = drawn[short[colour]].n_unique() <= len(COLOURS)
        scale = alt.Scale(range=list(COLOURS)) if few else alt.Scale(scheme="tableau20")
        legend = alt.Legend(columns=4, symbolLimit=24)
        encoded = encoded.encode(
            color=alt.Color(short[colour], type="nominal", title=colour, scale=scale, legend=legend)
        )
    return encoded.properties(width=1.5 * WIDTH, height=320)


_TYPES: Final[dict[str, Literal["quantitative", "temporal", "nominal", "ordinal"]]] = {
    "Q": "quantitative",
    "T": "temporal",
    "N": "nominal",
    "O": "ordinal",
}
_SEQUENTIAL: Final = alt.Scale(scheme="cividis")


def _kind(kind: pl.DataType) -> str:
    return "Q" if kind.is_numeric() else "T" if kind.is_temporal() else "N"


def _scale(kind: str, mark: str) -> alt.Scale:
    """Bars begin at zero; of points and lines what is there is shown."""
    return alt.Scale(zero=mark == "bars", padding=0 if mark == "bars" else 8) if kind == "Q" else alt.Scale()
