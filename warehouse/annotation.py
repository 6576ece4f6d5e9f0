"""Words of a corpus: where they come from, the texts that they are made of, and how they are stored.

A corpus has one annotation at a time. Storing another one replaces words, the tokens' words and the pairs' patterns, in
one transaction; maps are never touched.
"""

from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import duckdb

from warehouse import connect, parts, patterns, sqlfiles
from warehouse.contract import WORD_TABLE
from warehouse.errors import UsageError, WarehouseError
from warehouse.migrate import transaction
from warehouse.paths import literal

_BLOCK: Final = 2_000
"""Texts that are read at once; the file is closed in between."""

_LISTED: Final = 10
"""Corpora that an error names."""

_NULLABLE: Final = frozenset(WORD_TABLE) - {"seq_id", "word_id", "form", "char_start", "char_end"}


@dataclass(frozen=True)
class Annotation:
    """Where words come from: two that are equal are the same annotation. Fields as in the table `annotation`."""

    source: str
    version: str
    language: str | None
    lexicon: str | None

    def __str__(self) -> str:
        details = [self.version if len(self.version) <= 40 else f"{self.version[:12]}…"]
        details += [f"language {self.language}"] if self.language else []
        details += [f"lexicon {self.lexicon}"] if self.lexicon else []
        return f"{self.source} ({', '.join(details)})"


@dataclass(frozen=True)
class CorpusRecord:
    """What the warehouse knows of a corpus; `n_sequences` counts the texts that are stored."""

    corpus_id: int
    name: str
    source: str
    sha256: str
    n_sequences: int
    annotation: Annotation | None
    n_words: int
    """0 without annotation."""


class StoredText(NamedTuple):
    """One text as the model saw it."""

    seq_id: int
    text: str
    source_id: str | None


@dataclass(frozen=True)
class Alignment:
    """How the tokens of one tokenizer meet a corpus's words. Special tokens do not count."""

    tokenizer_name: str
    n_tokens: int
    n_across: int
    """Tokens that lie across words."""
    n_on_none: int
    """Tokens that lie on no word."""
    n_words_without_token: int


def find_corpus(path: Path, sha256: str, *, wait: float = connect.READER_WAIT) -> CorpusRecord | None:
    """The corpus of this content; None when it is not there, or the warehouse itself is not."""
    if connect.is_missing(path):
        return None
    with connect.read(path, wait) as con:
        return _lookup(con, sha256)


def choose_corpus(path: Path, name_or_id: str | None, *, wait: float = connect.READER_WAIT) -> CorpusRecord:
    """The one corpus with this name, source or id, or the only one there is.

    Raises WarehouseError when there is none or several, UsageError when none was named where there are several.
    """
    with connect.read(path, wait) as con:
        corpora = _corpora(con)
    known = ", ".join(f"{corpus.corpus_id} {corpus.name}" for corpus in corpora[:_LISTED]) or "none"
    known += " and more" if len(corpora) > _LISTED else ""
    if name_or_id is None:
        if len(corpora) > 1:
            message = f"{path} holds several corpora: name one of {known}"
            raise UsageError(message)
        chosen = corpora
    else:
        chosen = [corpus for corpus in corpora if name_or_id in (corpus.name, corpus.source)]
        chosen = chosen or [corpus for corpus in corpora if str(corpus.corpus_id) == name_or_id]
    if not chosen:
        what = f"no corpus in {path}" + (f" has the name or id {name_or_id}" if name_or_id is not None else "")
        message = f"{what}: it holds {known} (`lenshouse ingest` brings one in)"
        raise WarehouseError(message)
    if len(chosen) > 1:
        ids = ", ".join(str(corpus.corpus_id) for corpus in chosen)
        message = f"{len(chosen)} corpora in {path} are named {name_or_id}: give one of the ids {ids}"
        raise WarehouseError(message)
    return chosen[0]


