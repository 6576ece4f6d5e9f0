"""Annotation as a part of an ingest job: which words --annotate asks for, and when they are stored."""

from contextlib import suppress

from ingest.annotate.job import Annotated, Words, annotate, open_words
from ingest.annotate.source import GOLD, SPLIT, annotator
from ingest.config import IngestConfig
from ingest.corpus import Corpus
from ingest.progress import Progress
from warehouse.annotation import find_corpus, require_same
from warehouse.errors import UsageError


def words_for(config: IngestConfig, corpus: Corpus) -> Words | None:
    """What annotates the corpus, opened before anything is computed; None with --annotate none.

    Raises LenshouseError for a treebank that is broken, a pipeline that is not installed, a language that has no
    frequencies and a lexicon that cannot be read.
    """
    if config.annotate == "none":
        return None
    source = config.annotate
    if source == "auto":
        source = GOLD if corpus.annotation == "gold" else SPLIT
    return open_words(annotator(source, config.corpus), language=config.language, lexicon=config.lexicon)


def require_agreeing(config: IngestConfig, corpus_sha256: str, words: Words | None) -> None:
    """Refuse an annotation that was asked for by name where the corpus has another one."""
    if words is None or config.annotate == "auto":
        return
    corpus = find_corpus(config.warehouse, corpus_sha256)
    if corpus:
        require_same(corpus, words.identity)


def annotate_stored(
    config: IngestConfig, corpus_sha256: str, words: Words | None, progress: Progress
) -> Annotated | None:
    """Annotate the corpus of a run that is in the warehouse, if it has no annotation; under auto, another one stays."""
    corpus = find_corpus(config.warehouse, corpus_sha256)
    if words is None or corpus is None:  # a run that was removed just now is told by who asks for it
        return None
    if config.annotate != "auto":
        return annotate(config.warehouse, corpus, words, progress, replace=False)
    if corpus.annotation is None:
        with suppress(UsageError):  # another job was faster, with another annotation
            return annotate(config.warehouse, corpus, words, progress, replace=False)
        corpus = find_corpus(config.warehouse, corpus_sha256)
    if corpus is None or corpus.annotation is None:
        return None
    is_same = corpus.annotation == words.identity
    return Annotated("there already" if is_same else "another", corpus.annotation, corpus.n_words)
