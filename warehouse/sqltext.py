"""Queries as anyone can ask them: values in place of their parameters."""

import re
from typing import Any, Final

_PARAMETER: Final = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|\$(\w+)")
"""Strings, quoted names and comments, which stay as they are, or a bound parameter."""


def with_values(text: str, values: dict[str, Any]) -> str:
    """The query without its leading comment, literals in place of parameters."""
    body = re.sub(r"\A(?:--[^\n]*\n)+", "", text).strip()
    return _PARAMETER.sub(lambda found: found[0] if found[1] is None else literal(values[found[1]]), body)


def literal(value: Any) -> str:
    """A value as SQL writes it: numbers, truth values, text, NULL, and lists of them."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value) if "e" in repr(value) else f"{value!r}e0"  # 0.1 alone would be a DECIMAL
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(literal, value))}]"
    parts = [_quoted(part) for part in str(value).split("\0")]  # no literal holds NUL
    return " || chr(0) || ".join(parts)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
