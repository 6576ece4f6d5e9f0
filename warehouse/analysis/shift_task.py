"""Whether the words that a fine-tuning's shifts read as are the task's: shift_task.

The task's words are those that tell a labelled corpus' labels apart. Frequent items have larger |z| for their counts
alone, and shifts may read as frequent items for other reasons, so an item counts by its |z| less the mean |z| of the
items of its frequency that the layer's shifts do not read as.
"""

from typing import Final

import duckdb
import numpy as np
import polars as pl

from warehouse import sqlfiles
from warehouse.analysis.part import Frames, Options, Part, Subject
from warehouse.analysis.resample import bootstrap, intervals

LEAST: Final = 5
"""Occurrences that an item needs for log odds that mean anything."""

MOST: Final = 10
"""Ranks of a shift's items that are taken, of either sign."""


def _subjects(con: duckdb.DuckDBPyConnection) -> list[Subject]:
    return [
        Subject(
            key={name: row[name] for name in ("base_model_id", "tuned_model_id", "corpus_id")},
            title=f"{row['tuned']} from {row['base']} over {row['corpus_name']}",
            runs=frozenset(),
            depends={name: row[name] for name in ("sha256", "method_version", "content", "tokenizer_id")},
        )
        for row in con.sql(sqlfiles.query("analysis/shift_subjects")).pl().rows(named=True)
    ]


def _compute(con: duckdb.DuckDBPyConnection, subject: Subject, options: Options) -> Frames:
    models = {name: subject.key[name] for name in ("base_model_id", "tuned_model_id")}
    items = con.sql(sqlfiles.query("analysis/shift_items"), params=models | {"most": MOST}).pl()
    values = {"tokenizer_id": subject.depends["tokenizer_id"], "corpus_id": subject.key["corpus_id"], "least": LEAST}
    odds = con.sql(sqlfiles.query("analysis/label_odds"), params=values).pl()
    layers = [
        {"layer": layer} | _estimate(_excess(odds, read["token_id"]), options)
        for (layer,), read in items.group_by("layer", maintain_order=True)
    ]
    schema = {"layer": pl.Int16, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "n_items": pl.Int32}
    frame = pl.DataFrame(layers, schema=schema)
    return {"shift_task": frame.with_columns(pl.lit(value).alias(name) for name, value in subject.key.items())}


def _excess(odds: pl.DataFrame, read: pl.Series) -> np.ndarray:
    """|z| of the items that are read less the mean |z| of others of their frequency; those without others left out."""
    is_read = pl.col("token_id").is_in(read.implode())
    others = odds.filter(~is_read).group_by("frequency").agg(usual=pl.col("z").mean())
    found = odds.filter(is_read).join(others, on="frequency", maintain_order="left")
    return found.select(pl.col("z") - pl.col("usual")).to_series().to_numpy()


def _estimate(excess: np.ndarray, options: Options) -> dict[str, float | int | None]:
    """Mean with its interval over items."""
    n = len(excess)
    if n == 0:
        return {"value": None, "low": None, "high": None, "n_items": 0}
    sums = np.column_stack([excess, np.ones(n)]).astype(np.float64)
    draws = bootstrap(sums, lambda totals: totals[..., :1] / totals[..., 1:], options)
    low, high = intervals(draws, np.ones((n, 1)))
    ends = (None if np.isnan(end) else float(end) for end in (low[0], high[0]))
    return dict(zip(("value", "low", "high"), (float(excess.mean()), *ends), strict=True)) | {"n_items": n}


PART: Final = Part("shift_task", _subjects, _compute, ("analysis/clear_shift_task",))
