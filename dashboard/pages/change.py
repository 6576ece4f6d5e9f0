"""How much each component changes the attention map, by layer; one run or several, with intervals."""

import streamlit as st

from dashboard import charts, filters, measures, states
from dashboard.data import ask
from dashboard.exhibit import figure

with st.container(horizontal=True):
    runs = filters.some_runs(filters.runs())
    component = filters.switch("Component", ("FF", "RES", "LN", "BLOCK"), key="component", about=measures.COMPONENT)
    pair_filter = filters.switch("Pairs", ("content", "offdiag", "all"), key="pairs", about=measures.PAIR_FILTER)

answer = ask("change/by_layer", runs=runs["run_id"].to_list(), pair_filter=pair_filter)
states.require(answer.frame, "The change of these runs has no intervals yet.", states.command("analyze"))
own = answer.frame.filter(component=component).join(runs.select("run_id", series="title"), on="run_id")
figure(
    f"Change of the map by {component}",
    charts.by_layer(
        own.select("layer", "series", "value", "low", "high", "n_sequences"),
        runs["title"].to_list(),
        "Change, 1 - Spearman's rho",
        slots=(runs["model_id"] - 1).to_list(),
        height=320,
    ),
    answer,
    key="change",
    about=measures.CHANGE,
)
