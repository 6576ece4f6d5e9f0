"""Models compared by their parameters: fine-tuned with base, seed with seed, classifier on another's layers."""

import polars as pl
import streamlit as st

from dashboard import charts, filters, states
from dashboard import measures_parameters as measures
from dashboard.data import ask
from dashboard.exhibit import figure, table

_ITEMS = 10
"""Items of each sign that the table of shifts shows."""


def tuned() -> None:
    """How far training on moved each component, and what the largest shifts say."""
    stored = ask("parameters/shifted").frame
    states.require(stored, "No shifts of parameters are stored yet.", states.command("diff BASE TUNED"))
    titles = {
        filters.plain(f"{a} {base} → {b} {after}{', LN folded' if folded else ''}", 90): row
        for row in stored.iter_rows(named=True)
        for a, base, b, after, folded in [tuple(row.values())]
    }
    with st.container(horizontal=True):
        row = titles[filters.choice("Base → tuned", list(titles), key="tuned")]
        size = filters.switch("Size", ("relative", "mean_unit_norm", "max_unit_norm"), key="size")
    values = {name: row[name] for name in ("base_model_id", "tuned_model_id", "ln_folded")}
    answer = ask("parameters/shift", **values)
    chart = charts.shifts(answer.frame.select("layer", "component", value=size), size)
    figure("How far each component moved", chart, answer, key="shift", about=measures.SHIFT)
    table("What the largest shifts say", ask("parameters/shift_says", n=_ITEMS, **values), key="shift_says",
          about=measures.SHIFT_SAYS, columns={"shift_norm": st.column_config.NumberColumn(format="%.3f")})  # fmt: skip


def aligned() -> None:
    """Which layers of two models correspond, in embedding space and in feature space."""
    stored = ask("parameters/aligned").frame
    states.require(stored, "No layers are aligned yet.", states.command("align MODEL MODEL"))
    titles = {
        filters.plain(f"A: {row['model_id_a']} {row['model_a']}, B: {row['model_id_b']} {row['model_b']}", 90): row
        for row in stored.unique(["model_id_a", "model_id_b"], maintain_order=True).iter_rows(named=True)
    }
    with st.container(horizontal=True):
        row = titles[filters.choice("Models", list(titles), key="aligned")]
        both = {name: row[name] for name in ("model_id_a", "model_id_b")}
        component = filters.choice("Component", stored.filter(**both)["component"].to_list(), key="component")
        measure = filters.switch("Measure", ("score", "best_match"), key="measure")
    answer = ask("parameters/alignment", component=component, **both)
    summary = ask("parameters/alignment_summary", **both)
    spaces = {
        own["space"]: f"{own['space'].capitalize()} space: {own['n_own']} of {own['n_layers']} on own index, "
        f"p = {own['p_value']:.2g}"
        for own in summary.frame.filter(component=component, measure=measure).sort("space").iter_rows(named=True)
    }
    assigned = "assigned" if measure == "score" else "assigned_by_best"
    shown = answer.frame.select("space", "layer_a", "layer_b", value=measure, assigned=assigned)
    figure(f"Layers that correspond by {filters.escaped(component)}", charts.alignment(shown, spaces), answer,
           key="alignment", about=measures.ALIGNMENT)  # fmt: skip
    table("Layers on their own index", summary, key="alignment_summary", about=measures.ALIGNMENT,
          columns={"p_value": st.column_config.NumberColumn(format="%.4g"),
                   "share_own": st.column_config.NumberColumn(format="%.2f")})  # fmt: skip


def stitched() -> None:
    """Accuracy of a classifier's last layers on other models' first ones."""
    stored = ask("parameters/stitched").frame
    command = states.command("stitch MODEL … --classifier … --corpus …")
    states.require(stored, "No classifier is stitched to a model yet.", command)
    titles = {
        filters.plain(f"{row['model_id_b']} {row['model_b']} on {row['corpus_name']}, {row['n_sequences']:,} texts "
                      f"({row['corpus_sha256'][:6]})", 90): row
        for row in stored.iter_rows(named=True)
    }  # fmt: skip
    with st.container(horizontal=True):
        row = titles[filters.choice("Classifier", list(titles), key="classifier")]
        values = {name: row[name] for name in ("model_id_b", "corpus_name", "corpus_sha256")}
        answer = ask("parameters/stitching", **values)
        named = {
            filters.plain(f"{i} {name}{' (its base)' if base else ''}"): i
            for i, name, base in answer.frame.select("model_id_a", "model_a", "is_base")
            .unique()
            .sort("model_id_a")
            .rows()
        }
        names = st.multiselect("Models", list(named), default=list(named)[:6], key="models", bind="query-params")
    if not names:
        states.nothing("Choose at least one model.")
    series = pl.DataFrame({"model_id_a": [named[name] for name in names], "series": names},
                          schema_overrides={"model_id_a": answer.frame.schema["model_id_a"]})  # fmt: skip
    shown = answer.frame.join(series, on="model_id_a").drop("model_a")
    figure("Accuracy by where the models are joined",
           charts.stitching(shown, names, [named[name] - 1 for name in names]), answer, key="stitching",
           about=measures.STITCHING)  # fmt: skip
