"""LayerNorm weights beside the size of what the feed-forward network reads and writes, dimension by dimension, with
and without outlier dimensions: estimate, measure ln_weight (claim F5), and outlier_dim."""

from typing import Final

import duckdb
import numpy as np
import polars as pl

from warehouse import sqlfiles
from warehouse.analysis.correlation import spearman
from warehouse.analysis.estimates import correlation_row
from warehouse.analysis.part import Frames, Options, Part, Subject
from warehouse.analysis.resample import Floats
from warehouse.analysis.runs import Run, run_of, run_subjects

OUTLIER: Final = 3.0
"""Standard deviations from the layer's mean beyond which a dimension is an outlier."""

_SIZES: Final = ("ff_in", "ff_out")


def standard_scores(values: Floats) -> Floats:
    """(values - mean) / population standard deviation, NaN staying NaN; 0 where all are equal."""
    if np.isnan(values).all() or np.nanmax(values) == np.nanmin(values):
        return values * 0.0
    return (values - np.nanmean(values)) / np.nanstd(values)


def scores(layer: pl.DataFrame) -> pl.DataFrame:
    """z_gamma (of |gamma|), z_ff_in and z_ff_out beside a layer's dimensions."""
    columns = {"z_gamma": layer["ln_ff_gamma"].abs()} | {f"z_{name}": layer[f"{name}_mean_abs"] for name in _SIZES}
    return layer.with_columns(
        pl.Series(name, standard_scores(column.cast(pl.Float64).fill_null(np.nan).to_numpy()))
        for name, column in columns.items()
    )


def is_outlier() -> pl.Expr:
    """Of the columns of `scores`: any beyond OUTLIER, on either side."""
    return pl.any_horizontal(pl.col(name).fill_nan(0).abs() > OUTLIER for name in ("z_gamma", "z_ff_in", "z_ff_out"))


def _correlations(con: duckdb.DuckDBPyConnection, subject: Subject, options: Options) -> Frames:
    run = run_of(con, subject)
    rows = [row for layer in _layers(con, run) for row in _layer(run, layer, options)]
    return {"estimate": pl.concat(rows)}


def _layer(run: Run, layer: pl.DataFrame, options: Options) -> list[pl.DataFrame]:
    """Over dimensions, which are what is resampled: they are all there are, a sample of none; the interval says how
    far the correlation rests on single ones."""
    weighted = scores(layer).drop_nulls("ln_ff_gamma")
    rows = []
    for suffix, kept in (("", weighted), ("_inliers", weighted.filter(~is_outlier()))):
        for name in _SIZES:
            points = np.stack([kept["ln_ff_gamma"].abs().to_numpy(), kept[f"{name}_mean_abs"].to_numpy()], axis=1)
            [found] = spearman(points, kept["dim"].to_numpy(), options)
            number = layer["layer"][0]
            row = correlation_row(run.run_id, "ln_weight", number, name + suffix, None, found, run.n_sequences)
            rows.append(row)
    return rows


def _outliers(con: duckdb.DuckDBPyConnection, subject: Subject, options: Options) -> Frames:
    run = run_of(con, subject)
    scored = pl.concat([scores(layer) for layer in _layers(con, run)]).filter(is_outlier())
    named = scored.drop("ff_in_mean_abs", "ff_out_mean_abs").with_columns(pl.lit(run.run_id).alias("run_id"))
    return {"outlier_dim": named.with_columns(pl.col("z_gamma").fill_nan(None))}


def _layers(con: duckdb.DuckDBPyConnection, run: Run) -> list[pl.DataFrame]:
    frame = con.sql(sqlfiles.query("analysis/dimensions"), params={"run_id": run.run_id}).pl()
    return frame.partition_by("layer", maintain_order=True)


def _subjects(con: duckdb.DuckDBPyConnection) -> list[Subject]:
    return run_subjects(con, over_sequences=False)


CORRELATIONS: Final = Part("ln_weight", _subjects, _correlations, ("analysis/clear_ln_weight",))
OUTLIERS: Final = Part("outlier_dim", _subjects, _outliers, ("analysis/clear_outlier_dim",), is_random=False)
