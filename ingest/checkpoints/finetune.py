"""Train a stored masked checkpoint on into a classifier: is a film review favourable (`fresh`) or not (`rotten`)?

The classifier is what transformers calls BertForSequenceClassification: the last state of [CLS], through a dense layer
with tanh, into two classes. All weights are trained but the embeddings.
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch.nn.functional import cross_entropy
from transformers import AutoTokenizer, BertForSequenceClassification, PreTrainedModel, PreTrainedTokenizerFast

from ingest.checkpoints.batches import Ids
from ingest.checkpoints.recipes import LABELS, WINDOW, Tuning
from ingest.checkpoints.record import RECORD, versions, write_checkpoint
from ingest.checkpoints.steps import SAVE_EVERY, descend, run_steps
from ingest.checkpoints.text import Reviews
from ingest.checkpoints.vocabulary import CLS, PAD, SEP, token_ids
from ingest.model_files import quietly, sha256, weight_files
from ingest.tokens import tokenizer_fingerprint
from warehouse.errors import ModelError

_ORDER, _DROPOUT = 0, 1
"""Streams of random numbers, beside the seed and a count."""

_POOL: Final = 16
"""Batches that are cut from one stretch of an epoch's order, sorted by length: less padding, and still much chance."""

_EVALUATED: Final = 64
"""Reviews in a batch of the evaluation."""


class LabelledBatches:
    """The reviews of every step, a function of seed and step alone: an order of its own for each epoch."""

    def __init__(self, documents: Sequence[Sequence[int]], labels: Sequence[int], batch: int, seed: int) -> None:
        self.documents, self.labels, self.batch, self.seed = documents, np.array(labels), batch, seed
        self.per_epoch = len(documents) // batch
        """Steps; the few last reviews of an epoch's order are left out."""
        if self.per_epoch < 1:
            msg = f"{len(documents)} reviews do not make a batch of {batch}"
            raise ValueError(msg)
        self._epoch, self._chosen = -1, np.empty((0, batch), np.int64)

    def __call__(self, step: int) -> tuple[Ids, Ids]:
        """Ids (batch, longest of them), padded on the right, and labels (batch,) of a step, from 0."""
        epoch, at = divmod(step, self.per_epoch)
        if epoch != self._epoch:
            self._epoch, self._chosen = epoch, self._order(epoch)
        chosen = self._chosen[at]
        return padded([self.documents[index] for index in chosen]), self.labels[chosen]

    def _order(self, epoch: int) -> Ids:
        """Which reviews are in which batch: (per_epoch, batch)."""
        random = np.random.default_rng((self.seed, _ORDER, epoch))
        order = random.permutation(len(self.documents))[: self.per_epoch * self.batch]
        pools = [order[at : at + _POOL * self.batch] for at in range(0, len(order), _POOL * self.batch)]
        by_length = [sorted(pool, key=lambda index: len(self.documents[index])) for pool in pools]
        batches = np.concatenate(by_length).reshape(self.per_epoch, self.batch)
        return batches[random.permutation(self.per_epoch)]


def padded(documents: Sequence[Sequence[int]], window: int = WINDOW) -> Ids:
    """[CLS] document [SEP] in rows, cut to the window and padded on the right: (documents, longest of them)."""
    cut = [document[: window - 2] for document in documents]
    ids = np.full((len(cut), max(map(len, cut)) + 2), PAD, np.int64)
    for row, document in zip(ids, cut, strict=True):
        row[: len(document) + 2] = [CLS, *document, SEP]
    return ids


def stored_base(tuning: Tuning, out: Path) -> Path:
    """The folder of the checkpoint that is trained on; ModelError where it is not stored yet."""
    base = out / tuning.base
    if not (base / RECORD).is_file():
        msg = f"{tuning.name}: {tuning.base}, which it is trained on from, is not stored: train that first"
        raise ModelError(msg)
    return base


def initial_classifier(tuning: Tuning, base: Path) -> PreTrainedModel:
    """The base's weights under a head of the seed's random weights, in float32 and training mode."""
    torch.manual_seed(tuning.seed)
    load = BertForSequenceClassification.from_pretrained
    model: PreTrainedModel = quietly(
        lambda: load(
            base,
            dtype=torch.float32,
            local_files_only=True,
            id2label=dict(enumerate(LABELS)),
            label2id={label: number for number, label in enumerate(LABELS)},
            hidden_dropout_prob=tuning.dropout,
        ),
        tuning.base,
        "its weights",
    )
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(not name.startswith(tuning.frozen))
    return model.train()


