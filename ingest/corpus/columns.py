"""Which column holds the texts and which the labels, and what a value of theirs may be."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final, NamedTuple

from warehouse.errors import CorpusError, UsageError

TEXT_COLUMNS: Final = ("text", "sentence")
"""Tried in this order when no --text-column is given."""

LABEL_COLUMN: Final = "label"
"""Used when it exists and no --label-column is given."""


class Columns(NamedTuple):
    text: str
    label: str | None


def choose_columns(
    existing: Sequence[str],
    source: str,
    text: str | None,
    label: str | None,
    *,
    text_option: str = "--text-column",
) -> Columns:
    """Pick the text and label columns among the existing ones; `text_option` is where the user named the text.

    Raises UsageError when a named column is missing, CorpusError when a chosen one occurs twice.
    """
    if text is None:
        text = next((name for name in TEXT_COLUMNS if name in existing), None)
        if text is None:
            msg = f"{source} has no column {_either(TEXT_COLUMNS)}: name one with --text-column; " + _listed(existing)
            raise UsageError(msg)
    else:
        _require(text, text_option, existing, source)
    if label is None:
        label = LABEL_COLUMN if LABEL_COLUMN in existing and text != LABEL_COLUMN else None
    else:
        _require(label, "--label-column", existing, source)
    for name in (text, label):
        if name is not None and existing.count(name) > 1:
            msg = f"{source} has {existing.count(name)} columns named '{name}': rename all but one"
            raise CorpusError(msg)
    return Columns(text, label)


def text_value(value: object, column: str, where: str) -> str:
    """The text as it is; CorpusError when it is not a string. A missing (null) text is not one."""
    if not isinstance(value, str):
        msg = f"{where}: '{column}' is {_kind(value)}, not a text: correct it, or choose another --text-column"
        raise CorpusError(msg)
    return value


def label_value(value: object, column: str, where: str) -> str | None:
    """The label as a string, None when missing; CorpusError when it is a list or an object."""
    if value is None:
        return None
    if isinstance(value, list | dict):
        msg = f"{where}: '{column}' is {_kind(value)}, not a label: choose another --label-column"
        raise CorpusError(msg)
    return str(value)


def _require(name: str, option: str, existing: Sequence[str], source: str) -> None:
    if name in existing:
        return
    nearest = get_close_matches(name, existing, n=1)
    hint = f" (nearest: '{nearest[0]}')" if nearest else ""
    msg = f"{source} has no column '{name}'{hint}: choose another {option}; " + _listed(existing)
    raise UsageError(msg)


def _listed(existing: Sequence[str]) -> str:
    return "it has " + (", ".join(f"'{name}'" for name in existing) or "no columns")


def _either(names: Sequence[str]) -> str:
    return " or ".join(f"'{name}'" for name in names)


def _kind(value: object) -> str:
    return "missing" if value is None else f"of type {type(value).__name__}"
