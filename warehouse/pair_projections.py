"""Attention heads read as pairs of vocabulary items: stored by layer and matrix, all heads together.

Removal is that of every projection of a model (`projections.remove`).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import duckdb
import polars as pl

from warehouse import connect, sqlfiles
from warehouse.contract import PAIR_VERSION
from warehouse.errors import WarehouseError
from warehouse.migrate import transaction
from warehouse.models import ModelIdentity, enter_model, find_model, find_tokenizer
from warehouse.projections import VocabFilter, enter_filter, require_same_items

ROWS: Final = pl.Schema(
    {"head": pl.Int16, "rank": pl.Int32, "row_token_id": pl.Int32, "col_token_id": pl.Int32, "score": pl.Float64}
)
"""Columns of a part's pairs; those of `pair_projection` that are the same in all of them are left out."""

COSTS: Final = pl.Schema({"head": pl.Int16, "n_pairs": pl.Int64, "n_multiplied": pl.Int64, "seconds": pl.Float64})
"""What each head took; a row a head."""


@dataclass(frozen=True)
class PairPart:
    """What was read and how: all heads of a layer's matrix."""

    layer: int
    matrix: str
    k: int
    embedding_source: str
    dtype: str


def stored(
    path: Path,
    identity: ModelIdentity,
    vocab_filter: VocabFilter,
    *,
    ln_folded: bool,
    exclude_same: bool,
    wait: float = connect.READER_WAIT,
) -> set[PairPart]:
    """Parts of a model that are stored under a filter, by this version's method; none when the warehouse is not there.

    Raises WarehouseError when the filter's name stands for other items of this tokenizer.
    """
    if connect.is_missing(path):
        return set()
    with connect.read(path, wait) as con:
        require_same_items(con, path, find_tokenizer(con, identity), vocab_filter)
        values = {
            "model_id": find_model(con, identity),
            "vocab_filter": vocab_filter.name,
            "ln_folded": ln_folded,
            "exclude_same": exclude_same,
        }
        rows = con.execute(sqlfiles.query("pairs/parts"), values).fetchall()
    return {PairPart(*part) for *part, made in rows if made == PAIR_VERSION}


def store(
    path: Path,
    identity: ModelIdentity,
    vocab_filter: VocabFilter,
    made: Sequence[tuple[PairPart, pl.DataFrame, pl.DataFrame]],
    *,
    ln_folded: bool,
    exclude_same: bool,
    wait: float = connect.WRITER_WAIT,
) -> int:
    """Store parts in the place of those that are there, if any, with the model where it is new; returns model_id.

    With each part its pairs, with the columns of ROWS, and its heads, with those of COSTS. One transaction. Raises
    WarehouseError when the filter's name stands for other items of this tokenizer, or when a score is not finite.
    """
    for part, rows, _ in made:
        if not rows["score"].is_finite().all():
            msg = f"layer {part.layer} {part.matrix} of {identity.model['name']}: scores are NaN or infinite"
            raise WarehouseError(msg)
    with connect.write(path, wait) as con, transaction(con):
        model_id = enter_model(con, identity)
        enter_filter(con, path, find_tokenizer(con, identity), vocab_filter)
        whose = {
            "model_id": model_id,
            "vocab_filter": vocab_filter.name,
            "ln_folded": ln_folded,
            "exclude_same": exclude_same,
        }
        for part, rows, costs in made:
            _store_part(con, whose, part, rows.select(ROWS.names()).cast(ROWS), costs.select(COSTS.names()).cast(COSTS))
        return model_id


def _store_part(
    con: duckdb.DuckDBPyConnection, whose: dict[str, Any], part: PairPart, rows: pl.DataFrame, costs: pl.DataFrame
) -> None:
    key = whose | {"layer": part.layer, "matrix": part.matrix}
    con.execute(sqlfiles.query("pairs/clear_rows"), key).fetchall()
    con.execute(sqlfiles.query("pairs/clear_part"), key).fetchall()
    _insert(con, "pairs/insert_rows", key, rows)
    _insert(con, "pairs/insert_part", key | asdict(part) | {"method_version": PAIR_VERSION}, costs)


def _insert(con: duckdb.DuckDBPyConnection, query: str, values: dict[str, Any], frame: pl.DataFrame) -> None:
    con.register("new_rows", frame.to_arrow())
    con.execute(sqlfiles.query(query), values).fetchall()
    con.unregister("new_rows")
