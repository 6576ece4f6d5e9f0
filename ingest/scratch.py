"""Scratch folders that a killed process leaves behind for the next one to remove, and what may be wrong with a disk."""

import errno
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from warehouse.errors import PartsError
from warehouse.locks import claim, is_claimed

_NEW = ".new-"
"""How the name of a scratch folder begins before it is claimed."""


@contextmanager
def scratch_folder(parts: Path) -> Iterator[Path]:
    """A folder in `parts` (or a cache) for this process alone; what killed processes left there is removed.

    Raises PartsError where parts cannot be written, whoever in the block meets it.
    """
    with _disk_errors(parts):
        _tidy(parts)
        with _claimed(parts) as scratch:
            yield scratch


def _tidy(parts: Path) -> None:
    for unclaimed in parts.glob(f"{_NEW}*"):
        if not is_claimed(unclaimed):  # dead, or about to be claimed: its maker then finds it gone and makes another
            with suppress(OSError):
                unclaimed.rename(parts / f".removed-{secrets.token_hex(4)}")
    for leftover in [*parts.glob(".prepare-*"), *parts.glob(".removed-*")]:
        if not is_claimed(leftover):
            shutil.rmtree(leftover, ignore_errors=True)


@contextmanager
def _claimed(parts: Path) -> Iterator[Path]:
    """A new folder, claimed before it bears the name under which others may meet it; it goes with what made it."""
    while True:
        with ExitStack() as undo:
            undo.callback(_remove_empty, parts)
            try:
                parts.mkdir(parents=True, exist_ok=True)
                new = Path(tempfile.mkdtemp(prefix=_NEW, dir=parts))
                undo.callback(shutil.rmtree, new, ignore_errors=True)
                undo.enter_context(claim(new))
                scratch = new.rename(new.with_name(f".prepare-{new.name.removeprefix(_NEW)}"))
                undo.callback(shutil.rmtree, scratch, ignore_errors=True)
            except FileNotFoundError:  # another job took it for a dead one's, or removed the empty parts folder
                continue
            yield scratch
            return


def _remove_empty(parts: Path) -> None:
    with suppress(OSError):  # other runs have parts there
        parts.rmdir()


@contextmanager
def _disk_errors(parts: Path) -> Iterator[None]:
    """Errors about the folder as one line that says what to do; a full disk is left to the command line."""
    try:
        yield
    except OSError as error:
        advice = {
            errno.EEXIST: "is a file where a folder is to lie: move it away",
            errno.ENOTDIR: "is a file where a folder is to lie: move it away",
            errno.EROFS: "lies on a read-only file system: choose a place elsewhere",
            errno.EACCES: "may not be written: check the rights of the folder",
            errno.ENOENT: "lost files while the job was at work: leave it alone, and run the same command again",
        }.get(error.errno or (errno.ENOENT if isinstance(error, FileNotFoundError) else 0))
        if advice is None or str(parts) not in f"{error.filename} {error}":
            raise
        msg = f"{parts} {advice}"
        raise PartsError(msg) from error
