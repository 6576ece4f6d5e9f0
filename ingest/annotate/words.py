"""One word with what is known of it, and its row in the table `word`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import polars as pl

from ingest.annotate.frequency import Frequencies
from warehouse.contract import WORD_TABLE
from warehouse.errors import CorpusError

MOST_WORDS: Final = 2**15
"""Words are numbered by 16-bit integers, from 0."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text; None is what is not known. Numbers of entities and expressions count from 0."""

    form: str
    char_start: int
    """First character in the text, from 0."""
    char_end: int
    """Character after the last one. Words of one multiword token may share their span; others are disjoint."""
    lemma: str | None = None
    upos: str | None = None
    deprel: str | None = None
    head: int | None = None
    """Number of its head among the words of the text; None for a root."""
    entity: str | None = None
    entity_id: int | None = None
    mwe: str | None = None
    mwe_id: int | None = None


def cut_out(words: Sequence[Word], start: int, end: int) -> list[Word]:
    """The words of the part [start, end) of their text, as words of that part.

    A word that the border cuts keeps its form and what is left of its span. Words outside are left out, heads outside
    become None, and entities and expressions are numbered anew.
    """
    kept = {
        old: new
        for new, old in enumerate(
            old for old, word in enumerate(words) if word.char_start < end > start < word.char_end
        )
    }
    entities, expressions = _Numbers(), _Numbers()
    return [
        replace(
            words[old],
            char_start=max(words[old].char_start, start) - start,
            char_end=min(words[old].char_end, end) - start,
            head=kept.get(words[old].head),  # type: ignore[arg-type]
            entity_id=entities.of(words[old].entity_id),
            mwe_id=expressions.of(words[old].mwe_id),
        )
        for old in kept
    ]


class _Numbers:
    """Numbers from 0, in the order of first use."""

    def __init__(self) -> None:
        self._new: dict[int, int] = {}

    def of(self, old: int | None) -> int | None:
        return None if old is None else self._new.setdefault(old, len(self._new))


def word_frame(texts: Iterable[tuple[int, Sequence[Word]]], frequencies: Frequencies | None) -> pl.DataFrame:
    """One row per word in the schema of `word`. Args: texts, (seq_id, words).

    Raises CorpusError for a text of more words than the table can number.
    """
    rows: list[tuple] = []
    for seq_id, words in texts:
        if len(words) > MOST_WORDS:
            msg = (
                f"sequence {seq_id} has {len(words):,} words, more than the {MOST_WORDS:,} that a table can number: "
                "ingest the corpus with a smaller --max-tokens"
            )
            raise CorpusError(msg)
        rows += [
            (
                *(seq_id, word_id, word.form, word.lemma, word.upos, word.deprel, word.head),
                *(word.entity, word.entity_id, word.mwe, word.mwe_id),
                *(frequencies.zipf(word.form) if frequencies else None, word.char_start, word.char_end),
            )
            for word_id, word in enumerate(words)
        ]
    return pl.DataFrame(rows, schema=WORD_TABLE, orient="row")
