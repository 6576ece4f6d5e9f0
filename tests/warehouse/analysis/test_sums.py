"""Statistics of sums against numpy on the values themselves, resampled sequence by sequence."""

import numpy as np
import pytest

from warehouse.analysis import sums

RNG = np.random.default_rng(5)
LENGTHS = (4, 9, 2, 7, 12, 3)


def pairs() -> list[tuple[np.ndarray, np.ndarray]]:
    """x and y of each sequence's pairs, small and centred near 0 as FF-amp is."""
    x = [RNG.normal(-0.003, 0.02, n) for n in LENGTHS]
    return [(values, 0.4 * values + RNG.normal(0.001, 0.01, len(values))) for values in x]


def test_pearson_of_sums_is_numpys_of_the_values() -> None:
    found = pairs()
    total = sum(sums.products(x, y).sum(axis=0) for x, y in found)
    expected = np.corrcoef(*(np.concatenate(side) for side in zip(*found, strict=True)))[0, 1]
    assert sums.pearson(total) == pytest.approx(expected, abs=1e-12)


def test_resampled_is_the_statistic_of_the_resampled_corpus() -> None:
    found = pairs()
    of_sequence = np.array([sums.products(x, y).sum(axis=0) for x, y in found])
    draws = RNG.integers(0, len(found), size=(20, len(found)))
    counts = np.array([np.bincount(draw, minlength=len(found)) for draw in draws], float)
    expected = [
        np.corrcoef(np.concatenate([found[i][0] for i in draw]), np.concatenate([found[i][1] for i in draw]))[0, 1]
        for draw in draws
    ]
    np.testing.assert_allclose(sums.pearson(counts @ of_sequence), expected, atol=1e-12)


@pytest.mark.parametrize("constant", [0.0, 0.1, -1e-5, 3e7])
def test_a_constant_side_has_no_correlation(constant: float) -> None:
    total = sums.products(np.full(50, constant), RNG.normal(size=50)).sum(axis=0)
    assert np.isnan(sums.pearson(total)) and np.isnan(sums.pearson(total[[0, 2, 1, 4, 3, 5]]))


def test_means_and_their_ratio() -> None:
    upper, lower = RNG.uniform(1, 2, 7), RNG.uniform(1, 2, 5)
    total = np.array([upper.sum(), 7, lower.sum(), 5])
    assert sums.mean(total[:2]) == pytest.approx(upper.mean())
    assert sums.ratio_of_means(total) == pytest.approx(upper.mean() / lower.mean())
    assert np.isnan(sums.mean(np.zeros(2))) and np.isnan(sums.ratio_of_means(np.array([1.0, 1, 0, 5])))


def test_what_is_undefined_leaves_a_point_out() -> None:
    x, y = RNG.normal(size=9), RNG.normal(size=9)
    x[2], y[6] = np.nan, np.nan
    there = [i for i in range(9) if i not in (2, 6)]
    expected = np.corrcoef(x[there], y[there])[0, 1]
    assert sums.pearson(sums.products(x, y).sum(axis=0)) == pytest.approx(expected)
    assert sums.profile_pearson(x, y) == pytest.approx(expected)


def test_a_profile_needs_three_points_and_may_lie_far_from_zero() -> None:
    x, y = 1e6 + RNG.normal(size=(4, 8)), RNG.normal(size=(4, 8)) - 1e5
    expected = [np.corrcoef(a, b)[0, 1] for a, b in zip(x, y, strict=True)]
    np.testing.assert_allclose(sums.profile_pearson(x, y), expected, rtol=1e-6)
    assert np.isnan(sums.profile_pearson(x[:, :2], y[:, :2])).all()
