"""The errors that a user may cause or cure. Each message is one line: what, where and what to do next."""

from typing import Any, get_args


class LenshouseError(Exception):
    """Base of every expected failure; the command line prints its message and exits with 1."""


class UsageError(LenshouseError):
    """The request itself is wrong (an unknown option, a column that is not there); exit code 2."""


class CorpusError(LenshouseError):
    """A corpus cannot be read, or holds nothing that can be analysed."""


class ModelError(LenshouseError):
    """A model cannot be loaded safely, is of no known family, or fails its verification."""


class NumericsError(LenshouseError):
    """A value is NaN or infinite, or pieces do not sum to the model's state; layer and sequence are named."""


class DeviceMemoryError(LenshouseError):
    """A sequence does not fit into the memory of the device, however little is computed at once."""


class WarehouseError(LenshouseError):
    """A warehouse cannot be opened, is of another schema, or does not hold what was asked for."""


class WarehouseBusyError(WarehouseError):
    """Another process had the warehouse open for longer than the caller was ready to wait."""


class PartsError(LenshouseError):
    """Parts on disk are damaged, belong to another run, or are in use by another ingest."""


class PartsFormatError(PartsError):
    """Parts on disk are of another version of Lenshouse."""


def disk_is_full(reason: str) -> bool:
    """Whether the text of a library's error says that there is no room left."""
    return any(sign in reason for sign in ("No space left", "os error 28", "Disk quota exceeded", "File too large"))


def is_damage(reason: str) -> bool:
    """Whether the text of DuckDB's error says that its file does not hold what it should."""
    signs = (
        "Could not read enough bytes",
        "Corrupt database file",
        "computed checksum",
        "database has been invalidated",
    )
    return any(sign in reason for sign in signs)


def require_choice(name: str, value: object, choices: Any) -> None:
    """Refuse a value that is none of a Literal's: what has two readings must not fall back to one of them."""
    if value not in get_args(choices):
        message = f"{name} = {value!r}: use one of {', '.join(get_args(choices))}"
        raise UsageError(message)


def require_whole(name: str, value: object, least: int, most: int) -> None:
    """Refuse what is no whole number between two bounds, both included."""
    if not isinstance(value, int) or isinstance(value, bool):
        message = f"{name} = {value!r}: must be a whole number"
        raise UsageError(message)
    if not least <= value <= most:
        bound = f"at least {least:,}" if value < least else f"at most {most:,}"
        message = f"{name} = {value}: must be {bound}"
        raise UsageError(message)
