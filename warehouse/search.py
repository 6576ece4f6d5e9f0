"""Which units promote or suppress vocabulary items, and what a unit says."""

from collections.abc import Sequence
from pathlib import Path

import duckdb
import polars as pl

from warehouse import connect, sqlfiles
from warehouse.errors import UsageError, WarehouseError
from warehouse.projections import choose_model
from warehouse.queries import Rows, open
from warehouse.wording import printable

JOINED = "…"
"""What vocab.display begins with where an item continues a word."""


def search(
    path: Path,
    words: Sequence[str],
    *,
    sign: int | None = None,
    model: str | None = None,
    component: str | None = None,
    layer: int | None = None,
    limit: int,
    wait: float = connect.READER_WAIT,
) -> Rows:
    """Units with one or more of the words among their stored items, those with most of them first, across all models.

    A word is an item's display (`dog` begins a word, `…dog` continues one) or, in tokenizers without such, its raw
    spelling. One row per unit: n_tokens counts the words, mean_rank and score (a sum) are over their items.

    Args: sign, 1 for units that score them highest, -1 for lowest, None for both.
    Raises UsageError for a word that no tokenizer has as one item, with the pieces that it falls into, and for a
    component or layer that no model (or not the one given) has projections of; WarehouseError for a model without
    projections.
    """
    with connect.read(path, wait) as con:
        if not con.execute(sqlfiles.query("projection/models")).fetchall():
            message = f"{path} holds no projections: make some with `lenshouse project --model ...`"
            raise WarehouseError(message)
        model_id = None if model is None else choose_model(con, path, model).model_id
        _require_component(con, path, component)
        _require_layer(con, path, model_id, layer)
        found = con.execute(sqlfiles.query("projection/items"), {"words": list(dict.fromkeys(words))}).fetchall()
        for word in words:
            if word not in {named for named, _, _ in found}:
                raise _no_item(con, word)
    named, tokenizer_ids, token_ids = zip(*found, strict=True)
    values = {
        "words": list(named),
        "tokenizer_ids": list(tokenizer_ids),
        "token_ids": list(token_ids),
        "sign": sign,
        "model_id": model_id,
        "component": component,
        "layer": layer,
    }
    return open(path, wait=wait).fetch(sqlfiles.query("projection/search"), values, limit=limit)


def says(
    path: Path, model: str, layer: int, unit: int, *, component: str | None = None, wait: float = connect.READER_WAIT
) -> pl.DataFrame:
    """What a neuron says (or a unit of another component): its highest and lowest items, one row per component.

    Raises WarehouseError where no projection of it is stored, UsageError for an unknown component.
    """
    with connect.read(path, wait) as con:
        chosen = choose_model(con, path, model)
        _require_component(con, path, component)
    values = {"model_id": chosen.model_id, "layer": layer, "unit": unit, "component": component}
    frame = open(path, wait=wait).sql(sqlfiles.query("projection/says"), values)
    if frame.is_empty():
        what = component or "FF component"
        message = (
            f"{path} has no {what} of unit {unit} in layer {layer} of {chosen.name}: layers count from 1, units from "
            "0, and `lenshouse project` stores what is missing"
        )
        raise WarehouseError(message)
    return frame


def _require_component(con: duckdb.DuckDBPyConnection, path: Path, component: str | None) -> None:
    known = [name for (name,) in con.execute(sqlfiles.query("projection/components")).fetchall()]
    if component is not None and component not in known:
        message = f"no model in {path} has projections of a component {component}: it holds {', '.join(known)}"
        raise UsageError(message)


def _require_layer(con: duckdb.DuckDBPyConnection, path: Path, model_id: int | None, layer: int | None) -> None:
    values = {"layer": layer, "model_id": model_id}
    if layer is not None and con.execute(sqlfiles.query("projection/has_layer"), values).fetchone() == (False,):
        whose = "any model" if model_id is None else "this model"
        message = f"{path} has no projections of layer {layer} of {whose}: layers count from 1; omit --layer for all"
        raise UsageError(message)


def _no_item(con: duckdb.DuckDBPyConnection, word: str) -> UsageError:
    rows = con.execute(sqlfiles.query("projection/displays"), {"word": word}).fetchall()
    ways = []
    for tokenizer_id in dict.fromkeys(tokenizer_id for tokenizer_id, _ in rows):
        pieces = pieces_of(word, {display for owner, display in rows if owner == tokenizer_id})
        if pieces and pieces not in ways:
            ways.append(pieces)
    told = "; or ".join(" ".join(map(printable, pieces)) for pieces in ways)
    hint = f"search for its pieces: {told}" if ways else "no items spell it"
    return UsageError(f"'{printable(word)}' is not one vocabulary item of any projected model; {hint}")


def pieces_of(word: str, displays: set[str]) -> list[str] | None:
    """Displays that spell a word, the longest first from left to right; None where this way there are none."""
    pieces: list[str] = []
    rest = word
    while rest:
        mark = JOINED if pieces else ""
        taken = next(
            (n for n in range(len(rest), 0, -1) if mark + rest[:n] in displays or _bare(rest[:n], displays)), 0
        )
        if not taken:
            return None
        piece = rest[:taken]
        pieces.append(mark + piece if mark + piece in displays else piece)
        rest = rest[taken:]
    return pieces


def _bare(piece: str, displays: set[str]) -> bool:
    """Whether a display without a mark may stand inside a word, as punctuation does."""
    return not piece[0].isalnum() and piece in displays
