"""From what the user wrote after --corpus to a corpus that can be read."""

from collections.abc import Callable, Iterator
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Final

from ingest.corpus.conllu import read_conllu
from ingest.corpus.demo import open_demo
from ingest.corpus.hub import PREFIX as HUB_PREFIX
from ingest.corpus.hub import open_hub
from ingest.corpus.jsonl import read_jsonl
from ingest.corpus.parquet import read_parquet
from ingest.corpus.record import Corpus, Record
from ingest.corpus.reviews import HELD_OUT, open_held_out
from ingest.corpus.table import read_csv, read_tsv
from ingest.corpus.text import read_text
from warehouse.errors import CorpusError, UsageError
from warehouse.paths import expanded

_TEXTS: Final[dict[str, Callable[[Path], Iterator[Record]]]] = {
    ".txt": read_text,
    ".conllu": read_conllu,
    ".conllulex": read_conllu,
}
_TABLES: Final[dict[str, Callable[[Path, str | None, str | None], Iterator[Record]]]] = {
    ".tsv": read_tsv,
    ".csv": read_csv,
    ".jsonl": read_jsonl,
    ".parquet": read_parquet,
}
_GOLD: Final = (".conllu", ".conllulex")
_ARCHIVES: Final = (".zip", ".gz", ".bz2", ".xz", ".zst", ".tar", ".tgz", ".7z")
EXTENSIONS: Final = (*_TEXTS, *_TABLES)


def open_corpus(spec: str, *, text_column: str | None = None, label_column: str | None = None) -> Corpus:
    """Open a file by its extension, `hf:DATASET[:CONFIG]:SPLIT:COLUMN`, `demo` or `demo:held-out`.

    The first record is read at once, so that a wrong column or an empty corpus is known before a model is
    loaded. Raises UsageError for a format or column that is not there, CorpusError for a corpus that cannot
    be read.
    """
    if spec == "demo":
        corpus = open_demo(text_column, label_column)
    elif spec == HELD_OUT:
        corpus = open_held_out(text_column, label_column)
    elif spec.startswith(HUB_PREFIX):
        corpus = open_hub(spec, text_column, label_column)
    else:
        corpus = _open_file(spec, text_column, label_column)
    next(corpus.records())
    return corpus


def _open_file(spec: str, text_column: str | None, label_column: str | None) -> Corpus:
    path = expanded(spec)
    extension = path.suffix.lower()
    _check_file(path, spec, extension)
    if extension in _TEXTS:
        if text_column is not None or label_column is not None:
            msg = f"{spec} has no columns to choose from: leave out --text-column and --label-column"
            raise UsageError(msg)
        read = partial(_TEXTS[extension], path)
    else:
        read = partial(_TABLES[extension], path, text_column, label_column)
    return Corpus(
        name=path.stem,
        source=spec,
        license=None,
        annotation="gold" if extension in _GOLD else "none",
        read=read,
    )


def _check_file(path: Path, spec: str, extension: str) -> None:
    if path.is_dir():
        msg = f"{spec} is a folder: give one of the files in it"
        raise CorpusError(msg)
    if extension in _ARCHIVES:
        verb = "unzip" if extension == ".zip" else "unpack"
        msg = f"{spec} is packed: {verb} it and give the file inside"
        raise UsageError(msg)
    if extension not in EXTENSIONS:
        nearest = get_close_matches(extension, EXTENSIONS, n=1)
        hint = f" (nearest: {nearest[0]})" if nearest else ""
        known = ", ".join(EXTENSIONS)
        msg = f"{spec} is of no known format{hint}: give {known}, hf:DATASET:SPLIT:COLUMN, demo or {HELD_OUT}"
        raise UsageError(msg)
    if not path.exists():
        msg = f"{spec} is not there: check the path"
        raise CorpusError(msg)
