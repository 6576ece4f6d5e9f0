"""Rows of the table estimate, from numbers with intervals."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import polars as pl

from warehouse.analysis.correlation import Correlation

SCHEMA: Final = pl.Schema(
    {
        "run_id": pl.Int32,
        "measure": pl.String,
        "layer": pl.Int16,
        "item": pl.String,
        "pair_filter": pl.String,
        "value": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "p_value": pl.Float64,
        "n": pl.Int64,
        "n_sequences": pl.Int32,
    }
)


def estimate_rows(
    run_id: int,
    measure: str,
    layer: int,
    items: Sequence[str],
    pair_filters: Sequence[str | None],
    **columns: np.ndarray,
) -> pl.DataFrame:
    """One row per item: value, low, high, n, n_sequences and, if any, p_value as columns (M,), NaN as NULL."""
    same: dict[str, Any] = {"run_id": run_id, "measure": measure, "layer": layer}
    frame = pl.DataFrame({"p_value": [None] * len(items), "item": items, "pair_filter": pair_filters} | columns)
    frame = frame.with_columns(**{name: pl.lit(value) for name, value in same.items()})
    return frame.select(SCHEMA.names()).cast(SCHEMA).with_columns(pl.col(pl.Float64).fill_nan(None))


def correlation_row(
    run_id: int,
    measure: str,
    layer: int,
    item: str,
    pair_filter: str | None,
    found: Correlation,
    n_sequences: int,
) -> pl.DataFrame:
    """One row of a correlation."""
    row = {
        "run_id": run_id, "measure": measure, "layer": layer, "item": item, "pair_filter": pair_filter,
        "value": float(found.rho), "low": float(found.low), "high": float(found.high), "p_value": float(found.p),
        "n": found.n, "n_sequences": n_sequences,
    }  # fmt: skip
    return pl.DataFrame([row], schema=SCHEMA).with_columns(pl.col(pl.Float64).fill_nan(None))
