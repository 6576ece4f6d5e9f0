"""The views of the Parameters page, one function each: filters, a question, a chart or a table."""

from typing import Any

import polars as pl
import streamlit as st

from dashboard import filters, measures, states
from dashboard.charts import parameters as charts
from dashboard.data import Answer, ask, house
from dashboard.exhibit import figure, table
from warehouse.errors import UsageError, WarehouseError
from warehouse.search import search

_ITEMS = 20
_FOUND = 200


def unit() -> None:
    """What a neuron, or a coordinate of a head, says; and on which words it is strongest."""
    model = _model("is_projected", "No model is projected into the vocabulary yet.", "project --model …")
    parts = ask("parameters/parts", model_id=model["model_id"]).frame
    with st.container(horizontal=True):
        layer = filters.choice("Layer", sorted(set(parts["layer"])), key="layer")
        of_layer = parts.filter(layer=layer)
        component = filters.choice("Component", _first_values(of_layer["component"]), key="component")
        readings = of_layer.filter(component=component)
        reading = filters.choice(
            "Items and LN", [_reading(row) for row in readings.iter_rows(named=True)], key="reading"
        )
        chosen = next(row for row in readings.iter_rows(named=True) if _reading(row) == reading)
        number = int(
            st.number_input("Unit", 0, max(chosen["n_units"] - 1, 0), 0, key="unit", bind="query-params")
            if chosen["n_units"] > 1
            else 0
        )
    values = {"model_id": model["model_id"], "layer": layer, "component": component, "unit": number}
    reading_of = {"vocab_filter": chosen["vocab_filter"], "ln_folded": chosen["ln_folded"]}
    answer = ask("parameters/says", **values, **reading_of, most=_ITEMS)
    figure(
        f"{component} {number} of layer {layer}: highest and lowest items",
        charts.items(answer.frame, "Score, vector times embedding"),
        answer,
        key="says",
        about=measures.PROJECTION,
    )
    if component.startswith("ff_") and component != "ff_bias":
        strongest = ask("parameters/strongest", model_id=model["model_id"], layer=layer, unit=number)
        if strongest.frame.is_empty():
            st.caption("No run of this model recorded activations of neurons: `lenshouse ingest … --neurons 10` does.")
        else:
            table("Where this neuron is strongest in the corpus", strongest, key="strongest", about=measures.ACTIVATION)


def token() -> None:
    """Which units promote or suppress a token, or several, in all models."""
    _model("is_projected", "No model is projected into the vocabulary yet.", "project --model …", shown=False)
    with st.container(horizontal=True):
        words = st.text_input("Tokens, parted by spaces", key="tokens", bind="query-params", placeholder="boring dull")
        sign = filters.switch("Units that", ("promote", "suppress", "either"), key="sign")
    if not words or not words.split():
        states.nothing("Write one or more tokens as the vocabulary has them: `…s` continues a word.")
    try:
        signs = {"promote": 1, "suppress": -1, "either": None}
        found = search(house().path, words.split(), sign=signs[sign], limit=_FOUND)
    except (UsageError, WarehouseError) as error:
        st.warning("Not found.")
        st.text(str(error))
        st.stop()
    table(
        "Units with these tokens among their items",
        Answer(found.frame, f"-- lenshouse search {' '.join(words.split())} --limit {_FOUND}"),
        key="found",
        about=measures.PROJECTION,
    )
    if found.cut:
        st.caption(f"The first {_FOUND} units; there are more.")


def pairs() -> None:
    """Pairs of items that a head's matrices score highest."""
    model = _model("has_pairs", "No head's pairs are stored yet.", "project --pairs --model …")
    with st.container(horizontal=True):
        layer = filters.layer(model["n_layer"])
        matrix = filters.switch("Matrix", ("VO", "QK"), key="matrix", about=measures.PAIRS)
    answer = ask("parameters/pairs", model_id=model["model_id"], layer=layer, matrix=matrix, most=_ITEMS)
    states.require(answer.frame, "This layer's pairs are not stored.", states.command("project --pairs --model …"))
    head = filters.choice("Head", sorted(set(answer.frame["head"])), key="head")
    table(
        f"Pairs of head {head}, layer {layer}, {matrix}",
        answer,
        key="pairs",
        about=measures.PAIRS,
        frame=answer.frame.filter(head=head).drop("head"),
    )


