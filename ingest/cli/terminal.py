"""What people see: progress bars on a terminal, tables with text that cannot act on it."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click
import polars as pl
from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from ingest.cli.text import printable


class RichProgress:
    """Phases and a bar on standard error; silent when that is no terminal."""

    def __init__(self) -> None:
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._task: Any = None

    def phase(self, what: str, total: int | None = None) -> None:
        if self._task is not None:
            self._bars.remove_task(self._task)
        self._task = self._bars.add_task(what, total=total)

    def advance(self, n: int) -> None:
        self._bars.advance(self._task, n)


@contextmanager
def progress() -> Iterator[RichProgress]:
    shown = RichProgress()
    with shown._bars:
        yield shown


_TEXT_WIDTH = 12
"""Characters of a text column below which it is left out rather than folded."""


def print_table(frame: pl.DataFrame) -> None:
    """Print a frame; numbers to the right, NULL as a dash, control characters as visible escapes.

    On a terminal, columns that it has no room for are left out and named on standard error.
    """
    cells = {name: [_cell(value) for value in frame[name].to_list()] for name in frame.columns}
    # Piped output is for programs and files: no line of it is folded, no column left out.
    width = None if sys.stdout.isatty() else 100_000
    console = Console(width=width, highlight=False, markup=False)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=width is None)
    left_out: list[str] = []
    room = console.width
    for name, dtype in frame.schema.items():
        header = Text(printable(name))
        full = max(map(cell_len, [header.plain, *cells[name]]))
        least = full if dtype.is_numeric() else max(header.cell_len, min(full, _TEXT_WIDTH))
        room -= least + 2  # the space between two columns, or at the edges
        if left_out or (room < 0 and table.columns):
            left_out.append(header.plain)
            continue
        table.add_column(
            header,
            justify="right" if dtype.is_numeric() else "left",
            min_width=min(least, console.width),
            overflow="fold",
        )
    for row in zip(*(cells[name] for name in frame.columns[: len(table.columns)]), strict=True):
        table.add_row(*map(Text, row))
    console.print(table)
    if left_out:
        click.echo(
            f"CUT: no room for {len(left_out)} of {frame.width} columns: {', '.join(left_out)}; "
            "make the terminal wider, or the output a pipe or file, which holds all",
            err=True,
        )


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.6g}"
    return printable(str(value))


def seconds(value: float) -> str:
    return f"{value:.1f} s" if value < 120 else f"{value / 60:.1f} min"


@contextmanager
def timed() -> Iterator[list[float]]:
    """A list that holds the wall time of the block once it has ended."""
    spent: list[float] = []
    started = time.perf_counter()
    yield spent
    spent.append(time.perf_counter() - started)
