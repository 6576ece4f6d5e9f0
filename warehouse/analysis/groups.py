"""Groups of runs: the seeds of one model family over one corpus, and what all of them share.

Layers of models with other numbers of layers meet at the same relative depth, counted in the layers of the shallowest.
"""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import duckdb
import numpy as np

from warehouse import sqlfiles
from warehouse.analysis.agreement import layer_at
from warehouse.analysis.by_sequence import LOADERS, Cell, Drawn
from warehouse.analysis.multibootstrap import group_draws
from warehouse.analysis.part import Options
from warehouse.analysis.resample import Floats, intervals
from warehouse.analysis.runs import Run, annotations_of_runs, runs

RANGES: Final = {
    "change": (0.0, 2.0),
    "surviving_share": (0.0, np.inf),
    "norm_change": (-1.0, 1.0),
    "norm_change_partial": (-1.0, 1.0),
    "ln_weight": (-1.0, 1.0),
    "mixing": (0.0, 1.0),
}
"""Least and greatest value that a measure can have: widened for few seeds, an interval would go beyond."""

_SEEDS: Final = 2  # stream of random numbers, beside those of `resample`


@dataclass(frozen=True)
class Group:
    """The runs of a family over a corpus that v_group_run holds."""

    family: str
    corpus_id: int
    corpus_name: str
    ff_bias: str
    method_version: str
    runs: tuple[Run, ...]

    @property
    def n_layer(self) -> int:
        """Layers of the shallowest model."""
        return min(run.n_layer for run in self.runs)

    @property
    def ids(self) -> list[int]:
        return [run.run_id for run in self.runs]

    @property
    def title(self) -> str:
        return f"{self.family} over {self.corpus_name}"

    def depends(self, con: duckdb.DuckDBPyConnection) -> dict[str, Any]:
        """Everything that the group's numbers depend on."""
        results = con.execute(sqlfiles.query("analysis/results_of_runs"), {"runs": self.ids}).fetchall()
        words = annotations_of_runs(con)
        runs = [[run.fingerprint, words.get((run.corpus_id, run.tokenizer_id))] for run in self.runs]
        return {"runs": runs, "results": results}

    def rng(self, options: Options) -> np.random.Generator:
        """Draws the group's runs: each group with a stream of its own, so that two are drawn apart."""
        return np.random.default_rng([options.seed, _SEEDS, zlib.crc32(self.family.encode())])


@dataclass(frozen=True)
class Measured:
    """Numbers of a group: `values` (R, C) of each run, `draws` (B, C) of the group's mean, `sizes` (S, C)."""

    cells: tuple[Cell, ...]
    values: Floats
    draws: Floats
    sizes: Floats

    @property
    def means(self) -> Floats:
        """(C,), NaN where a run's value is."""
        return self.values.mean(axis=0)

    @property
    def deviations(self) -> Floats:
        """Sample standard deviation over runs: (C,), NaN with one."""
        many = len(self.values) > 1
        return self.values.std(axis=0, ddof=1) if many else np.full(len(self.cells), np.nan)

    def ends(self) -> tuple[Floats, Floats]:
        """95% interval of the mean, (C,) each; NaN with one run or too few sequences."""
        if len(self.values) < 2:
            return np.full(len(self.cells), np.nan), np.full(len(self.cells), np.nan)
        low, high = intervals(self.draws, self.sizes)
        bounds = np.array([RANGES.get(cell.measure, (-np.inf, np.inf)) for cell in self.cells]).reshape(-1, 2)
        return np.clip(low, *bounds.T), np.clip(high, *bounds.T)


def groups(con: duckdb.DuckDBPyConnection) -> list[Group]:
    """Every group, those of one run too."""
    by_id = {run.run_id: run for run in runs(con)}
    found: dict[tuple[str, int, str, str, str], list[Run]] = {}
    for family, corpus_id, corpus_name, ff_bias, method, run_id in con.execute(
        sqlfiles.query("analysis/group_runs")
    ).fetchall():
        found.setdefault((family, corpus_id, corpus_name, ff_bias, method), []).append(by_id[run_id])
    return [Group(*about, tuple(members)) for about, members in found.items()]


def group_of(con: duckdb.DuckDBPyConnection, family: str, corpus_id: int) -> Group:
    """The group of this name over this corpus; StopIteration where there is none."""
    return next(group for group in groups(con) if (group.family, group.corpus_id) == (family, corpus_id))


def measured(
    con: duckdb.DuckDBPyConnection, group: Group, sequences: Sequence[int], n_layer: int, options: Options
) -> Iterator[Measured]:
    """Every measure of a group, one `Measured` for each of LOADERS, in their order.

    Args: sequences (seq_id), which every run has; n_layer, in which the group's layers are counted.
    Cells are those that any run has: what a run does not have is undefined.
    """
    for load in LOADERS:
        found = [_at_depths(load(con, run, sequences, options), run, n_layer) for run in group.runs]
        cells = sorted({cell for one in found for cell in one.cells}, key=_order)
        chosen = [one.choose(cells) for one in found]
        points = np.stack([one.points for one in chosen])
        draws = group_draws(np.stack([one.draws for one in chosen]), points, group.rng(options))
        sizes = np.sum([one.sizes[: min(len(o.sizes) for o in chosen)] for one in chosen], axis=0)
        yield Measured(tuple(cells), points, draws, sizes)


def _at_depths(found: Drawn, run: Run, n_layer: int) -> Drawn:
    """The run's cells at the depths of n_layer layers."""
    kinds = sorted({cell._replace(layer=0) for cell in found.cells}, key=_order)
    cells = [kind._replace(layer=layer) for kind in kinds for layer in range(1, n_layer + 1)]
    there = [cell._replace(layer=layer_at(cell.layer, n_layer, run.n_layer)) for cell in cells]
    return found.choose(there).renamed(cells)


def _order(cell: Cell) -> tuple[str, str, str, int]:
    return cell.measure, cell.item, cell.pair_filter or "", cell.layer
