"""Who is at work on a run's parts: a lock on a file, which dies with the process that holds it, however it ends."""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from warehouse.errors import PartsError

LOCK = "lock"


@contextmanager
def claim(folder: Path) -> Iterator[None]:
    """Hold a folder of parts for this process, made where it is missing.

    Raises PartsError when another process holds it.
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
    return True
