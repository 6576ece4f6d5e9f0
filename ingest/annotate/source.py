"""What users write for an annotation: gold, split, or spacy:PIPELINE."""

import difflib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Protocol

from ingest.annotate.words import Word
from warehouse.annotation import StoredText
from warehouse.errors import CorpusError, UsageError
from warehouse.paths import expanded

GOLD: Final = "gold"
SPLIT: Final = "split"
PIPELINE: Final = "spacy:"
TREEBANKS: Final = (".conllu", ".conllulex")


class Annotator(Protocol):
    """Where words come from; `source` and `version` are stored with them."""

    @property
    def source(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def has_expressions(self) -> bool:
        """Whether its words say which multi-word expression they are in, so that nothing else has a say in it."""
        ...

    def annotate(self, texts: Iterable[StoredText]) -> Iterator[tuple[StoredText, list[Word] | None]]:
        """Each text with its words; None for one that the source does not have."""
        ...


def require_source(option: str, value: str, *others: str) -> None:
    """Refuse what names no source of words, with the nearest that does. Args: others, words that the option has."""
    if value in (GOLD, SPLIT, *others) or (value.startswith(PIPELINE) and len(value) > len(PIPELINE)):
        return
    known = [*others, GOLD, SPLIT, f"{PIPELINE}PIPELINE"]
    near = difflib.get_close_matches(value, known, n=1, cutoff=0.7)
    hint = f" (did you mean {near[0]}?)" if near else ""
    msg = f"{option} {value}: no such annotation{hint}: use {', '.join(known[:-1])} or {known[-1]}"
    raise UsageError(msg)


def annotator(source: str, treebank: str | Path | None) -> Annotator:
    """The annotator of a source. Args: treebank, the file of gold words.

    Raises UsageError for a file that is no treebank and for a pipeline that is not installed, CorpusError for a file
    that is not there, or broken.
    """
    if source == SPLIT:
        from ingest.annotate.split import Split

        return Split()
    if source.startswith(PIPELINE):
        from ingest.annotate.pipeline import Pipeline

        return Pipeline(source.removeprefix(PIPELINE))
    from ingest.annotate.treebank import Treebank

    return Treebank(_treebank_file(treebank))


def _treebank_file(given: str | Path | None) -> Path:
    path = expanded(given or "")
    if given is None or path.suffix.lower() not in TREEBANKS:
        msg = (
            f"{given or 'the corpus'} is no treebank (.conllu, .conllulex): name one with "
            "`lenshouse annotate --with gold --source FILE`"
        )
        raise UsageError(msg)
    if not path.is_file():
        msg = f"{given} is not there: name the treebank with --source FILE of `lenshouse annotate`"
        raise CorpusError(msg)
    return path
