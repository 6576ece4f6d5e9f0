"""Statistics of sums over sequences: resampling then only weighs sums, however many pairs stand behind them.

Each function takes sums whose last axis is named in its docstring and gives the statistic without that axis; where a
denominator is zero, or a correlation's side is constant, it is NaN. What resampling weighs is exact: a statistic of
weighted sums is the statistic of the resampled corpus itself.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from warehouse.analysis.resample import Floats, ratio

Statistic: TypeAlias = Callable[[Floats], Floats]

_CONSTANT = 1e-12
"""Variance over mean square below which a side of a correlation is constant: what rounding of the sums leaves."""


def mean(sums: Floats) -> Floats:
    """Sum over count. (..., 2: sum, n) -> (...)."""
    return ratio(sums[..., 0], sums[..., 1])


def ratio_of_means(sums: Floats) -> Floats:
    """One mean over another. (..., 4: sum, n of the upper; sum, n of the lower) -> (...)."""
    return ratio(mean(sums[..., :2]), mean(sums[..., 2:]))


def pearson(sums: Floats) -> Floats:
    """Pearson's r, -1 to 1. (..., 6: n, sum x, sum y, sum xx, sum yy, sum xy) -> (...).

    Meant for values that are small and centred near 0, as FF-amp is, or for centred ranks: sums of squares lose
    digits where the mean is large against the deviation.
    """
    n, x, y, xx, yy, xy = np.moveaxis(np.asarray(sums, float), -1, 0)
    var_x, var_y = n * xx - x * x, n * yy - y * y
    spread = (var_x > _CONSTANT * n * xx) & (var_y > _CONSTANT * n * yy)
    below = np.sqrt(np.where(spread, var_x, 1.0)) * np.sqrt(np.where(spread, var_y, 1.0))
    return np.where(spread, np.clip((n * xy - x * y) / below, -1, 1), np.nan)


def products(x: Floats, y: Floats) -> Floats:
    """What `pearson` takes, of one point each; NaN in either leaves the point out. (...), (...) -> (..., 6)."""
    there = ~(np.isnan(x) | np.isnan(y))
    x, y = np.where(there, x, 0.0), np.where(there, y, 0.0)
    return np.stack([there.astype(float), x, y, x * x, y * y, x * y], axis=-1)


def profile_pearson(a: Floats, b: Floats) -> Floats:
    """Pearson's r over the last axis, over the points that both have; NaN with fewer than three. (..., P) -> (...)."""
    here = products(a, b)
    centred = products(a - _centre(a, here), b - _centre(b, here))
    total = centred.sum(axis=-2)
    return np.where(total[..., 0] >= 3, pearson(total), np.nan)


def _centre(values: Floats, here: Floats) -> Floats:
    n = np.maximum(here[..., 0].sum(axis=-1, keepdims=True), 1)
    return np.where(here[..., 0] > 0, values, 0.0).sum(axis=-1, keepdims=True) / n
