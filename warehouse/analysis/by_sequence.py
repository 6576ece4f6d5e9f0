"""What a run adds to its measures, sequence by sequence: the sums that every resampling of seeds and sequences weighs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import duckdb
import numpy as np
import polars as pl

from warehouse import sqlfiles
from warehouse.analysis import sums
from warehouse.analysis.part import Options
from warehouse.analysis.resample import Floats, bootstrap


class Cell(NamedTuple):
    """What a number is about: the columns that tell rows of `estimate` and `group_estimate` apart."""

    measure: str
    layer: int
    item: str
    pair_filter: str | None


@dataclass(frozen=True)
class Sums:
    """Sums of a run, (S, C, K): sequence, cell, and what the statistic takes. `sizes` (S, C): how much each counts."""

    cells: tuple[Cell, ...]
    values: Floats
    sizes: Floats
    statistic: sums.Statistic

    @property
    def points(self) -> Floats:
        """The measures of the corpus itself: (C,), NaN where undefined."""
        return self.statistic(self.values.sum(axis=0))

    def draws(self, options: Options) -> Floats:
        """The measures of resampled corpora: (B, C). The same sequences are drawn for every run of one corpus."""
        flat = self.values.reshape(len(self.values), -1)
        return bootstrap(flat, sums.by_cell(self.statistic, len(self.cells)), options)

    def choose(self, cells: Sequence[Cell]) -> "Sums":
        """Some cells, in this order; what the run has no sums of is undefined."""
        known = {cell: number for number, cell in enumerate(self.cells)}
        at = [known.get(cell, -1) for cell in cells]
        missing = np.array([number < 0 for number in at])
        values, sizes = self.values[:, at], self.sizes[:, at]
        values[:, missing], sizes[:, missing] = 0, 0
        return Sums(tuple(cells), values, sizes, self.statistic)


Loader: TypeAlias = Callable[[duckdb.DuckDBPyConnection, int, Sequence[int]], Sums]
"""Open connection, run_id, sequences (seq_id) -> the run's sums over them."""


def changes(con: duckdb.DuckDBPyConnection, run_id: int, sequences: Sequence[int]) -> Sums:
    """Mean change 1 - rho of every layer, component and pair filter."""
    frame = _changes(con, run_id, sequences)
    cells, total = _grid(frame, ["layer", "component", "pair_filter"], ["change", "n"], sequences)
    named = tuple(Cell("change", layer, component, which) for layer, component, which in cells)
    return Sums(named, total, total[..., 1], sums.mean)


def surviving(con: duckdb.DuckDBPyConnection, run_id: int, sequences: Sequence[int]) -> Sums:
    """Mean change by the whole block over mean change by FF, of every layer and pair filter."""
    frame = _changes(con, run_id, sequences)
    parts = [frame.filter(component=component) for component in ("BLOCK", "FF")]
    keys = ["layer", "pair_filter"]
    cells = frame.select(keys).unique().sort(keys).rows()
    block, ff = (_grid(part, keys, ["change", "n"], sequences, cells)[1] for part in parts)
    named = tuple(Cell("surviving_share", layer, "BLOCK", which) for layer, which in cells)
    return Sums(named, np.concatenate([block, ff], axis=-1), ff[..., 1], sums.ratio_of_means)


def _changes(con: duckdb.DuckDBPyConnection, run_id: int, sequences: Sequence[int]) -> pl.DataFrame:
    frame = con.sql(sqlfiles.query("analysis/changes_by_sequence"), params={"run_id": run_id}).pl()
    return frame.filter(pl.col("seq_id").is_in(list(sequences))).with_columns(n=pl.lit(1.0))


def _grid(
    frame: pl.DataFrame,
    keys: list[str],
    columns: list[str],
    sequences: Sequence[int],
    cells: list[tuple] | None = None,
) -> tuple[list[tuple], Floats]:
    """Rows of (seq_id, keys) as an array (S, C, K), 0 where there is none, and what its cells are."""
    cells = frame.select(keys).unique().sort(keys).rows() if cells is None else cells
    of_cell = {cell: number for number, cell in enumerate(cells)}
    of_sequence = {seq: number for number, seq in enumerate(sequences)}
    total = np.zeros((len(sequences), len(cells), len(columns)))
    where = [of_cell[row] for row in frame.select(keys).iter_rows()]
    total[[of_sequence[seq] for seq in frame["seq_id"]], where] = frame.select(columns).to_numpy()
    return cells, total
