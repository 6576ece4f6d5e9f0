"""What one unit says, which units say an item, and the pairs of a head."""

from typing import Any
from urllib.parse import urlencode

import polars as pl
import streamlit as st

from dashboard import charts, filters, states
from dashboard import measures_parameters as measures
from dashboard.data import Answer, ask, ask_text
from dashboard.exhibit import figure, table
from warehouse import search, sqlfiles

_SHOWN = 15
"""Items of each sign, and half the pairs, that a chart shows."""

_ROWS = 1_000
_NEURONS = ("ff_key", "ff_gate", "ff_value")
_SIGNS = {"both": None, "promote": 1, "suppress": -1}


def unit() -> None:
    """Highest and lowest items of one unit, and where in the corpus a neuron is strongest."""
    chosen = filters.models(ask("parameters/models").frame)
    with st.container(horizontal=True):
        model = filters.one_model(chosen)
        parts = ask("parameters/parts", model_id=model["model_id"]).frame
        names = parts["component"].unique().sort().to_list()
        default = names.index("ff_value") if "ff_value" in names else 0
        component = filters.choice("Component", names, key="component", default=default)
        own = parts.filter(component=component)
        layer = filters.choice("Layer", own["layer"].unique().sort().to_list(), key="layer")
        own = own.filter(layer=layer)
        reading = one_reading(own)
        n_units = own.filter(vocab_filter=reading["vocab_filter"], ln_folded=reading["ln_folded"])["n_units"].item()
        number = filters.number("Unit", max(n_units - 1, 0), key="unit")
    answer = ask("parameters/unit", model_id=model["model_id"], layer=layer, component=component, unit=number,
                 n=_SHOWN, **reading)  # fmt: skip
    left, right = st.columns([5, 3], gap="large")
    with left:
        _items(answer, f"{component} {number} of layer {layer}")
    if component in _NEURONS:
        with right:
            _activations(model["model_id"], layer, number)


def _items(answer: Answer, title: str) -> None:
    if answer.frame.is_empty():
        st.info("No items of this unit are stored.", icon=":material/hourglass_empty:")
        return
    heads = answer.frame["head"].drop_nulls().unique().to_list()
    of_head = f", head {heads[0]}" if heads else ""
    figure(f"What {filters.escaped(title)}{of_head} says", charts.items(answer.frame), answer, key="unit_says",
           about=measures.SAYS)  # fmt: skip


def _activations(model_id: int, layer: int, number: int) -> None:
    runs = ask("parameters/neuron_runs", model_id=model_id).frame
    if runs.is_empty():
        st.subheader("Where it is strongest", help=measures.ACTIVATION, anchor=False)
        st.info("No run of this model records activations of neurons.", icon=":material/hourglass_empty:")
        st.code(states.command("ingest --model … --corpus … --neurons 10"), language="bash")
        return
    titles = {filters.plain(f"{i} {corpus}"): i for i, _, corpus in runs.iter_rows()}
    run_id = titles[filters.choice("Run", list(titles), key="run")] if len(titles) > 1 else runs["run_id"].item()
    answer = ask("parameters/activations", run_id=run_id, layer=layer, unit=number)
    shown = [
        {
            "sign": row["sign"],
            "activation": row["activation"],
            "token": filters.plain(row["token"]),
            "text": context(row),
        }
        for row in answer.frame.iter_rows(named=True)
    ]
    schema = {"sign": pl.Int64, "activation": pl.Float64, "token": pl.String, "text": pl.String}
    columns = {"activation": st.column_config.NumberColumn(format="%.3f", width="small")}
    table("Where it is strongest", answer, key="activations", about=measures.ACTIVATION, columns=columns,
          frame=pl.DataFrame(shown, schema=schema))  # fmt: skip


def context(row: dict[str, Any], around: int = 50) -> str:
    """The sentence near a token, the token between ⟦ and ⟧; its start where the token has no characters in it."""
    text, start, end = row["text"] or "", row["char_start"], row["char_end"]
    if start is None or end is None or start >= end:
        return filters.plain(text, 2 * around)
    return filters.plain(f"{text[max(0, start - around) : start]}⟦{text[start:end]}⟧{text[end : end + around]}", 200)


def one_reading(parts: pl.DataFrame) -> dict[str, Any]:
    """A vocabulary filter and a reading of LN (of pairs, also whether equal items are left out), of those stored."""
    keys = [name for name in ("vocab_filter", "ln_folded", "exclude_same") if name in parts.columns]
    ways: dict[str, dict[str, Any]] = {}
    for row in parts.select(keys).unique().sort(keys).iter_rows(named=True):
        told = [row["vocab_filter"], *(["LN folded"] if row["ln_folded"] else [])]
        told += ["no equal items"] if row.get("exclude_same") else []
        ways[filters.plain(f"{len(ways) + 1} {', '.join(told)}")] = row
    return next(iter(ways.values())) if len(ways) == 1 else ways[filters.choice("Reading", list(ways), key="reading")]


