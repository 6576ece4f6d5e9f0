"""Measures of a run on its corpus and on resampled ones: what profiles of two runs, and groups of runs, are made of.

Resamples draw the same sequences for every run of a corpus, so runs and groups are compared on the same ones. The
measures are those of `estimate` and `pattern_effect`, by the same functions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import duckdb
import numpy as np

from warehouse import sqlfiles
from warehouse.analysis import norms, patterns, sums
from warehouse.analysis.changes import changes_by_sequence
from warehouse.analysis.correlation import Ranking, rhos
from warehouse.analysis.part import Options
from warehouse.analysis.resample import Floats, bootstrap, resample_counts
from warehouse.analysis.runs import Run, annotations_of_runs, sequences_of
from warehouse.contract import COMPONENTS, PAIR_FILTERS


class Cell(NamedTuple):
    """What a number is about: the columns that tell rows of `estimate` and `group_estimate` apart."""

    measure: str
    layer: int
    item: str
    pair_filter: str | None


@dataclass(frozen=True)
class Drawn:
    """Measures of one run: `points` (C,), on resamples `draws` (B, C), both NaN where undefined.

    `sizes` (S, C): how much each unit that is drawn counts in each.
    """

    cells: tuple[Cell, ...]
    points: Floats
    draws: Floats
    sizes: Floats

    def choose(self, cells: Sequence[Cell]) -> "Drawn":
        """Some cells, in this order; undefined where the run has no such cell."""
        known = {cell: number for number, cell in enumerate(self.cells)}
        at = [known.get(cell, len(self.cells)) for cell in cells]
        points = np.append(self.points, np.nan)[at]
        draws = np.column_stack([self.draws, np.full(len(self.draws), np.nan)])[:, at]
        sizes = np.column_stack([self.sizes, np.zeros(len(self.sizes))])[:, at]
        return Drawn(tuple(cells), points, draws, sizes)

    def renamed(self, cells: Sequence[Cell]) -> "Drawn":
        """The same numbers under other names."""
        return Drawn(tuple(cells), self.points, self.draws, self.sizes)


Loader: TypeAlias = Callable[[duckdb.DuckDBPyConnection, Run, Sequence[int], Options], Drawn]
"""Open connection, run, sequences (seq_id, ascending), options -> the run's measures over them."""


def of_sums(cells: Sequence[Cell], totals: Floats, sizes: Floats, statistic: sums.Statistic, options: Options) -> Drawn:
    """Measures that are statistics of sums over sequences: totals (S, C, K), statistic (..., K) -> (...)."""
    n_seq, *each = totals.shape
    draws = bootstrap(
        totals.reshape(n_seq, -1), lambda drawn: statistic(drawn.reshape(*drawn.shape[:-1], *each)), options
    )
    return Drawn(tuple(cells), statistic(totals.sum(axis=0)), draws, sizes)


def changes(con: duckdb.DuckDBPyConnection, run: Run, sequences: Sequence[int], options: Options) -> Drawn:
    """change: mean of 1 - rho, of every layer, component and pair filter."""
    summed = _changes(con, run, sequences)  # (S, L, C, F, 2)
    cells = [
        Cell("change", layer, component, which)
        for layer in run.layers
        for component in COMPONENTS
        for which in PAIR_FILTERS
    ]
    totals = summed.reshape(len(sequences), len(cells), 2)
    return of_sums(cells, totals, totals[..., 1], sums.mean, options)


def surviving(con: duckdb.DuckDBPyConnection, run: Run, sequences: Sequence[int], options: Options) -> Drawn:
    """surviving_share: mean change by the whole block over mean change by FF, of every layer and pair filter."""
    summed = _changes(con, run, sequences)
    cells = [Cell("surviving_share", layer, "BLOCK/FF", which) for layer in run.layers for which in PAIR_FILTERS]
    block, ff = (summed[:, :, COMPONENTS.index(name)].reshape(len(sequences), -1, 2) for name in ("BLOCK", "FF"))
    totals = np.concatenate([block, ff], axis=-1)
    return of_sums(cells, totals, np.minimum(block[..., 1], ff[..., 1]), sums.ratio_of_means, options)


