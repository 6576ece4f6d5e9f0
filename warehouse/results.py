"""Results of queries: Arrow record batches as DuckDB computes them, and what polars can hold of them.

polars panics on some values, which no caller can catch in one line, and takes others for wrong ones. So a result is
looked at before polars gets it: what it cannot hold is refused with the column's name and what to write instead.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from typing import Any, Final

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from warehouse.errors import UsageError, WarehouseError, is_damage

_EPOCH: Final = date(1970, 1, 1).toordinal()
_FIRST_DAY: Final = date.min.toordinal() - _EPOCH
_LAST_DAY: Final = date.max.toordinal() - _EPOCH
_PER_SECOND: Final = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_INFINITY: Final = 2**63 - 1
"""How DuckDB writes an infinite timestamp, in whatever unit; -infinity is its negative."""


@dataclass(frozen=True)
class Result:
    """Column names are unique; batches are computed as they are read, so memory stays bounded."""

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]


def result_of(reader: pa.RecordBatchReader) -> Result:
    """A result whose columns of one name are numbered: name, name_1, name_2."""
    names = _distinct(reader.schema.names)
    schema = pa.schema([field.with_name(name) for field, name in zip(reader.schema, names, strict=True)])
    return Result(schema, _batches(reader, schema))


def frame_of(schema: pa.Schema, batches: Sequence[pa.RecordBatch]) -> pl.DataFrame:
    """Batches as a frame; whole numbers that DuckDB widened to DECIMAL(38, 0), as sums are, become Int64 again.

    Raises UsageError for a column that polars cannot hold.
    """
    for field in schema:
        if any(_has_no_form(kind) for kind in _kinds(field.type)):
            raise cast_it(field.name, f"is of a type without a form here ({field.type})")
    for batch in batches:
        for field, column in zip(schema, batch.columns, strict=True):
            if not all(map(_within_calendar, _moments(column))):
                raise cast_it(field.name, "holds a date that is infinite or outside the years 1 to 9999")
    frame = pl.DataFrame(pl.from_arrow(pa.Table.from_batches(batches, schema)))
    return _whole_numbers(frame)


def require_no(schema: pa.Schema, format: str, *, nested: bool, binary: bool) -> None:
    """Refuse nested or binary columns, which a format cannot hold."""
    for field in schema:
        if nested and pa.types.is_nested(field.type):
            message = f"{format} cannot hold the nested column {field.name}: use json, parquet or unnest() in the query"
            raise UsageError(message)
        if binary and any(map(_is_binary, _kinds(field.type))):
            message = f"{format} cannot hold the binary column {field.name}: use parquet, or hex() in the query"
            raise UsageError(message)


def cast_it(column: str, what: str) -> UsageError:
    return UsageError(f"column {column} {what}: cast it to VARCHAR in the query")


@contextmanager
def query_errors(known: Callable[[], Sequence[str]] = tuple) -> Iterator[None]:
    """Turn errors about a query into one line that says what to do. Args: known, the names of tables and views."""
    try:
        yield
    except (duckdb.Error, pa.ArrowException) as error:
        raise _explained(error, known) from error
    except UnicodeEncodeError as error:
        message = "the query is not UTF-8 text: write it again, or give what is not as a parameter"
        raise UsageError(message) from error
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        message = f"a column of the result cannot be shown ({str(error).splitlines()[0]}): cast it to VARCHAR"
        raise UsageError(message) from error


def nearest(name: str, known: Sequence[str]) -> str:
    """A question, or nothing where no known name is near."""
    near = get_close_matches(name.lower(), known, n=1)
    return f"did you mean {near[0]}?" if near else ""


def _explained(error: Exception, known: Callable[[], Sequence[str]] = tuple) -> UsageError | WarehouseError:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    first = lines[0] if lines else type(error).__name__
    if is_damage(str(error)):
        return WarehouseError(f"the file is damaged ({first}): get it from a copy, or ingest into a new one")
    if re.search(r"read-only mode|disabled by configuration|configuration has been locked", first):
        return UsageError(f"queries may only read the tables and views of the warehouse ({first})")
    if "No space left" in first or "Out of Memory" in first:
        return WarehouseError(f"the query needs more room than there is ({first}): ask for less, or filter by run")
    if missing := re.search(r"Table with name (.+?) does not exist!$", first):  # DuckDB would name its own tables too
        hint = nearest(missing[1], known()) or "ask SHOW TABLES for those that there are"
        return UsageError(f"there is no table or view {missing[1]}: {hint}")
    hints = [line for line in lines[1:] if line.startswith(("Did you mean", "Candidate"))]
    return UsageError(" ".join([first, *hints[:1]]))


def _batches(reader: pa.RecordBatchReader, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """What fails in DuckDB while it computes a batch comes out of Arrow as OSError."""
    try:
        for batch in reader:
            yield pa.RecordBatch.from_arrays(batch.columns, schema=schema)
    except OSError as error:
        raise _explained(error) from error


def _distinct(names: Sequence[str]) -> list[str]:
    found: dict[str, None] = {}
    for name in names:
        numbered = (f"{name}_{n}" for n in range(1, len(names) + 1))
        found[name if name not in found else next(new for new in numbered if new not in found and new not in names)] = (
            None
        )
    return list(found)


def _kinds(kind: pa.DataType) -> Iterator[pa.DataType]:
    """A type and those inside it."""
    yield kind
    for n in range(kind.num_fields):
        yield from _kinds(kind.field(n).type)


def _has_no_form(kind: pa.DataType) -> bool:
    return pa.types.is_interval(kind) or pa.types.is_union(kind) or isinstance(kind, pa.BaseExtensionType)


def _is_binary(kind: pa.DataType) -> bool:
    return any(test(kind) for test in (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view))


def _moments(array: Any) -> Iterator[Any]:
    """The dates and timestamps of a column, those inside lists, structs and maps too."""
    kind = array.type
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        yield array
    elif pa.types.is_map(kind):
        yield from _moments(array.keys)
        yield from _moments(array.items)
    elif pa.types.is_struct(kind):
        for child in array.flatten():
            yield from _moments(child)
    elif pa.types.is_nested(kind):
        yield from _moments(array.flatten())


def _within_calendar(array: Any) -> bool:
    """Whether every value is a date that Python and polars know."""
    kind = array.type
    per_day = 24 * 3600 * _PER_SECOND[kind.unit] if pa.types.is_timestamp(kind) else 1
    bounds = pc.min_max(array.view(pa.int64() if pa.types.is_timestamp(kind) else pa.int32())).as_py()
    least, most = bounds["min"], bounds["max"]
    if least is None:
        return True
    return _FIRST_DAY * per_day <= least and most < (_LAST_DAY + 1) * per_day and most < _INFINITY > -least


def _whole_numbers(frame: pl.DataFrame) -> pl.DataFrame:
    """DECIMAL columns without decimals as Int64, where they fit."""
    for name, dtype in frame.schema.items():
        if isinstance(dtype, pl.Decimal) and dtype.scale == 0:
            narrowed = frame[name].cast(pl.Int64, strict=False)
            if narrowed.null_count() == frame[name].null_count():
                frame = frame.with_columns(narrowed)
    return frame
