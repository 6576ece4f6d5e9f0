"""Spearman's rho of points that come in units (rows of sequences), with resampling of whole units.

Each resample ranks anew: a unit drawn twice holds its points twice, and equal values share their mean rank. That needs
no copies and no sorting: the values are sorted once, and ranks under weights are cumulative sums of the weights.
"""

from dataclasses import dataclass

import numpy as np

from warehouse.analysis.part import Options
from warehouse.analysis.resample import Floats, Whole, intervals, ratio, resample_counts, sign_flip_p


@dataclass(frozen=True)
class Correlation:
    """A rho with its interval and p; NaN where undefined. `n` points, `n_units` units behind it."""

    rho: float
    low: float
    high: float
    p: float
    n: int
    n_units: int


def spearman(points: Floats, unit: Whole, options: Options) -> list[Correlation]:
    """Rank correlation of the first two variables; with a third, also the one that holds it (partial Spearman).

    Args: points (P, 2) or (P, 3). unit (P,): the unit of each point, any integers; units are resampled whole.
    Returns [rho] or [rho, partial rho]. The interval is the expanded percentile one of `resample.intervals`. p is
    `resample.sign_flip_p` of the units' parts of the covariance of ranks (for the partial rho: of what is left of
    both ranks after regression on the third's), which is valid for rows too: all of a sequence's flip together.
    """
    names, unit = np.unique(unit, return_inverse=True)
    rankings = [Ranking.of(column) for column in points.T]
    value = rhos(rankings, np.ones(len(points), np.int64))
    draws = [rhos(rankings, counts[unit]) for block in resample_counts(len(names), options) for counts in block]
    sizes = np.bincount(unit, minlength=len(names)).astype(np.float64)
    low, high = intervals(np.array(draws).reshape(-1, len(value)), sizes[:, None])
    parts = [np.bincount(unit, weights=part, minlength=len(names)) for part in _covariance_parts(rankings)]
    p = sign_flip_p(np.stack(parts, axis=1), options)
    for unknown in (low, high, p):
        unknown[np.isnan(value)] = np.nan
    return [Correlation(*numbers, len(points), len(names)) for numbers in zip(value, low, high, p, strict=True)]


@dataclass(frozen=True)
class Ranking:
    """Values in ascending order, sorted once and ranked under any weights. All arrays (P,)."""

    order: Whole  # which point stands there
    place: Whole  # where a point stands
    before: Whole | None  # how many points are less than the one that stands there; None without equal values
    through: Whole | None  # how many are less or equal

    @classmethod
    def of(cls, values: Floats) -> "Ranking":
        order = np.argsort(values, kind="stable")
        place = np.empty(len(values), np.int64)
        place[order] = np.arange(len(values))
        ordered = values[order]
        if (ordered[1:] != ordered[:-1]).all():
            return cls(order, place, None, None)
        before = np.searchsorted(ordered, ordered, side="left")
        return cls(order, place, before, np.searchsorted(ordered, ordered, side="right"))

    def centred(self, weights: Whole) -> Floats:
        """Twice the mean rank of each point less its mean, point i standing for weights[i] equal ones: (P,) -> (P,).

        Whole numbers, so that sums of their products are exact up to 2^53.
        """
        cumulated = np.zeros(len(weights) + 1, np.int64)
        np.cumsum(weights[self.order], out=cumulated[1:])
        if self.before is None or self.through is None:
            doubled = cumulated[:-1] + cumulated[1:]
        else:
            doubled = cumulated[self.before] + cumulated[self.through]
        doubled -= cumulated[-1]  # twice the rank is before + through + 1, in the mean cumulated[-1] + 1
        return doubled.astype(np.float64)[self.place]


def rhos(rankings: list[Ranking], weights: Whole) -> Floats:
    """Rho of the first two variables and, where there is a third, the one that holds it: weights (P,) -> (1 or 2,).

    NaN where a variable is constant; the partial one also where the third decides one of the others.
    """
    centred = [ranking.centred(weights) for ranking in rankings]
    weighted = [weights * ranks for ranks in centred]
    square = [_dot(own, ranks) for own, ranks in zip(weighted, centred, strict=True)]

    def rho(i: int, j: int) -> Floats:
        # The root of the product, not the product of roots: only so do equal ranks give exactly 1.
        return np.clip(ratio(_dot(weighted[i], centred[j]), np.sqrt(square[i] * square[j])), -1, 1)

    first = rho(0, 1)
    if len(rankings) == 2:
        return np.array([first])
    with_x, with_y = rho(0, 2), rho(1, 2)
    left = np.sqrt((1 - with_x**2) * (1 - with_y**2))
    return np.array([first, np.clip(ratio(first - with_x * with_y, left), -1, 1)])


def _dot(a: Floats, b: Floats) -> Floats:
    """Not `a @ b`: BLAS shares even that among threads, which on a busy machine wait for each other six times as long
    as the sum takes."""
    return np.einsum("p,p->", a, b)


def _covariance_parts(rankings: list[Ranking]) -> list[Floats]:
    """What each point adds to the covariance of ranks, and to that of what the third leaves of them: (P,) each."""
    ones = np.ones(len(rankings[0].order), np.int64)
    x, y, *rest = (ranking.centred(ones) for ranking in rankings)
    if not rest:
        return [x * y]
    [z] = rest
    square = z @ z
    x_left, y_left = (v - (v @ z / square if square else 0.0) * z for v in (x, y))
    return [x * y, x_left * y_left]
