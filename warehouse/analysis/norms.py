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
from warehouse.analysis.resample import Floats
from warehouse.analysis.runs import Run, run_of, run_subjects

_MEASURES: Final = ("norm_change", "norm_change_partial")


def _subjects(con: duckdb.DuckDBPyConnection) -> list[Subject]:
    return run_subjects(con)


def _compute(con: duckdb.DuckDBPyConnection, subject: Subject, options: Options) -> Frames:
    run = run_of(con, subject)
    return {"estimate": pl.concat([row for layer in run.layers for row in _layer(con, run, layer, options)])}


def _layer(con: duckdb.DuckDBPyConnection, run: Run, layer: int, options: Options) -> list[pl.DataFrame]:
    """Rank correlations over sequences and over rows; resampled are sequences in both."""
    frames = []
    for item, points_of in (("sequence", sequence_points), ("row", row_points)):
        results = spearman(*points_of(con, run, layer), options)
        frames += [
            correlation_row(run.run_id, measure, layer, item, "content", result, result.n_units)
            for measure, result in zip(_MEASURES, results, strict=True)
        ]
    return frames


def sequence_points(con: duckdb.DuckDBPyConnection, run: Run, layer: int) -> tuple[Floats, np.ndarray]:
    """Of each sequence: FF output norm, change by FF, attention output norm (P, 3); and its seq_id (P,)."""
    return _points(con, "norms_by_sequence", _parameters(run, layer))


def row_points(con: duckdb.DuckDBPyConnection, run: Run, layer: int) -> tuple[Floats, np.ndarray]:
    """The same of each row of content."""
    return _points(con, "norms_by_row", _parameters(run, layer) | {"reads_atb": run.placement in READS_ATB})


def _parameters(run: Run, layer: int) -> dict[str, Any]:
    return {"run_id": run.run_id, "layer": layer, "corpus_id": run.corpus_id, "tokenizer_id": run.tokenizer_id}


def _points(con: duckdb.DuckDBPyConnection, query: str, values: dict[str, Any]) -> tuple[Floats, np.ndarray]:
    found = con.execute(sqlfiles.query(f"analysis/{query}"), values).fetchnumpy()
    points = [np.asarray(found[name]) for name in ("norm_ff_out", "change", "norm_attn_out")]
    return np.stack(points, axis=1), np.asarray(found["seq_id"])


PART: Final = Part("norm_change", _subjects, _compute, ("analysis/clear_norm_change",))
