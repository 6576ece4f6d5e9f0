"""Runs as subjects of the analysis, and what its parts need to know of one."""

from dataclasses import dataclass
from typing import Literal

import duckdb
import numpy as np

from warehouse import sqlfiles
from warehouse.analysis.part import MIN_SEQUENCES, Subject
from warehouse.wording import plural

Words = Literal["needed", "used", "unused"]
"""What a part does with word-level annotation: nothing without it, less without it, or the same."""


@dataclass(frozen=True)
class Run:
    """A complete run: what parts need to know of it."""

    run_id: int
    name: str
    fingerprint: str
    corpus_id: int
    tokenizer_id: int
    placement: str
    n_layer: int
    n_sequences: int

    @property
    def title(self) -> str:
        return f"run {self.run_id} ({self.name})"

    @property
    def layers(self) -> range:
        return range(1, self.n_layer + 1)


def runs(con: duckdb.DuckDBPyConnection) -> list[Run]:
    """All complete runs."""
    return [Run(*row) for row in con.execute(sqlfiles.query("analysis/runs")).fetchall()]


def run_of(con: duckdb.DuckDBPyConnection, subject: Subject) -> Run:
    """The run that a subject of `run_subjects` is about."""
    return next(run for run in runs(con) if run.run_id == subject.key["run_id"])


def run_subjects(
    con: duckdb.DuckDBPyConnection, *, words: Words = "unused", over_sequences: bool = True
) -> list[Subject]:
    """Every complete run as a subject. `over_sequences`: intervals are over sequences, so few have none: told so."""
    annotations = {} if words == "unused" else annotations_of_runs(con)
    return [
        Subject(
            key={"run_id": run.run_id},
            title=run.title,
            runs=frozenset([run.run_id]),
            depends={"run": run.fingerprint} | ({} if words == "unused" else {"annotation": annotation}),
            missing=_missing(annotation, n_pattern_pairs) if words == "needed" else "",
            note=_few(run) if over_sequences else "",
        )
        for run in runs(con)
        for annotation, n_pattern_pairs in [annotations.get((run.corpus_id, run.tokenizer_id), (None, 0))]
    ]


def sequences_of(con: duckdb.DuckDBPyConnection, run: Run) -> np.ndarray:
    """seq_id of every sequence of a run, ascending: the units that are resampled."""
    found = con.execute(sqlfiles.query("analysis/sequences"), {"run_id": run.run_id}).fetchnumpy()
    return np.asarray(found["seq_id"])


def annotations_of_runs(con: duckdb.DuckDBPyConnection) -> dict[tuple[int, int], tuple[str, int]]:
    """(corpus, tokenizer) -> text that changes with its words and patterns, and how many pairs are in a pattern."""
    rows = con.execute(sqlfiles.query("analysis/annotations")).fetchall()
    return {(corpus_id, tokenizer_id): (annotation, n_pairs) for corpus_id, tokenizer_id, annotation, n_pairs in rows}


def _missing(annotation: str | None, n_pattern_pairs: int) -> str:
    if annotation is None:
        return "its corpus has no annotation: run `lenshouse annotate`, then `lenshouse analyze` again"
    if n_pattern_pairs == 0:
        return (
            "no pair of its tokens is in a pattern: run `lenshouse annotate` for this tokenizer, "
            "then `lenshouse analyze` again"
        )
    return ""


def _few(run: Run) -> str:
    if run.n_sequences >= MIN_SEQUENCES:
        return ""
    return (
        f"{run.title} has {plural(run.n_sequences, 'sequence')}: no intervals, which need at least {MIN_SEQUENCES}; "
        "their columns are NULL"
    )
