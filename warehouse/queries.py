"""Ask the warehouse: SQL in, polars frames out; read-only, fenced, and the file is open for one question only."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import duckdb
import polars as pl
import pyarrow as pa

from warehouse import connect, sqlfiles
from warehouse.contract import INTEGER
from warehouse.errors import UsageError, require_whole
from warehouse.paths import warehouse_path
from warehouse.recalls import RecallSet
from warehouse.register import RunRecord, choose_run
from warehouse.results import Result, frame_of, nearest, query_errors, result_of

Parameters: TypeAlias = Sequence[Any] | Mapping[str, Any] | None
"""Values for `?` (a sequence) or `$name` (a mapping)."""

_BATCH_ROWS = 100_000


@dataclass(frozen=True)
class Rows:
    """The first rows of a result; `cut` says that there were more."""

    frame: pl.DataFrame
    cut: bool


@dataclass(frozen=True)
class Warehouse:
    """A warehouse file to ask questions of.

    Args: wait, seconds to retry while an ingest is writing to it; memory, what DuckDB may hold ("1GiB"), the same for
    all who ask in one process, or the one waits for the other.
    """

    path: Path
    wait: float = connect.READER_WAIT
    memory: str | None = None

    def sql(self, query: str, params: Parameters = None) -> pl.DataFrame:
        """The whole result; columns of one name are numbered (name, name_1).

        Raises UsageError for a query that is wrong or not allowed, and for a column that polars cannot hold.
        """
        with self.stream(query, params) as result:
            return frame_of(result.schema, list(result.batches))

    def fetch(self, query: str, params: Parameters = None, *, limit: int) -> Rows:
        """At most `limit` rows, and whether rows were left out; no more is computed than that needs."""
        batches: list[pa.RecordBatch] = []
        require_whole("limit", limit, 0, INTEGER[1])
        with self.stream(query, params) as result:
            for batch in result.batches:
                batches.append(batch)
                if sum(piece.num_rows for piece in batches) > limit:
                    break
            frame = frame_of(result.schema, batches)
        return Rows(frame.head(limit), frame.height > limit)

    @contextmanager
    def stream(self, query: str, params: Parameters = None) -> Iterator[Result]:
        """The result of one statement, computed while its batches are read: memory stays bounded."""
        with connect.read(self.path, self.wait, memory=self.memory) as con, query_errors(lambda: names(con)):
            require_one(con, query)
            relation = con.sql(query, params=params) if params else con.sql(query)
            if relation is None:
                message = "this statement gives no rows: ask with SELECT, FROM, DESCRIBE, SHOW or EXPLAIN"
                raise UsageError(message)
            yield result_of(relation.to_arrow_reader(_BATCH_ROWS))

    def tables(self) -> pl.DataFrame:
        """One row per table and view: name, kind, n_rows (estimated; NULL for views), comment."""
        return self.sql(sqlfiles.query("tables"))

    def describe(self, name: str) -> pl.DataFrame:
        """One row per column of a table or view: column, type, nullable, comment."""
        frame = self.sql(sqlfiles.query("describe"), {"name": name})
        if frame.is_empty():
            known = self.tables()["name"].to_list()
            near = nearest(name, known)
            message = (
                f"there is no table or view {name} in {self.path}: {near and near + ' '}it holds {', '.join(known)}"
            )
            raise UsageError(message)
        return frame

    def runs(self) -> pl.DataFrame:
        """One row per run, those that are still running too; the view v_run tells more of complete ones."""
        return self.sql(sqlfiles.query("runs"))

    def run(self, name_or_id: str | int) -> RunRecord:
        """The one run with this name or id, complete or not; WarehouseError when there is none, or several."""
        with connect.read(self.path, self.wait, memory=self.memory) as con:
            return choose_run(con, self.path, name_or_id)

    def run_details(self, run_id: int) -> pl.DataFrame:
        """One row: everything recorded of a run, complete or not."""
        return self.sql(sqlfiles.query("run_details"), {"run_id": run_id})

    def strongest_effects(self, run_ids: Sequence[int] = (), *, limit: int) -> pl.DataFrame:
        """The largest effects of patterns, whichever their sign: one row per run, layer and pattern.

        Of all runs where none is given. Without a row before `analyze` has run over annotated corpora.
        """
        values = {"run_ids": list(run_ids), "limit": limit}
        return self.sql(sqlfiles.query("analysis/strongest_effects"), values)

    def stitched(self, corpus_sha256: str, classifier: str, models: Sequence[str]) -> pl.DataFrame:
        """One row per kind and cut: accuracy of a classifier on the first layers of models, all by their names."""
        values = {"corpus_sha256": corpus_sha256, "model_b": classifier, "models_a": list(models)}
        return self.sql(sqlfiles.query("stitched"), values)

    def aligned(self, model_ids: Sequence[int]) -> pl.DataFrame:
        """One row per two of these models, component and space: how many layers meet their own index."""
        return self.sql(sqlfiles.query("alignment/table"), {"models": list(model_ids)})

    def moved(self, base_id: int, tuned_id: int, *, ln_folded: bool) -> pl.DataFrame:
        """One row per layer: by what share of their norm the parameters of two models differ."""
        return self.sql(sqlfiles.query("diff/by_layer"), _pair(base_id, tuned_id, ln_folded))

    def largest_shifts(self, base_id: int, tuned_id: int, *, ln_folded: bool, n_items: int) -> pl.DataFrame:
        """One row per layer and component: the items of the unit that moved farthest, and of a classifier's head."""
        values = _pair(base_id, tuned_id, ln_folded) | {"n_items": n_items}
        return self.sql(sqlfiles.query("diff/largest"), values)

    def recall(self, model_id: int, of: RecallSet) -> pl.DataFrame:
        """One row per component and layer of a model on a corpus: recall against shuffled positions."""
        return self.sql(sqlfiles.query("recall/table"), of.key | {"model_id": model_id})


def open(path: str | Path | None = None, *, wait: float = connect.READER_WAIT) -> Warehouse:
    """The warehouse at `path`, else LENSHOUSE_WAREHOUSE, else lenshouse.duckdb here.

    Raises WarehouseError at once when it is missing, no warehouse, or of another schema.
    """
    house = Warehouse(warehouse_path(path), wait)
    with connect.read(house.path, wait):
        return house


def _pair(base_id: int, tuned_id: int, ln_folded: bool) -> dict[str, Any]:
    return {"base_model_id": base_id, "tuned_model_id": tuned_id, "ln_folded": ln_folded}


def names(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Of tables and views."""
    return [name for name, *_ in con.execute(sqlfiles.query("tables")).fetchall()]


def require_one(con: duckdb.DuckDBPyConnection, query: str) -> None:
    """Refuse several statements: DuckDB would run all of them and give the last one's rows."""
    query.encode()  # what is not UTF-8 would be a TypeError in DuckDB
    n_statements = len(con.extract_statements(query))
    if n_statements > 1:
        message = f"{n_statements} statements in one query: ask them one by one"
        raise UsageError(message)
