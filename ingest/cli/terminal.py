"""What people see: progress bars on a terminal, tables with text that cannot act on it."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import polars as pl
from rich import box
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


def print_table(frame: pl.DataFrame) -> None:
    """Print a frame; numbers to the right, NULL as a dash, control characters as visible escapes."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name, dtype in frame.schema.items():
        table.add_column(Text(printable(name)), justify="right" if dtype.is_numeric() else "left")
    for row in frame.iter_rows():
        table.add_row(*(Text(_cell(value)) for value in row))
    # Piped output is for programs and files: no line of it is folded.
    width = None if sys.stdout.isatty() else 100_000
    Console(width=width, highlight=False, markup=False).print(table)


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
