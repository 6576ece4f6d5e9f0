"""The annotation `gold`: sentences of a treebank found again in the stored texts of a corpus."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from ingest.annotate.gold import Sentence, parse_sentence
from ingest.annotate.words import Word, cut_out
from ingest.corpus.conllu import sentence_blocks
from ingest.corpus.text import decode_lines
from warehouse.annotation import StoredText
from warehouse.errors import CorpusError

_CHUNK: Final = re.compile(r"(?P<source_id>.*)#(?P<number>[0-9]{1,9})", re.DOTALL)
_CONLLULEX: Final = ".conllulex"


class _Place(NamedTuple):
    """Where a sentence lies in the file: its byte, and the number of its line."""

    offset: int
    line: int


class Treebank:
    """A file of gold sentences. Where each lies is held in memory, the sentences are not.

    Raises CorpusError with the line for a file that is broken anywhere.
    """

    source = "gold"

    def __init__(self, path: Path) -> None:
        self.path = path
        self.has_expressions = path.suffix.lower() == _CONLLULEX
        self._places: dict[str, list[_Place]] = {}
        self.version = self._read()
        self._sentence = lru_cache(1)(self._parse)  # the chunks of one text, one after the other

    def annotate(self, texts: Iterable[StoredText]) -> Iterator[tuple[StoredText, list[Word] | None]]:
        """The words of each text; None for one that the treebank does not have.

        A text and a sentence belong together when the ids are the same and the text is the sentence's, or its
        beginning (a text that was cut). The chunks of a split text must fill the sentence in their order, in one way
        only. Raises CorpusError when two sentences of one id and text have other words.
        """
        for group in self._groups(texts):
            yield from zip(group, self._words_of(group), strict=True)

    def _read(self) -> str:
        """Parse every sentence once, and remember where it is; returns the file's SHA-256 (hex)."""
        digest = hashlib.sha256()
        next_place = _Place(0, 1)

        def counted() -> Iterator[bytes]:
            nonlocal next_place
            with self.path.open("rb") as file:
                for raw in file:
                    digest.update(raw)
                    next_place = _Place(next_place.offset + len(raw), next_place.line + 1)
                    yield raw

        place = next_place
        for block in sentence_blocks(decode_lines(counted(), str(self.path))):
            sentence = parse_sentence(block, self.path, has_expressions=self.has_expressions)
            if sentence:
                self._places.setdefault(sentence.source_id, []).append(place)
            place = next_place
        if not self._places:
            msg = f"{self.path} holds no sentences: give a CoNLL-U file with at least one"
            raise CorpusError(msg)
        return digest.hexdigest()

    def _parse(self, place: _Place) -> Sentence:
        with self.path.open("rb") as file:
            file.seek(place.offset)
            block = next(sentence_blocks(decode_lines(file, str(self.path), place.line)))
        sentence = parse_sentence(block, self.path, has_expressions=self.has_expressions)
        if sentence is None:
            msg = f"{self.path} was changed while it was read: run the same command again"
            raise CorpusError(msg)
        return sentence

    def _groups(self, texts: Iterable[StoredText]) -> Iterator[list[StoredText]]:
        """Texts that were one: consecutive chunks of one id, from the first on."""
        group: list[StoredText] = []
        for text in texts:
            if group and self._chunk(text) != (self._chunk(group[0])[0], len(group) + 1):
                yield group
                group = []
            group.append(text)
        if group:
            yield group

    def _chunk(self, text: StoredText) -> tuple[str | None, int]:
        """Id of the whole text, and which of its chunks this is: 0 for a text that was not split."""
        found = None if text.source_id is None or text.source_id in self._places else _CHUNK.fullmatch(text.source_id)
        return (found["source_id"], int(found["number"])) if found else (text.source_id, 0)

    def _words_of(self, group: list[StoredText]) -> list[list[Word]] | list[None]:
        source_id, number = self._chunk(group[0])
        chosen: tuple[Sentence, list[int]] | None = None
        for place in self._places.get(source_id or "", []):
            sentence = self._sentence(place)
            starts = self._starts(sentence.text, [text.text for text in group], is_split=number > 0)
            if starts is None:
                continue
            if chosen and chosen[0].words != sentence.words:
                msg = (
                    f"{self.path}, lines {chosen[0].line} and {sentence.line}: two sentences {source_id} of one text "
                    "with other words: leave one out, or give each a sent_id of its own"
                )
                raise CorpusError(msg)
            chosen = chosen or (sentence, starts)
        if chosen is None:
            return [None] * len(group)
        sentence, starts = chosen
        return [
            cut_out(sentence.words, start, start + len(text.text)) for text, start in zip(group, starts, strict=True)
        ]

    @staticmethod
    def _starts(sentence: str, texts: list[str], *, is_split: bool) -> list[int] | None:
        if is_split:
            return chunk_starts(sentence, texts)
        return [0] if sentence.startswith(texts[0]) else None


def chunk_starts(text: str, chunks: list[str]) -> list[int] | None:
    """Where consecutive chunks begin in the text that they were; None when that is nowhere, or not certain.

    All of the text must be there, but for what a tokenizer drops (white space, marks and control characters). Chunks
    may share a character that was cut inside its bytes.
    """
    ways: dict[int, list[int] | None] = {0: []}  # where a chunk ends -> starts so far; None when in several ways
    for chunk in chunks:
        found: dict[int, list[int] | None] = {}
        for end, starts in ways.items():
            for at in _next(text, end):
                if text.startswith(chunk, at):
                    new_end = at + len(chunk)
                    found[new_end] = None if starts is None or new_end in found else [*starts, at]
        ways = found
    whole = [starts for end, starts in ways.items() if len(text) in _next(text, end)]
    return whole[0] if len(whole) == 1 else None


def _next(text: str, end: int) -> list[int]:
    """Where a chunk may begin after one that ended at `end`."""
    places = [end - 1] if end and not text[end - 1].isascii() else []
    places.append(end)
    while end < len(text) and (text[end].isspace() or unicodedata.category(text[end])[0] in "CM"):
        end += 1
        places.append(end)
    return places
