"""What parameters say: items of a unit, layers of two models against each other, accuracies by cut."""

from typing import Final

import altair as alt
import polars as pl

from dashboard.charts.theme import COLOURS, HEIGHT, WIDTH, Chart, rule

_CELL: Final = 34
"""Side of a cell of a matrix of layers."""


def items(frame: pl.DataFrame, title: str) -> alt.HConcatChart:
    """Bars of the items that a unit scores highest, beside those that it scores lowest.

    Args: frame, rows of item, score, sign, rank; title, of the axis.
    """
    sides = [
        alt.Chart(frame.filter(sign=sign))
        .mark_bar(color=COLOURS[0] if sign == 1 else COLOURS[1], height={"band": 0.7})
        .encode(
            x=alt.X("score:Q", title=title),
            y=alt.Y("rank:O", title=None, axis=alt.Axis(labels=False, ticks=False, domain=False)),
            tooltip=["item:N", alt.Tooltip("score:Q", format=".4~g"), "rank:O"],
        )
        + alt.Chart(frame.filter(sign=sign))
        .mark_text(align="right" if sign == 1 else "left", dx=-6 if sign == 1 else 6, color="currentColor", limit=150)
        .encode(y="rank:O", x=alt.datum(0), text="item:N")
        for sign in (1, -1)
        if not frame.filter(sign=sign).is_empty()
    ]
    return alt.hconcat(*(side.properties(width=WIDTH * 0.5, height=alt.Step(17)) for side in sides), spacing=160)


def layer_matrix(frame: pl.DataFrame, measure: str, title: str, names: tuple[str, str]) -> alt.FacetChart:
    """Similarity of every two layers, a field for each space, each on its own scale; a dot where layers correspond.

    Args: frame, rows of space, layer_a, layer_b, measure, assigned; names of the models, A in rows.
    """
    base = alt.Chart(frame).encode(
        x=alt.X("layer_b:O", title=f"Layer of {names[1]}", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("layer_a:O", title=f"Layer of {names[0]}"),
    )
    cells = base.mark_rect().encode(
        color=alt.Color(f"{measure}:Q", title=title, scale=alt.Scale(scheme="viridis"), legend=alt.Legend(title=title)),
        tooltip=["space:N", "layer_a:O", "layer_b:O", alt.Tooltip(f"{measure}:Q", format=".4~g"), "assigned:N"],
    )
    dots = base.transform_filter("datum.assigned").mark_point(
        shape="circle", filled=True, size=60, color="#ffffff", stroke="#1f2933", strokeWidth=1, opacity=1
    )
    field = alt.layer(cells, dots).properties(width=alt.Step(_CELL), height=alt.Step(_CELL))
    return field.facet(column=alt.Column("space:N", title=None)).resolve_scale(color="independent")


def shift_matrix(frame: pl.DataFrame) -> Chart:
    """How far each component of each layer moved. Args: frame, rows of layer, component, relative, cosine."""
    base = alt.Chart(frame).encode(
        x=alt.X("component:N", title=None, axis=alt.Axis(labelAngle=0)), y=alt.Y("layer:O", title="Layer")
    )
    cells = base.mark_rect().encode(
        color=alt.Color(
            "relative:Q",
            title="Shift / base norm",
            scale=alt.Scale(scheme="viridis", domainMin=0),
            legend=alt.Legend(title="Shift / base norm", format=".2f"),
        ),
        tooltip=[
            "layer:O",
            "component:N",
            *(alt.Tooltip(f"{name}:Q", format=".4~g") for name in ("relative", "cosine")),
        ],
    )
    return alt.layer(cells).properties(width=alt.Step(84), height=alt.Step(30))


def cuts(frame: pl.DataFrame, chance: float | None, own: float | None) -> Chart:
    """Accuracy by cut: translated states with their interval, the baselines dashed behind, one line a model.

    Args: frame, rows of model_a, kind (stitched, identity, random), cut, accuracy, low, high; chance and own, the
    accuracies of the most frequent class and of the classifier itself.
    """
    kinds = [kind for kind in ("stitched", "identity", "random") if kind in set(frame["kind"])]
    base = alt.Chart(frame).encode(
        x=alt.X("cut:Q", title="Layers of the other model that come first", axis=alt.Axis(format="d", tickMinStep=1)),
        color=alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=list(COLOURS[: len(kinds)]))),
        detail="model_a:N",
    )
    accuracy = alt.Y("accuracy:Q", title="Accuracy", scale=alt.Scale(zero=False))
    layers = [
        base.transform_filter("isValid(datum.low) && datum.kind == 'stitched'")
        .mark_area(opacity=0.12)
        .encode(y=alt.Y("low:Q", title="Accuracy", scale=alt.Scale(zero=False)), y2="high:Q"),
        base.mark_line(strokeWidth=1.5).encode(
            y=accuracy, strokeDash=alt.StrokeDash("kind:N", scale=alt.Scale(domain=kinds))
        ),
        base.mark_point(filled=True, size=40, opacity=1).encode(
            y=accuracy,
            tooltip=[
                "model_a:N",
                "kind:N",
                "cut:Q",
                *(alt.Tooltip(f"{n}:Q", format=".3f") for n in ("accuracy", "low", "high")),
            ],
        ),
    ]
    rules = [rule(at) for at in (chance, own) if at is not None]
    return alt.layer(*rules, *layers).properties(width=WIDTH, height=HEIGHT * 1.5)