def finetune(
    tuning: Tuning, base: Path, reviews: Reviews, work: Path, *, save_every: int = SAVE_EVERY
) -> tuple[PreTrainedModel, float]:
    """A classifier after its last step, and the seconds of all its steps; goes on as `train` does."""
    model: Any = initial_classifier(tuning, base)
    tokenizer = _tokenizer(base)
    batches = LabelledBatches(*_numbered(reviews.training, tokenizer), tuning.batch, tuning.seed)

    def make_step(optimizer: torch.optim.Optimizer, step: int) -> float:
        ids, labels = (torch.from_numpy(array) for array in batches(step))
        # Dropout of a step is the same whether or not the training was stopped before it.
        torch.manual_seed(int(np.random.SeedSequence((tuning.seed, _DROPOUT, step)).generate_state(1)[0]))
        logits = model(input_ids=ids, attention_mask=(ids != PAD).long()).logits
        return descend(model, optimizer, tuning, step, cross_entropy(logits, labels))

    identity = [tuning.fingerprint(), _weights_sha256(base), tokenizer_fingerprint(tokenizer), reviews.source]
    seconds = run_steps(tuning, model, identity, make_step, work, save_every)
    return model.eval(), seconds


@torch.no_grad()
def loss_and_accuracy(
    model: Any, reviews: Sequence[tuple[str, str]], tokenizer: PreTrainedTokenizerFast
) -> tuple[float, float]:
    """Nats a review, and the share of the reviews whose verdict the model gives."""
    was_training = model.training
    model.eval()
    documents, labels = _numbered(reviews, tokenizer)
    order = sorted(range(len(documents)), key=lambda index: len(documents[index]))
    loss, right = 0.0, 0
    for begin in range(0, len(order), _EVALUATED):
        chosen = order[begin : begin + _EVALUATED]
        ids = torch.from_numpy(padded([documents[index] for index in chosen]))
        wanted = torch.tensor([labels[index] for index in chosen])
        logits = model(input_ids=ids, attention_mask=(ids != PAD).long()).logits.double()
        loss += cross_entropy(logits, wanted, reduction="sum").item()
        right += int((logits.argmax(-1) == wanted).sum())
    model.train(was_training)
    return loss / len(documents), right / len(documents)


def stored_classifier(folder: Path) -> PreTrainedModel:
    """A stored classifier in float32."""
    load = BertForSequenceClassification.from_pretrained
    model: PreTrainedModel = quietly(
        lambda: load(folder, dtype=torch.float32, local_files_only=True), folder.name, "its weights"
    )
    return model.eval()


def store(
    tuning: Tuning, base: Path, reviews: Reviews, model: PreTrainedModel, seconds: float, out: Path
) -> dict[str, Any]:
    """Write `out`/NAME, whole or not at all; returns the record, whose losses are those of the stored files.

    Turns `model` into fp16 without dropout.
    """
    model.config.hidden_dropout_prob = 0.0
    tokenizer = _tokenizer(base)
    return write_checkpoint(
        tuning.name, model, tokenizer, out, lambda folder: _record(tuning, base, reviews, folder, seconds)
    )


def majority_share(reviews: Sequence[tuple[str, str]]) -> float:
    """The share of the more frequent verdict: what is right without reading."""
    verdicts = [label for _, label in reviews]
    return max(verdicts.count(label) for label in LABELS) / len(verdicts)


def _record(tuning: Tuning, base: Path, reviews: Reviews, folder: Path, seconds: float) -> dict[str, Any]:
    stored, tokenizer = stored_classifier(folder), _tokenizer(base)
    loss_before, accuracy_before = loss_and_accuracy(initial_classifier(tuning, base), reviews.held_out, tokenizer)
    loss_after, accuracy_after = loss_and_accuracy(stored, reviews.held_out, tokenizer)
    return {
        "name": tuning.name,
        "model_class": type(stored).__name__,
        "n_params": stored.num_parameters(),
        "base_model": tuning.base,
        "base_weights_sha256": _weights_sha256(base),
        "held_out": {
            "unit": "nats a review, and shares of the reviews",
            "n_reviews": len(reviews.held_out),
            "majority_share": round(majority_share(reviews.held_out), 4),
            "loss_before": round(loss_before, 4),
            "loss_after": round(loss_after, 4),
            "accuracy_before": round(accuracy_before, 4),
            "accuracy_after": round(accuracy_after, 4),
        },
        "text": reviews.source,
        "start": "the base's weights, fp16 as stored; pooler and head of random weights",
        "training": {**asdict(tuning), "labels": LABELS, "threads": torch.get_num_threads(), "seconds": round(seconds)},
        "tokenizer_fingerprint": tokenizer_fingerprint(tokenizer),
        "versions": versions(),
    }


def _weights_sha256(folder: Path) -> str:
    return sha256(weight_files(folder, folder.name))


def _tokenizer(folder: Path) -> PreTrainedTokenizerFast:
    tokenizer: PreTrainedTokenizerFast = quietly(
        lambda: AutoTokenizer.from_pretrained(folder, local_files_only=True), folder.name, "its tokenizer"
    )
    return tokenizer


def _numbered(
    reviews: Sequence[tuple[str, str]], tokenizer: PreTrainedTokenizerFast
) -> tuple[list[list[int]], list[int]]:
    """The tokens of each review, without special ones, and its class."""
    return token_ids(tokenizer, [text for text, _ in reviews]), [LABELS.index(label) for _, label in reviews]
