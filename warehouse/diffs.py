"""Store how far training moved a model's parameters and what the largest shifts say, in one transaction."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import duckdb
import polars as pl

from warehouse import connect, sqlfiles
from warehouse.migrate import transaction
from warehouse.models import ModelIdentity, enter_model, find_model

DIFF_VERSION: Final = "1"
"""Changes whenever the same models would give other numbers."""

SHIFT: Final = pl.Schema(
    {
        "layer": pl.Int16,
        "component": pl.String,
        "n_units": pl.Int32,
        "norm": pl.Float64,
        "base_norm": pl.Float64,
        "relative": pl.Float64,
        "cosine": pl.Float64,
        "mean_unit_norm": pl.Float64,
        "max_unit_norm": pl.Float64,
    }
)
"""Columns of parameter_shift that differ between the rows of two models."""

DIFF: Final = pl.Schema(
    {
        "layer": pl.Int16,
        "component": pl.String,
        "unit": pl.Int32,
        "head": pl.Int16,
        "shift_rank": pl.Int32,
        "shift_norm": pl.Float64,
        "sign": pl.Int8,
        "rank": pl.Int32,
        "token_id": pl.Int32,
        "score": pl.Float32,
    }
)
"""Columns of parameter_diff that differ between the rows of two models."""


@dataclass(frozen=True, eq=False)
class Diff:
    """Which models, and how their difference was asked for."""

    base: ModelIdentity
    tuned: ModelIdentity
    n_largest: int
    """Units that are kept of each layer and component."""
    top_k: int
    """Items of each sign."""
    vocab_filter: str
    ln_folded: bool


def stored(path: Path, diff: Diff, *, wait: float = connect.READER_WAIT) -> tuple[int, int] | None:
    """The ids of both models, base first, where this very difference is there, of this version; else None."""
    if connect.is_missing(path):
        return None
    with connect.read(path, wait) as con:
        base_id, tuned_id = find_model(con, diff.base), find_model(con, diff.tuned)
        if base_id is None or tuned_id is None:
            return None
        values = _key(base_id, tuned_id, diff) | _decides(diff)
        is_there = con.execute(sqlfiles.query("diff/stored"), values).fetchall()
    return (base_id, tuned_id) if is_there else None


def store(
    path: Path, diff: Diff, shift: pl.DataFrame, items: pl.DataFrame, *, wait: float = connect.WRITER_WAIT
) -> tuple[int, int]:
    """Put a difference in the place of the one that is there of these models; returns their ids, base first.

    Args: shift, items: frames in the schemas SHIFT and DIFF.
    """
    with connect.write(path, wait) as con, transaction(con):
        base_id, tuned_id = enter_model(con, diff.base), enter_model(con, diff.tuned)
        key = _key(base_id, tuned_id, diff)
        for table in ("parameter_shift", "parameter_diff"):
            con.execute(sqlfiles.query(f"diff/clear_{table}"), key).fetchall()
        _insert(con, "parameter_shift", shift.cast(SHIFT), key | _decides(diff))
        _insert(con, "parameter_diff", items.cast(DIFF), key | {"vocab_filter": diff.vocab_filter})
    return base_id, tuned_id


def _insert(con: duckdb.DuckDBPyConnection, table: str, rows: pl.DataFrame, values: dict[str, Any]) -> None:
    con.register("new_rows", rows.to_arrow())
    con.execute(sqlfiles.query(f"diff/insert_{table}"), values).fetchall()
    con.unregister("new_rows")


def _key(base_id: int, tuned_id: int, diff: Diff) -> dict[str, Any]:
    return {"base_model_id": base_id, "tuned_model_id": tuned_id, "ln_folded": diff.ln_folded}


def _decides(diff: Diff) -> dict[str, Any]:
    return {
        "n_largest": diff.n_largest,
        "top_k": diff.top_k,
        "vocab_filter": diff.vocab_filter,
        "method_version": DIFF_VERSION,
    }