def shifts() -> None:
    """A fine-tuned model against its base."""
    answer = ask("parameters/shifts")
    states.require(answer.frame, "No two models are compared yet.", states.command("diff BASE TUNED"))
    couples = list(dict.fromkeys(answer.frame.select("base_model", "tuned_model").iter_rows()))
    titles = [filters.plain(f"{tuned} less {base}") for base, tuned in couples]
    chosen = filters.choice("Models", titles, key="shift")
    base, tuned = couples[titles.index(chosen)]
    moved = answer.frame.filter(base_model=base, tuned_model=tuned).select("layer", "component", "relative", "cosine")
    figure("How far each component moved", charts.shift_matrix(moved), answer, key="shifts", about=measures.SHIFT)
    items = ask("parameters/shifted_items", base_model=base, tuned_model=tuned, most=5)
    table("What the largest shifts say", items, key="shifted", about=measures.SHIFT)


def alignment() -> None:
    """Layers of two models against each other."""
    summary = ask("parameters/aligned_pairs")
    states.require(summary.frame, "No models are aligned yet.", states.command("align MODEL MODEL …"))
    couples = list(dict.fromkeys(summary.frame.select("model_a", "model_b").iter_rows()))
    titles = [filters.plain(f"{a} and {b}") for a, b in couples]
    with st.container(horizontal=True):
        a, b = couples[titles.index(filters.choice("Models", titles, key="aligned"))]
        of_pair = summary.frame.filter(model_a=a, model_b=b)
        component = filters.choice("Component", _first_values(of_pair["component"]), key="component")
        measure = filters.switch("Similarity", ("score", "best_match"), key="similarity", about=measures.ALIGNMENT)
    answer = ask("parameters/alignment", model_a=a, model_b=b, component=component)
    figure(
        "Layers that correspond",
        charts.layer_matrix(answer.frame, measure, "Mean |r|", (filters.plain(a, 30), filters.plain(b, 30))),
        answer,
        key="alignment",
        about=measures.ALIGNMENT,
    )
    for row in of_pair.filter(component=component).iter_rows(named=True):
        met = f"{row['n_own']} of {row['n_layers']} layers meet their own index"
        st.caption(f"{row['space']} space: {met}, p = {row['p_value']:.3g}")


def stitching() -> None:
    """A classifier's last layers on other models' first ones."""
    answer = ask("parameters/stitching")
    states.require(
        answer.frame, "No classifier is stitched yet.", states.command("stitch MODEL … --classifier … --corpus …")
    )
    couples = list(dict.fromkeys(answer.frame.select("model_b", "corpus_name").iter_rows()))
    titles = [filters.plain(f"{classifier} on {corpus}") for classifier, corpus in couples]
    classifier, corpus = couples[titles.index(filters.choice("Classifier", titles, key="classifier"))]
    own = answer.frame.filter(model_b=classifier, corpus_name=corpus)
    fixed = {kind: own.filter(kind=kind)["accuracy"].mean() for kind in ("chance", "classifier")}
    figure(
        "Accuracy by cut",
        charts.cuts(own.filter(pl.col("cut").is_not_null()), *fixed.values()),  # type: ignore[arg-type]
        answer,
        key="stitching",
        about=measures.STITCHING,
    )
    st.caption("Dashed: the most frequent class, and the classifier by itself.")


VIEWS = {
    "Unit": unit,
    "Token": token,
    "Pairs": pairs,
    "Fine-tuning": shifts,
    "Alignment": alignment,
    "Stitching": stitching,
}


def _model(has: str, missing: str, command: str, *, shown: bool = True) -> dict[str, Any]:
    frame = ask("parameters/models").frame.filter(pl.col(has))
    states.require(frame, missing, states.command(command))
    titles = {filters.plain(f"{row['model_id']} {row['model_name']}"): row for row in frame.iter_rows(named=True)}
    return titles[filters.choice("Model", list(titles), key="model")] if shown else next(iter(titles.values()))


def _reading(part: dict[str, Any]) -> str:
    return filters.plain(part["vocab_filter"]) + (", LN folded" if part["ln_folded"] else "")


def _first_values(column: pl.Series) -> list[str]:
    return column.unique(maintain_order=True).to_list()
