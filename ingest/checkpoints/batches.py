"""Training windows and masks, each a function of seed and step alone: a training that goes on needs no memory of them.

A window is a full row of WINDOW tokens, packed from whole documents: [CLS] text [SEP] [CLS] text [SEP] ... Where a
text does not fit, its rest begins the next window, behind a [CLS] of its own.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ingest.checkpoints.recipes import WINDOW
from ingest.checkpoints.vocabulary import CLS, MASK, N_SPECIAL, SEP

Ids = npt.NDArray[np.int64]

NO_TARGET: Final = -100
"""Where nothing is to be predicted."""

_ORDER, _MASKS = 0, 1
"""Streams of random numbers, beside the seed and a count."""


def pack(documents: Iterable[Sequence[int]], window: int = WINDOW) -> Ids:
    """Documents, without special tokens, as windows: (window count, window). What does not fill the last is left."""
    rows: list[list[int]] = []
    row: list[int] = []
    for document in documents:
        begin = 0
        while begin < len(document):
            part = document[begin : begin + window - 1 - len(row)]
            row += [CLS, *part]
            begin += len(part)
            if begin == len(document) and len(row) < window:
                row.append(SEP)
            if len(row) == window:
                rows.append(row)
                row = []
    return np.array(rows, np.int64).reshape(-1, window)


class Batches:
    """The windows of every step: all documents in an order of its own for each epoch, then the next epoch."""

    def __init__(self, documents: Sequence[Sequence[int]], batch: int, seed: int, window: int = WINDOW) -> None:
        self.documents, self.batch, self.seed, self.window = documents, batch, seed, window
        n_tokens = sum(len(document) for document in documents)
        self.per_epoch = n_tokens // window // batch
        """Steps. Special tokens make for more windows than that: the few last of an epoch's order are left out."""
        if self.per_epoch < 1:
            msg = f"{n_tokens} tokens do not fill {batch} windows of {window}"
            raise ValueError(msg)
        self._epoch, self._windows = -1, np.empty((0, window), np.int64)

    def __call__(self, step: int) -> Ids:
        """(batch, window) for a step, from 0."""
        epoch, at = divmod(step, self.per_epoch)
        if epoch != self._epoch:
            order = np.random.default_rng((self.seed, _ORDER, epoch)).permutation(len(self.documents))
            windows = pack((self.documents[index] for index in order), self.window)
            shuffled = np.random.default_rng((self.seed, _ORDER, epoch, 1)).permutation(len(windows))
            self._epoch, self._windows = epoch, windows[shuffled]
        return self._windows[at * self.batch : (at + 1) * self.batch]


def mask(ids: Ids, share: float, seed: int, step: int) -> tuple[Ids, Ids]:
    """Inputs and targets of a masked model: of the tokens that are not special a `share` is [MASK], and predicted.

    BERT left a fifth of those visible or put others there; with so few steps that costs more than it gives.
    """
    random = np.random.default_rng((seed, _MASKS, step))
    hidden = (random.random(ids.shape) < share) & (ids >= N_SPECIAL)
    return np.where(hidden, MASK, ids), np.where(hidden, ids, NO_TARGET)


def next_tokens(ids: Ids) -> Ids:
    """Targets of a causal model: each position's next token; none for the last, and none where a [CLS] would be."""
    targets = np.full_like(ids, NO_TARGET)
    targets[:, :-1] = np.where(ids[:, 1:] == CLS, NO_TARGET, ids[:, 1:])
    return targets