def texts(path: Path, corpus_id: int, *, wait: float = connect.READER_WAIT) -> Iterator[StoredText]:
    """Stream the stored texts of a corpus in order; the file is open for one block of them at a time."""
    after = -1
    while True:
        with connect.read(path, wait) as con:
            values = {"corpus_id": corpus_id, "after": after, "most": _BLOCK}
            rows = con.execute(sqlfiles.query("texts_after"), values).fetchall()
        yield from map(StoredText._make, rows)
        if len(rows) < _BLOCK:
            return
        after = rows[-1][0]


def store_annotation(
    path: Path,
    corpus: CorpusRecord,
    annotation: Annotation,
    file: Path,
    *,
    replace: bool = False,
    wait: float = connect.WRITER_WAIT,
) -> int:
    """Store the words of `file` (word.parquet), the tokens' words and the pairs' patterns; returns the number of words.

    One transaction: all of it or nothing. The same annotation again is left as it is. Raises UsageError when the corpus
    has another one and `replace` does not say otherwise, WarehouseError when the corpus is gone, PartsError for a file
    that is damaged.
    """
    parts.verify_table(file, WORD_TABLE, remove=file, nullable=_NULLABLE)
    with connect.write(path, wait) as con, transaction(con):
        now = _lookup(con, corpus.sha256)
        if now is None or (now.corpus_id, now.n_sequences) != (corpus.corpus_id, corpus.n_sequences):
            message = f"corpus {corpus.name} was removed from {path} just now, with its last run: ingest it again"
            raise WarehouseError(message)
        if now.annotation == annotation:
            return now.n_words
        if not replace:
            require_same(now, annotation)
        values: dict[str, Any] = {"corpus_id": corpus.corpus_id}
        for query in ("delete_words", "delete_annotation"):
            con.execute(sqlfiles.query(query), values).fetchall()
        [(n_words,)] = con.execute(sqlfiles.query("insert_word"), values | {"file": literal(file)}).fetchall()
        row = dict(zip((field.name for field in fields(annotation)), astuple(annotation), strict=True))
        row |= values | {"n_words": n_words, "annotated_at": datetime.now(UTC).replace(tzinfo=None)}
        con.execute(sqlfiles.query("insert_annotation"), row).fetchall()
        con.execute(sqlfiles.query("set_corpus_annotation"), values | {"source": annotation.source}).fetchall()
        patterns.renew(con, corpus.corpus_id)
    return int(n_words)


def require_same(corpus: CorpusRecord, annotation: Annotation) -> None:
    """Refuse to annotate a corpus that has another annotation."""
    if corpus.annotation not in (None, annotation):
        message = (
            f"corpus {corpus.name} is annotated by {corpus.annotation}, not by {annotation}: keep that one, or replace "
            f"it: `lenshouse annotate {corpus.corpus_id} --with {annotation.source} --replace`"
        )
        raise UsageError(message)


def alignments(path: Path, corpus_id: int, *, wait: float = connect.READER_WAIT) -> list[Alignment]:
    """How the tokens of each tokenizer meet the words of a corpus; empty without annotation."""
    with connect.read(path, wait) as con:
        rows = con.execute(sqlfiles.query("alignment"), {"corpus_id": corpus_id}).fetchall()
    return [Alignment(*row) for row in rows]


def _lookup(con: duckdb.DuckDBPyConnection, sha256: str) -> CorpusRecord | None:
    return next((corpus for corpus in _corpora(con) if corpus.sha256 == sha256), None)


def _corpora(con: duckdb.DuckDBPyConnection) -> list[CorpusRecord]:
    records = []
    for corpus_id, name, source, sha256, n_sequences, by, version, language, lexicon, n_words in con.execute(
        sqlfiles.query("corpora")
    ).fetchall():
        annotation = None if by is None else Annotation(by, version, language, lexicon)
        records.append(CorpusRecord(corpus_id, name, source, sha256, n_sequences, annotation, n_words or 0))
    return records
