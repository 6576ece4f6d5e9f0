"""How often tokens occur in the training text, and which follows which."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Counted = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Counts:
    """Of tokens that are not special; pairs are counted within documents."""

    single: Counted
    """(vocabulary,)"""
    pair: Counted
    """(vocabulary, vocabulary): first token, the next."""

    @property
    def vocab_size(self) -> int:
        return len(self.single)

    @property
    def unigram(self) -> Counted:
        """(vocabulary,): probabilities, with one added to every count."""
        smoothed = self.single + 1
        return smoothed / smoothed.sum()

    def association(self) -> Counted:
        """(vocabulary, vocabulary): log of how much oftener a pair occurs than chance has it, one added to both."""
        chance = np.outer(self.pair.sum(1), self.pair.sum(0)) / self.pair.sum()
        return np.log((self.pair + 1) / (chance + 1))


def count(documents: Sequence[Sequence[int]], vocab_size: int) -> Counts:
    """Documents without special tokens."""
    single, pair = np.zeros(vocab_size), np.zeros((vocab_size, vocab_size))
    for document in documents:
        np.add.at(single, document, 1)
        np.add.at(pair, (document[:-1], document[1:]), 1)
    return Counts(single, pair)
