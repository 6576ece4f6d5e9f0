"""Who is at work on a run's parts: a lock on a file, which dies with the process that holds it, however it ends."""

import errno
import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from warehouse.errors import PartsError, WarehouseError

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
