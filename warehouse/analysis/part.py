"""What a part of the analysis is: which subjects it has, on what its results depend, and how they are computed."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import duckdb
import polars as pl

ANALYSIS_VERSION: Final = "1"
"""Changes whenever the same stored data would give other numbers; part of every fingerprint."""

MIN_SEQUENCES: Final = 8
"""Sequences that an interval needs. With fewer, resamples repeat so few distinct values (35 distinct resamples of 4
sequences, 6,435 of 8) that the tails of their distribution, which is what an interval is, are not there."""

Frames: TypeAlias = dict[str, pl.DataFrame]
"""Table name -> its new rows, without method_version and seed: the runner adds them."""


@dataclass(frozen=True)
class Options:
    """How random numbers are drawn: `n_resamples` bootstrap resamples and as many permutations."""

    seed: int = 0
    n_resamples: int = 1000


@dataclass(frozen=True)
class Subject:
    """What a part is computed for: a run, two runs, a group.

    `key` names it (`{"run_id": 3}`) and is what the queries that clear its rows are given. `depends` is everything
    from the warehouse that the results depend on, as JSON can hold it. `runs` are the ids of its runs. `missing` says
    why it cannot be computed and what to do; empty when it can. `note` is a caveat to tell people with its results.
    """

    key: dict[str, Any]
    title: str
    runs: frozenset[int]
    depends: dict[str, Any] = field(default_factory=dict)
    missing: str = ""
    note: str = ""

    @property
    def name(self) -> str:
        """The key as JSON text: analysis.subject."""
        return json.dumps(self.key, ensure_ascii=False)


@dataclass(frozen=True)
class Part:
    """One part of the analysis; parts run in the order of `runner.PARTS`, so a later one may read what earlier ones
    have written.

    `subjects` lists all that could be computed now, in an open read-only connection. `compute` returns rows of the
    tables it fills; its connection may make temporary tables. `clear` names queries that delete a subject's rows,
    with the entries of its key as parameters. `is_random` tells whether seed and resamples decide the numbers.
    """

    name: str
    subjects: Callable[[duckdb.DuckDBPyConnection], list[Subject]]
    compute: Callable[[duckdb.DuckDBPyConnection, Subject, Options], Frames]
    clear: tuple[str, ...]
    is_random: bool = True

    def fingerprint(self, subject: Subject, options: Options) -> str:
        """Hash of everything that the results of a subject depend on."""
        drawn = [options.seed, options.n_resamples] if self.is_random else None
        content = [ANALYSIS_VERSION, self.name, subject.key, subject.depends, drawn]
        return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()[:16]
