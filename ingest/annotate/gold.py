"""Words of treebanks: the columns of CoNLL-U, and the strong multi-word expressions of STREUSLE's .conllulex."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from ingest.annotate.words import Word
from ingest.corpus.conllu import Block, Line, lines_of, record_of, surface
from warehouse.errors import CorpusError

_LEMMA, _UPOS, _HEAD, _DEPREL, _SMWE, _LEXCAT = 2, 3, 6, 7, 10, 11
_N_LEX_COLUMNS: Final = 19
_BIO: Final = re.compile(r"(?:Entity|NER)=(?P<tag>[BI])-(?P<type>.+)")
_SMWE_CELL: Final = re.compile(r"(?P<group>\d+):(?P<place>\d+)")


class Sentence(NamedTuple):
    """A sentence of a treebank with its words; `line` is the number of its first line."""

    source_id: str
    text: str
    words: list[Word]
    line: int


def parse_sentence(block: Block, path: Path, *, has_expressions: bool) -> Sentence | None:
    """The words of a sentence where they stand in its text; None for a block of comments alone.

    A word that a multiword token spells out (`do` and `n't`) has its own characters; words that do not spell their
    token (French `au`: `à`, `le`) share its span. Entities are BIO tags in MISC (`Entity=B-PER`, `NER=I-ORG`).
    Raises CorpusError with the line for a broken one, and for a form that the text does not have at its place.
    """
    record = record_of(block, path)
    if record is None:
        return None
    lines = lines_of(block, path)
    words = [line for line in lines if not line.is_range and not line.is_empty]
    _require_numbered(words, [line for line in lines if line.is_range], path)
    spans = _spans(lines, record.text, path)
    bare = [_word(line, *spans[line.first], len(words), path) for line in words]
    _require_no_cycle(bare, words, path)
    named = _with_entities(bare, words)
    return Sentence(
        record.source_id,
        record.text,
        _with_expressions(named, words, path) if has_expressions else named,
        block[0][0],
    )


def _require_numbered(words: list[Line], ranges: list[Line], path: Path) -> None:
    for wanted, line in enumerate(words, start=1):
        if line.first != wanted:
            raise _broken(line, path, f"word {line.first} where word {wanted} is to follow")
    covered_to = 0
    for line in ranges:
        if not covered_to < line.first <= line.last <= len(words):
            raise _broken(line, path, f"the multiword token {line.columns[0]} does not fit the words of its sentence")
        covered_to = line.last


def _spans(lines: list[Line], text: str, path: Path) -> dict[int, tuple[int, int]]:
    """Word id -> its characters in the text."""
    words = {line.first: line for line in lines if not line.is_range and not line.is_empty}
    spans: dict[int, tuple[int, int]] = {}
    at = 0
    for line in surface(lines):
        while at < len(text) and text[at].isspace():
            at += 1
        end = match_end(text, at, line.form)
        if end is None:
            there = text[at : at + 20] or "its end"
            raise _broken(
                line, path, f"'{line.form}' does not stand at character {at} of the text, which has '{there}'"
            )
        ids = range(line.first, line.last + 1)
        inner = _inner_spans(text, at, end, [words[word].form for word in ids]) if line.is_range else None
        spans |= dict(zip(ids, inner or [(at, end)] * len(ids), strict=True))
        at = end
    if rest := text[at:].strip():
        raise _broken(lines[-1], path, f"the text of the sentence goes on with '{rest[:20]}', its words do not")
    return spans


def _inner_spans(text: str, start: int, end: int, forms: Iterable[str]) -> list[tuple[int, int]] | None:
    """Spans of words that spell text[start:end] together; None when they do not."""
    spans = []
    at = start
    for form in forms:
        word_end = match_end(text, at, form)
        if word_end is None or word_end > end:
            return None
        spans.append((at, word_end))
        at = word_end
    return spans if at == end else None


def match_end(text: str, at: int, form: str) -> int | None:
    """Where `form` ends if it begins at text[at]; None when it does not.

    Any white space in it meets any white space in the text, and composed letters meet decomposed ones (é).
    """
    if text.startswith(form, at):
        return at + len(form)
    wanted = _normal(form)
    if not wanted:
        return None
    for end in range(at + 1, min(len(text), at + 4 * len(form)) + 1):
        if _normal(text[at:end]) == wanted and not (end < len(text) and unicodedata.combining(text[end])):
            return end
    return None


def _normal(text: str) -> str:
    """Composed, with single spaces; nothing for what white space begins or ends."""
    return " ".join(unicodedata.normalize("NFC", text).split()) if text.strip() == text else ""


def _word(line: Line, start: int, end: int, n_words: int, path: Path) -> Word:
    columns = line.columns
    head = columns[_HEAD]
    if head != "_" and not (re.fullmatch("[0-9]{1,9}", head) and int(head) <= n_words):
        raise _broken(line, path, f"the head '{head}' is no word of its sentence")
    return Word(
        form=line.form,
        char_start=start,
        char_end=end,
        lemma=columns[_LEMMA] if columns[_LEMMA] != "_" or line.form == "_" else None,
        upos=_known(columns[_UPOS]),
        deprel=_known(columns[_DEPREL]),
        head=None if head in ("_", "0") else int(head) - 1,
    )


def _known(cell: str) -> str | None:
    return None if cell == "_" else cell


def _require_no_cycle(words: list[Word], lines: list[Line], path: Path) -> None:
    """Refuse a word that is, over its heads, its own head."""
    clear: set[int] = set()
    for number, line in enumerate(lines):
        way: dict[int, None] = {}  # in order, and quick to look into
        at: int | None = number
        while at is not None and at not in clear:
            if at in way:
                raise _broken(line, path, f"'{line.form}' hangs on words that are each other's heads")
            way[at] = None
            at = words[at].head
        clear.update(way)


def _with_entities(words: list[Word], lines: list[Line]) -> list[Word]:
    marked: list[Word] = []
    entity_id, before = -1, None
    for word, line in zip(words, lines, strict=True):
        found = next(filter(None, map(_BIO.fullmatch, line.misc)), None)
        if found is None:
            before = None
            marked.append(word)
            continue
        entity_id += found["tag"] == "B" or found["type"] != before
        before = found["type"]
        marked.append(replace(word, entity=before, entity_id=entity_id))
    return marked


def _with_expressions(words: list[Word], lines: list[Line], path: Path) -> list[Word]:
    """Strong expressions of .conllulex; their kind is the lexical category of their first word."""
    numbers: dict[str, int] = {}
    kinds: dict[str, str] = {}
    marked: list[Word] = []
    for word, line in zip(words, lines, strict=True):
        if len(line.columns) != _N_LEX_COLUMNS:
            raise _broken(line, path, f"{len(line.columns)} columns where .conllulex has {_N_LEX_COLUMNS}")
        cell = line.columns[_SMWE]
        found = _SMWE_CELL.fullmatch(cell)
        if cell != "_" and (found is None or (found["group"] in numbers) == (found["place"] == "1")):
            raise _broken(line, path, f"the expression '{cell}' (SMWE) is no group and place, or begins twice or never")
        if found is None:
            marked.append(word)
            continue
        group = found["group"]
        number = numbers.setdefault(group, len(numbers))
        marked.append(replace(word, mwe=kinds.setdefault(group, line.columns[_LEXCAT]), mwe_id=number))
    return marked


def _broken(line: Line, path: Path, why: str) -> CorpusError:
    return CorpusError(f"{path}, line {line.number}: {why}: correct it, or leave annotation out with --annotate none")
