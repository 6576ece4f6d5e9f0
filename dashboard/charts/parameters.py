"""What parameters say: items of a unit, sizes of shifts, layers that correspond, accuracies of stitched models."""

from collections.abc import Sequence
from typing import Final, cast

import altair as alt
import polars as pl

from dashboard.charts.theme import COLOURS, WIDTH, Chart, series_scales
from warehouse.wording import printable

_INK: Final = "currentColor"
_LONGEST: Final = 30
"""Characters of an item beside its bar."""


def items(frame: pl.DataFrame) -> alt.HConcatChart:
    """Bars of scores, the highest items beside the lowest: rows of sign (1 or -1), rank, item, score."""
    return alt.hconcat(
        *(
            bars(frame.filter(sign=sign).select("rank", "item", "score"), title, COLOURS[slot], width=150, room=90)
            for sign, title, slot in ((1, "Highest items", 0), (-1, "Lowest items", 1))
        ),
        spacing=16,
    )


def bars(
    frame: pl.DataFrame, title: str, colour: str = COLOURS[0], *, width: float = WIDTH, room: int = 220
) -> alt.Chart:
    """A bar for each rank: rows of rank, item (any text), score; `room` in pixels is what items may take."""
    labels = [f"{rank}  {_short(item)}" for rank, item in frame.select("rank", "item").iter_rows()]
    shown = frame.select("rank", "score", label=pl.Series(labels, dtype=pl.String))
    return (
        alt.Chart(shown)
        .mark_bar(color=colour, height={"band": 0.75})
        .encode(
            x=alt.X("score:Q", title="Score, dot product", axis=alt.Axis(format="~g", tickCount=4)),
            y=alt.Y("label:N", sort=labels, title=None, axis=alt.Axis(labelLimit=room, ticks=False, domain=False)),
            tooltip=[
                alt.Tooltip("label:N", title="Item"),
                alt.Tooltip("score:Q", title="Score", format=".4~g"),
            ],
        )
        .properties(width=width, height={"step": 19}, title=alt.TitleParams(title, fontSize=11, anchor="start"))
    )


def shifts(frame: pl.DataFrame, title: str) -> Chart:
    """Layers by components: rows of layer (0: the embeddings), component, value (0 or more; NULL is left empty)."""
    components = frame["component"].unique().sort().to_list()
    layers = frame["layer"].unique().sort().to_list()
    most = cast(float, frame["value"].max() or 1.0)
    base = alt.Chart(frame.filter(pl.col("value").is_not_null())).encode(
        x=alt.X("layer:O", sort=layers, title="Layer (0: embeddings)", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("component:N", sort=components, title=None),
    )
    cells = base.mark_rect().encode(
        color=alt.Color("value:Q", scale=alt.Scale(scheme="cividis", domain=[0, most]), legend=_gradient(title)),
        tooltip=["layer:O", "component:N", alt.Tooltip("value:Q", title=title, format=".4~g")],
    )
    numbers = base.mark_text(fontSize=10).encode(
        text=alt.Text("value:Q", format=".2~g"),
        color=alt.condition(f"datum.value > {0.55 * most!r}", alt.value("black"), alt.value("white")),
    )
    both = [cells, numbers] if len(layers) <= 12 else [cells]
    return alt.layer(*both).properties(width=max(240, min(52 * len(layers), 860)), height=30 * len(components))


def alignment(frame: pl.DataFrame, titles: dict[str, str]) -> alt.HConcatChart:
    """Layers of A by layers of B, a field for each space, each with its own scale; corresponding ones are ringed.

    Args: frame, rows of space, layer_a, layer_b, value (mean |r|), assigned; titles, of the spaces, in their order.
    """
    return alt.hconcat(*(_matched(frame.filter(space=space), title) for space, title in titles.items()), spacing=32)


def _matched(frame: pl.DataFrame, title: str) -> Chart:
    n_a, n_b = (cast(int, frame[name].max() or 1) for name in ("layer_a", "layer_b"))
    side = max(12, min(44, 300 // max(n_a, n_b)))
    base = alt.Chart(frame).encode(
        x=alt.X("layer_b:O", title="Layer of B", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("layer_a:O", title="Layer of A"),
    )
    cells = base.mark_rect().encode(
        color=alt.Color("value:Q", scale=alt.Scale(scheme="cividis", zero=False), legend=_gradient("Mean |r|")),
        tooltip=["layer_a:O", "layer_b:O", alt.Tooltip("value:Q", title="Mean |r|", format=".4~g"), "assigned:N"],
    )
    rings = [
        base.transform_filter("datum.assigned").mark_point(
            shape="circle", filled=False, size=side * side / 4, color=colour, strokeWidth=width, opacity=1
        )
        for colour, width in (("black", 4), ("white", 2))  # seen on any cell
    ]
    return (
        alt.layer(cells, *rings)
        .properties(width=side * n_b, height=side * n_a, title=alt.TitleParams(title, fontSize=11, anchor="start"))
        .resolve_scale(color="independent")
    )


def stitching(frame: pl.DataFrame, names: Sequence[str], slots: list[int]) -> Chart:
    """Accuracy by cut with 95% intervals: rows of series, kind, cut, draw, accuracy, low, high.

    Identity and random kernels are thin behind; the classifier's own accuracy and chance are rules.
    """
    colour, shape = series_scales(list(names), slots)
    y = alt.Y("accuracy:Q", title="Accuracy, share of texts", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%"))
    last = cast(int, frame["cut"].max() or 1)
    x = alt.X("cut:Q", title="Cut, layers of the model that come first",
              axis=alt.Axis(values=list(range(last + 1)), format="d", grid=False))  # fmt: skip
    tooltip = [
        "series:N",
        "kind:N",
        "cut:Q",
        *(alt.Tooltip(f"{n}:Q", format=".3f") for n in ("accuracy", "low", "high")),
    ]
    behind = [
        alt.Chart(frame.filter(kind=kind))
        .mark_line(strokeWidth=1, strokeDash=dash, opacity=0.55)
        .encode(x=x, y=y, detail=["series:N", "draw:N"], color=colour, tooltip=tooltip)
        for kind, dash in (("random", [1, 3]), ("identity", [6, 3]))
    ]
    rules = (
        frame.filter(pl.col("kind").is_in(["classifier", "chance"])).select("kind", "accuracy").unique().sort("kind")
    )
    level = alt.Chart(rules).encode(y=y)
    labels = level.mark_text(align="right", dx=-2, dy=-6, fontSize=10, color=_INK).encode(
        x=alt.value("width"), text="kind:N"
    )
    base = alt.Chart(frame.filter(kind="stitched")).encode(x=x, color=colour)
    return alt.layer(
        *behind,
        level.mark_rule(strokeDash=[4, 3], color=_INK, opacity=0.7),
        labels,
        base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", title="Accuracy, share of texts"), y2="high:Q"),
        base.mark_line(strokeWidth=2).encode(y=y),
        base.mark_point(filled=True, size=40, opacity=1).encode(y=y, shape=shape, tooltip=tooltip),
    ).properties(width=WIDTH, height=320)


def _gradient(title: str) -> alt.Legend:
    return alt.Legend(orient="right", title=title, titleLimit=200, gradientLength=120)


def _short(text: object) -> str:
    shown = printable(str(text))
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"
