"""Which layers of two models correspond: correlations of parameters over the vocabulary, which both models share.

In embedding space a vector x of A and a vector y of B are compared by what they say of every item: Pearson's r of E_a x
and E_b y over the n items (Dar et al. 2023, section 4.2). Neither projection is formed. With m_a, m_b the mean
embeddings and C_ab = E_a^T E_b / n - m_a m_b^T,

    r(x, y) = x^T C_ab y / sqrt(x^T C_aa x * y^T C_bb y)

so that unit-scaled vectors and one d x d matrix give all correlations of two layers as two matrix products. In feature
space, the baseline, r is taken over the d coordinates of x and y themselves.

How similar two layers are is the mean of |r| over all pairs of their vectors (the paper's), and the mean over the
vectors of both of the |r| of their best match in the other (ours). The one-to-one assignment of layers with the
largest sum says which correspond; how likely as many of them would meet their own index by chance is exact.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import comb, factorial
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
import torch
from scipy.optimize import linear_sum_assignment
from torch import Tensor

Space = Literal["embedding", "feature"]
Measure = Literal["score", "best_match"]

_BLOCK: Final = 8192
"""Rows of the vocabulary that are held in float64 at once."""

_NOTHING: Final = 1e-12
"""A variance below this share of what vectors of that length have on average is rounding, and counts as none."""


@dataclass(frozen=True, eq=False)
class Metric:
    """What correlations over the vocabulary need of it: covariances of two models' embeddings, float64."""

    aa: Tensor  # (d_a, d_a)
    ab: Tensor  # (d_a, d_b)
    bb: Tensor  # (d_b, d_b)


@dataclass(frozen=True, eq=False)
class Alignment:
    """Of all layers of A (rows, L_a) and B (columns, L_b): how similar, and which correspond."""

    score: npt.NDArray[np.float64]  # (L_a, L_b): mean |r|
    best_match: npt.NDArray[np.float64]  # (L_a, L_b): mean |r| of the best matches
    matches: list["Matches"]  # one for each layer of A

    def of(self, measure: Measure) -> npt.NDArray[np.float64]:
        return self.score if measure == "score" else self.best_match


@dataclass(frozen=True, eq=False)
class Matches:
    """For every unit of a layer of A the unit of B, of any layer, with the largest |r|; the first of equal ones."""

    layer: Tensor  # (n_a,) int64, from 0
    unit: Tensor  # (n_a,) int64
    r: Tensor  # (n_a,) float32, with its sign


def metric(e_a: Tensor, e_b: Tensor) -> Metric:
    """Covariances over the vocabulary of embeddings (V, d_a) and (V, d_b), the same item in each row."""
    means = [_mean(e) for e in (e_a, e_b)]
    aa, ab, bb = (e_a.new_zeros(i.shape[1], j.shape[1], dtype=torch.float64) for i, j in
                  ((e_a, e_a), (e_a, e_b), (e_b, e_b)))  # fmt: skip
    for at in range(0, len(e_a), _BLOCK):
        a, b = (e[at : at + _BLOCK].double() - mean for e, mean in zip((e_a, e_b), means, strict=True))
        aa += a.T @ a
        ab += a.T @ b
        bb += b.T @ b
    n = len(e_a)
    return Metric(aa / n, ab / n, bb / n)


