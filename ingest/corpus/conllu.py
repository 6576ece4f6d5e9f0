"""Sentences of CoNLL-U files (.conllu, and .conllulex, whose first ten columns are the same).

Here are the texts, and what all readers of such files share; the words are annotation and read in
`ingest.annotate.gold`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ingest.corpus.record import Record
from ingest.corpus.text import read_lines
from warehouse.errors import CorpusError

_COMMENT: Final = re.compile(r"#\s*(?P<key>text|sent_id)\s*=\s*(?P<value>.*)")
_ID: Final = re.compile(r"(?P<first>[0-9]{1,9})(?:-(?P<last>[0-9]{1,9})|(?P<empty>\.[0-9]{1,9}))?")
_N_COLUMNS: Final = 10

Block = list[tuple[int, str]]
"""The numbered lines of one sentence."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a sentence that is no comment: a word, a multiword token over several words, or an empty node."""

    number: int
    """In the file, from 1."""
    first: int
    """Id of the word, or of the first one."""
    last: int
    """Id of the last word; `first` for a single one."""
    is_range: bool
    is_empty: bool
    """Whether it is an empty node, which has no surface."""
    columns: tuple[str, ...]

    @property
    def form(self) -> str:
        return self.columns[1]

    @property
    def misc(self) -> list[str]:
        return self.columns[9].split("|")


def read_conllu(path: Path) -> Iterator[Record]:
    """One record a sentence, as `record_of` makes it."""
    for block in sentence_blocks(read_lines(path)):
        record = record_of(block, path)
        if record:
            yield record


def record_of(block: Block, path: Path) -> Record | None:
    """The text of a sentence; source_id is its sent_id, or the number of its first line where it has none.

    The text is the sentence's `# text =`, or else its forms joined by spaces save where SpaceAfter=No. None for a block
    of comments alone.
    """
    comments = {found["key"]: found["value"].strip() for _, line in block if (found := _COMMENT.fullmatch(line))}
    if all(line.startswith("#") for _, line in block):
        return None
    text = comments.get("text") or _rebuild(lines_of(block, path))
    return Record(text, None, comments.get("sent_id") or str(block[0][0]))


def sentence_blocks(lines: Iterable[tuple[int, str]]) -> Iterator[Block]:
    """Stream the numbered lines of each sentence; blank lines part them."""
    block: Block = []
    for number, line in lines:
        if line.strip():
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def lines_of(block: Block, path: Path) -> list[Line]:
    """The lines of a sentence, comments left out; CorpusError with its number for one that is broken."""
    lines = []
    for number, line in block:
        if line.startswith("#"):
            continue
        columns = tuple(line.split("\t"))
        found = _ID.fullmatch(columns[0])
        if found is None or len(columns) < _N_COLUMNS:
            msg = f"{path}, line {number}: not a CoNLL-U word (an id and 10 columns parted by tabs): correct it"
            raise CorpusError(msg)
        first = int(found["first"])
        last = int(found["last"] or first)
        lines.append(Line(number, first, last, found["last"] is not None, found["empty"] is not None, columns))
    return lines


def surface(lines: Iterable[Line]) -> Iterator[Line]:
    """The lines that the text is spelled by: a multiword token stands for its words, empty nodes have no surface."""
    covered_to = 0
    for line in lines:
        if line.is_empty or (not line.is_range and line.first <= covered_to):
            continue
        if line.is_range:
            covered_to = line.last
        yield line


def _rebuild(lines: Iterable[Line]) -> str:
    pieces: list[str] = []
    for line in surface(lines):
        pieces.append(line.form)
        if "SpaceAfter=No" not in line.misc:
            pieces.append(" ")
    return "".join(pieces).strip()