def by_token() -> None:
    """Units of all models that have given items among their stored ones."""
    models = filters.models(ask("parameters/models").frame)
    with st.container(horizontal=True):
        typed = filters.text("Items, as they are displayed: dog begins a word, …dog continues one", key="token") or ""
        sign = filters.switch("Units that", tuple(_SIGNS), key="sign")
    words = list(dict.fromkeys(typed.split()))
    if not words:
        states.nothing("Type one item or several.")
    found = ask_text(sqlfiles.query("projection/items"), {"words": words}).frame
    known = set(found["word"].to_list())
    for word in words:
        if word not in known:
            _suggest(word)
    if found.is_empty():
        st.stop()
    values = {
        "words": found["word"].to_list(), "tokenizer_ids": found["tokenizer_id"].to_list(),
        "token_ids": found["token_id"].to_list(), "sign": _SIGNS[sign], "model_id": None, "component": None,
        "layer": None, "limit": _ROWS,
    }  # fmt: skip
    answer = ask_text(f"{sqlfiles.query('projection/search').rstrip().rstrip(';')}\nLIMIT $limit", values)
    titles = dict(models.select("model_id", "title").iter_rows())
    links = [
        "parameters?" + urlencode({"view": "Unit", "model": titles[row["model_id"]], "component": row["component"],
                                   "layer": row["layer"], "unit": row["unit"]})
        for row in answer.frame.iter_rows(named=True)
    ]  # fmt: skip
    shown = answer.frame.with_columns(open=pl.Series(links, dtype=pl.String)).drop("model_id")
    columns = {
        "open": st.column_config.LinkColumn("", display_text="open", width="small", pinned=True),
        "mean_rank": st.column_config.NumberColumn(format="%.1f"),
        "score": st.column_config.NumberColumn(format="%.3f"),
    }
    table("Units that say it", answer, key="search", about=measures.SEARCH, columns=columns, frame=shown)
    if answer.frame.height == _ROWS:
        st.caption(f"The first {_ROWS:,} units; there may be more.")


def _suggest(word: str) -> None:
    """A word that no tokenizer has as one item: its pieces, or items spelt like it."""
    displays = ask_text(sqlfiles.query("projection/displays"), {"word": word}).frame
    ways = []
    for (_,), own in displays.group_by("tokenizer_id", maintain_order=True):
        pieces = search.pieces_of(word, set(own["display"].to_list()))
        if pieces and pieces not in ways:
            ways.append(pieces)
    st.info("This is not one item of any projected model:", icon=":material/help:")
    st.text(filters.plain(word))
    if ways:
        st.text("; or ".join("Its pieces: " + " ".join(map(filters.plain, pieces)) for pieces in ways))
    near = ask("parameters/near", word=word).frame["item"].to_list()
    st.text("Items spelt like it: " + "   ".join(map(filters.plain, near)))


def pairs() -> None:
    """The pairs of items that a head reads and writes, or looks from and at."""
    stored = ask("parameters/pair_parts").frame
    states.require(stored, "No heads are read as pairs yet.", states.command("project --model … --pairs"))
    with st.container(horizontal=True):
        model = filters.one_model(filters.models(stored.unique("model_id", maintain_order=True)))
        own = stored.filter(model_id=model["model_id"])
        layer = filters.choice("Layer", own["layer"].unique().sort().to_list(), key="layer")
        own = own.filter(layer=layer)
        head = filters.choice("Head", own["head"].unique().sort().to_list(), key="head")
        own = own.filter(head=head)
        matrix = filters.switch("Matrix", own["matrix"].unique().sort(descending=True).to_list(), key="matrix")
        reading = one_reading(own.filter(matrix=matrix))
    answer = ask("parameters/pairs", model_id=model["model_id"], layer=layer, head=head, matrix=matrix,
                 n=2 * _SHOWN, **reading)  # fmt: skip
    states.require(answer.frame, "No pairs of this head are stored.", states.command("project --model … --pairs"))
    direction = "Read → written" if matrix == "VO" else "Query → key"
    told = pl.Series([f"{row} → {col}" for row, col in answer.frame.select("row_token", "col_token").iter_rows()])
    figure(
        f"Pairs of {matrix}, head {head} of layer {layer}",
        charts.bars(answer.frame.select("rank", "score", item=told), direction),
        answer,
        key="pairs",
        about=measures.PAIRS,
    )  # fmt: skip
