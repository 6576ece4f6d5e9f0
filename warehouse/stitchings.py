"""Store how well a classifier works on another model's first layers: accuracies with intervals, in one transaction."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from warehouse import connect, sqlfiles
from warehouse.analysis.part import Options
from warehouse.analysis.resample import bootstrap, intervals
from warehouse.migrate import transaction
from warehouse.models import ModelIdentity, enter_model, find_model

STITCHING_VERSION: Final = "1"
"""Changes whenever the same models and texts would give other numbers."""

Kind = Literal["classifier", "stitched", "identity", "random"]
"""The classifier itself; on A's states translated through the vocabulary; on A's states as they are; on A's states
times a random matrix of the translation's scale."""


class Asked(NamedTuple):
    """One way of asking for the class of every text."""

    kind: Kind
    cut: int | None
    """Layers of A that come first; None for the classifier itself."""
    draw: int | None
    """Which random matrix, from 0; None for other kinds."""


@dataclass(frozen=True, eq=False)
class Stitching:
    """What was asked, and of which models and texts."""

    model_a: ModelIdentity
    model_b: ModelIdentity
    corpus_name: str
    corpus_sha256: str
    n_classes: int
    n_draws: int
    options: Options


@dataclass(frozen=True, eq=False)
class Answers:
    """The class of every text (S,), and what each way of asking said: (S, number of ways)."""

    classes: NDArray[np.int64]
    asked: tuple[Asked, ...]
    said: NDArray[np.int64]


def is_stored(path: Path, stitching: Stitching, *, wait: float = connect.READER_WAIT) -> bool:
    """Whether these very numbers are there: of this version, with these draws, resamples and seed."""
    if connect.is_missing(path):
        return False
    with connect.read(path, wait) as con:
        ids = {key: find_model(con, record) for key, record in _models(stitching).items()}
        if None in ids.values():
            return False
        values = {**ids, "corpus_sha256": stitching.corpus_sha256, **_decides(stitching)}
        [(n,)] = con.execute(sqlfiles.query("count_stitching"), values).fetchall()
    return n > 0


def store(path: Path, stitching: Stitching, answers: Answers, *, wait: float = connect.WRITER_WAIT) -> None:
    """Put the accuracies in the place of those that are there for the same models and texts."""
    rows = accuracies(answers, stitching.options)
    with connect.write(path, wait) as con, transaction(con):
        ids = {key: enter_model(con, record) for key, record in _models(stitching).items()}
        about = {**ids, "corpus_sha256": stitching.corpus_sha256}
        con.execute(sqlfiles.query("delete_stitching"), about).fetchall()
        values = {
            **about,
            **_decides(stitching),
            "corpus_name": stitching.corpus_name,
            "n_classes": stitching.n_classes,
            "n_sequences": len(answers.classes),
        }
        con.register("new_rows", rows.to_arrow())
        con.execute(sqlfiles.query("insert_stitching"), values).fetchall()
        con.unregister("new_rows")


def accuracies(answers: Answers, options: Options) -> pl.DataFrame:
    """One row a way of asking, and one for chance, the share of the most frequent class.

    Intervals are bootstrap ones over texts, those of `gain` (accuracy less chance) over the same resamples: the
    classifier and chance see the same texts. Chance is one class throughout, the most frequent one of all texts.
    """
    frequent = np.bincount(answers.classes).argmax()
    right = np.column_stack([answers.said == answers.classes[:, None], answers.classes == frequent]).astype(np.float64)
    n = len(right)
    drawn = bootstrap(right, lambda totals: totals / n, options)
    each = np.ones((n, 1))
    low, high = intervals(drawn, each)
    gain_low, gain_high = intervals(drawn - drawn[:, -1:], each)
    value = right.mean(0)
    asked = [*answers.asked, ("chance", None, None)]
    frame = pl.DataFrame(
        {
            "kind": [kind for kind, _, _ in asked],
            "cut": pl.Series([cut for _, cut, _ in asked], dtype=pl.Int16),
            "draw": pl.Series([draw for _, _, draw in asked], dtype=pl.Int16),
            "accuracy": value,
            "low": low,
            "high": high,
            "gain": value - value[-1],
            "gain_low": gain_low,
            "gain_high": gain_high,
        }
    )
    return frame.with_columns(pl.col("low", "high", "gain_low", "gain_high").fill_nan(None))


def _models(stitching: Stitching) -> dict[str, ModelIdentity]:
    return {"model_a": stitching.model_a, "model_b": stitching.model_b}


def _decides(stitching: Stitching) -> dict[str, int | str]:
    return {
        "n_draws": stitching.n_draws,
        "seed": stitching.options.seed,
        "n_resamples": stitching.options.n_resamples,
        "method_version": STITCHING_VERSION,
    }
