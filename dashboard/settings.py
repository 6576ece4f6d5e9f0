"""In which settings two sides differ: models, options, versions."""

import json
from typing import Any

import polars as pl


def differing(frame: pl.DataFrame, a: list[int], b: list[int]) -> pl.DataFrame:
    """Rows of setting, a, b: what the runs of the one side have and those of the other, where that is not the same.

    Args: frame, of the query compare/settings; a and b, run ids. Several values of one side stand beside each other.
    """
    rows = [_opened(row) for row in frame.iter_rows(named=True)]
    names = list(dict.fromkeys(name for row in rows for name in row if name != "run_id"))
    table = []
    for name in names:
        sides = [_values(name, [row for row in rows if row["run_id"] in side]) for side in (a, b)]
        if sides[0] != sides[1]:
            table.append((name, *map(", ".join, sides)))
    return pl.DataFrame(table, schema={"setting": pl.String, "a": pl.String, "b": pl.String}, orient="row")


def _opened(row: dict[str, Any]) -> dict[str, Any]:
    """The row, each of its options a column."""
    options = json.loads(row["options"])
    return {name: value for name, value in row.items() if name != "options"} | {
        f"option {name}": json.dumps(value) if isinstance(value, list | dict) else value
        for name, value in options.items()
    }


def _values(name: str, rows: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys("–" if row.get(name) is None else str(row[name]) for row in rows))
