"""The errors that a user may cause or cure. Each message is one line: what, where and what to do next."""


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


class WarehouseError(LenshouseError):
    """A warehouse cannot be opened, is of another schema, or does not hold what was asked for."""


class WarehouseBusyError(WarehouseError):
    """Another process had the warehouse open for longer than the caller was ready to wait."""


class PartsError(LenshouseError):
    """Parts on disk are damaged, belong to another run, or are in use by another ingest."""


def disk_is_full(reason: str) -> bool:
    """Whether the text of a library's error says that there is no room left."""
    return any(sign in reason for sign in ("No space left", "os error 28", "Disk quota exceeded", "File too large"))
