"""The claims put to every run and every group: finding. Each number comes from the query that is stored with it."""

from typing import Any, Final

import duckdb
import polars as pl

from warehouse import sqlfiles
from warehouse.analysis.claims import CLAIMS, Claim, Number, verdict
from warehouse.analysis.groups import Group, group_of, groups
from warehouse.analysis.part import MIN_SEQUENCES, Frames, Options, Part, Subject
from warehouse.sqltext import with_values

_SCHEMA: Final = pl.Schema(
    {"claim": pl.String, "aspect": pl.String, "run_id": pl.Int32, "family": pl.String, "corpus_id": pl.Int32}
    | {"statement": pl.String, "quantity": pl.String}
    | dict.fromkeys(("value", "low", "high"), pl.Float64)
    | {"n": pl.Int64, "verdict": pl.String, "rule": pl.String, "note": pl.String, "query": pl.String}
)


def rendered(name: str, values: dict[str, Any]) -> str:
    """A query of sql/queries/claims as people can run it: without its comment, its parameters written out."""
    return with_values(sqlfiles.query(f"claims/{name}"), values)


def _runs(con: duckdb.DuckDBPyConnection) -> list[Subject]:
    return [
        Subject(
            key={"run_id": row["run_id"]},
            title=f"run {row['run_id']} ({row['run_name']})",
            runs=frozenset([row["run_id"]]),
            depends={name: row[name] for name in ("fingerprint", "annotation", "results")},
        )
        for row in _finding_runs(con)
    ]


def _finding_runs(con: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    return con.sql(sqlfiles.query("analysis/finding_runs")).pl().rows(named=True)


def _of_run(con: duckdb.DuckDBPyConnection, subject: Subject, options: Options) -> Frames:
    run = next(row for row in _finding_runs(con) if row["run_id"] == subject.key["run_id"])
    rows = []
    for claim in CLAIMS:
        if claim.of_run is None:
            continue
        values = {"run_id": run["run_id"], "last_layer": last_layer(claim, run["n_layer"])} | claim.values
        query = rendered(claim.of_run, values)
        number = _number(con, query)
        found = verdict(claim, number)
        note = _opposite(claim, found)
        if found == "not enough data":
            note = _note(claim, number, run["annotation"], run["corpus_name"])
        rows.append(_row(claim, number, found, note, query, run_id=run["run_id"], corpus_id=run["corpus_id"]))
    return {"finding": pl.DataFrame(rows, schema=_SCHEMA)}


def _number(con: duckdb.DuckDBPyConnection, query: str) -> Number:
    [row] = con.execute(query).fetchall()
    return Number(*row)


def last_layer(claim: Claim, n_layer: int) -> int:
    """The deepest layer that a claim is about."""
    return (n_layer + 1) // 2 if claim.first_half else n_layer


def _note(claim: Claim, number: Number, annotation: str | None, corpus: str) -> str | None:
    """Why there is no verdict: what is missing, where, and what to do."""
    value, low, n = number.value, number.low, number.n
    if value is None and claim.pattern and annotation is None:
        return f"{corpus} has no words: run `lenshouse annotate`, then `lenshouse analyze`"
    if value is None and claim.pattern:
        return f"no such pair in the words of {corpus} (from {annotation})"
    if value is None:
        return "there is no such number for this model"
    if low is None and n < MIN_SEQUENCES:
        return f"no interval: n is {n}, at least {MIN_SEQUENCES} {claim.counts} are needed"
    if low is None:
        return f"no interval: fewer than {MIN_SEQUENCES} sequences have one, or a few of them decide it alone"
    return f"the interval holds {claim.bound:g}"


def _opposite(claim: Claim, found: str) -> str | None:
    """A relation that is there with the other sign is no absence of one."""
    is_relation = claim.claim in ("F4", "F5") and claim.aspect != "depth"
    return "they are related the other way round" if is_relation and found == "fails" else None


def _row(claim: Claim, number: Number, found: str, note: str | None, query: str, **about: Any) -> dict[str, Any]:
    quantity = claim.counted(of_group="family" in about)
    return {
        "claim": claim.claim, "aspect": claim.aspect, "run_id": None, "family": None,
        "statement": claim.statement, "quantity": quantity, "verdict": found, "rule": claim.rule,
        "note": note, "query": query,
    } | number._asdict() | about  # fmt: skip


def _groups(con: duckdb.DuckDBPyConnection) -> list[Subject]:
    return [
        Subject(
            key={"family": group.family, "corpus_id": group.corpus_id},
            title=f"group {group.title}",
            runs=frozenset(group.ids),
            depends={"runs": group.ids, "results": _results(con, group)},
        )
        for group in groups(con)
    ]


def _results(con: duckdb.DuckDBPyConnection, group: Group) -> list[tuple]:
    values = {"family": group.family, "corpus_id": group.corpus_id, "runs": group.ids}
    return con.execute(sqlfiles.query("analysis/group_results"), values).fetchall()


def _of_group(con: duckdb.DuckDBPyConnection, subject: Subject, options: Options) -> Frames:
    group = group_of(con, **subject.key)
    rows = []
    for claim in CLAIMS:
        values = subject.key | {"last_layer": last_layer(claim, group.n_layer)} | claim.values
        query = rendered(claim.of_group, values)
        number = _number(con, query)
        if claim.aspect == "pairs" and number.value is None:  # other tokenizers: they meet at words
            query = rendered(claim.of_group, values | {"item": "ff_amp_words"})
            number = _number(con, query)
        found = verdict(claim, number)
        note = _group_note(claim, number, group) if found == "not enough data" else _opposite(claim, found)
        rows.append(_row(claim, number, found, note, query, **subject.key))
    return {"finding": pl.DataFrame(rows, schema=_SCHEMA)}


def _group_note(claim: Claim, number: Number, group: Group) -> str | None:
    value, low = number.value, number.low
    n_runs = len(group.runs)
    if n_runs == 1:
        return "a group of one run: ingest other seeds with the same --family"
    if claim.aspect == "pairs" and n_runs == 2 and value is not None:
        return "two runs make one pair, whose own interval is in v_seed_agreement: a third is needed"
    if claim.aspect == "verdicts":
        return "no claim has a verdict in every run"
    if value is None:
        return "there is no such number in every run"
    if low is None:
        return f"no interval: too few sequences, at least {MIN_SEQUENCES} are needed"
    return f"the interval holds {claim.bound:g}"


RUNS: Final = Part("finding", _runs, _of_run, ("analysis/clear_finding",), is_random=False)
GROUPS: Final = Part("group_finding", _groups, _of_group, ("analysis/clear_group_finding",), is_random=False)
