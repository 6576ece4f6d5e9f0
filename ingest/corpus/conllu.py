"""Texts of CoNLL-U files (.conllu, and .conllulex, whose first ten columns are the same).

Only the texts are read here; their words are annotation and read elsewhere.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ingest.corpus.record import Record
from ingest.corpus.text import read_lines
from warehouse.errors import CorpusError

_COMMENT: Final = re.compile(r"#\s*(?P<key>text|sent_id)\s*=\s*(?P<value>.*)")
_ID: Final = re.compile(r"\d+(?P<end>-\d+)?(?P<empty>\.\d+)?")
_ID_COLUMN, _FORM_COLUMN, _MISC_COLUMN = 0, 1, 9

Block = list[tuple[int, str]]
"""The numbered lines of one sentence."""


def read_conllu(path: Path) -> Iterator[Record]:
    """One record a sentence; source_id is its sent_id, or the number of its first line where it has none.

    The text is the sentence's `# text =`, or else its forms joined by spaces save where SpaceAfter=No.
    """
    for block in sentence_blocks(path):
        comments = {found["key"]: found["value"].strip() for _, line in block if (found := _COMMENT.fullmatch(line))}
        words = [(number, line) for number, line in block if not line.startswith("#")]
        text = comments.get("text") or _rebuild(words, path)
        if words:
            yield Record(text, None, comments.get("sent_id") or str(block[0][0]))


def sentence_blocks(path: Path) -> Iterator[Block]:
    """Stream the lines of each sentence; blank lines part them."""
    block: Block = []
    for number, line in read_lines(path):
        if line.strip():
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _rebuild(words: Block, path: Path) -> str:
    """Join the surface forms: a multiword token stands for its words, and empty nodes have no surface."""
    pieces: list[str] = []
    covered_to = 0
    for number, line in words:
        columns = line.split("\t")
        word_id = _ID.fullmatch(columns[_ID_COLUMN])
        if word_id is None or len(columns) <= _MISC_COLUMN:
            msg = f"{path}, line {number}: not a CoNLL-U word (an id and 10 columns parted by tabs): correct it"
            raise CorpusError(msg)
        if word_id["empty"] or (not word_id["end"] and int(columns[_ID_COLUMN]) <= covered_to):
            continue
        if word_id["end"]:
            covered_to = int(word_id["end"][1:])
        pieces.append(columns[_FORM_COLUMN])
        if "SpaceAfter=No" not in columns[_MISC_COLUMN].split("|"):
            pieces.append(" ")
    return "".join(pieces).strip()
