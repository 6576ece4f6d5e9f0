"""Choose a sentence: by its number, which is in the URL; out of a list that is searched; or by typing one."""

from typing import Any, Final

import polars as pl
import streamlit as st

from dashboard import filters, measures_sentence, states, typed
from dashboard.data import ask, house
from warehouse.errors import LenshouseError
from warehouse.wording import printable

_LISTED: Final = 200
"""Sentences that a search lists."""

_TYPICAL: Final = 22
"""Tokens of the sentence that is shown first, or so: enough to see something, few enough to read."""

_KEY: Final = "sentence"
_TYPED: Final = "typed_run"


def follow(runs: list[dict[str, Any]]) -> None:
    """Go to the run that was made of a typed sentence; to be called before the run is chosen."""
    run_id = st.session_state.pop(_TYPED, None)
    for run in runs:
        if run["run_id"] == run_id:
            st.session_state["run"] = run["title"]
            st.session_state[_KEY] = 0


def number(run: dict[str, Any]) -> int:
    """The sentence's number in its corpus, from 0; at first that of a short one."""
    row = ask("sentence/first", length=_TYPICAL, **_corpus(run)).frame.row(0, named=True)
    if row["last_seq_id"] is None:
        states.nothing("The corpus of this run holds no sentence.")
    about = "The number of the sentence in its corpus (`seq_id`), from 0."
    return filters.number("Sentence", row["last_seq_id"], key=_KEY, default=row["seq_id"] or 0, about=about)


def listed(run: dict[str, Any]) -> None:
    """A list of sentences to choose from, searched by text and label."""
    with st.popover("Find", icon=":material/search:", help="Find a sentence by its text or label", key="find"):
        search = st.text_input("Text", key="find_text", placeholder="part of a sentence", max_chars=200)
        labels = ask("sentence/labels", **_corpus(run)).frame["label"].to_list()
        label = st.selectbox("Label", labels, index=None, key="find_label", placeholder="any") if labels else None
        found = ask("sentence/find", search=search, label=label, limit=_LISTED + 1, **_corpus(run)).frame
        shown = found.head(_LISTED)
        st.dataframe(
            shown.with_columns(text=pl.Series([printable(text) for text in shown["text"]], dtype=pl.String)),
            width=640,
            height=320,
            hide_index=True,
            key="found",
            on_select=lambda: _take(shown["seq_id"].to_list()),
            selection_mode="single-row",
            column_config={
                "seq_id": st.column_config.NumberColumn("Sentence", width=70),
                "n_tokens": st.column_config.NumberColumn("Tokens", width=60),
                "label": st.column_config.TextColumn("Label", width=80),
                "text": st.column_config.TextColumn("Text", width=400),
            },
        )
        if found.height > _LISTED:
            st.caption(f"The first {_LISTED} that match; there are more: search for more of the text.")
        elif found.is_empty():
            st.caption("No sentence of this corpus matches.")


def _take(numbers: list[int]) -> None:
    rows = st.session_state["found"].selection.rows
    if rows and rows[0] < len(numbers):
        st.session_state[_KEY] = numbers[rows[0]]


def new(run: dict[str, Any]) -> None:
    """A button to type a sentence of one's own."""
    if st.button("Type", icon=":material/edit:", key="type", help="Analyse a sentence of your own with this model"):
        _dialog(run)


@st.dialog("A sentence of your own", width="medium", icon=":material/edit:")
def _dialog(run: dict[str, Any]) -> None:
    why = typed.closed()
    if why is not None:
        st.info(why, icon=":material/lock:")
        return
    made = ask("sentence/source", run_id=run["run_id"]).frame.row(0, named=True)
    source = typed.source_of(made)
    st.caption("Model")
    st.text(filters.plain(made["model_name"], 100))
    if source is None or not typed.is_here(source):
        gone = "This run does not say where its model was loaded from." if source is None else "The model is not here:"
        st.info(gone, icon=":material/folder_off:")
        if source is not None:
            st.text(printable(source))
    with st.form("typed", border=False):
        text = st.text_area("Text", key="typed_text", max_chars=typed.LONGEST, help=measures_sentence.TYPED)
        model = st.text_input(
            "Folder or hub id of the model", value=source or "", key="typed_model", help="What `--model` takes."
        )
        if not st.form_submit_button("Analyse", type="primary"):
            return
    if not typed.is_here(model):
        st.error("There is no such folder, and it is no hub id.", icon=":material/error:")
        return
    with st.status("Starting", expanded=True) as status:
        try:
            request = typed.Request(text, model, made, house().path)
            run_id = typed.ingest(request, lambda line: _tell(status, line))
        except LenshouseError as error:
            status.update(label="The sentence could not be analysed", state="error")
            st.text(printable(str(error)))
            return
        status.update(label="Done", state="complete")
    st.session_state[_TYPED] = run_id
    st.rerun()


def _tell(status: Any, line: str) -> None:
    status.update(label=line)


def _corpus(run: dict[str, Any]) -> dict[str, Any]:
    return {"corpus_id": run["corpus_id"], "tokenizer_id": run["tokenizer_id"]}
