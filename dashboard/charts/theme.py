"""What all charts share: colours, sizes, and the way to SVG."""

import html
import json
import re
from typing import Any, Final, Literal, TypeAlias

import altair as alt
import polars as pl
import vl_convert

Chart: TypeAlias = alt.LayerChart | alt.FacetChart
"""What altair says that layers with properties are."""

COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Okabe and Ito (2008), those that are seen on white and on black."""

SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")

WIDTH: Final = 420
HEIGHT: Final = 200

_INK: Final = "currentColor"
"""The page's own colour of text, so that one SVG is read in light and in dark."""

_CONFIG: Final[dict[str, Any]] = {
    "aria": False,  # the figure has a label; one on every mark would double the page
    "background": "transparent",
    "font": "Arial, Liberation Sans, Helvetica, sans-serif",  # of one width, so that what is measured here fits there
    "padding": 8,
    "view": {"stroke": None},
    "axis": {
        "labelColor": _INK, "titleColor": _INK, "domainColor": _INK, "tickColor": _INK, "gridColor": _INK,
        "gridOpacity": 0.12, "labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal",
    },
    "legend": {
        "labelColor": _INK, "titleColor": _INK, "orient": "top", "title": None, "labelFontSize": 11,
        "symbolOpacity": 1, "columnPadding": 24, "labelLimit": 240, "symbolSize": 50,
    },
    "header": {"labelColor": _INK, "titleColor": _INK, "labelFontSize": 11, "labelFontWeight": "bold"},
    "title": {"color": _INK},
}  # fmt: skip


def layer_axis(n_layer: int, *, labels: int = 12) -> alt.X:
    """The axis of layers, whole numbers from 1; every second or fifth has a label where room is short."""
    step = 1 if n_layer <= labels else 2 if n_layer <= 2 * labels else 5
    ticks = [layer for layer in range(1, n_layer + 1) if layer == 1 or layer % step == 0]
    return alt.X(
        "layer:Q",
        title="Layer",
        scale=alt.Scale(domain=[1, max(n_layer, 2)], nice=False, padding=8),
        axis=alt.Axis(values=ticks, format="d", grid=False),
    )


def series_scales(names: list[str], slots: list[int] | None = None) -> tuple[alt.Color, alt.Shape]:
    """One colour and one shape for each series, in the order of `names`; no legend where there is but one.

    `slots` are numbers from 0 that series keep whatever stands beside them: the same one is the same colour and shape.
    """
    legend = alt.Legend(columns=legend_columns(names)) if len(names) > 1 else None
    kept = list(range(len(names))) if slots is None else slots
    colours, shapes = ([of[slot % len(of)] for slot in kept] for of in (COLOURS, SHAPES))
    return (
        alt.Color("series:N", scale=alt.Scale(domain=names, range=colours), legend=legend),
        alt.Shape("series:N", scale=alt.Scale(domain=names, range=shapes), legend=legend),
    )


def legend_columns(names: list[str]) -> int:
    """Columns of a legend that has room in WIDTH: its longest name at 6 px a character, its symbol and the gap."""
    return max(1, min(4, WIDTH // (6 * max(map(len, names), default=1) + 40)))


def told(frame: pl.DataFrame) -> list[alt.Tooltip]:
    """What a pointer on a mark tells: every column, numbers with four digits."""
    return [
        alt.Tooltip(f"{name}:Q", format=".4~g") if kind.is_float() else alt.Tooltip(f"{name}:N")
        for name, kind in frame.schema.items()
    ]


def rule(at: float) -> alt.Chart:
    """A dashed line where nothing happens, such as 0, or 1 for a ratio."""
    values = alt.Data(values=[{"at": at}])
    return alt.Chart(values).mark_rule(strokeDash=[4, 3], color=_INK, opacity=0.6).encode(y="at:Q")


def rule_at(at: float, side: Literal["x", "y"] = "y") -> alt.Chart:
    """The same on the data that it is layered with, one line whatever their rows: for the layers of a facet, and across
    a horizontal axis."""
    place = alt.XDatum(at) if side == "x" else alt.YDatum(at)
    one = alt.Chart().transform_aggregate(rows="count()")
    return one.mark_rule(strokeDash=[4, 3], color=_INK, opacity=0.6).encode(place)


def on_screen(chart: alt.TopLevelMixin) -> Any:
    """The chart in this theme, as SVG, so that it takes the page's colour of text in light and in dark."""
    return chart.configure(**_CONFIG).properties(usermeta={"embedOptions": {"renderer": "svg"}})


def svg(chart: alt.TopLevelMixin, label: str) -> str:
    """The chart as an SVG element for a page: no script, no font, no image from elsewhere; as wide as there is room.

    `label` is what is read aloud in its place.
    """
    text = vl_convert.vegalite_to_svg(chart.configure(**_CONFIG).to_dict())
    head, body = text.split(">", 1)
    width, height = re.findall(r' (?:width|height)="([\d.]+)"', head)
    about = f'role="img" aria-label="{html.escape(label)}"'
    return f'<svg class="chart" {about} viewBox="0 0 {width} {height}" style="max-width: {width}px">{body}'


def svg_file(chart: alt.TopLevelMixin) -> str:
    """The chart as an SVG file, black on white."""
    return vl_convert.vegalite_to_svg(_on_paper(chart))


def png(chart: alt.TopLevelMixin) -> bytes:
    """The chart as a PNG file, black on white, at twice the size of the screen's."""
    return vl_convert.vegalite_to_png(_on_paper(chart), scale=2)


def _on_paper(chart: alt.TopLevelMixin) -> dict[str, Any]:
    spec = chart.configure(**_CONFIG).to_dict()
    on_paper: dict[str, Any] = json.loads(json.dumps(spec).replace(f'"{_INK}"', '"#1f2933"'))
    on_paper["config"]["background"] = "white"
    return on_paper
