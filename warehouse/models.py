"""Enter a model that no run is about, with its tokenizer: what is said of its parameters belongs to it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import duckdb
import polars as pl

from warehouse import connect, sqlfiles
from warehouse import identity as identities
from warehouse.errors import WarehouseError
from warehouse.identity import find
from warehouse.migrate import transaction
from warehouse.paths import warehouse_path
from warehouse.remove import ORPHANS


class Known(Protocol):
    """A model of which something is stored."""

    @property
    def model_id(self) -> int: ...
    @property
    def name(self) -> str: ...


K = TypeVar("K", bound=Known)


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


def choose(models: Sequence[K], path: Path, names: Sequence[str | int], *, having: str, command: str) -> K:
    """The one model that has the first of these names or ids that any has.

    Args: having and command, what they have and the command that makes it, for the message. Raises WarehouseError when
    there is none, or several of one name.
    """
    chosen: list[K] = []
    for name in names:
        named = [model for model in models if model.name == name]
        chosen = chosen or named or [model for model in models if str(model.model_id) == str(name)]
    if len(chosen) > 1:
        ids = ", ".join(str(model.model_id) for model in chosen)
        message = f"{len(chosen)} models in {path} are named {chosen[0].name}: give one of the ids {ids}"
        raise WarehouseError(message)
    if not chosen:
        known = ", ".join(f"{model.model_id} {model.name}" for model in models) or f"none: see `{command} --help`"
        message = f"no model with {having} in {path} is called {names[0]}; it holds {known}"
        raise WarehouseError(message)
    return chosen[0]


def forget(path: Path, chosen: Callable[[duckdb.DuckDBPyConnection], K], steps: Sequence[str], *, wait: float) -> K:
    """Delete what the queries `steps` delete of the model that is chosen; returns what it had.

    The model itself, its tokenizer and filters go too where nothing else uses them. One transaction.
    """
    path = connect.existing(warehouse_path(path))
    with connect.write(path, wait) as con:
        with transaction(con):
            model = chosen(con)
            for step in steps:
                con.execute(sqlfiles.query(step), {"model_id": model.model_id}).fetchall()
            for step in ORPHANS:
                con.execute(sqlfiles.query(step)).fetchall()
        con.execute("CHECKPOINT").fetchall()
    return model
