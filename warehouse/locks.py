"""Who is at work on a run's parts, and whose turn it is to write: locks on files, which die with their process."""

import errno
import fcntl
import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from warehouse.errors import PartsError, WarehouseBusyError, WarehouseError

LOCK = "lock"


@contextmanager
def claim(folder: Path) -> Iterator[None]:
    """Hold a folder of parts for this process, made where it is missing.

    Raises PartsError when another process holds it, WarehouseError where the file system has no locks.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("a") as handle:
        for _ in range(10):
            if taken := _try_lock(handle):
                break
            time.sleep(0.05)  # it may be only a probe, which holds the lock for a moment
        if not taken:
            msg = f"{folder}: another ingest of this very run is at work; wait for it, then run the command again"
            raise PartsError(msg)
        yield


def is_claimed(folder: Path) -> bool:
    """Whether a process holds the folder."""
    try:
        with (folder / LOCK).open("a") as handle:
            return not _try_lock(handle)
    except (FileNotFoundError, NotADirectoryError):
        return False


@contextmanager
def writers_turn(path: Path, wait: float) -> Iterator[None]:
    """Hold the turn of the one process that may write a warehouse.

    DuckDB's own lock was not enough: with several processes writing in turns under load, a row in some 2,000 was lost.
    The likely cause, inferred and not traced, is that it lets the next writer in while the last one still closes.
    Raises WarehouseBusyError when others have had it for `wait` seconds, WarehouseError without locks.
    """
    file = path.with_name(f".{path.name}.writer")
    deadline = time.monotonic() + wait
    while True:
        with file.open("a+") as handle:
            if _try_lock(handle) and _is_still(file, handle):
                handle.truncate(0)
                handle.write(str(os.getpid()))
                handle.flush()
                try:
                    yield
                finally:
                    file.unlink(missing_ok=True)  # whoever waits on it finds it gone, and makes a new one
                return
            if time.monotonic() > deadline:
                handle.seek(0)
                pid = handle.read()
                raise busy(f"process {pid}" if pid else "another process", path, wait)
        time.sleep(0.01 * random.uniform(0.5, 1.5))


def busy(who: str, path: Path, wait: float) -> WarehouseBusyError:
    """What to say when someone else has had the warehouse for too long."""
    return WarehouseBusyError(
        f"{who} has had {path} open for {max(wait, 0):.0f} s: wait until it is done, or end it, and try again"
    )


def _is_still(file: Path, handle: IO[str]) -> bool:
    """Whether a file that was opened is the one of that name."""
    try:
        return file.stat().st_ino == os.fstat(handle.fileno()).st_ino
    except FileNotFoundError:
        return False


def _try_lock(handle: IO[str]) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise no_locks(error, handle.name) from error
    return True


def no_locks(error: OSError, file: str) -> OSError | WarehouseError:
    """What to say of a file system without locks; other errors as they are."""
    if error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP):
        return error
    return WarehouseError(
        f"the file system of {file} has no locks ({error.strerror}): name a warehouse on a local disk"
    )
