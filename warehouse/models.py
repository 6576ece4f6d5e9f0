"""Enter a model that no run is about, with its tokenizer: what is said of its parameters belongs to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import duckdb
import polars as pl

from warehouse import sqlfiles


@dataclass(frozen=True, eq=False)
class ModelIdentity:
    """A model as the tables know it: rows of `model` and `tokenizer` without their keys, and the `vocab` table."""

    model: Mapping[str, Any]
    tokenizer: Mapping[str, Any]
    vocab: pl.DataFrame


def find_model(con: duckdb.DuckDBPyConnection, identity: ModelIdentity) -> int | None:
    """The id of a model that is the same in every column; None where it is not there."""
    tokenizer_id = _first(con, "find_tokenizer", {"fingerprint": identity.tokenizer["fingerprint"]})
    if tokenizer_id is None:
        return None
    return _first(con, "find_model", {**identity.model, "tokenizer_id": tokenizer_id})


def enter_model(con: duckdb.DuckDBPyConnection, identity: ModelIdentity) -> int:
    """The model's id; what is not there of model, tokenizer and vocabulary is entered, in the caller's transaction."""
    tokenizer_id = _first(con, "find_tokenizer", {"fingerprint": identity.tokenizer["fingerprint"]})
    if tokenizer_id is None:
        tokenizer_id = _first(con, "insert_tokenizer", identity.tokenizer)
        con.register("new_rows", identity.vocab.to_arrow())
        con.execute(sqlfiles.query("insert_vocab_rows"), {"tokenizer_id": tokenizer_id}).fetchall()
        con.unregister("new_rows")
    values = {**identity.model, "tokenizer_id": tokenizer_id}
    known = _first(con, "find_model", values)
    if known is not None:
        return known
    [(new_id,)] = con.execute(sqlfiles.query("insert_model"), values).fetchall()
    return int(new_id)


def _first(con: duckdb.DuckDBPyConnection, query: str, values: Mapping[str, Any]) -> int | None:
    rows = con.execute(sqlfiles.query(query), dict(values)).fetchall()
    return rows[0][0] if rows else None
