"""What a model has learnt: its loss on held-out text, and the unigram entropy that it has to beat.

Each document is a sequence of its own, as in a warehouse: [CLS] text [SEP], in parts where it is long. Every token that
is not special counts once: a causal model predicts it from those before it, a masked model from all that are left when
a seventh of the tokens is hidden, in seven rounds that hide each token once.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch

from ingest.checkpoints.batches import NO_TARGET, Ids, next_tokens
from ingest.checkpoints.build import token_losses
from ingest.checkpoints.recipes import WINDOW, Kind
from ingest.checkpoints.vocabulary import CLS, MASK, N_SPECIAL, PAD, SEP

ROUNDS: Final = 7
_BATCH: Final = 32
_SEED: Final = 20_240


def unigram_entropy(documents: Sequence[Sequence[int]], unigram: npt.NDArray[np.float64]) -> float:
    """Nats a token of documents under unigram probabilities of other text: a cross-entropy."""
    tokens = np.concatenate([np.asarray(document, np.int64) for document in documents])
    return float(-np.log(unigram[tokens]).mean())


@torch.no_grad()
def held_out_loss(model: Any, kind: Kind, documents: Sequence[Sequence[int]], window: int = WINDOW) -> float:
    """Nats a token. The same for the same model and documents: which tokens a round hides is fixed."""
    was_training = model.training
    model.eval()
    total, count = 0.0, 0
    for ids in _padded(documents, window):
        attended = torch.from_numpy(ids != PAD).long()
        for inputs, targets in _tasks(ids, kind):
            losses = token_losses(model, kind, torch.from_numpy(inputs), torch.from_numpy(targets), attended)
            total += losses.double().sum().item()
            count += len(losses)
    model.train(was_training)
    return total / count


def _tasks(ids: Ids, kind: Kind) -> Iterator[tuple[Ids, Ids]]:
    """Inputs and targets that together ask for every token once that is not special."""
    if kind == "causal":
        targets = next_tokens(ids)
        yield ids, np.where(targets >= N_SPECIAL, targets, NO_TARGET)
        return
    turn = np.random.default_rng(_SEED).integers(ROUNDS, size=ids.shape)
    for number in range(ROUNDS):
        hidden = (turn == number) & (ids >= N_SPECIAL)
        if hidden.any():
            yield np.where(hidden, MASK, ids), np.where(hidden, ids, NO_TARGET)


def _padded(documents: Sequence[Sequence[int]], window: int) -> Iterator[Ids]:
    """Batches of sequences of similar length, padded on the right: (at most _BATCH, longest of them)."""
    room = window - 2
    parts = [document[begin : begin + room] for document in documents for begin in range(0, len(document), room)]
    parts.sort(key=len)
    for begin in range(0, len(parts), _BATCH):
        batch = parts[begin : begin + _BATCH]
        ids = np.full((len(batch), len(batch[-1]) + 2), PAD, np.int64)
        for row, part in zip(ids, batch, strict=True):
            row[: len(part) + 2] = [CLS, *part, SEP]
        yield ids
