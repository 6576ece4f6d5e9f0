"""Compute what is missing or stale, part by part; each subject's results and their record in one transaction."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

import duckdb
import polars as pl

from warehouse import connect, sqlfiles
from warehouse.analysis import (
    agreement,
    changes,
    dimensions,
    findings,
    group_estimates,
    mixing,
    norms,
    parameter_findings,
    parts_of_speech,
    patterns,
    shift_task,
    top_pairs,
)
from warehouse.analysis.part import ANALYSIS_VERSION, Frames, Options, Part, Subject
from warehouse.contract import INTEGER
from warehouse.errors import WarehouseError, require_whole
from warehouse.migrate import transaction
from warehouse.paths import warehouse_path
from warehouse.register import choose_run

PARTS: Final[list[Part]] = [
    *(patterns.PART, changes.PART, norms.PART, parts_of_speech.PART, dimensions.CORRELATIONS, dimensions.OUTLIERS),
    *(mixing.PART, top_pairs.PART, agreement.PART, group_estimates.ESTIMATES, group_estimates.DIFFERENCES),
    *(findings.RUNS, findings.GROUPS, shift_task.PART, parameter_findings.PART),
]
"""Every part, in the order in which they run."""

OPTIONAL: Final = frozenset({parts_of_speech.PART.name})
"""Parts that are computed when they are asked for, and kept up to date from then on: this one takes about as long as
all others about a run together."""

MEMORY: Final = "1GiB"
"""What DuckDB may hold while it sums maps up; beyond it goes to disk, beside the warehouse."""

MIN_RESAMPLES: Final = 100
MAX_RESAMPLES: Final = 100_000
"""Below, the ends of an interval are chance; above, memory grows for digits that no sample of sequences gives."""

_CHANGED: Final = "its data changed while it was computed: run `lenshouse analyze` again"

Watcher: TypeAlias = Callable[[str, int, int], None]
"""Told before each subject: what comes now, how many are done, how many there are."""


@dataclass
class Analysis:
    """What a call did, each entry as (part, subject).

    `run_ids` are the runs that were asked for, none for all. `skipped` adds why and what to do; `notes` are caveats
    of results that are there, each once.
    """

    run_ids: list[int] = field(default_factory=list)
    computed: list[tuple[str, str]] = field(default_factory=list)
    up_to_date: list[tuple[str, str]] = field(default_factory=list)
    skipped: list[tuple[str, str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0


def analyze(
    path: str | Path | None = None,
    runs: Sequence[str | int] = (),
    *,
    seed: int = 0,
    n_resamples: int = 1000,
    force: bool = False,
    watch: Watcher = lambda what, done, total: None,
    wait: float = connect.WRITER_WAIT,
    parts: Sequence[Part] | None = None,
    by_parts_of_speech: bool = False,
) -> Analysis:
    """Compute every part of the analysis that is missing or stale, and store it.

    Args: runs, names or ids: only what is about these runs and no other; all complete runs where none is named.
    seed and n_resamples decide the random numbers: the same give the same results. force: also what is up to date.
    watch: told of progress. wait: seconds to retry while others have the file. parts: where not given, all but those of
    `OPTIONAL` that nothing is stored of. by_parts_of_speech: effects by the parts of speech of two words too.
    Raises WarehouseError for a run that is not there or not complete, UsageError for numbers out of range.
    """
    path = connect.existing(warehouse_path(path))
    require_whole("seed", seed, 0, INTEGER[1])
    require_whole("n_resamples", n_resamples, MIN_RESAMPLES, MAX_RESAMPLES)
    connect.make_usable(path, wait)
    chosen = _choose(path, runs, wait)
    job = _Job(path, Options(seed, n_resamples), force, wait, Analysis(sorted(chosen)))
    started = time.perf_counter()
    if parts is None:
        with connect.read(path, wait) as con:
            parts = wanted(con, OPTIONAL if by_parts_of_speech else frozenset())
    job.run(parts, chosen, watch)
    job.outcome.seconds = time.perf_counter() - started
    return job.outcome


def wanted(con: duckdb.DuckDBPyConnection, asked: frozenset[str] = frozenset()) -> list[Part]:
    """`PARTS` without optional ones that are neither asked for nor stored."""
    return [part for part in PARTS if part.name not in OPTIONAL - asked or _stored(con, part)]


def _choose(path: Path, runs: Sequence[str | int], wait: float) -> frozenset[int]:
    """Ids of the named runs; none where none is named."""
    with connect.read(path, wait) as con:
        records = [choose_run(con, path, run) for run in runs]
    for record in records:
        if record.status != "complete":
            message = f"run {record.run_id} ({record.name}) is not complete: run the same ingest again to finish it"
            raise WarehouseError(message)
    return frozenset(record.run_id for record in records)


@dataclass
class _Job:
    path: Path
    options: Options
    force: bool
    wait: float
    outcome: Analysis
    wrote: bool = False

    def run(self, parts: Sequence[Part], chosen: frozenset[int], watch: Watcher) -> None:
        """All parts in turn. Until something is written, what there is to do is known from one look at the file."""
        plans = self._plans(parts)
        total, done = sum(len(_within(subjects, chosen)) for subjects, _ in plans), 0
        for number, part in enumerate(parts):
            if self.wrote:
                [plans[number]] = self._plans([part])
            everything, stored = plans[number]
            gone = set(stored) - {subject.name for subject in everything if not subject.missing}
            if gone:
                self._forget(part, gone)
            for subject in _within(everything, chosen):
                watch(f"{part.name}: {subject.title}", done, total)
                self._settle(part, subject, stored.get(subject.name))
                done += 1

    def _plans(self, parts: Sequence[Part]) -> list[tuple[list[Subject], dict[str, str]]]:
        """Of each part its subjects, and the fingerprint of what is stored, by subject."""
        with connect.read(self.path, self.wait) as con:
            return [(part.subjects(con), _stored(con, part)) for part in parts]

    def _settle(self, part: Part, subject: Subject, stored: str | None) -> None:
        """Compute a subject, or say why not."""
        if subject.missing:
            self.outcome.skipped.append((part.name, subject.title, subject.missing))
            return
        if subject.note and subject.note not in self.outcome.notes:
            self.outcome.notes.append(subject.note)
        if stored == part.fingerprint(subject, self.options) and not self.force:
            self.outcome.up_to_date.append((part.name, subject.title))
        elif self._compute(part, subject):
            self.outcome.computed.append((part.name, subject.title))
        else:
            self.outcome.skipped.append((part.name, subject.title, _CHANGED))

    def _compute(self, part: Part, subject: Subject) -> bool:
        """Read and compute without holding up writers, then write; False when the data changed meanwhile."""
        started = time.perf_counter()
        with connect.read(self.path, self.wait, memory=MEMORY) as con:
            frames = part.compute(con, subject, self.options)
        fingerprint = part.fingerprint(subject, self.options)
        with connect.write(self.path, self.wait) as con, transaction(con):
            now = {other.name: part.fingerprint(other, self.options) for other in part.subjects(con)}
            if now.get(subject.name) != fingerprint:
                return False
            _clear(con, part, subject.key, subject.name)
            self._insert(con, part, frames)
            values = {
                "part": part.name,
                "subject": subject.name,
                "fingerprint": fingerprint,
                "method_version": ANALYSIS_VERSION,
                "seed": self.options.seed if part.is_random else None,
                "n_resamples": self.options.n_resamples if part.is_random else None,
                "seconds": time.perf_counter() - started,
            }
            _execute(con, "analysis/record_analysis", values)
        self.wrote = True
        return True

    def _insert(self, con: duckdb.DuckDBPyConnection, part: Part, frames: Frames) -> None:
        drawn = {"seed": pl.lit(self.options.seed, pl.Int32)} if part.is_random else {}
        for table, frame in frames.items():
            con.register("new_rows", frame.with_columns(method_version=pl.lit(ANALYSIS_VERSION), **drawn).to_arrow())
            _execute(con, f"analysis/insert_{table}", {})
            con.unregister("new_rows")

    def _forget(self, part: Part, names: set[str]) -> None:
        """Delete results whose subject is there no more, or can be computed no more."""
        with connect.write(self.path, self.wait) as con, transaction(con):
            still = {subject.name for subject in part.subjects(con) if not subject.missing}
            for name in names - still:
                _clear(con, part, json.loads(name), name)
        self.wrote = True


def _within(subjects: list[Subject], chosen: frozenset[int]) -> list[Subject]:
    """Those about chosen runs only; all where none is chosen."""
    return [subject for subject in subjects if not chosen or subject.runs <= chosen]


def _stored(con: duckdb.DuckDBPyConnection, part: Part) -> dict[str, str]:
    """Subject -> fingerprint of what is there of a part."""
    return dict(con.execute(sqlfiles.query("analysis/stored"), {"part": part.name}).fetchall())


def _clear(con: duckdb.DuckDBPyConnection, part: Part, key: dict[str, Any], name: str) -> None:
    for query in part.clear:
        _execute(con, query, key)
    _execute(con, "analysis/forget_analysis", {"part": part.name, "subject": name})


def _execute(con: duckdb.DuckDBPyConnection, query: str, values: dict[str, Any]) -> None:
    text = sqlfiles.query(query)
    (con.execute(text, values) if values else con.execute(text)).fetchall()
