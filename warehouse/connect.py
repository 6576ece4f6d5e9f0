"""Open the warehouse file for one question and close it again.

DuckDB lets one process write, or several read. So nobody keeps the file open: readers and writers retry with small
random sleeps while someone else has it. Readers are fenced: they see the warehouse's own tables and nothing else of
the machine.
"""

import glob
import os
import random
import re
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import duckdb

from warehouse import migrate
from warehouse.errors import WarehouseBusyError, WarehouseError, disk_is_full, is_damage
from warehouse.locks import busy, writers_turn
from warehouse.paths import warehouse_path

READER_WAIT: Final = 60.0
"""Seconds that a reader retries while a writer has the file."""

WRITER_WAIT: Final = 600.0
"""Seconds that a writer retries while others have the file."""

_NO_EXTENSIONS: dict[str, Any] = {
    "autoload_known_extensions": False,
    "autoinstall_known_extensions": False,
    "python_enable_replacements": False,  # or a query could read the caller's Python variables
}
_FENCE: dict[str, Any] = _NO_EXTENSIONS | {"enable_external_access": False, "lock_configuration": True}
_CONFINED: dict[str, Any] = {
    "temp_directory": "",  # what a question needs stays in memory, or it fails
    "allow_persistent_secrets": False,
    "threads": min(4, os.cpu_count() or 1),
}
_BULK: dict[str, Any] = {"threads": 1, "write_buffer_row_group_count": 1}
"""Rows then keep their order, and each row group is written once: several threads write small ones first and merge
them when they commit, which left the file twice as large."""

_WRITER = threading.Lock()
"""Threads of one process share DuckDB's lock on the file, so they take turns here."""


def existing(path: Path) -> Path:
    """The path itself; WarehouseError when no file is there, or one without a byte."""
    if path.is_dir():
        message = f"{path} is a folder, not a warehouse: give the DuckDB file itself with --warehouse"
        raise WarehouseError(message)
    if is_missing(path):
        message = f"there is no warehouse at {path}: run `lenshouse ingest` first, or name another with --warehouse"
        raise WarehouseError(message)
    return path


