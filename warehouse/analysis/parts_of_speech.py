"""How the feed-forward network amplifies pairs of words by their parts of speech: estimate, measure upos_effect.

The effect is that of `patterns`: FF-amp of the pairs less that of the same sequence's other pairs.
"""

from typing import Any, Final

import duckdb
import numpy as np
import polars as pl

from warehouse import sqlfiles
from warehouse.analysis.estimates import SCHEMA, estimate_rows
from warehouse.analysis.part import Frames, Options, Part, Subject
from warehouse.analysis.patterns import gains, make_ff_amp
from warehouse.analysis.resample import Floats, bootstrap, intervals, ratio, sign_flip_p
from warehouse.analysis.runs import Run, run_of, run_subjects, runs, sequences_of

_AT_ONCE: Final = 32
"""Kinds of pairs that are resampled together: what is held grows with them times the sequences."""


def _subjects(con: duckdb.DuckDBPyConnection) -> list[Subject]:
    """Complete runs with words whose feed-forward network amplifies pairs of two positions at all."""
    placements = {run.run_id: run.placement for run in runs(con)}
    subjects = run_subjects(con, words="needed")
    return [subject for subject in subjects if placements[subject.key["run_id"]] != "parallel"]


def _compute(con: duckdb.DuckDBPyConnection, subject: Subject, options: Options) -> Frames:
    run = run_of(con, subject)
    seq_ids = sequences_of(con, run)
    frames = [part for layer in run.layers for part in _layer(con, run, layer, seq_ids, options)]
    return {"estimate": pl.concat([SCHEMA.to_frame(), *frames])}


def _layer(
    con: duckdb.DuckDBPyConnection, run: Run, layer: int, seq_ids: np.ndarray, options: Options
) -> list[pl.DataFrame]:
    make_ff_amp(con, run, layer)
    whole = con.execute(sqlfiles.query("analysis/pair_sums"), {"any_pair": False, "threshold": None}).fetchnumpy()
    all_n, all_amp = np.zeros((2, len(seq_ids), 1))
    at = np.searchsorted(seq_ids, whole["seq_id"])
    all_n[at, 0], all_amp[at, 0] = whole["n_pairs"], whole["sum_amp"]
    values: dict[str, Any] = {"corpus_id": run.corpus_id, "tokenizer_id": run.tokenizer_id}
    rows = con.sql(sqlfiles.query("analysis/upos_sums"), params=values).pl()
    items = rows["item"].unique(maintain_order=True).to_list()
    return [
        _effects(run, layer, rows, items[first : first + _AT_ONCE], seq_ids, all_n, all_amp, options)
        for first in range(0, len(items), _AT_ONCE)
    ]


def _effects(
    run: Run,
    layer: int,
    rows: pl.DataFrame,
    items: list[str],
    seq_ids: np.ndarray,
    all_n: Floats,
    all_amp: Floats,
    options: Options,
) -> pl.DataFrame:
    """Rows of estimate for some kinds of pairs; all_n and all_amp (S, 1) are of all pairs of content."""
    own = rows.filter(pl.col("item").is_in(items))
    column = own["item"].replace_strict(items, range(len(items)), return_dtype=pl.Int64).to_numpy()
    at = np.searchsorted(seq_ids, own["seq_id"].to_numpy()), column
    n, amp = np.zeros((2, len(seq_ids), len(items)))
    n[at], amp[at] = own["n_pairs"].to_numpy(), own["sum_amp"].to_numpy()
    counted, gain = gains(n, amp, all_n, all_amp)

    def statistic(totals: Floats) -> Floats:
        gained, in_both = np.split(totals, 2, axis=-1)
        return ratio(gained, in_both)

    stacked = np.hstack([gain, counted])
    low, high = intervals(bootstrap(stacked, statistic, options), counted)
    n_sequences = (counted > 0).sum(0)
    return estimate_rows(
        run.run_id,
        "upos_effect",
        layer,
        items,
        ["offdiag"] * len(items),
        value=statistic(stacked.sum(0)),
        low=low,
        high=high,
        p_value=np.where(n_sequences > 1, sign_flip_p(gain, options), np.nan),
        n=n.sum(0).astype(np.int64),
        n_sequences=n_sequences,
    )


PART: Final = Part("upos_effect", _subjects, _compute, ("analysis/clear_upos_effect",))
