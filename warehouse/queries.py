"""Ask the warehouse: SQL in, polars frames out; read-only, fenced, and the file is open for one question only."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import duckdb
import polars as pl
import pyarrow as pa

from warehouse import connect, sqlfiles
from warehouse.errors import UsageError, WarehouseError
from warehouse.register import RunRecord, choose_run

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
    """A warehouse file to ask questions of. `wait`: seconds to retry while an ingest is writing to it."""

    path: Path
    wait: float = connect.READER_WAIT

    def sql(self, query: str, params: Parameters = None) -> pl.DataFrame:
        """The whole result. Raises UsageError for a query that is wrong or not allowed."""
        with self.stream(query, params) as reader:
            return _frame(reader, list(batches_of(reader)))

    def fetch(self, query: str, params: Parameters = None, *, limit: int) -> Rows:
        """At most `limit` rows, and whether rows were left out; no more is computed than that needs."""
        batches: list[pa.RecordBatch] = []
        with self.stream(query, params) as reader:
            for batch in batches_of(reader):
                batches.append(batch)
                if sum(piece.num_rows for piece in batches) > limit:
                    break
            frame = _frame(reader, batches)
        return Rows(frame.head(limit), frame.height > limit)

    @contextmanager
    def stream(self, query: str, params: Parameters = None) -> Iterator[pa.RecordBatchReader]:
        """The result as Arrow record batches, computed as `batches_of` reads them: memory stays bounded."""
        with connect.read(self.path, self.wait) as con, query_errors():
            relation = con.sql(query, params=params) if params else con.sql(query)
            if relation is None:
                message = "this statement gives no rows: ask with SELECT, FROM, DESCRIBE, SHOW or EXPLAIN"
                raise UsageError(message)
            yield relation.to_arrow_reader(_BATCH_ROWS)

    def tables(self) -> pl.DataFrame:
        """One row per table and view: name, kind, n_rows (estimated; NULL for views), comment."""
        return self.sql(sqlfiles.query("tables"))

    def describe(self, name: str) -> pl.DataFrame:
        """One row per column of a table or view: column, type, nullable, comment."""
        frame = self.sql(sqlfiles.query("describe"), {"name": name})
        if frame.is_empty():
            known = ", ".join(self.tables()["name"])
            message = f"there is no table or view {name} in {self.path}: it holds {known}"
            raise UsageError(message)
        return frame

    def runs(self) -> pl.DataFrame:
        """One row per run, those that are still running too; the view v_run tells more of complete ones."""
        return self.sql(sqlfiles.query("runs"))

    def run(self, name_or_id: str | int) -> RunRecord:
        """The one run with this name or id, complete or not; WarehouseError when there is none, or several."""
        with connect.read(self.path, self.wait) as con:
            return choose_run(con, self.path, name_or_id)

    def run_details(self, run_id: int) -> pl.DataFrame:
        """One row: everything recorded of a run, complete or not."""
        return self.sql(sqlfiles.query("run_details"), {"run_id": run_id})


def open(path: str | Path | None = None, *, wait: float = connect.READER_WAIT) -> Warehouse:
    """The warehouse at `path`, else LENSHOUSE_WAREHOUSE, else lenshouse.duckdb here.

    Raises WarehouseError at once when it is missing, no warehouse, or of another schema.
    """
    house = Warehouse(connect.warehouse_path(path), wait)
    with connect.read(house.path, wait):
        return house


@contextmanager
def query_errors() -> Iterator[None]:
    """Turn DuckDB's errors about a query into one line that says what to do."""
    try:
        yield
    except (duckdb.Error, pa.ArrowException) as error:
        raise _explained(error) from error
    except pl.exceptions.PolarsError as error:
        message = f"a column of the result cannot be shown ({str(error).splitlines()[0]}): cast it to VARCHAR"
        raise UsageError(message) from error


def _explained(error: Exception) -> UsageError | WarehouseError:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    first = lines[0] if lines else type(error).__name__
    if re.search(r"read-only mode|disabled by configuration|configuration has been locked", first):
        return UsageError(f"queries may only read the tables and views of the warehouse ({first})")
    if "No space left" in first or "Out of Memory" in first:
        return WarehouseError(f"the query needs more room than there is ({first}): ask for less, or filter by run")
    hints = [line for line in lines[1:] if line.startswith(("Did you mean", "Candidate"))]
    return UsageError(" ".join([first, *hints[:1]]))


def batches_of(reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
    """The batches of a stream. What fails in DuckDB while it computes one comes out of Arrow as OSError."""
    try:
        yield from reader
    except OSError as error:
        raise _explained(error) from error


def _frame(reader: pa.RecordBatchReader, batches: list[pa.RecordBatch]) -> pl.DataFrame:
    """Batches as a frame; whole numbers that DuckDB widened to DECIMAL(38, 0), as sums are, become Int64 again."""
    frame = pl.DataFrame(pl.from_arrow(pa.Table.from_batches(batches, reader.schema)))
    return whole_numbers(frame)


def whole_numbers(frame: pl.DataFrame) -> pl.DataFrame:
    """DECIMAL columns without decimals as Int64, where they fit."""
    for name, dtype in frame.schema.items():
        if isinstance(dtype, pl.Decimal) and dtype.scale == 0:
            narrowed = frame[name].cast(pl.Int64, strict=False)
            if narrowed.null_count() == frame[name].null_count():
                frame = frame.with_columns(narrowed)
    return frame
