"""How the feed-forward output's norm goes with the change that it makes: estimate, measures norm_change and
norm_change_partial (claim F4)."""

from typing import Any, Final

import duckdb
import numpy as np
import polars as pl

from warehouse import sqlfiles
from warehouse.analysis.correlation import spearman
from warehouse.analysis.estimates import correlation_row
from warehouse.analysis.part import Frames, Options, Part, Subject
from warehouse.analysis.patterns import READS_ATB
from warehouse.analysis.runs import Run, run_of, run_subjects

_MEASURES: Final = ("norm_change", "norm_change_partial")


def _subjects(con: duckdb.DuckDBPyConnection) -> list[Subject]:
    return run_subjects(con)


def _compute(con: duckdb.DuckDBPyConnection, subject: Subject, options: Options) -> Frames:
    run = run_of(con, subject)
    return {"estimate": pl.concat([row for layer in run.layers for row in _layer(con, run, layer, options)])}


def _layer(con: duckdb.DuckDBPyConnection, run: Run, layer: int, options: Options) -> list[pl.DataFrame]:
    """Rank correlations over sequences and over rows; resampled are sequences in both."""
    values = {"run_id": run.run_id, "layer": layer, "corpus_id": run.corpus_id, "tokenizer_id": run.tokenizer_id}
    reads = {"reads_atb": run.placement in READS_ATB}
    frames = []
    for item, query, more in (("sequence", "norms_by_sequence", {}), ("row", "norms_by_row", reads)):
        found = _points(con, query, values | more)
        points = np.stack([found[name] for name in ("norm_ff_out", "change", "norm_attn_out")], axis=1)
        results = spearman(points, found["seq_id"], options)
        frames += [
            correlation_row(run.run_id, measure, layer, item, "content", result, result.n_units)
            for measure, result in zip(_MEASURES, results, strict=True)
        ]
    return frames


def _points(con: duckdb.DuckDBPyConnection, query: str, values: dict[str, Any]) -> dict[str, np.ndarray]:
    found = con.execute(sqlfiles.query(f"analysis/{query}"), values).fetchnumpy()
    return {name: np.asarray(column) for name, column in found.items()}


PART: Final = Part("norm_change", _subjects, _compute, ("analysis/clear_norm_change",))
