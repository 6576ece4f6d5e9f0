"""Write a query's result to a file or to standard output, batch by batch, so that memory stays bounded.

csv: a header and a line a row. json: one array of objects. parquet: a file only. Nothing is written before the whole
result is there: what fails halfway leaves no half of an array in a pipe, and a slow reader does not hold up those who
write to the warehouse.
"""

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, Literal, cast, get_args

import polars as pl
import pyarrow.parquet as pq

from warehouse.errors import UsageError, WarehouseError, require_choice
from warehouse.queries import Parameters, Warehouse
from warehouse.results import Result, frame_of, query_errors, require_no

Format = Literal["csv", "json", "parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)

_IN_MEMORY: Final = 2**26
"""Bytes of a result for a stream that are held in memory; more of it waits in a temporary file."""


def export(
    house: Warehouse,
    query: str,
    params: Parameters = None,
    *,
    to: Path | BinaryIO,
    format: Format,
) -> int:
    """Write the result of `query`; returns the number of rows.

    A file appears under its name once it is whole, with the mode of the one that it replaces; a link stays, and so
    does a device or pipe, which is written into. Raises UsageError for a wrong query, or a column that the
    format cannot hold, and WarehouseError when the file cannot be written.
    """
    require_choice("format", format, Format)
    if not isinstance(to, Path):
        with _put_aside(house, query, params, format) as (aside, n_rows):
            shutil.copyfileobj(aside, to)
        return n_rows
    try:
        if _is_stream(to):
            with _put_aside(house, query, params, format) as (aside, n_rows), to.open("wb") as sink:
                shutil.copyfileobj(aside, sink)
            return n_rows
        with _whole_file(_target(to, house.path)) as sink:
            return _write(house, query, params, sink, format)
    except BrokenPipeError:
        raise
    except OSError as error:
        message = f"{to} cannot be written ({error.strerror or error}): name another file, or free some space"
        raise WarehouseError(message) from error


def write_file(to: Path, content: bytes, warehouse: Path) -> None:
    """Write bytes as `export` writes a result: whole or not at all, through links, into devices.

    Raises UsageError for the warehouse itself and for any other file of DuckDB, WarehouseError when it cannot be
    written.
    """
    try:
        if _is_stream(to):
            with to.open("wb") as sink:
                sink.write(content)
            return
        target = _target(to, warehouse)
        if _is_duckdb(target):
            message = f"{to} is a DuckDB file: name another"
            raise UsageError(message)
        with _whole_file(target) as sink:
            sink.write(content)
    except OSError as error:
        message = f"{to} cannot be written ({error.strerror or error}): name another file, or free some space"
        raise WarehouseError(message) from error


def _is_duckdb(path: Path) -> bool:
    """Whether a file begins as DuckDB's do: a checksum of 8 bytes, then DUCK."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(12)[8:] == b"DUCK"


def format_of(path: Path) -> Format:
    """The format that a file's name asks for; UsageError when it is none of csv, json, parquet."""
    suffix = path.suffix.removeprefix(".").lower()
    for format in FORMATS:
        if suffix == format:
            return format
    message = f"{path.name} has no known format: name it .csv, .json or .parquet, or give --format"
    raise UsageError(message)


def _write(house: Warehouse, query: str, params: Parameters, sink: BinaryIO, format: Format) -> int:
    write = {"csv": _write_csv, "json": _write_json, "parquet": _write_parquet}[format]
    with house.stream(query, params) as result, query_errors():
        return write(result, sink)


@contextmanager
def _put_aside(house: Warehouse, query: str, params: Parameters, format: Format) -> Iterator[tuple[BinaryIO, int]]:
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as aside:
        n_rows = _write(house, query, params, cast(BinaryIO, aside), format)
        aside.seek(0)
        yield cast(BinaryIO, aside), n_rows


def _is_stream(path: Path) -> bool:
    """Devices, pipes, and what /dev/stdout leads to: to be written into, not replaced."""
    return (path.exists() and not path.is_file()) or str(path).startswith(("/dev/std", "/dev/fd/", "/proc/"))


def _target(path: Path, warehouse: Path) -> Path:
    """The file that a path leads to."""
    try:
        target = path.resolve()
    except RuntimeError as error:  # links that lead in a circle
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path)) from error
    if not target.parent.exists():
        message = f"{path} cannot be written: the folder {target.parent} does not exist; create it, or name another"
        raise WarehouseError(message)
    if target == warehouse.resolve():
        message = f"{path} is the warehouse itself: name another file"
        raise UsageError(message)
    if target.exists() and not os.access(target, os.W_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    return target


@contextmanager
def _whole_file(path: Path) -> Iterator[BinaryIO]:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as sink:
            if path.exists():
                os.fchmod(sink.fileno(), stat.S_IMODE(path.stat().st_mode))
            yield sink
            sink.flush()
            os.fsync(sink.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _write_csv(result: Result, sink: BinaryIO) -> int:
    require_no(result.schema, "csv", nested=True, binary=True)
    n_rows = 0
    for number, frame in enumerate(_frames(result)):
        sink.write(frame.write_csv(include_header=number == 0).encode())
        n_rows += frame.height
    return n_rows


def _write_json(result: Result, sink: BinaryIO) -> int:
    """NaN and infinity become null, which is all that JSON has for them; decimals become numbers."""
    require_no(result.schema, "json", nested=False, binary=True)
    n_rows = 0
    sink.write(b"[")
    for frame in _frames(result):
        if frame.is_empty():
            continue
        decimals = [name for name, dtype in frame.schema.items() if dtype.is_decimal()]
        rows = frame.with_columns(pl.col(decimals).cast(pl.Float64)).write_ndjson()
        sink.write((",\n" if n_rows else "\n").encode() + ",\n".join(rows.rstrip("\n").split("\n")).encode())
        n_rows += frame.height
    sink.write(b"\n]\n")
    return n_rows


def _write_parquet(result: Result, sink: BinaryIO) -> int:
    frame_of(result.schema, [])  # the same types are refused as elsewhere, with the same advice
    n_rows = 0
    with pq.ParquetWriter(sink, result.schema, compression="zstd") as writer:
        for batch in result.batches:
            writer.write_batch(batch)
            n_rows += batch.num_rows
    return n_rows


def _frames(result: Result) -> Iterator[pl.DataFrame]:
    """Every batch as a frame, and an empty one first, so that an empty result still has its header."""
    yield frame_of(result.schema, [])
    for batch in result.batches:
        yield frame_of(result.schema, [batch])
