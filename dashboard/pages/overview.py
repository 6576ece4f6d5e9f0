"""What the warehouse holds: claims at a glance, what is missing, runs with their provenance, models and corpora."""

import polars as pl
import streamlit as st

from dashboard import charts, filters, links, measures_look, standing, states, verdicts
from dashboard.charts.phases import PHASES
from dashboard.data import Answer, ask, ask_text, house
from dashboard.exhibit import figure, table
from warehouse import sqlfiles

SECONDS = {f"seconds_{phase}": st.column_config.NumberColumn(f"{phase} (s)", format="%.1f") for phase in PHASES}
COLUMNS = SECONDS | {
    "run_id": st.column_config.NumberColumn("run", width=50),
    "loaded_share": st.column_config.ProgressColumn("loaded", format="percent", min_value=0, max_value=1, width=90),
    "max_completeness_error": st.column_config.NumberColumn("completeness error", format="%.1e", width=130),
    "bytes_approx": st.column_config.NumberColumn("size, about", format="bytes"),
    "n_pairs": st.column_config.NumberColumn("pair rows", format="localized"),
    "n_tokens": st.column_config.NumberColumn("tokens", format="localized"),
    "n_sequences": st.column_config.NumberColumn("sequences", format="localized"),
    "n_truncated": st.column_config.NumberColumn("truncated", format="localized"),
    "n_chunked": st.column_config.NumberColumn("chunked", format="localized"),
    "n_skipped": st.column_config.NumberColumn("skipped", format="localized"),
}


def totals() -> None:
    held = ask("overview/totals").frame.row(0, named=True)
    running = f" ({held['n_running']:,} still running)" if held["n_running"] else ""
    counts = {"runs" + running: "n_runs", "models": "n_models", "corpora": "n_corpora", "texts": "n_sequences"}
    said = [f"**{held[name]:,}** {label}" for label, name in (counts | {"pair rows": "n_pairs"}).items()]
    size = house().path.stat().st_size / 2**20
    st.markdown(" · ".join([*said, f"**{size:,.1f}** MiB"]), width="content")


def chosen(complete: pl.DataFrame) -> pl.DataFrame:
    with head, st.popover("Choose runs", icon=":material/filter_list:"):
        return filters.some_runs(complete, n=12)


def claims(runs: pl.DataFrame) -> None:
    answer = ask("overview/findings", runs=runs["run_id"].to_list())
    chart = charts.verdict_matrix(*verdicts.matrix(answer.frame, runs))
    figure("Claims at a glance", chart, answer, key="claims", about=measures_look.FINDINGS)


def about_run(run_id: int, title: str | None) -> None:
    """Its pages, and everything recorded of it."""
    if title is not None:
        links.to_pages(title)
    answer = ask("overview/run_details", run_id=run_id)
    recorded = answer.frame.row(0, named=True)
    rows = {"what": list(recorded), "value": ["" if value is None else str(value) for value in recorded.values()]}
    columns = {"what": st.column_config.TextColumn(width="medium"), "value": st.column_config.TextColumn(width="large")}
    table("Provenance", answer, key="provenance", frame=pl.DataFrame(rows, schema=dict.fromkeys(rows, pl.String)),
          columns=columns)  # fmt: skip


def runs_tab(answer: Answer, titles: dict[int, str]) -> None:
    chosen = table("Runs", answer, key="all_runs", about=measures_look.RUNS, columns=COLUMNS, choose=True)
    if chosen is not None:
        run_id = answer.frame["run_id"][chosen]
        about_run(run_id, titles.get(run_id))


def time_tab(answer: Answer) -> None:
    done = answer.frame.drop_nulls("finished_at")
    names = [filters.plain(f"{run_id} {name}") for run_id, name in done.select("run_id", "run_name").iter_rows()]
    rows = done.select(*SECONDS).rename({f"seconds_{phase}": phase for phase in PHASES})
    long = rows.with_columns(series=pl.Series(names, dtype=pl.String)).unpivot(
        index="series", variable_name="phase", value_name="seconds"
    )
    figure("Time by phase", charts.seconds_by_phase(long, names), answer, key="phases", about=measures_look.PHASES)


head = st.container(horizontal=True, vertical_alignment="center")
with head:
    totals()
standing.follow()
answer = ask("overview/runs")
if answer.frame.is_empty():
    no_run = "This warehouse holds no run yet."
    known = ask("overview/models")
    states.require(known.frame, no_run, states.command("ingest --model … --corpus …"))
    states.missed(no_run, states.command("ingest --model … --corpus …"))
    claims(pl.DataFrame(schema={"run_id": pl.Int32, "title": pl.String}))
    table("Models", known, key="models")
    st.stop()
titles: dict[int, str] = {}
if (answer.frame["status"] == "complete").any():
    complete = filters.runs()
    titles = dict(complete.select("run_id", "title").iter_rows())
    standing.missing_analysis(list(titles))
    claims(chosen(complete))
else:
    st.info("No run is complete yet: claims are put to complete runs.", icon=":material/hourglass_empty:")

runs, time, models, corpora, tables = st.tabs(["Runs", "Time", "Models", "Corpora", "Tables"])
with runs:
    runs_tab(answer, titles)
with time:
    time_tab(answer)
with models:
    table("Models", ask("overview/models"), key="models")
with corpora:
    table("Corpora", ask("overview/corpora"), key="corpora")
with tables:
    table("Tables and views", ask_text(sqlfiles.query("tables"), {}), key="tables")
