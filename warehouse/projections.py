"""Projections of parameters into the vocabulary: stored part by part, searched, removed.

A part is one layer's component under one vocabulary filter and one reading of LN. It is stored with its record in one
transaction, which also enters the model where it is not known: whatever a kill leaves is whole.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import duckdb
import polars as pl

from warehouse import connect, models, sqlfiles
from warehouse.contract import PROJECTION_VERSION
from warehouse.errors import WarehouseError
from warehouse.identity import find
from warehouse.migrate import transaction
from warehouse.models import ModelIdentity, enter_model, find_model, find_tokenizer, forget

ROWS: Final = pl.Schema(
    {
        "unit": pl.Int32,
        "head": pl.Int16,
        "sign": pl.Int8,
        "rank": pl.Int32,
        "token_id": pl.Int32,
        "score": pl.Float32,
    }
)
"""Columns of a part's rows; those of `projection` that are the same in all of them are left out."""

_REMOVED: Final = (
    *("projection/remove_rows", "projection/remove_parts"),
    *("pairs/remove_rows", "pairs/remove_parts"),
)


@dataclass(frozen=True)
class VocabFilter:
    """Vocabulary items that take part in a projection."""

    name: str
    definition: str
    token_ids: tuple[int, ...]
    """Ascending."""

    @property
    def ids_sha256(self) -> str:
        return hashlib.sha256(",".join(map(str, self.token_ids)).encode()).hexdigest()


@dataclass(frozen=True)
class Part:
    """What was projected and how."""

    layer: int
    component: str
    ln_folded: bool
    k: int
    n_units: int
    embedding_source: str
    dtype: str
    seconds: float
    """That it took to make."""


@dataclass(frozen=True)
class Projected:
    """A model that has projections."""

    model_id: int
    name: str
    n_parts: int
    n_units: int
    n_matrices: int
    """Of heads, read as pairs."""


def stored(
    path: Path,
    identity: ModelIdentity,
    vocab_filter: VocabFilter,
    *,
    ln_folded: bool,
    wait: float = connect.READER_WAIT,
) -> set[Part]:
    """Parts of a model that are stored under a filter, by this version's method; none when the warehouse is not there.

    Raises WarehouseError when the filter's name stands for other items of this tokenizer.
    """
    if connect.is_missing(path):
        return set()
    with connect.read(path, wait) as con:
        tokenizer_id = find_tokenizer(con, identity)
        if tokenizer_id is None:
            return set()
        require_same_items(con, path, tokenizer_id, vocab_filter)
        model_id = find_model(con, identity)
        if model_id is None:
            return set()
        values = {"model_id": model_id, "vocab_filter": vocab_filter.name, "ln_folded": ln_folded}
        rows = con.execute(sqlfiles.query("projection/parts"), values).fetchall()
    return {
        Part(layer, component, ln_folded, *how) for layer, component, *how, made in rows if made == PROJECTION_VERSION
    }


def store(
    path: Path,
    identity: ModelIdentity,
    vocab_filter: VocabFilter,
    made: Sequence[tuple[Part, pl.DataFrame]],
    *,
    wait: float = connect.WRITER_WAIT,
) -> int:
    """Store parts in the place of those that are there, if any, with the model where it is new; returns model_id.

    The rows of a part have the columns of ROWS, 2 k a unit. One transaction. Raises WarehouseError when the filter's
    name stands for other items of this tokenizer, or when a score is not finite.
    """
    for part, rows in made:
        if not rows["score"].is_finite().all():
            msg = f"layer {part.layer} {part.component} of {identity.model['name']}: scores are NaN or infinite"
            raise WarehouseError(msg)
    with connect.write(path, wait) as con, transaction(con):
        model_id = enter_model(con, identity)
        enter_filter(con, path, find_tokenizer(con, identity), vocab_filter)
        for part, rows in made:
            _store_part(con, {"model_id": model_id, "vocab_filter": vocab_filter.name}, part, rows)
        return model_id


