"""One sentence: its maps in a layer, what the feed-forward network amplifies, and its strongest pairs."""

from typing import Any

import streamlit as st

from dashboard import choose, filters, measures_sentence, states
from dashboard.data import ask
from dashboard.sentence_figures import Panels, pairs
from dashboard.sentences import FF_AMP, MOST_CELLS, Shown, positions
from warehouse.wording import printable

runs = filters.runs()
choose.follow(list(runs.iter_rows(named=True)))
with st.container(horizontal=True, vertical_alignment="bottom"):
    run = filters.one_run(runs)
    other = filters.another_run(runs, run, label="Beside it", key="beside")
    with st.container(width=130):
        seq_id = choose.number(run)
    choose.listed(run)
    choose.new(run)
sentence = ask("sentence/sequence", corpus_id=run["corpus_id"], seq_id=seq_id).frame
if sentence.is_empty():
    states.nothing("The corpus of this run has no sentence of this number.")
text = sentence["text"].item()
st.text(printable(text) if len(text) <= 600 else f"{printable(text[:600])}…")

with st.container(horizontal=True, vertical_alignment="bottom"):
    layer = filters.layer(run["n_layer"])
    beside_layer = layer
    if other is not None and other["n_layer"] != run["n_layer"]:
        beside_layer = filters.layer(other["n_layer"], label="Layer beside it", key="beside_layer", default=layer)
    unit = filters.switch("By", ("token", "word"), key="by", about=measures_sentence.UNIT)
    values = "row-normalised"
    if unit == "token":
        values = filters.switch("Values", ("row-normalised", "raw"), key="values", about=measures_sentence.VALUES)
        special = filters.toggle("Special tokens", key="special")
    diagonal = filters.toggle("Diagonal", key="diagonal")

options: dict[str, Any] = {"unit": unit, "normalised": values == "row-normalised", "diagonal": diagonal}
options["special"] = unit == "token" and special
shown = [Shown(run, seq_id, layer, **options)]
if other is not None:
    same = ask("sentence/same_text", corpus_id=other["corpus_id"], text=text, seq_id=seq_id).frame
    if same.is_empty():
        st.info("The second run has not seen this very text: it is not in its corpus, or was cut elsewhere.")
    else:
        shown.append(Shown(other, same["seq_id"].item(), beside_layer, **options))

places = [positions(one) for one in shown]
for one, frame in zip(shown, places, strict=True):
    if frame.is_empty() and unit == "word" and one.run["corpus_annotation"] in (None, "none"):
        which = "this" if one is shown[0] else "the second"
        states.nothing(f"The corpus of {which} run has no words yet.", states.command("annotate --with split"))
    if frame.is_empty():
        states.nothing("Nothing of this sentence is left: it has special tokens only, or no word.")
longest = max(frame.height for frame in places)
starts = (0, 0)
if longest > MOST_CELLS:
    st.caption(
        f"{longest} {unit}s: the small maps show means over blocks, those below a window of {MOST_CELLS} {unit}s, "
        "framed in the small ones."
    )
    with st.container(horizontal=True):
        from_query = filters.place("Queries from", longest - MOST_CELLS, key="from_query")
        starts = (from_query, filters.place("Keys from", longest - MOST_CELLS, key="from_key"))

panels = Panels(shown, places, starts)
if panels.is_empty:
    states.nothing("No pair is left: switch on the diagonal or special tokens.")
overview = st.container()
with st.container(horizontal=True):
    names = [FF_AMP.name, *(measure.name for measure in shown[0].measures)]
    looked_at = filters.switch("Look closer at", names, key="map", show=lambda name: name.replace("ff_amp", "FF-amp"))
    size = filters.switch("Size", ("small", "large"), key="size", about=measures_sentence.SIZE)
measure = next(one for one in [FF_AMP, *shown[0].measures] if one.name == looked_at)
zoom = 1.0 if size == "small" else 1.7
with overview:
    panels.strips(zoom)
panels.large(measure, zoom)
pairs(shown, measure)
