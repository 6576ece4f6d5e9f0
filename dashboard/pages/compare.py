"""Two runs, or two groups of seeds, side by side: a measure by layer, its difference, and the settings that differ."""

import polars as pl
import streamlit as st

from dashboard import charts, compared, filters, measures, measures_look, settings, states
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
    if own["pair_filter"].null_count() == own.height:
        return measure, item, None
    pairs = filters.switch("Pairs", ("content", "offdiag", "all"), key="pairs", about=measures.PAIR_FILTER)
    return measure, item, pairs


def cells(frame: pl.DataFrame, measure: str, item: str, pair_filter: str | None) -> pl.DataFrame:
    return frame.filter(
        pl.col("measure") == measure, pl.col("item") == item, pl.col("pair_filter").eq_missing(pl.lit(pair_filter))
    )


def draw(answer: Answer, own: pl.DataFrame, names: list[str], slots: list[int], measure: str) -> None:
    label, axis = compared.MEASURES[measure]
    lines = charts.by_layer(own.select("layer", "series", "value", "low", "high", "n_sequences"), names, axis, slots=slots)
    figure(label, lines.properties(height=230), Answer(own, answer.sql), key="sides", about=measures_look.SIDES)


def difference(answer: Answer, chart: charts.Chart) -> None:
    figure("Difference, b less a", chart, answer, key="difference", about=measures_look.DIFFERENCE)


def compare_runs(runs: pl.DataFrame) -> tuple[list[int], list[int]]:
    with st.container(horizontal=True):
        a = filters.one_run(runs, label="a", key="a")
        b = filters.one_run(runs.filter(pl.col("run_id") != a["run_id"]), label="b", key="b")
        answer = ask("compare/runs", runs=[a["run_id"], b["run_id"]])
        states.require(answer.frame, "These runs are not analysed yet.", states.command("analyze"))
        items = compared.items_of(answer.frame, "run_id")
        states.require(items, "There is no number that both runs have.", states.command("analyze"))
        measure, item, pair_filter = choose_item(items)
    names = pl.DataFrame({"run_id": [a["run_id"], b["run_id"]], "series": [a["title"], b["title"]]})
    own = cells(answer.frame, measure, item, pair_filter).join(names.cast({"run_id": pl.Int32}), on="run_id")
    left, right = st.columns(2)
    with left:
        draw(answer, own, names["series"].to_list(), [a["model_id"] - 1, b["model_id"] - 1], measure)
    with right:
        if why := unpaired(a, b, measure):
            st.subheader("Difference, b less a", help=measures_look.DIFFERENCE, anchor=False)
            st.info(why, icon=":material/info:")
        else:
            found = compared.paired(a["run_id"], b["run_id"], measure, item, str(pair_filter))
            axis = f"Difference of {'change' if measure == 'change' else 'share'}"
            difference(found, charts.difference_by_layer(found.frame, axis))
    return [a["run_id"]], [b["run_id"]]


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
    with st.container(horizontal=True):
        a = titles[filters.choice("a", list(titles), key="group_a")]
        rest = [title for title, row in titles.items() if row["corpus_id"] == a["corpus_id"] and row is not a]
        if not rest:
            states.nothing("No other group has runs over this corpus.", states.command("ingest --family … --model …"))
        b = titles[filters.choice("b", rest, key="group_b")]
        families = [a["family"], b["family"]]
        answer = ask("compare/group_estimates", families=families, corpus_id=a["corpus_id"])
        items = compared.items_of(answer.frame, "family")
        states.require(items, "These groups have no common number yet.", states.command("analyze"))
        measure, item, pair_filter = choose_item(items)
    names = {family: filters.plain(f"{family} ({row['n_runs']} runs)") for family, row in zip(families, (a, b), strict=True)}
    own = cells(answer.frame, measure, item, pair_filter).with_columns(series=pl.col("family").replace_strict(names))
    found = ask("compare/group_difference", a=a["family"], b=b["family"], corpus_id=a["corpus_id"], measure=measure,
                item=item, pair_filter=pair_filter)  # fmt: skip
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
kind = filters.switch("Compare", kinds, key="compare") if len(kinds) > 1 else kinds[0]
a, b = compare_runs(runs) if kind == "runs" else compare_groups(groups)
answer = ask("compare/settings", runs=[*a, *b])
table("Settings that differ", answer, key="settings", frame=settings.differing(answer.frame, a, b))
