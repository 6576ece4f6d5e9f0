"""Two runs, or two groups of seeds, side by side: a measure by layer, its difference, and the settings that differ."""

import polars as pl
import streamlit as st

from dashboard import charts, compared, filters, measures, measures_look, settings, states
from dashboard.charts.theme import COLOURS
from dashboard.data import Answer, ask
from dashboard.exhibit import figure, table

PAIRED = ("change", "surviving_share")


def choose_item(items: pl.DataFrame) -> tuple[str, str, str | None]:
    """Measure, item and pair filter of those that both sides have."""
    known = [name for name in compared.MEASURES if name in items["measure"].to_list()]
    measure = filters.choice("Measure", known, key="measure", show=lambda name: compared.MEASURES[name][0])
    own = items.filter(measure=measure)
    names = own["item"].unique().sort().to_list()
    item = filters.choice("Of", names, key="of", default=names.index("FF") if "FF" in names else 0)
    if own["pair_filter"].n_unique() == 1:
        return measure, item, own["pair_filter"][0]
    pairs = filters.switch("Pairs", ("content", "offdiag", "all"), key="pairs", about=measures.PAIR_FILTER)
    return measure, item, pairs


def draw(answer: Answer, own: pl.DataFrame, names: list[str], slots: list[int], measure: str) -> None:
    label, axis = compared.MEASURES[measure]
    chart = charts.by_layer(
        own.select("layer", "series", "value", "low", "high", "n_sequences"), names, axis, slots=slots, height=230
    )
    figure(label, chart, answer, key="sides", about=measures_look.SIDES)


def difference(answer: Answer, chart: charts.Chart) -> None:
    figure("Difference, b less a", chart, answer, key="difference", about=measures_look.DIFFERENCE)


def compare_runs(runs: pl.DataFrame) -> tuple[list[int], list[int]]:
    with chooser:
        a = filters.one_run(runs, label="a", key="a", default=with_partner(runs))
        others = runs.filter(pl.col("run_id") != a["run_id"])
        b = filters.one_run(others, label="b", key="b", default=partner(a, others) or 0)
    ids = [a["run_id"], b["run_id"]]
    items = ask("compare/items", runs=ids).frame
    states.require(items, "There is no number yet that both runs have.", states.command("analyze"))
    with st.container(horizontal=True):
        measure, item, pair_filter = choose_item(items)
    answer = ask("compare/by_layer", runs=ids, measure=measure, item=item, pair_filter=pair_filter)
    names = [filters.plain(f"{run['run_id']} {run['model_name']}", 28) for run in (a, b)]
    own = answer.frame.with_columns(series=pl.col("run_id").replace_strict(dict(zip(ids, names, strict=True))))
    left, right = st.columns(2)
    with left:
        draw(answer, own, names, slots_of(a, b), measure)
    with right:
        if why := unpaired(a, b, measure):
            st.subheader("Difference, b less a", help=measures_look.DIFFERENCE, anchor=False)
            st.info(why, icon=":material/info:")
        else:
            found = compared.paired(a["run_id"], b["run_id"], measure, item, str(pair_filter))
            axis = f"Difference of {'change' if measure == 'change' else 'share'}"
            difference(found, charts.difference_by_layer(found.frame, axis))
    return ids[:1], ids[1:]


def partner(run: dict, others: pl.DataFrame) -> int | None:
    """Number of the first run with as many layers over the same corpus; None where there is none."""
    same = others.select((pl.col("n_layer") == run["n_layer"]) & (pl.col("corpus_id") == run["corpus_id"])).to_series()
    return same.arg_true().to_list()[0] if same.any() else None


def with_partner(runs: pl.DataFrame) -> int:
    """Number of the first run that has one; 0 where none has."""
    rows = enumerate(runs.iter_rows(named=True))
    return next((n for n, run in rows if partner(run, runs.filter(pl.col("run_id") != run["run_id"])) is not None), 0)


def slots_of(a: dict, b: dict) -> list[int]:
    """The models' own colours, or the first two where they would be one."""
    slots = [a["model_id"] - 1, b["model_id"] - 1]
    return slots if slots[0] % len(COLOURS) != slots[1] % len(COLOURS) else [0, 1]


def unpaired(a: dict, b: dict, measure: str) -> str | None:
    """Why two runs have no difference with an interval; None where they have one."""
    if a["n_layer"] != b["n_layer"]:
        return f"The models have {a['n_layer']} and {b['n_layer']} layers, so no layer of the one is one of the other."
    if a["corpus_id"] != b["corpus_id"]:
        return "The runs are over two corpora: there is no sequence that both have."
    if measure not in PAIRED:
        return (
            "No interval of the difference: this measure is stored with an interval of each run alone, and what two "
            "intervals over the same sequences say together cannot be read from them. Groups of seeds have one."
        )
    return None


def compare_groups(groups: pl.DataFrame) -> tuple[list[int], list[int]]:
    titles = {filters.plain(f"{row['family']} on {row['corpus_name']}"): row for row in groups.iter_rows(named=True)}
    with chooser:
        a = titles[filters.choice("a", list(titles), key="group_a")]
        rest = [title for title, row in titles.items() if row["corpus_id"] == a["corpus_id"] and row is not a]
        if not rest:
            states.nothing("No other group has runs over this corpus.", states.command("ingest --family … --model …"))
        b = titles[filters.choice("b", rest, key="group_b")]
    families = [a["family"], b["family"]]
    items = ask("compare/group_items", families=families, corpus_id=a["corpus_id"]).frame
    states.require(items, "These groups have no common number yet.", states.command("analyze"))
    with st.container(horizontal=True):
        measure, item, pair_filter = choose_item(items)
    cell = {"corpus_id": a["corpus_id"], "measure": measure, "item": item, "pair_filter": pair_filter}
    answer = ask("compare/group_by_layer", families=families, **cell)
    names = {row["family"]: filters.plain(f"{row['family']} ({row['n_runs']})", 28) for row in (a, b)}
    own = answer.frame.with_columns(series=pl.col("family").replace_strict(names))
    found = ask("compare/group_difference", a=families[0], b=families[1], **cell)
    left, right = st.columns(2)
    with left:
        draw(answer, own, list(names.values()), [0, 1], measure)
    with right:
        states.require(found.frame, "This difference is not computed yet.", states.command("analyze"))
        difference(found, charts.differences(found.frame, "Difference of means").properties(height=230))
    return a["runs"], b["runs"]


runs = filters.runs()
groups = ask("compare/groups").frame
kinds = ["runs"] * (runs.height > 1) + ["groups"] * (groups.height > 1)
if not kinds:
    states.nothing("A comparison needs two complete runs.", states.command("ingest --model … --corpus …"))
chooser = st.container(horizontal=True)
with chooser:
    kind = filters.switch("Compare", kinds, key="compare") if len(kinds) > 1 else kinds[0]
a, b = compare_runs(runs) if kind == "runs" else compare_groups(groups)
answer = ask("compare/settings", runs=[*a, *b])
table("Settings that differ", answer, key="settings", frame=settings.differing(answer.frame, a, b))
