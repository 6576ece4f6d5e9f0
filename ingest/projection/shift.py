"""How far training moved a matrix: tuned less base, vector by vector."""

from typing import NamedTuple

import torch
from torch import Tensor


class Shift(NamedTuple):
    """A matrix's shift, measured in double precision; NaN where a measure is a ratio over nothing."""

    norm: float
    """Frobenius norm of tuned - base."""
    base_norm: float
    relative: float
    """norm / base_norm: 0 for no training; about sqrt(2) between unrelated matrices of one norm."""
    cosine: float
    """Of the two matrices as long vectors: 1 for no training, about 0 between unrelated ones."""
    unit_norms: Tensor
    """(n,) float64: the norm of each row's shift."""


def measure(base: Tensor, tuned: Tensor) -> Shift:
    """The shift between two matrices (n, d). Invariant: norm^2 is the sum of the squared unit norms, and
    norm^2 = base_norm^2 + tuned_norm^2 - 2 base_norm tuned_norm cosine."""
    base, tuned = base.double(), tuned.double()
    unit_norms = (tuned - base).norm(dim=1)
    norm, base_norm, tuned_norm = (float(x.norm()) for x in (unit_norms, base, tuned))
    product = float((base * tuned).sum())
    return Shift(
        norm=norm,
        base_norm=base_norm,
        relative=norm / base_norm if base_norm else torch.nan,
        cosine=product / (base_norm * tuned_norm) if base_norm * tuned_norm else torch.nan,
        unit_norms=unit_norms,
    )


def largest(unit_norms: Tensor, n: int) -> Tensor:
    """(at most n,) int64: the units that moved farthest, farthest first, those that moved alike by number; none that
    did not move."""
    order = unit_norms.sort(descending=True, stable=True).indices[:n]
    return order[unit_norms[order] > 0]


def extremes(scores: Tensor, k: int) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
    """Columns and values (n, k) of the highest scores of each row (n, V), and of the lowest; equal ones by column."""
    highest, lowest = (scores.sort(dim=1, descending=descending, stable=True) for descending in (True, False))
    return (highest.indices[:, :k], highest.values[:, :k]), (lowest.indices[:, :k], lowest.values[:, :k])
