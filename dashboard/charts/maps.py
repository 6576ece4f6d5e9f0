"""Attention maps as squares of colour: queries are rows, keys are columns, and a position is one wherever it stands."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

import altair as alt
import polars as pl

SEQUENTIAL: Final = "cividis"
"""Of values from 0: seen alike by people with any colour vision (Nuñez, Anderton and Renslow 2018)."""

DIVERGING: Final = ("#0072B2", "rgba(128, 128, 128, 0.14)", "#D55E00")
"""Below, at and above 0. Nothing is nearly transparent, so that it is calm on white and on black."""

SIGNED: Final = "signed"
"""The unit of measures that go both ways, around 0."""

SMALLEST_LABELLED: Final = 9
"""Pixels a row; below it, labels of neighbours would touch."""


class Measure(NamedTuple):
    """A column with values: the title over its map, and its unit; maps of one unit share their colours."""

    name: str
    title: str
    unit: str


class Axis(NamedTuple):
    """The rows or columns of a map: positions in their order, and the label of each."""

    positions: list[int]
    labels: list[str]


class Frame(NamedTuple):
    """The part of a map that is looked at elsewhere, as first and last rows and columns, both included."""

    queries: tuple[int, int]
    keys: tuple[int, int]


def largest(frames: Iterable[pl.DataFrame], measures: Sequence[Measure]) -> dict[str, float]:
    """The end of each unit's scale: the largest size of a value that is shown; 1 where there is none but 0."""
    tops: dict[str, float] = {}
    for frame in frames:
        for measure in measures:
            top = float(frame[measure.name].abs().max() or 0)  # type: ignore[arg-type]  # a column of numbers
            tops[measure.unit] = max(tops.get(measure.unit, 0.0), top)
    return {unit: top or 1.0 for unit, top in tops.items()}


