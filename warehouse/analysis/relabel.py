"""p by permutation for claim P3, where pairs of a few models' layers are counted and nothing is drawn independently."""

from itertools import permutations, product
from math import factorial
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

_MOST: Final = 10_000
"""Relabellings that are tried; all of them where there are no more."""


def relabelled_p(assigned: pl.DataFrame) -> float | None:
    """Chance that as many layers would meet their own index if the layers of every model were numbered at random.

    All components and pairs of models are counted together, under one numbering of each model, so that it does not
    matter that they are not independent. Exact where there are no more than 10,000 numberings, else of as many drawn
    ones (always the same), the observed one counted among them. None without an assignment.

    Args: assigned, rows of model_id_a, model_id_b, layer_a, layer_b, layers from 1, models of one depth.
    """
    if assigned.is_empty():
        return None
    models = sorted({*assigned["model_id_a"], *assigned["model_id_b"]})
    place = {model: number for number, model in enumerate(models)}
    a, b = (assigned[name].replace_strict(place).to_numpy() for name in ("model_id_a", "model_id_b"))
    rows, columns = (assigned[name].to_numpy() - 1 for name in ("layer_a", "layer_b"))
    n_layer = int(max(rows.max(), columns.max())) + 1
    numberings, is_exact = _numberings(len(models), n_layer, np.random.default_rng(0))
    met = (numberings[:, a, rows] == numberings[:, b, columns]).sum(1)
    observed = int((rows == columns).sum())
    reached = int((met >= observed).sum())
    return reached / len(met) if is_exact else (reached + 1) / (len(met) + 1)


def _numberings(n_models: int, n_layer: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], bool]:
    """(R, n_models, n_layer): numbers of layers, the first model's as they are; and whether these are all."""
    plain = np.arange(n_layer)
    if factorial(n_layer) ** (n_models - 1) <= _MOST:
        every = list(permutations(range(n_layer)))
        return np.array([[plain, *others] for others in product(every, repeat=n_models - 1)], dtype=np.int64), True
    drawn = rng.permuted(np.broadcast_to(plain, (_MOST, n_models - 1, n_layer)), axis=-1)
    return np.concatenate([np.broadcast_to(plain, (_MOST, 1, n_layer)), drawn], axis=1), False
