"""Annotate a corpus that a warehouse holds: its stored texts to words, the words into the warehouse, in one piece."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final, Literal

import warehouse
from ingest.annotate.expressions import with_expressions
from ingest.annotate.frequency import Frequencies, frequencies
from ingest.annotate.lexicon import Lexicon
from ingest.annotate.source import Annotator
from ingest.annotate.words import Word, word_frame
from ingest.progress import Progress
from ingest.scratch import scratch_folder
from ingest.tables import GrowingTable
from warehouse import annotation as stored
from warehouse.annotation import Alignment, Annotation, CorpusRecord, StoredText
from warehouse.contract import WORD_TABLE
from warehouse.errors import CorpusError
from warehouse.paths import expanded

_BLOCK: Final = 2_000
"""Texts whose words are held in memory."""


@dataclass(frozen=True)
class Words:
    """Everything that decides the words of a corpus, opened: who annotates, with which frequencies and lexicon."""

    annotator: Annotator
    frequencies: Frequencies | None
    lexicon: Lexicon | None
    notes: tuple[str, ...]
    """What was asked for and is not to be had, a line each."""

    @property
    def identity(self) -> Annotation:
        return Annotation(
            self.annotator.source,
            self.annotator.version,
            self.frequencies.language if self.frequencies else None,
            self.lexicon.name if self.lexicon else None,
        )


@dataclass(frozen=True)
class Annotated:
    """What became of a corpus's annotation."""

    state: Literal["stored", "there already", "another"]
    """another: the corpus has one that this job did not ask to replace."""
    annotation: Annotation
    """The one that the corpus has now."""
    n_words: int
    unmatched: tuple[str, ...] = ()
    """Texts that a treebank does not have, by their ids; they have no words."""
    notes: tuple[str, ...] = ()
    alignments: list[Alignment] = field(default_factory=list)


def open_words(annotator: Annotator, *, language: str, lexicon: str | None) -> Words:
    """Raises UsageError for a language without frequencies and a lexicon that cannot be read."""
    frequency, missing = frequencies(language)
    opened = Lexicon(expanded(lexicon)) if lexicon is not None else None
    notes = [missing] if missing else []
    if opened and annotator.has_expressions:
        opened = None
        notes.append(f"the lexicon {lexicon} is not used: the treebank has gold expressions")
    return Words(annotator, frequency, opened, tuple(notes))


def annotate(path: Path, corpus: CorpusRecord, words: Words, progress: Progress, *, replace: bool) -> Annotated:
    """Give a corpus its words, its tokens their words and its token pairs their patterns; maps are not touched.

    The texts are streamed, nothing is stored before all of it is there. The same annotation again changes nothing.
    Raises UsageError where the corpus has another one and `replace` does not say otherwise, CorpusError where the
    source has none of its texts.
    """
    identity = words.identity
    if corpus.annotation == identity:
        alignments = stored.alignments(path, corpus.corpus_id)
        return Annotated("there already", identity, corpus.n_words, notes=words.notes, alignments=alignments)
    if not replace:
        stored.require_same(corpus, identity)
    progress.phase("annotating", corpus.n_sequences)
    unmatched: list[str] = []
    with scratch_folder(warehouse.parts_folder(path)) as folder:
        file = folder / "word.parquet"
        with GrowingTable(file, WORD_TABLE) as table:
            for block in _blocks(path, corpus, words):
                found = [(text.seq_id, _complete(own, words)) for text, own in block if own is not None]
                unmatched += [text.source_id or str(text.seq_id) for text, own in block if own is None]
                table.append(word_frame(found, words.frequencies))
                progress.advance(len(block))
        if len(unmatched) == corpus.n_sequences:
            msg = f"none of the texts of corpus {corpus.name} is in the treebank: name the right one with --source FILE"
            raise CorpusError(msg)
        progress.phase("storing words and patterns")
        n_words = stored.store_annotation(path, corpus, identity, file, replace=replace)
    alignments = stored.alignments(path, corpus.corpus_id)
    return Annotated("stored", identity, n_words, tuple(unmatched), words.notes, alignments)


def _blocks(path: Path, corpus: CorpusRecord, words: Words) -> Iterator[list[tuple[StoredText, list[Word] | None]]]:
    stream = words.annotator.annotate(stored.texts(path, corpus.corpus_id))
    while block := list(islice(stream, _BLOCK)):
        yield block


def _complete(own: list[Word], words: Words) -> list[Word]:
    return own if words.annotator.has_expressions else with_expressions(own, words.lexicon)