def _changes(con: duckdb.DuckDBPyConnection, run: Run, sequences: Sequence[int]) -> Floats:
    """Change and count of every sequence, layer, component and filter: (S, L, C, F, 2), 0 where undefined."""
    ids = np.asarray(sequences)
    change = np.stack([changes_by_sequence(con, run, layer, ids) for layer in run.layers], axis=1)
    defined = np.isfinite(change)
    return np.stack([np.where(defined, change, 0.0), defined], axis=-1)


def pattern_effects(con: duckdb.DuckDBPyConnection, run: Run, sequences: Sequence[int], options: Options) -> Drawn:
    """pattern_effect: effect of every layer and pattern; relations are not told apart."""
    cells: list[Cell] = []
    columns: list[Floats] = []
    is_annotated = (run.corpus_id, run.tokenizer_id) in annotations_of_runs(con)
    for layer in run.layers if is_annotated and run.placement != "parallel" else ():  # as in the table pattern_effect
        items, found = patterns.layer_sums(con, run, layer)
        for number, (pattern, relation) in enumerate(items.rows()):
            if relation is None:
                cells.append(Cell("pattern_effect", layer, pattern, None))
                columns.append(np.stack([found.gain[:, number], found.counted[:, number]], axis=-1))
    kept = np.isin(sequences_of(con, run), sequences)
    totals = np.stack(columns, axis=1)[kept] if cells else np.zeros((len(sequences), 0, 2))
    return of_sums(cells, totals, totals[..., 1], sums.mean, options)


def norm_changes(con: duckdb.DuckDBPyConnection, run: Run, sequences: Sequence[int], options: Options) -> Drawn:
    """norm_change over rows of content, of every layer: ranked anew in every resample."""
    columns = []
    for layer in run.layers:
        found, seq_ids = norms.row_points(con, run, layer)
        columns.append(_rank_correlation(found[:, :2], seq_ids, sequences, options))
    points, draws, sizes = (np.stack(column, axis=-1) for column in zip(*columns, strict=True))
    cells = tuple(Cell("norm_change", layer, "row", "content") for layer in run.layers)
    return Drawn(cells, points, draws, sizes)


def _rank_correlation(
    points: Floats, seq_ids: np.ndarray, sequences: Sequence[int], options: Options
) -> tuple[Floats, Floats, Floats]:
    """Spearman's rho of points (P, 2) whose sequences are seq_ids (P,).

    Returns rho itself, on resamples (B,), and how many points each sequence has (S,).
    """
    kept = np.isin(seq_ids, sequences)
    unit = np.searchsorted(np.asarray(sequences), seq_ids[kept])
    sizes = np.bincount(unit, minlength=len(sequences)).astype(np.float64)
    if not len(unit):
        return np.array(np.nan), np.full(options.n_resamples, np.nan), sizes
    rankings = [Ranking.of(column) for column in points[kept].T]
    draws = [rhos(rankings, counts[unit])[0] for block in resample_counts(len(sequences), options) for counts in block]
    return rhos(rankings, np.ones(len(unit), np.int64))[0], np.array(draws), sizes


def ln_weights(con: duckdb.DuckDBPyConnection, run: Run, sequences: Sequence[int], options: Options) -> Drawn:
    """ln_weight, as it stands in `estimate`: weights are the model's and its dimensions all there are, so that only
    seeds are drawn. The units of `sizes` are dimensions."""
    query = sqlfiles.query("analysis/ln_weights")
    rows = con.execute(query, {"run_id": run.run_id}).fetchall()
    cells = tuple(Cell("ln_weight", layer, item, None) for layer, item, *_ in rows)
    points = np.array([np.nan if value is None else value for *_, value, _ in rows], float)
    n = min((n for *_, n in rows), default=0)
    return Drawn(cells, points, np.tile(points, (options.n_resamples, 1)), np.ones((n, len(cells))))


LOADERS: Final[tuple[Loader, ...]] = (changes, surviving, pattern_effects, norm_changes, ln_weights)