def strip(
    frame: pl.DataFrame,
    measures: Sequence[Measure],
    rows: Axis,
    columns: Axis,
    *,
    tops: Mapping[str, float],
    told: Sequence[Measure],
    room: int = 107,
    marked: Frame | None = None,
) -> alt.HConcatChart:
    """Small maps side by side, without labels; each unit has one colour scale, whose legend stands at its last map.

    Args: frame, see `one`; told, the measures that a pointer on a cell is to tell; room, pixels for each map; marked, a
    part to draw a frame round.
    """
    n_rows, n_columns = max(len(rows.positions), 1), max(len(columns.positions), 1)
    step = max(2, min(24, room // max(n_rows, n_columns)))  # whole pixels: no seams between cells
    last = {measure.unit: number for number, measure in enumerate(measures)}
    panels = []
    for number, measure in enumerate(measures):
        legend = _legend(measure, tops, max(step * n_columns, 60), "bottom") if last[measure.unit] == number else None
        cells = _cells(frame, measure, rows, columns, tops, told, legend, labelled=False, first=number == 0)
        layers = [cells, *([_outline(marked)] if marked else [])]
        title = alt.TitleParams(measure.title, fontSize=11, fontWeight="bold", anchor="start", offset=4)
        panels.append(alt.layer(*layers).properties(width=step * n_columns, height=step * n_rows, title=title))
    return alt.hconcat(*panels, spacing=8).resolve_scale(color="independent")


def one(
    frame: pl.DataFrame,
    measure: Measure,
    rows: Axis,
    columns: Axis,
    *,
    tops: Mapping[str, float],
    told: Sequence[Measure],
    room: int = 320,
) -> alt.HConcatChart:
    """One map, large, with a label at each row and column where there is room for them.

    A row of one chart: a page does not stretch it, and cells stay square.

    Args: frame, a row a cell: query, key, whatever of query_label, key_label, patterns and n_pairs a pointer is to
    tell, and a column for each measure; cells that are not in it stay empty.
    """
    step = max(5, min(24, room // max(len(rows.positions), len(columns.positions), 1)))
    legend = _legend(measure, tops, 160, "top")
    cells = _cells(frame, measure, rows, columns, tops, told, legend, labelled=step >= SMALLEST_LABELLED, size=step)
    size = {"width": step * max(len(columns.positions), 1), "height": step * max(len(rows.positions), 1)}
    return alt.hconcat(cells.properties(**size))


def _cells(
    frame: pl.DataFrame,
    measure: Measure,
    rows: Axis,
    columns: Axis,
    tops: Mapping[str, float],
    told: Sequence[Measure],
    legend: alt.Legend | None,
    *,
    labelled: bool,
    first: bool = True,
    size: float = 11,
) -> alt.Chart:
    return (
        alt.Chart(frame)
        .mark_rect()
        .encode(
            x=alt.X(
                "key:O",
                scale=alt.Scale(domain=columns.positions, padding=0),
                axis=_axis("Key: contributes", columns, labelled, size, angle=-90),
            ),
            y=alt.Y(
                "query:O",
                scale=alt.Scale(domain=rows.positions, padding=0),
                axis=_axis("Query: receives", rows, labelled, size, angle=0) if first else None,
            ),
            color=alt.Color(f"{measure.name}:Q", scale=scale(measure, tops), legend=legend),
            tooltip=tooltip(frame, told),
        )
        .transform_filter(f"isValid(datum.{measure.name})")
    )


def scale(measure: Measure, tops: Mapping[str, float]) -> alt.Scale:
    """Colours of a measure: from 0 to its unit's end, or as far below 0 as above."""
    top = tops.get(measure.unit, 1.0)
    if measure.unit == SIGNED:
        return alt.Scale(domain=[-top, 0, top], range=list(DIVERGING), interpolate="rgb")
    return alt.Scale(domain=[0, top], scheme=SEQUENTIAL)


def tooltip(frame: pl.DataFrame, told: Sequence[Measure]) -> list[alt.Tooltip]:
    """What a pointer tells of a cell: who, where, every value, and the patterns."""
    known = [
        ("query_label:N", "query token"), ("query:Q", "query position"), ("key_label:N", "key token"),
        ("key:Q", "key position"), ("n_pairs:Q", "pairs in the block"),
    ]  # fmt: skip
    who = [alt.Tooltip(field, title=title) for field, title in known if field[:-2] in frame.columns]
    values = [alt.Tooltip(f"{m.name}:Q", title=m.title, format=".4~g") for m in told if m.name in frame.columns]
    return who + values + ([alt.Tooltip("patterns:N", title="patterns")] if "patterns" in frame.columns else [])


def label_of(axis: Axis) -> str:
    """An expression that gives the label of `datum.value`; texts stand in it as JSON, which is no code."""
    labels = {str(position): label for position, label in zip(axis.positions, axis.labels, strict=True)}
    return f"{json.dumps(labels)}[datum.value]"


def _axis(title: str, axis: Axis, labelled: bool, size: float, *, angle: int) -> alt.Axis:
    common: dict[str, Any] = {"title": title, "ticks": False, "domain": False, "grid": False}
    if not labelled:
        return alt.Axis(labels=False, titlePadding=4, **common)
    return alt.Axis(
        labelExpr=label_of(axis), labelAngle=angle, labelOverlap=False, labelLimit=96, labelPadding=3,
        labelFontSize=min(12, max(8, round(size - 1))), **common,
    )  # fmt: skip


def _legend(measure: Measure, tops: Mapping[str, float], length: int, orient: Literal["top", "bottom"]) -> alt.Legend:
    """The colours from end to end, with the numbers of both ends, and of 0."""
    top = tops.get(measure.unit, 1.0)
    ends = [-top, 0, top] if measure.unit == SIGNED else [0, top]
    number = "+.2~g" if measure.unit == SIGNED else ".2~g"
    return alt.Legend(
        orient=orient, direction="horizontal", title=None, gradientLength=length, gradientThickness=8, offset=6,
        values=ends, labelExpr=f"datum.value == 0 ? '0' : format(datum.value, '{number}')", labelOverlap=False,
    )  # fmt: skip


def _outline(part: Frame) -> alt.Chart:
    values = [{"top": part.queries[0], "bottom": part.queries[1], "left": part.keys[0], "right": part.keys[1]}]
    return (
        alt.Chart(alt.Data(values=values))
        .mark_rect(fill=None, stroke="#D55E00", strokeWidth=1.5)
        .encode(
            x=alt.X("left:O", bandPosition=0),
            x2=alt.X2("right", bandPosition=1),
            y=alt.Y("top:O", bandPosition=0),
            y2=alt.Y2("bottom", bandPosition=1),
        )
    )
