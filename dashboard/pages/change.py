"""How much each component changes the attention map, by layer and by sentence, and what of it survives."""

import polars as pl
import streamlit as st

from dashboard import charts, filters, links, measures, states
from dashboard.data import ask
from dashboard.exhibit import figure, table
from dashboard.states import command
from warehouse.contract import COMPONENTS

CHANGE = "Change, 1 − Spearman's ρ"
OUTLYING = 200
"""Sentences that the table holds."""

runs = filters.some_runs(filters.runs())
is_one = runs.height == 1
with st.container(horizontal=True, vertical_alignment="bottom"):
    component = filters.switch("Component", COMPONENTS, key="component", about=measures.COMPONENT)
    pair_filter = filters.switch("Pairs", ("content", "offdiag", "all"), key="pairs", about=measures.PAIR_FILTER)
    layout = "together" if is_one else filters.switch("Runs", ("together", "apart"), key="layout")

values = {"runs": runs["run_id"].to_list(), "pair_filter": pair_filter}
answer = ask("change/by_layer", **values)
states.require(answer.frame, "The change of these runs has no intervals yet.", command("analyze"))
labels, slots = runs["label"].to_list(), (runs["model_id"] - 1).to_list()
named = runs.select("run_id", series="label")
shown = ["layer", "series", "value", "low", "high", "n_sequences"]
own = answer.frame.filter(component=component).join(named, on="run_id")
left, right = (st.container(), st.container()) if layout == "apart" else st.columns(2)
with left:
    about = measures.CHANGE
    if is_one:
        four = answer.frame.with_columns(series="component").select(shown)
        chart = charts.by_layer(four, list(COMPONENTS), CHANGE, height=270)
        figure("Change of the map by component", chart, answer, key="change", about=about)
    elif layout == "apart":
        apart = charts.panels(own.select(shown), labels, CHANGE, nothing=0)
        figure(f"Change of the map by {component}", apart, answer, key="change", about=about)
    else:
        chart = charts.by_layer(own.select(shown), labels, CHANGE, slots=slots, height=270)
        figure(f"Change of the map by {component}", chart, answer, key="change", about=about)
with right:
    answer = ask("change/surviving", **values)
    surviving = answer.frame.join(named, on="run_id").select(shown)
    chart = charts.by_layer(surviving, labels, "Change by BLOCK / change by FF", nothing=1, slots=slots, height=270)
    figure("What survives of FF's change", chart, answer, key="surviving", about=measures.SURVIVING)

st.divider()
with st.container(horizontal=True, vertical_alignment="bottom"):
    run = runs.row(0, named=True) if is_one else filters.one_run(runs, label="Sentences of", key="of")
    layers = ["all", *(str(layer) for layer in range(1, run["n_layer"] + 1))]
    layer = filters.choice("Outlying in layer", layers, key="layer")
values = {"run_id": run["run_id"], "component": component, "pair_filter": pair_filter}
left, right = st.columns(2)
with left:
    answer = ask("change/quantiles", **values)
    states.require(answer.frame, "No sentence of this run has a change that is defined.", command("analyze"))
    n_values = int(answer.frame["n_sequences"].sum())
    is_binned = n_values > charts.MOST_POINTS
    behind = ask("change/binned" if is_binned else "change/sequences", **values)
    chart = charts.spread(answer.frame, behind.frame, CHANGE, height=290)
    figure(f"Change by {component} over sentences", chart, behind, key="spread", about=measures.SPREAD)
    unit = "counted in bins 0.02 wide" if is_binned else "each one a point"
    st.caption(f"{n_values:,} values, a sentence and layer each, {unit}. Box: quartiles and median; line: 5% to 95%.")
with right:
    answer = ask("change/outlying", **values, layer=None if layer == "all" else int(layer), limit=OUTLYING)
    texts = [filters.plain(text, 300) for text in answer.frame["text"]]
    linked = links.sentences(run, answer.frame.with_columns(text=pl.Series(texts, dtype=pl.String)))
    table(
        "The most outlying sentences",
        answer,
        key="outlying",
        about=measures.OUTLYING,
        frame=linked.select("sentence", "layer", "seq_id", "change", "distance", "text"),
        columns={
            "sentence": links.column(),
            "layer": st.column_config.NumberColumn("Layer", width=50),
            "seq_id": st.column_config.NumberColumn("No.", width=50, help="Number of the sentence (seq_id), from 0"),
            "change": st.column_config.NumberColumn("Change", width=65, format="%.3f"),
            "distance": st.column_config.NumberColumn("Distance", width=70, format="%+.1f", help=measures.DISTANCE),
            "text": st.column_config.TextColumn("Sentence"),
        },
    )
    if answer.frame.height == OUTLYING:
        st.caption(f"The {OUTLYING} farthest; there are more.")

answer = ask("change/inliers", runs=runs["run_id"].to_list(), pair_filter=pair_filter)
mine = answer.frame.filter(run_id=run["run_id"], component=component)
if not mine.is_empty():
    st.divider()
    two = [
        mine.select("layer", "outlier_dims", series=pl.lit(name), value=column, low=None, high=None)
        for name, column in (("all dimensions", "mean_change"), ("without outliers", "mean_change_inliers"))
    ]
    both = pl.concat(two).with_columns(pl.col("low", "high").cast(pl.Float64))
    chart = charts.by_layer(both, ["all dimensions", "without outliers"], CHANGE)
    figure("Change without outlier dimensions", chart, answer, key="inliers", about=measures.INLIERS)
    st.caption("Of the run that sentences are shown of; layers without outlier dimensions have no point.")