@contextmanager
def read(
    path: Path, wait: float = READER_WAIT, *, memory: str | None = None, confined: bool = False
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A read-only, fenced connection; open it for one question.

    `memory` bounds what DuckDB holds ("1GiB"): what needs more goes through files beside the warehouse, or fails where
    the connection is `confined`, which takes at most four threads too.

    Raises WarehouseError when the file is missing, damaged, no warehouse, or of another schema, and for errors of
    DuckDB inside the block; WarehouseBusyError when a writer has had it for `wait` seconds.
    """
    path = warehouse_path(path)
    try:
        config = _FENCE | ({} if memory is None else {"memory_limit": memory}) | (_CONFINED if confined else {})
        with _open(existing(path), wait, read_only=True, config=config) as con:
            _require_schema(con, path, writing=False)
            yield con
    except duckdb.Error as error:
        raise _translated(error, path) from error


@contextmanager
def write(path: Path, wait: float = WRITER_WAIT, *, bulk: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that may change the file, created and migrated as needed. Do one short piece of work in it.

    Errors of DuckDB inside the block become WarehouseError. `bulk` sets it up for
    large sorted inserts.
    Raises WarehouseBusyError when others have had the file for `wait` seconds.
    """
    path = warehouse_path(path)
    if path.is_dir():
        existing(path)
    if not path.parent.is_dir():
        message = f"the folder {path.parent} does not exist: create it, or name another file with --warehouse"
        raise WarehouseError(message)
    started = time.monotonic()
    if not _WRITER.acquire(timeout=max(wait, 0)):
        message = f"another thread of this process has had {path} open for {wait:.0f} s: try again"
        raise WarehouseBusyError(message)
    try:
        with writers_turn(path, wait - (time.monotonic() - started)):
            if is_missing(path):
                _make(path)
            left = wait - (time.monotonic() - started)
            config = _NO_EXTENSIONS | _BULK if bulk else _NO_EXTENSIONS
            with _open(path, left, read_only=False, config=config) as con:
                _require_schema(con, path, writing=True)
                migrate.migrate(con)
                yield con
    except duckdb.Error as error:  # closing writes too, so this stands around it
        raise _translated(error, path) from error
    finally:
        _WRITER.release()


def make_usable(path: Path, wait: float = WRITER_WAIT) -> None:
    """Bring an existing file to this version's schema, and the log that a killed writer left beside it into the file.

    Long jobs ask for it before they begin. A file that is missing is left to the first write.
    Raises WarehouseError where a later write could not work.
    """
    path = warehouse_path(path)
    if not is_missing(path):
        settled = _is_settled(path, wait)
        if not settled:
            with write(path, wait):
                pass
    elif not path.absolute().parent.is_dir():
        message = f"the folder {path.parent} does not exist: create it, or name another file with --warehouse"
        raise WarehouseError(message)


def _is_settled(path: Path, wait: float) -> bool:
    try:
        with _open(existing(path), wait, read_only=True, config=_FENCE) as con:
            _require_schema(con, path, writing=True)
            return migrate.is_current(con) and not _log(path).exists()
    except duckdb.Error as error:
        raise _translated(error, path) from error


def is_missing(path: Path) -> bool:
    """No file, or one without a single byte."""
    return not path.exists() or (path.is_file() and path.stat().st_size == 0)


def _log(path: Path) -> Path:
    """DuckDB's write-ahead log; there while someone writes, and after a writer was killed."""
    return path.with_name(path.name + ".wal")


def _make(path: Path) -> None:
    """Make it under another name and give it its own once it is whole, so that nobody meets half a file."""
    for leftover in path.parent.glob(f".{glob.escape(path.name)}.new-*"):
        leftover.unlink(missing_ok=True)
    temporary = path.with_name(f".{path.name}.new-{secrets.token_hex(4)}")
    try:
        with duckdb.connect(_name(temporary), config=_NO_EXTENSIONS) as con:
            migrate.migrate(con)
            con.execute("CHECKPOINT")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
        _log(temporary).unlink(missing_ok=True)


def _open(path: Path, wait: float, *, read_only: bool, config: dict[str, Any]) -> duckdb.DuckDBPyConnection:
    deadline = time.monotonic() + wait
    pause = 0.01
    while True:
        try:
            return duckdb.connect(_name(path), read_only=read_only, config=config)
        except duckdb.Error as error:
            if not _is_busy(error):
                raise _translated(error, path) from error
            if time.monotonic() + pause > deadline:
                raise busy(_holder(error), path, wait) from error
        time.sleep(pause * random.uniform(0.5, 1.5))
        pause = min(pause * 1.5, 0.1)


def _name(path: Path) -> str:
    """A path in which DuckDB takes a colon for one: of `pre:fix.duckdb` it would load an extension."""
    return str(path.absolute())


def _is_busy(error: duckdb.Error) -> bool:
    text = str(error)
    return "Could not set lock" in text or "with a different configuration than existing" in text


def _holder(error: duckdb.Error) -> str:
    found = re.search(r"\(PID (\d+)\)", str(error))
    return f"process {found[1]}" if found else "another connection"


def _translated(error: duckdb.Error, path: Path) -> WarehouseError:
    """DuckDB's error as one line that says what to do."""
    text = str(error)
    if is_damage(text):
        what = text.splitlines()[0]
        return WarehouseError(f"{path} is damaged ({what}): get it from a copy, or ingest into a new one")
    if "not a valid DuckDB database file" in text:
        return WarehouseError(f"{path} is not a DuckDB file: name a warehouse, or a path where none is yet")
    if "Permission denied" in text:
        return WarehouseError(f"no permission to open {path}: check the rights of the file and of its folder")
    if "Read-only file system" in text:
        return WarehouseError(f"{path} lies on a read-only file system: name a warehouse elsewhere")
    if disk_is_full(text):
        return WarehouseError(f"the disk of {path} is full: free some space and run the same command again")
    if "serialized" in text or "storage version" in text.lower() or "newer version" in text:
        return WarehouseError(f"{path} was written by a newer DuckDB: run `pip install --upgrade duckdb`")
    return WarehouseError(f"{path}: {text.splitlines()[0]}")


def _require_schema(con: duckdb.DuckDBPyConnection, path: Path, *, writing: bool) -> None:
    """Refuse files that are no warehouse, newer than this version, or (for readers) older."""
    version, known = migrate.file_version(con), migrate.known_version()
    if version is None or (version == 0 and not writing):
        message = f"{path} is a DuckDB file but not a Lenshouse warehouse: name another with --warehouse"
        raise WarehouseError(message)
    if version > known:
        message = (
            f"{path} has schema {version}, this Lenshouse knows up to {known}: run `pip install --upgrade lenshouse`"
        )
        raise WarehouseError(message)
    if not writing and not migrate.is_current(con):
        message = (
            f"{path} is of an older version of Lenshouse (schema {version}, now {known}): "
            f"run `python -m warehouse.migrate {path}` (the next ingest does it too)"
        )
        raise WarehouseError(message)
