"""Write a query's result to a file or to standard output, batch by batch, so that memory stays bounded.

csv: a header and a line a row. json: one array of objects. parquet: a file only.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Literal, get_args

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from warehouse.errors import UsageError, WarehouseError
from warehouse.queries import Parameters, Warehouse, batches_of, query_errors, whole_numbers

Format = Literal["csv", "json", "parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)


def export(
    house: Warehouse,
    query: str,
    params: Parameters = None,
    *,
    to: Path | BinaryIO,
    format: Format,
) -> int:
    """Write the result of `query`; returns the number of rows.

    A file appears under its name once it is whole. Raises UsageError for a wrong query, or a column that the
    format cannot hold, and WarehouseError when the file cannot be written.
    """
    write = {"csv": _write_csv, "json": _write_json, "parquet": _write_parquet}[format]
    with house.stream(query, params) as reader, query_errors():
        if not isinstance(to, Path):
            return write(reader, to)
        with _whole_file(to) as sink:
            return write(reader, sink)


def format_of(path: Path) -> Format:
    """The format that a file's name asks for; UsageError when it is none of csv, json, parquet."""
    suffix = path.suffix.removeprefix(".").lower()
    for format in FORMATS:
        if suffix == format:
            return format
    message = f"{path.name} has no known format: name it .csv, .json or .parquet, or give --format"
    raise UsageError(message)


@contextmanager
def _whole_file(path: Path) -> Iterator[BinaryIO]:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as sink:
            yield sink
            sink.flush()
            os.fsync(sink.fileno())
        temporary.replace(path)
    except OSError as error:
        message = f"{path} cannot be written ({error.strerror or error}): name another file, or free some space"
        raise WarehouseError(message) from error
    finally:
        temporary.unlink(missing_ok=True)


def _write_csv(reader: pa.RecordBatchReader, sink: BinaryIO) -> int:
    nested = [field.name for field in reader.schema if pa.types.is_nested(field.type)]
    if nested:
        message = f"csv cannot hold the nested column {nested[0]}: use json or parquet, or take it apart in the query"
        raise UsageError(message)
    n_rows = 0
    for number, frame in enumerate(_frames(reader)):
        sink.write(frame.write_csv(include_header=number == 0).encode())
        n_rows += frame.height
    return n_rows


def _write_json(reader: pa.RecordBatchReader, sink: BinaryIO) -> int:
    """NaN and infinity become null, which is all that JSON has for them; decimals become numbers."""
    n_rows = 0
    sink.write(b"[")
    for frame in _frames(reader):
        if frame.is_empty():
            continue
        decimals = [name for name, dtype in frame.schema.items() if dtype.is_decimal()]
        rows = frame.with_columns(pl.col(decimals).cast(pl.Float64)).write_ndjson()
        sink.write((",\n" if n_rows else "\n").encode() + ",\n".join(rows.rstrip("\n").split("\n")).encode())
        n_rows += frame.height
    sink.write(b"\n]\n")
    return n_rows


def _write_parquet(reader: pa.RecordBatchReader, sink: BinaryIO) -> int:
    n_rows = 0
    with pq.ParquetWriter(sink, reader.schema, compression="zstd") as writer:
        for batch in batches_of(reader):
            writer.write_batch(batch)
            n_rows += batch.num_rows
    return n_rows


def _frames(reader: pa.RecordBatchReader) -> Iterator[pl.DataFrame]:
    """Every batch as a frame, and an empty one first, so that an empty result still has its header."""
    yield pl.DataFrame(pl.from_arrow(reader.schema.empty_table()))
    for batch in batches_of(reader):
        yield whole_numbers(pl.DataFrame(pl.from_arrow(batch)))
