"""The text as trainings and evaluations take it: one vocabulary, both parts as tokens, and how often each token is."""

from dataclasses import dataclass

from transformers import PreTrainedTokenizerFast

from ingest.checkpoints.counts import Counts, count
from ingest.checkpoints.recipes import VOCAB_SIZE
from ingest.checkpoints.text import Texts
from ingest.checkpoints.vocabulary import token_ids, train_tokenizer


@dataclass(frozen=True)
class Material:
    """The same for all checkpoints."""

    texts: Texts
    tokenizer: PreTrainedTokenizerFast
    training: list[list[int]]
    """Tokens of each document, without special ones."""
    held_out: list[list[int]]
    counts: Counts
    """Of the training part."""


def prepare(texts: Texts, vocab_size: int = VOCAB_SIZE) -> Material:
    """Learn the vocabulary from the training part and tokenise both parts."""
    tokenizer = train_tokenizer(texts.training, vocab_size)
    training = token_ids(tokenizer, texts.training)
    return Material(texts, tokenizer, training, token_ids(tokenizer, texts.held_out), count(training, vocab_size))