def align(
    vectors_a: Iterable[Tensor],
    vectors_b: Iterable[Tensor],
    metric: Metric | None,
    done: Callable[[], None] = lambda: None,
) -> Alignment:
    """Compare all layers of A, (n_a, d_a) vectors each, with all of B, (n_b, d_b).

    In embedding space where `metric` is given, else in feature space, where d_a must be d_b. No more than the
    correlations of two layers are held at once; `done` is called after every two. A vector without variance (one of
    zeros) has r = 0 with all others.
    """
    rows_b = [_standardised(y) if metric is None else _scaled(y, metric.bb).float() for y in vectors_b]
    score, best_match = [], []
    matches = []
    for x in vectors_a:  # one layer after the other, so that B's alone are held
        a = _standardised(x) if metric is None else (_scaled(x, metric.aa) @ metric.ab).float()
        found = _Best(len(a), a.device)
        for column, b in enumerate(rows_b):
            r = (a @ b.T).clamp_(-1.0, 1.0)
            size = r.abs()
            score.append(float(size.mean(dtype=torch.float64)))
            best_a, best_b = size.amax(1), size.amax(0)
            best_match.append(float(torch.cat([best_a, best_b]).mean(dtype=torch.float64)))
            found.meet(column, r, size)
            done()
        matches.append(found.matches())
    shape = len(matches), len(rows_b)
    return Alignment(np.array(score).reshape(shape), np.array(best_match).reshape(shape), matches)


class _Best:
    """The best match of every row so far."""

    def __init__(self, n: int, device: torch.device) -> None:
        self.layer = torch.zeros(n, dtype=torch.int64, device=device)
        self.unit = torch.zeros_like(self.layer)
        self.r = torch.zeros(n, device=device)
        self.is_empty = True

    def meet(self, layer: int, r: Tensor, size: Tensor) -> None:
        most, unit = size.max(1)
        unit = (size == most[:, None]).to(torch.int8).argmax(1)  # of equal ones the first
        better = torch.ones_like(most, dtype=torch.bool) if self.is_empty else most > self.r.abs()
        self.is_empty = False
        self.layer[better], self.unit[better] = layer, unit[better]
        self.r[better] = r.gather(1, unit[:, None]).squeeze(1)[better]

    def matches(self) -> Matches:
        return Matches(self.layer, self.unit, self.r)


def assign(similarity: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """(L_a, L_b): true where layers correspond under the one-to-one assignment with the largest sum."""
    rows, columns = linear_sum_assignment(similarity, maximize=True)
    assigned = np.zeros(similarity.shape, dtype=np.bool_)
    assigned[rows, columns] = True
    return assigned


def own_index_p(n_own: int, n_a: int, n_b: int) -> float:
    """Chance that at least `n_own` layers meet their own index under an assignment drawn at random. Exact.

    All one-to-one maps of the min(n_a, n_b) layers of the shallower model into those of the deeper are equally likely;
    those with exactly j own indices are counted by inclusion and exclusion.
    """
    small, large = sorted((n_a, n_b))
    maps = factorial(large) // factorial(large - small)
    hits = sum(_maps_with(j, small, large) for j in range(n_own, small + 1))
    return hits / maps


def _maps_with(own: int, small: int, large: int) -> int:
    left = small - own
    free = factorial(large - small)
    without = sum((-1) ** i * comb(left, i) * (factorial(large - own - i) // free) for i in range(left + 1))
    return comb(small, own) * without


def _mean(e: Tensor) -> Tensor:
    return e.mean(0, dtype=torch.float64)


def _scaled(x: Tensor, covariance: Tensor) -> Tensor:
    """Rows of x (n, d), float64, so scaled that what they say of the items has variance 1; zeros where it has none."""
    x = x.double()
    variance = torch.einsum("nd,nd->n", x @ covariance, x)
    usual = x.square().sum(1) * covariance.trace() / len(covariance)
    has_some = variance > _NOTHING * usual
    return x * torch.where(has_some, variance.clamp_min(torch.finfo(torch.float64).tiny).rsqrt(), 0.0)[:, None]


def _standardised(x: Tensor) -> Tensor:
    """Rows of x (n, d) less their mean, of length 1, so that products are Pearson's r over the coordinates."""
    x = x.double()
    centred = x - x.mean(1, keepdim=True)
    size = centred.square().sum(1)
    has_some = size > _NOTHING * x.square().sum(1)
    return (
        centred * torch.where(has_some, size.clamp_min(torch.finfo(torch.float64).tiny).rsqrt(), 0.0)[:, None]
    ).float()
