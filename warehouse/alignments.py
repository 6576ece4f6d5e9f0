"""Store which layers and units of two models correspond: a component at a time, in one transaction with both models."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from warehouse import connect, sqlfiles
from warehouse.migrate import transaction
from warehouse.models import ModelIdentity, enter_model, find_model

ALIGNMENT_VERSION: Final = "1"
"""Changes whenever the same models would give other numbers."""

_TABLES: Final = ("alignment", "alignment_summary", "unit_match")


@dataclass(frozen=True, eq=False)
class Aligned:
    """A component of two models: the rows of the three tables, without model_a, model_b, component, method_version."""

    alignment: pl.DataFrame
    alignment_summary: pl.DataFrame
    unit_match: pl.DataFrame


def ids_of(path: Path, models: Sequence[ModelIdentity], *, wait: float = connect.WRITER_WAIT) -> list[int]:
    """Ids of the models, those that are new entered with their vocabulary."""
    with connect.write(path, wait) as con, transaction(con):
        return [enter_model(con, model) for model in models]


def stored(path: Path, a: ModelIdentity, b: ModelIdentity, *, wait: float = connect.READER_WAIT) -> set[str]:
    """Components of two models that this version of the method has aligned; none when the warehouse is not there."""
    if connect.is_missing(path):
        return set()
    with connect.read(path, wait) as con:
        ids = find_model(con, a), find_model(con, b)
        if None in ids:
            return set()
        values = _key(*ids) | {"method_version": ALIGNMENT_VERSION}
        return {component for (component,) in con.execute(sqlfiles.query("alignment/stored"), values).fetchall()}


def store(
    path: Path,
    a: ModelIdentity,
    b: ModelIdentity,
    component: str,
    aligned: Aligned,
    *,
    wait: float = connect.WRITER_WAIT,
) -> None:
    """Put a component in the place of what is there of it. `a` must have been entered before `b`: see `ids_of`."""
    with connect.write(path, wait) as con, transaction(con):
        key = _key(enter_model(con, a), enter_model(con, b)) | {"component": component}
        for table in _TABLES:
            con.execute(sqlfiles.query(f"alignment/clear_{table}"), key).fetchall()
            _insert(con, table, getattr(aligned, table), key)


def _insert(con: duckdb.DuckDBPyConnection, table: str, rows: pl.DataFrame, key: dict[str, int | str]) -> None:
    whole = rows.with_columns(pl.lit(value).alias(name) for name, value in key.items())
    if table == "alignment_summary":
        whole = whole.with_columns(method_version=pl.lit(ALIGNMENT_VERSION))
    con.register("new_rows", whole.to_arrow())
    con.execute(sqlfiles.query(f"alignment/insert_{table}")).fetchall()
    con.unregister("new_rows")


def _key(a: int | None, b: int | None) -> dict[str, int | str]:
    assert a is not None and b is not None
    return {"model_a": a, "model_b": b}
