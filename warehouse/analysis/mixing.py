"""Mixing ratios by kind of token, part of speech and frequency: estimate, measure mixing."""

from typing import Final

import duckdb
import numpy as np
import polars as pl

from warehouse import sqlfiles
from warehouse.analysis.estimates import estimate_rows
from warehouse.analysis.part import Frames, Options, Part, Subject
from warehouse.analysis.resample import Floats, bootstrap, intervals, ratio
from warehouse.analysis.runs import Run, run_of, run_subjects, sequences_of
from warehouse.contract import STAGES


def _subjects(con: duckdb.DuckDBPyConnection) -> list[Subject]:
    return run_subjects(con, words="used")


def _compute(con: duckdb.DuckDBPyConnection, subject: Subject, options: Options) -> Frames:
    run = run_of(con, subject)
    seq_ids = sequences_of(con, run)
    return {"estimate": pl.concat([_layer(con, run, layer, seq_ids, options) for layer in run.layers])}


def _layer(con: duckdb.DuckDBPyConnection, run: Run, layer: int, seq_ids: np.ndarray, options: Options) -> pl.DataFrame:
    """Means over the tokens of each kind whose ratio is defined."""
    values = {"run_id": run.run_id, "layer": layer, "corpus_id": run.corpus_id, "tokenizer_id": run.tokenizer_id}
    rows = con.sql(sqlfiles.query("analysis/mixing_sums"), params=values).pl()
    kinds = rows["kind"].unique(maintain_order=True).to_list()
    column = rows["kind"].replace_strict(kinds, range(len(kinds)), return_dtype=pl.Int64).to_numpy()
    row = np.searchsorted(seq_ids, rows["seq_id"].to_numpy())
    sums, counts = np.zeros((2, len(seq_ids), len(STAGES) * len(kinds)))
    for number, stage in enumerate(STAGES):
        at = row, number * len(kinds) + column
        sums[at], counts[at] = rows[f"sum_{stage}"].to_numpy(), rows[f"n_{stage}"].to_numpy()

    def statistic(totals: Floats) -> Floats:
        total, n = np.split(totals, 2, axis=-1)
        return ratio(total, n)

    stacked = np.hstack([sums, counts])
    low, high = intervals(bootstrap(stacked, statistic, options), counts)
    return estimate_rows(
        run.run_id,
        "mixing",
        layer,
        [f"{stage}/{kind}" for stage in STAGES for kind in kinds],
        [None] * sums.shape[1],
        value=statistic(stacked.sum(0)),
        low=low,
        high=high,
        n=counts.sum(0).astype(np.int64),
        n_sequences=(counts > 0).sum(0),
    )


PART: Final = Part("mixing", _subjects, _compute, ("analysis/clear_mixing",))
