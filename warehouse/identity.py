"""Enter models and tokenizers: each once, found again by everything that tells it apart."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import duckdb

from warehouse import sqlfiles

MODEL_COLUMNS: Final = (
    *("name", "revision", "weights_sha256", "family", "seed"),
    *("model_type", "placement", "component_order", "is_causal", "n_layer", "n_head", "n_kv_head"),
    *("d_model", "d_ff", "activation", "is_gated", "norm_type", "vocab_size", "tied_embeddings"),
    *("base_model", "n_params"),
)
TOKENIZER_COLUMNS: Final = ("name", "fingerprint")


def enter_tokenizer(
    con: duckdb.DuckDBPyConnection, values: Mapping[str, Any], insert_vocab: Callable[[int], None]
) -> int:
    """tokenizer_id of the tokenizer with this fingerprint; a new one gets its vocabulary by `insert_vocab`."""
    known = find(con, "find_tokenizer", {"fingerprint": values["fingerprint"]})
    if known is not None:
        return known
    tokenizer_id = insert(con, "insert_tokenizer", values)
    insert_vocab(tokenizer_id)
    return tokenizer_id


def enter_model(con: duckdb.DuckDBPyConnection, values: Mapping[str, Any], tokenizer_id: int) -> int:
    """model_id of the model that is the same in every column, new where there is none."""
    whole = {**values, "tokenizer_id": tokenizer_id}
    known = find(con, "find_model", whole)
    return insert(con, "insert_model", whole) if known is None else known


def find(con: duckdb.DuckDBPyConnection, query: str, values: Mapping[str, Any]) -> int | None:
    """The first value of a query's first row; None without one."""
    rows = con.execute(sqlfiles.query(query), dict(values)).fetchall()
    return rows[0][0] if rows else None


def insert(con: duckdb.DuckDBPyConnection, query: str, values: Mapping[str, Any]) -> int:
    """The id that an insert returns."""
    [(new_id,)] = con.execute(sqlfiles.query(query), dict(values)).fetchall()
    return new_id
