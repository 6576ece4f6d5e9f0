"""Do models of other seeds and sizes do the same? Agreement of runs, means of groups, groups against groups."""

import polars as pl
import streamlit as st

from dashboard import charts, filters, measures_seeds, states
from dashboard.data import ask
from dashboard.exhibit import figure
from dashboard.seeds import kinds, square

MEAN = "mean of all"
MEASURES = ("change", "surviving_share", "norm_change", "ln_weight", "pattern_effect", "agreement")

runs = filters.runs()
corpora = runs.filter(pl.len().over("corpus_id") > 1).unique("corpus_id", maintain_order=True)
states.require(
    corpora, "Seeds and sizes are compared over one corpus: no corpus has two complete runs.",
    states.command("ingest --model … --corpus …"),
)  # fmt: skip
chosen = st.container(horizontal=True, vertical_alignment="bottom")
with chosen:
    names = {filters.plain(f"{number} {name}"): number for number, name in corpora["corpus_id", "corpus_name"].rows()}
    corpus_id = names[filters.choice("Corpus", list(names), key="corpus")]
measures = ask("seeds/measures", corpus_id=corpus_id).frame
states.require(measures, "The runs over this corpus have not been compared yet.", states.command("analyze"))
with chosen:
    found = measures["measure"].to_list()
    measure = filters.choice("Agreement in", found, key="agreement", about=measures_seeds.AGREEMENT)
    answer = ask("seeds/agreement", corpus_id=corpus_id, measure=measure)
    layers = answer.frame["layer_a"].drop_nulls().unique().sort().to_list()
    layer = filters.choice("Layer", [MEAN, *map(str, layers)], key="layer", about=measures_seeds.LAYER)

pairs = answer.frame if layer == MEAN or not layers else answer.frame.filter(layer_a=int(layer))
left, right = st.columns([11, 9])
with left:
    cells, order = square(pairs)
    of = "" if not layers else ", mean of layers" if layer == MEAN else f", layer {layer}"
    figure(
        f"Agreement of runs{of}",
        charts.agreement_matrix(cells, order),
        answer,
        key="matrix",
        about=measures_seeds.MATRIX,
    )
with right:
    if layers:
        lines, series = kinds(answer.frame)
        title = f"Pearson's r of {'FF-amp' if measure == 'ff_amp' else 'FF-amp of words'}"
        chart = charts.agreement_by_layer(lines, series, title, height=300)
        figure("Agreement by layer", chart, answer, key="agreement", about=measures_seeds.LINES)
    else:
        st.info("This agreement is of whole profiles or curves: all layers count together.", icon=":material/info:")

st.divider()
groups = ask("seeds/groups", corpus_id=corpus_id).frame
states.require(
    groups, "No run over this corpus has a family, so there is no group of seeds: give them one with --family.",
    states.command("ingest --model … --corpus … --family … --seed …"),
)  # fmt: skip
families = {filters.plain(name): name for name in groups["family"].unique(maintain_order=True)}
chosen = st.container(horizontal=True, vertical_alignment="bottom")
with chosen:
    of_group = filters.choice("Measure", MEASURES, key="measure", about=measures_seeds.MEASURE)
items = ask("seeds/items", corpus_id=corpus_id, measure=of_group).frame
states.require(items, "Groups over this corpus have no such estimate yet.", states.command("analyze"))
with chosen:
    item = filters.choice("Of", items["item"].unique(maintain_order=True).to_list(), key="item")
    pair_filters = items.filter(item=item)["pair_filter"].drop_nulls().to_list()
    pair_filter = filters.choice("Pairs", pair_filters, key="pairs") if pair_filters else None
    family = families[filters.choice("Group", list(families), key="group")]
    others = {plain: name for plain, name in families.items() if name != family}
    other = others[filters.choice("Against", list(others), key="against")] if others else None

about = {"corpus_id": corpus_id, "measure": of_group, "item": item, "pair_filter": pair_filter}
title, nothing = measures_seeds.TITLES[of_group]
left, right = st.columns(2)
with left:
    answer = ask("seeds/estimate", family=family, **about)
    means = answer.frame.rename({"mean": "value"})
    if means["value"].count() == 0:
        st.info("This group has no such number.", icon=":material/hourglass_empty:")
    else:
        behind = ask(
            "seeds/pairs_of_group" if of_group == "agreement" else "seeds/runs_of_group", family=family, **about
        )
        thin = behind.frame
        if of_group == "agreement":
            thin = thin.with_columns(run_id=pl.format("{}-{}", "run_a", "run_b"))
        chart = charts.by_group(means, thin, title, nothing=nothing, height=270)
        figure("Mean of the group, its runs behind it", chart, answer, key="group", about=measures_seeds.GROUP)
        n_runs, n_sequences = means.select("n_runs", "n_sequences").row(0)
        few = "one has no interval: ingest other seeds with the same --family" if n_runs == 1 else "each in grey"
        grey = "two runs, each pair in grey" if of_group == "agreement" and n_runs > 1 else few
        st.caption(f"{n_runs} run{'s' * (n_runs > 1)} ({grey}), {n_sequences:,} sequences.")
with right:
    if other is None or of_group == "agreement":
        why = "a second group over this corpus" if other is None else "a number of each run, which agreement is not"
        st.info(f"Groups are compared by {why}.", icon=":material/info:")
    else:
        a, b = sorted((family, other))
        answer = ask("seeds/difference", family_a=a, family_b=b, **about)
        frame = answer.frame.rename({"difference": "value"})
        if frame["value"].count() == 0:
            st.info("These two groups have not been compared in this number.", icon=":material/hourglass_empty:")
        else:
            chart = charts.differences(frame, f"Difference in {title[0].lower()}{title[1:]}", height=270)
            figure("One group less the other", chart, answer, key="difference", about=measures_seeds.DIFFERENCE)
            st.caption(f"{filters.escaped(b)} less {filters.escaped(a)}; intervals that leave out 0 differ at 5%.")
