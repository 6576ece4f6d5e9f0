"""Change of the map by layer and component, and how much of the feed-forward network's survives the block: estimate,
measures change and surviving_share."""

from typing import Final

import duckdb
import numpy as np
import polars as pl

from warehouse import sqlfiles
from warehouse.analysis.estimates import estimate_rows
from warehouse.analysis.part import Frames, Options, Part, Subject
from warehouse.analysis.resample import Floats, bootstrap, intervals, ratio
from warehouse.analysis.runs import Run, run_of, run_subjects, sequences_of
from warehouse.contract import COMPONENTS, PAIR_FILTERS


def _subjects(con: duckdb.DuckDBPyConnection) -> list[Subject]:
    return run_subjects(con)


def _compute(con: duckdb.DuckDBPyConnection, subject: Subject, options: Options) -> Frames:
    run = run_of(con, subject)
    seq_ids = sequences_of(con, run)
    frames = [frame for layer in run.layers for frame in _layer(con, run, layer, seq_ids, options)]
    return {"estimate": pl.concat(frames)}


def _layer(
    con: duckdb.DuckDBPyConnection, run: Run, layer: int, seq_ids: np.ndarray, options: Options
) -> list[pl.DataFrame]:
    """Means of changes over the sequences that have one, and the ratio of two such means as in v_cancellation."""
    change = changes_by_sequence(con, run, layer, seq_ids)
    defined = np.isfinite(change)
    n_seq, n_components, n_filters = change.shape
    sums = np.stack([np.where(defined, change, 0.0), defined.astype(np.float64)])  # (2, S, C, F)
    block, ff = COMPONENTS.index("BLOCK"), COMPONENTS.index("FF")

    def statistic(totals: Floats) -> Floats:
        total, n = np.split(totals, 2, axis=-1)
        mean = ratio(total, n).reshape(*totals.shape[:-1], n_components, n_filters)
        shares = ratio(mean[..., block, :], mean[..., ff, :])
        return np.concatenate([mean.reshape(*totals.shape[:-1], -1), shares], axis=-1)

    stacked = np.moveaxis(sums, 1, 0).reshape(n_seq, -1)
    value = statistic(stacked.sum(0))
    both = defined[:, block] & defined[:, ff]
    sizes = np.hstack([defined.reshape(n_seq, -1), both]).astype(np.float64)
    low, high = intervals(bootstrap(stacked, statistic, options), sizes)
    n = sizes.sum(0).astype(np.int64)
    rows = {"value": value, "low": low, "high": high, "n": n, "n_sequences": n}
    cells = [(component, pair_filter) for component in COMPONENTS for pair_filter in PAIR_FILTERS]
    first = {name: column[: len(cells)] for name, column in rows.items()}
    last = {name: column[len(cells) :] for name, column in rows.items()}
    components, filters = zip(*cells, strict=True)
    return [
        estimate_rows(run.run_id, "change", layer, components, filters, **first),
        estimate_rows(run.run_id, "surviving_share", layer, ["BLOCK/FF"] * n_filters, PAIR_FILTERS, **last),
    ]


def changes_by_sequence(con: duckdb.DuckDBPyConnection, run: Run, layer: int, seq_ids: np.ndarray) -> Floats:
    """1 - rho of every sequence, component and pair filter: (S, C, F), NaN where undefined."""
    rows = con.execute(sqlfiles.query("analysis/changes"), {"run_id": run.run_id, "layer": layer}).fetchall()
    change = np.full((len(seq_ids), len(COMPONENTS), len(PAIR_FILTERS)), np.nan)
    at = {seq_id: number for number, seq_id in enumerate(seq_ids.tolist())}
    for seq_id, component, pair_filter, value in rows:
        change[at[seq_id], COMPONENTS.index(component), PAIR_FILTERS.index(pair_filter)] = value
    return change


PART: Final = Part("change", _subjects, _compute, ("analysis/clear_change",))
