"""A lexicon of multi-word expressions: WordNet's index files, or a list with one expression a line."""

import hashlib
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from ingest.annotate.split import split
from ingest.annotate.words import Word
from ingest.corpus.text import decode_lines
from warehouse.errors import CorpusError, UsageError

_INDEX_LINE: Final = re.compile(r"(?P<lemma>\S+) [nvasr] \d+ \d+ (?:\S+ )*\d{8}\s*")
"""WordNet's index.noun and its like: lemma, part of speech, counts, pointers, offsets of synsets."""
_LICENCE: Final = "  "
_END: Final = ""


class Lexicon:
    """Multi-word expressions. `name` is the file's name and its SHA-256.

    Raises UsageError where there is no file, CorpusError for one without an expression.
    """

    def __init__(self, path: Path) -> None:
        try:
            content = path.read_bytes()
        except OSError as error:
            msg = f"--lexicon {path} cannot be read ({error.strerror}): give a WordNet index file, or a list"
            raise UsageError(msg) from error
        self.name = f"{path.name} {hashlib.sha256(content).hexdigest()}"
        self.n_expressions = 0
        self._tree: dict[str, Any] = {}
        for _, line in decode_lines(content.splitlines(keepends=True), str(path)):
            self._add(line)
        if not self.n_expressions:
            msg = f"--lexicon {path} holds no expression of several words: give a WordNet index file, or one a line"
            raise CorpusError(msg)

    def matches(self, words: Sequence[Word], taken: Collection[int]) -> Iterator[set[int]]:
        """Expressions in a text, from its beginning and the longest first, over neighbouring words that are not taken.

        A word matches by its lemma or its form, case aside.
        """
        at = 0
        while at < len(words):
            length = self._longest(words, at, taken)
            if length:
                yield set(range(at, at + length))
            at += length or 1

    def _longest(self, words: Sequence[Word], at: int, taken: Collection[int]) -> int:
        nodes, longest = [self._tree], 0
        for length, word in enumerate(words[at:], start=1):
            if at + length - 1 in taken:
                break
            names = {name.lower() for name in (word.form, word.lemma) if name}
            nodes = [node[name] for node in nodes for name in names if name in node]
            if not nodes:
                break
            if any(_END in node for node in nodes):
                longest = length
        return longest

    def _add(self, line: str) -> None:
        if line.startswith(_LICENCE):
            return
        found = _INDEX_LINE.fullmatch(line)
        expression = (found["lemma"] if found else line).replace("_", " ").strip().lower()
        readings = {tuple(expression.split()), tuple(word.form for word in split(expression))}
        readings = {words for words in readings if len(words) > 1}
        for words in readings:
            node = self._tree
            for word in words:
                node = node.setdefault(word, {})
            node[_END] = True
        self.n_expressions += bool(readings)