def _store_part(con: duckdb.DuckDBPyConnection, whose: dict[str, Any], part: Part, rows: pl.DataFrame) -> None:
    key = whose | {"layer": part.layer, "component": part.component, "ln_folded": part.ln_folded}
    if find(con, "projection/clear_part", key) is not None:
        _run(con, "projection/clear_rows", key)
    con.register("new_rows", rows.select(ROWS.names()).cast(ROWS).to_arrow())
    _run(con, "projection/insert_rows", key)
    con.unregister("new_rows")
    _run(con, "projection/insert_part", asdict(part) | key | {"method_version": PROJECTION_VERSION})


def enter_filter(
    con: duckdb.DuckDBPyConnection, path: Path, tokenizer_id: int | None, vocab_filter: VocabFilter
) -> None:
    """Enter a filter where it is new; WarehouseError when its name stands for other items."""
    if not require_same_items(con, path, tokenizer_id, vocab_filter):
        values = {
            "tokenizer_id": tokenizer_id,
            "name": vocab_filter.name,
            "definition": vocab_filter.definition,
            "n_items": len(vocab_filter.token_ids),
            "ids_sha256": vocab_filter.ids_sha256,
        }
        _run(con, "projection/insert_filter", values)


def model_id_of(path: Path, identity: ModelIdentity, *, wait: float = connect.READER_WAIT) -> int:
    """model_id of a model that the warehouse holds; WarehouseError when it does not."""
    with connect.read(path, wait) as con:
        model_id = find_model(con, identity)
    if model_id is None:
        message = f"{path} does not hold the model {identity.model['name']}"
        raise WarehouseError(message)
    return model_id


def token_counts(path: Path, tokenizer_fingerprint: str, *, wait: float = connect.READER_WAIT) -> dict[int, int]:
    """How often each item occurs in the warehouse's texts under a tokenizer; empty without such texts."""
    if connect.is_missing(path):
        return {}
    with connect.read(path, wait) as con:
        values = {"fingerprint": tokenizer_fingerprint}
        return dict(con.execute(sqlfiles.query("projection/token_counts"), values).fetchall())


def projected(path: Path, *, wait: float = connect.READER_WAIT) -> list[Projected]:
    """The models that have projections."""
    with connect.read(path, wait) as con:
        return _projected(con)


def choose(path: Path, *names: str | int, wait: float = connect.READER_WAIT) -> Projected:
    """The one model with projections that has the first of these names or ids that any has.

    Raises WarehouseError when there is none, or several of one name.
    """
    with connect.read(path, wait) as con:
        return choose_model(con, path, *names)


def remove(path: Path, name_or_id: str | int, *, wait: float = connect.WRITER_WAIT) -> Projected:
    """Delete the projections of a model; returns what it had.

    The model itself, its tokenizer and its filters go too where nothing else uses them. Raises WarehouseError when no
    model with projections has that name, or several have it.
    """
    return forget(path, lambda con: choose_model(con, path, name_or_id), _REMOVED, wait=wait)


def _projected(con: duckdb.DuckDBPyConnection) -> list[Projected]:
    return [Projected(*row) for row in con.execute(sqlfiles.query("projection/models")).fetchall()]


def choose_model(con: duckdb.DuckDBPyConnection, path: Path, *names: str | int) -> Projected:
    """`choose` in an open connection."""
    return models.choose(_projected(con), path, names, having="projections", command="lenshouse project")


def require_same_items(
    con: duckdb.DuckDBPyConnection, path: Path, tokenizer_id: int | None, vocab_filter: VocabFilter
) -> bool:
    """Whether the filter is known; WarehouseError when its name stands for other items."""
    values = {"tokenizer_id": tokenizer_id, "name": vocab_filter.name}
    rows = con.execute(sqlfiles.query("projection/find_filter"), values).fetchall()
    if rows and rows[0][2] != vocab_filter.ids_sha256:
        message = (
            f"vocabulary filter {vocab_filter.name} stood for {rows[0][1]:,} items when {path} was filled and now for "
            f"{len(vocab_filter.token_ids):,}: give the list another name, or remove the projections that were made "
            "with it (lenshouse project --remove)"
        )
        raise WarehouseError(message)
    return bool(rows)


def _run(con: duckdb.DuckDBPyConnection, query: str, values: dict[str, Any]) -> None:
    con.execute(sqlfiles.query(query), values).fetchall()
