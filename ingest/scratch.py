"""The parts folder beside a warehouse: a scratch folder in it for the tokenised corpus, and what may be wrong there."""

import errno
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from warehouse.errors import PartsError
from warehouse.locks import claim, is_claimed

_NEW = ".new-"
"""How the name of a scratch folder begins before it is claimed."""


@contextmanager
def scratch_folder(parts: Path) -> Iterator[Path]:
    """A folder beside the runs' parts for the tokenised corpus; what killed processes left there is removed.

    Raises PartsError where parts cannot be written, whoever in the block meets it.
    """
    with _disk_errors(parts):
        for leftover in [*parts.glob(".prepare-*"), *parts.glob(".removed-*")]:
            if not is_claimed(leftover):
                shutil.rmtree(leftover, ignore_errors=True)
        new = _new_folder(parts)
        scratch = new.with_name(f".prepare-{new.name.removeprefix(_NEW)}")
        try:
            with claim(new):
                new.rename(scratch)  # claimed before it bears the name that others tidy
                yield scratch
        finally:
            shutil.rmtree(new, ignore_errors=True)
            shutil.rmtree(scratch, ignore_errors=True)
            with suppress(OSError):  # other runs have parts there
                parts.rmdir()


def _new_folder(parts: Path) -> Path:
    while True:
        parts.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):  # another job removed the empty parts folder in between
            return Path(tempfile.mkdtemp(prefix=_NEW, dir=parts))


@contextmanager
def _disk_errors(parts: Path) -> Iterator[None]:
    """Errors about the parts folder as one line that says what to do; a full disk is left to the command line."""
    try:
        yield
    except OSError as error:
        advice = {
            errno.EEXIST: "is a file where the folder of parts is to lie: move it away",
            errno.ENOTDIR: "is a file where the folder of parts is to lie: move it away",
            errno.EROFS: "lies on a read-only file system: name a warehouse elsewhere",
            errno.EACCES: "may not be written: check the rights of the folder",
            errno.ENOENT: "lost files while the job was at work: leave it alone, and run the same command again",
        }.get(error.errno or (errno.ENOENT if isinstance(error, FileNotFoundError) else 0))
        if advice is None or str(parts) not in f"{error.filename} {error}":
            raise
        msg = f"{parts} {advice}"
        raise PartsError(msg) from error
