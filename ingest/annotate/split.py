"""Words by white space, punctuation and script, nothing else known of them: for corpora without annotation.

It needs no other package, so that the pieces of words are known in every corpus.
"""

import importlib.metadata
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, Literal

from ingest.annotate.words import Word
from warehouse.annotation import StoredText

_APOSTROPHES: Final = frozenset("'’")
_JOINER: Final = "\u200d"
_SKIN_TONES: Final = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
_FLAG_LETTERS: Final = frozenset(map(chr, range(0x1F1E6, 0x1F200)))
_UNSPACED: Final = (
    *((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF)),  # Thai and Lao, Burmese, Khmer
    (0x3041, 0x309F),  # Hiragana
    *((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFD)),  # Han
)
"""Code points of scripts that set no spaces between words."""

_Kind = Literal["letter", "single", "mark", "space", "extends"]


class Split:
    """The annotation `split`."""

    source = "split"
    has_expressions = False

    def __init__(self) -> None:
        self.version = f"lenshouse {importlib.metadata.version('lenshouse')}"

    def annotate(self, texts: Iterable[StoredText]) -> Iterator[tuple[StoredText, list[Word]]]:
        """The words of each text."""
        return ((text, split(text.text)) for text in texts)


def split(text: str) -> list[Word]:
    """The words of a text, by rules that need no dictionary; after Unicode Standard Annex 29, which has more of them.

    White space parts words. A punctuation mark or symbol is a word of its own, with its likes beside it (`...`, `!!`);
    an apostrophe between two letters stays in their word. In scripts without spaces (Han, Hiragana, Thai, ...) each
    character is a word, since nothing says which of them are one. Accents, and what joins or colours an emoji, stay
    with the character before them.
    """
    characters = _characters(text)
    words: list[tuple[int, int]] = []
    for at, (start, end) in enumerate(characters):
        if _kind(text[start]) == "space":
            continue
        if words and words[-1][1] == start and _go_together(text, characters, at):
            words[-1] = (words[-1][0], end)
        else:
            words.append((start, end))
    return [Word(text[start:end], start, end) for start, end in words]


def _characters(text: str) -> list[tuple[int, int]]:
    """Spans of what people see as one character: a base and what extends it, a joined emoji, a flag."""
    spans: list[tuple[int, int]] = []
    for at, character in enumerate(text):
        before = text[at - 1] if at else " "
        follows = _kind(before) != "space" and (
            _kind(character) == "extends"
            or (before == _JOINER and _kind(character) == "mark")
            or (character in _FLAG_LETTERS and text[spans[-1][0] : at] in _FLAG_LETTERS)
        )
        if follows:
            spans[-1] = (spans[-1][0], at + 1)
        else:
            spans.append((at, at + 1))
    return spans


def _go_together(text: str, characters: list[tuple[int, int]], at: int) -> bool:
    """Whether a character is in one word with the one before it."""
    before, this = (text[slice(*characters[at - 1])], text[slice(*characters[at])])
    if _kind(this[0]) == "letter":
        return _kind(before[0]) == "letter" or _is_apostrophe(text, characters, at - 1)
    return _is_apostrophe(text, characters, at) or (_kind(this[0]) == "mark" and this == before)


def _is_apostrophe(text: str, characters: list[tuple[int, int]], at: int) -> bool:
    """Whether a character is an apostrophe between two letters."""
    return (
        0 < at < len(characters) - 1
        and text[slice(*characters[at])] in _APOSTROPHES
        and _kind(text[characters[at - 1][0]]) == _kind(text[characters[at + 1][0]]) == "letter"
    )


@lru_cache(4096)
def _kind(character: str) -> _Kind:
    if character.isspace():
        return "space"
    category = unicodedata.category(character)
    if category[0] == "M" or category == "Cf" or character in _SKIN_TONES:
        return "extends"
    if category[0] in "PS":
        return "mark"
    return "single" if any(first <= ord(character) <= last for first, last in _UNSPACED) else "letter"
