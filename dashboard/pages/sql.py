"""A query of one's own: an editor with the schema beside it, the rows, a quick chart and files."""

import polars as pl
import streamlit as st

from dashboard import charts, filters, measures_look
from dashboard.asking import LIMITS, Outcome, outcome_of
from dashboard.charts.quick import MARKS, ROWS, chartable
from dashboard.data import Answer, ask
from dashboard.examples import examples
from dashboard.exhibit import figure, table
from warehouse.wording import plural

SHORT = 1_500
"""Characters of a query that a link holds."""

CELL = 1_000
"""Characters of a cell that the table shows."""

SAVED = examples()


def take_example() -> None:
    chosen = st.session_state["sql_example"]
    if chosen is not None:
        st.session_state["sql_text"] = SAVED[chosen]


def editor() -> str | None:
    """The query when it is to run: on its button, or because a link brought it."""
    last: Outcome | None = st.session_state.get("sql_outcome")
    linked = st.query_params.get("sql", "")
    first = next(iter(SAVED.values()))
    st.selectbox("Example", SAVED, index=None, key="sql_example", on_change=take_example,
                 placeholder="Choose a question", label_visibility="collapsed")  # fmt: skip
    with st.form("sql_form", border=False):
        st.session_state.setdefault("sql_text", linked or (last.text if last is not None else first))
        text = st.text_area(
            "Query", key="sql_text", height=190, help=measures_look.EDITOR, label_visibility="collapsed"
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            pressed = st.form_submit_button(
                "Run", type="primary", icon=":material/play_arrow:", help=measures_look.EDITOR
            )
            st.caption(
                f"Read-only; stops at {LIMITS.seconds:.0f} s, {LIMITS.memory / 1024:.0f} GiB of memory, "
                f"{LIMITS.rows:,} rows or {LIMITS.bytes / 2**20:.0f} MiB of result."
            )
    if pressed or (linked and last is None):
        return str(text or "")
    return None


def schema() -> None:
    wanted = st.text_input("Search tables and columns", key="schema", placeholder="Search tables and columns",
                           label_visibility="collapsed", icon=":material/search:", bind="query-params")  # fmt: skip
    frame = ask("sql/schema").frame
    for word in (wanted or "").lower().split():
        text = pl.concat_str("name", "column", "type", "comment", separator=" ", ignore_nulls=True).str.to_lowercase()
        frame = frame.filter(text.str.contains(word, literal=True))
    text_column = st.column_config.TextColumn
    columns = {"name": text_column(width=125), "column": text_column(width=115), "comment": text_column(width="large"),
               "type": text_column(width=80)}  # fmt: skip
    st.dataframe(frame.select(*columns), hide_index=True, height=252, key="schema_table", placeholder="",
                 column_config=columns)  # fmt: skip


def show(outcome: Outcome) -> None:
    if outcome.found is None:
        st.error("There is no result.", icon=":material/error:")
        st.text(outcome.failure or "")
        return
    frame, cut = outcome.found.frame, outcome.found.cut
    if cut is not None:
        limit = f"{LIMITS.rows:,} rows" if cut == "rows" else f"{LIMITS.bytes / 2**20:.0f} MiB"
        st.warning(f"Cut: these are the first {plural(frame.height, 'row')}, there are more. Files hold no more than "
                   f"{limit}; `lenshouse sql --output` has no limit.", icon=":material/content_cut:")  # fmt: skip
    title = f"{plural(frame.height, 'row')} in {outcome.found.seconds:.2f} s"
    short = frame.with_columns(pl.col(pl.String).str.slice(0, CELL))
    answer = Answer(frame, outcome.text)
    rows, chart = st.tabs(["Rows", "Chart"])
    with rows:
        table(title, answer, key="result", frame=short)
    with chart:
        draw(answer)


def draw(answer: Answer) -> None:
    columns = chartable(answer.frame)
    if len(columns) < 2 or answer.frame.is_empty():
        st.info("A chart needs rows, and two columns of numbers, times or text.", icon=":material/show_chart:")
        return
    numbers = [name for name in columns if answer.frame.schema[name].is_numeric()]
    with st.container(horizontal=True):
        x = filters.choice("x", columns, key="x")
        y = filters.choice(
            "y", columns, key="y", default=columns.index(next((n for n in numbers if n != x), columns[1]))
        )
        colour = filters.choice(
            "Colour", [None, *columns], key="colour", show=lambda name: "–" if name is None else name
        )
        mark = filters.switch("Mark", MARKS, key="mark")
    if answer.frame.height > ROWS:
        st.caption(f"Drawn from the first {ROWS:,} rows.")
    figure("Chart", charts.quick(answer.frame, x, y, colour, mark), answer, key="quick")


st.html("<style>.st-key-sql_text textarea { font-family: monospace; font-size: 0.85rem }</style>")
left, right = st.columns([4, 3])
with left:
    text = editor()
with right:
    schema()
if text is not None:
    st.session_state["sql_outcome"] = Outcome(text, failure="the query was cancelled")
    if len(text) <= SHORT:
        st.query_params["sql"] = text
    else:
        st.query_params.pop("sql", None)
    st.session_state["sql_outcome"] = outcome_of(text)
if "sql_outcome" in st.session_state:
    show(st.session_state["sql_outcome"])
