"""Where a warehouse lies: what users may write for it, and the one path that all code uses then."""

import glob
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from warehouse.errors import UsageError

_DEFAULT: Final = "lenshouse.duckdb"
_UNUSABLE: Final = frozenset("?\\\0")
"""DuckDB takes a backslash for a slash, and what follows a question mark for options."""
_NO_FILE: Final = re.compile(r":|md:|motherduck:|[A-Za-z][A-Za-z0-9+.-]*:/")


def warehouse_path(given: str | Path | None = None) -> Path:
    """The warehouse to use: `--warehouse`, else LENSHOUSE_WAREHOUSE, else `lenshouse.duckdb` here.

    ~ is expanded, and a link followed: it and its file are one warehouse, with one folder of parts and one lock.
    Raises UsageError for what is no local file, and for names that DuckDB cannot open.
    """
    if given is not None and not str(given):
        message = "the warehouse has an empty name: name a file with --warehouse"
        raise UsageError(message)
    path = Path(str(given or os.environ.get("LENSHOUSE_WAREHOUSE") or _DEFAULT))
    if _NO_FILE.match(str(path)):
        message = f"a warehouse is a file, not {path}: name one with --warehouse"
        raise UsageError(message)
    path = expanded(path)
    try:
        str(path.absolute()).encode()
    except UnicodeEncodeError as error:
        message = f"the warehouse {str(path)!a} has a name that is not UTF-8: name another with --warehouse"
        raise UsageError(message) from error
    if unusable := _UNUSABLE.intersection(str(path.absolute())):
        message = f"the warehouse {path} has {min(unusable)!a} in its path, which DuckDB cannot handle: name another"
        raise UsageError(message)
    return _followed(path)


def parts_folder(path: Path) -> Path:
    """The folder of Parquet parts beside a warehouse: `<warehouse>.parts`."""
    path = warehouse_path(path)
    return path.with_name(path.name + ".parts")


def expanded(path: str | Path) -> Path:
    """The path with ~ or ~user at its beginning written out, where there is such a home."""
    with suppress(RuntimeError):
        return Path(path).expanduser()
    return Path(path)


def literal(file: Path) -> str:
    """A file as read_parquet takes it, which reads patterns: `[`, `*` and `?` mean themselves."""
    return glob.escape(str(file.absolute()))


def _followed(path: Path) -> Path:
    """The file that a link leads to; what is no link stays as it is, so that messages say what the user wrote."""
    if not path.is_symlink():
        return path
    try:
        return warehouse_path(path.resolve())
    except RuntimeError as error:
        message = f"{path} is a link that leads in a circle: name another file with --warehouse"
        raise UsageError(message) from error
