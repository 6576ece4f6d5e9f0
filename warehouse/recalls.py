"""How much of hidden states the active parameters recall: stored for a model and a corpus at once, found, removed."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import duckdb
import polars as pl

from warehouse import connect, models, sqlfiles
from warehouse.analysis.part import Options
from warehouse.errors import WarehouseError
from warehouse.identity import find
from warehouse.migrate import transaction
from warehouse.models import ModelIdentity, enter_model, find_model, forget

RECALL_VERSION: Final = "1"
"""Changes whenever the same model and texts would give another recall; stale ones are measured again."""

_MEASURED: Final = ("recall", "low", "high", "shuffled", "gain", "gain_low", "gain_high")


@dataclass(frozen=True)
class RecallSet:
    """What is stored together, of one model."""

    corpus_name: str
    corpus_sha256: str
    top_k: int
    n_units: int
    dtype: str
    options: Options

    @property
    def key(self) -> dict[str, Any]:
        """What tells it from other sets of the model."""
        return {"corpus_sha256": self.corpus_sha256, "k": self.top_k, "n_units": self.n_units}

    @property
    def how(self) -> dict[str, Any]:
        """What its numbers depend on beside that."""
        drawn = {"seed": self.options.seed, "n_resamples": self.options.n_resamples}
        return {"dtype": self.dtype, "method_version": RECALL_VERSION, **drawn}


@dataclass(frozen=True)
class Recalled:
    """A model of which recall is stored."""

    model_id: int
    name: str
    n_corpora: int


def stored(path: Path, identity: ModelIdentity, of: RecallSet, *, wait: float = connect.READER_WAIT) -> int | None:
    """model_id where all rows are stored and would come out the same again; None where they are not."""
    if connect.is_missing(path):
        return None
    with connect.read(path, wait) as con:
        model_id = find_model(con, identity)
        return find(con, "recall/stored", of.key | of.how | {"model_id": model_id})


def store(
    path: Path, identity: ModelIdentity, of: RecallSet, rows: pl.DataFrame, *, wait: float = connect.WRITER_WAIT
) -> int:
    """Put the rows of all layers in the place of those that are there, with the model where it is new; its model_id.

    One transaction. Raises WarehouseError when a value is not finite.
    """
    if not all(rows[name].drop_nulls().is_finite().all() for name in _MEASURED):
        message = f"recall of {identity.model['name']} on {of.corpus_name}: values are NaN or infinite"
        raise WarehouseError(message)
    with connect.write(path, wait) as con, transaction(con):
        key = of.key | {"model_id": enter_model(con, identity)}
        con.execute(sqlfiles.query("recall/clear"), key).fetchall()
        same = key | of.how | {"corpus_name": of.corpus_name}
        con.register("new_rows", rows.with_columns(pl.lit(v).alias(name) for name, v in same.items()).to_arrow())
        con.execute(sqlfiles.query("recall/insert")).fetchall()
        con.unregister("new_rows")
    return int(key["model_id"])


def choose(path: Path, *names: str | int, wait: float = connect.READER_WAIT) -> Recalled:
    """The one model with stored recall that has the first of these names or ids that any has.

    Raises WarehouseError when there is none, or several of one name.
    """
    with connect.read(path, wait) as con:
        return _choose(con, path, *names)


def remove(path: Path, name_or_id: str | int, *, wait: float = connect.WRITER_WAIT) -> Recalled:
    """Delete the recall of a model; returns what it had. The model itself goes too where nothing else uses it.

    Raises WarehouseError as `choose`.
    """
    return forget(path, lambda con: _choose(con, path, name_or_id), ["recall/remove"], wait=wait)


def _choose(con: duckdb.DuckDBPyConnection, path: Path, *names: str | int) -> Recalled:
    found = [Recalled(*row) for row in con.execute(sqlfiles.query("recall/models")).fetchall()]
    return models.choose(found, path, names, having="recall", command="lenshouse recall")
