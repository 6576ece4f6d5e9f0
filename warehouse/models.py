"""Enter a model that no run is about, with its tokenizer: what is said of its parameters belongs to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import duckdb
import polars as pl

from warehouse import identity as identities
from warehouse import sqlfiles
from warehouse.identity import find


@dataclass(frozen=True, eq=False)
class ModelIdentity:
    """A model as the tables know it: rows of `model` and `tokenizer` without their keys, and the `vocab` table."""

    model: Mapping[str, Any]
    tokenizer: Mapping[str, Any]
    vocab: pl.DataFrame


def find_model(con: duckdb.DuckDBPyConnection, identity: ModelIdentity) -> int | None:
    """The id of a model that is the same in every column; None where it is not there."""
    tokenizer_id = find_tokenizer(con, identity)
    if tokenizer_id is None:
        return None
    return find(con, "find_model", {**identity.model, "tokenizer_id": tokenizer_id})


def find_tokenizer(con: duckdb.DuckDBPyConnection, identity: ModelIdentity) -> int | None:
    """The id of a model's tokenizer; None where it is not there."""
    return find(con, "find_tokenizer", {"fingerprint": identity.tokenizer["fingerprint"]})


def enter_model(con: duckdb.DuckDBPyConnection, identity: ModelIdentity) -> int:
    """The model's id; what is not there of model, tokenizer and vocabulary is entered, in the caller's transaction."""

    def insert_vocab(tokenizer_id: int) -> None:
        con.register("new_rows", identity.vocab.to_arrow())
        con.execute(sqlfiles.query("insert_vocab_rows"), {"tokenizer_id": tokenizer_id}).fetchall()
        con.unregister("new_rows")

    tokenizer_id = identities.enter_tokenizer(con, identity.tokenizer, insert_vocab)
    return identities.enter_model(con, identity.model, tokenizer_id)
