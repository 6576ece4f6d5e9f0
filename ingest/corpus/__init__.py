"""Readers of corpora: every source becomes a stream of records, whatever its format."""

from ingest.corpus.open import open_corpus
from ingest.corpus.record import Corpus, Record
from ingest.corpus.sample import limit

__all__ = ["Corpus", "Record", "limit", "open_corpus"]
