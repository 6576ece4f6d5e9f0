"""Resampling against scipy, brute force and examples worked by hand."""

import itertools

import numpy as np
import pytest
from scipy import stats

from warehouse.analysis import resample
from warehouse.analysis.part import Options
from warehouse.analysis.resample import (
    benjamini_hochberg,
    bootstrap,
    expanded_tail,
    intervals,
    ratio,
    resample_counts,
    sign_flip_p,
    student_quantile,
)


def test_counts_are_those_of_drawn_units() -> None:
    drawn = np.random.default_rng([4, 0]).integers(0, 7, size=(150, 7))
    wanted = [[list(row).count(unit) for unit in range(7)] for row in drawn]
    np.testing.assert_array_equal(np.concatenate(list(resample_counts(7, Options(4, 150)))), wanted)
    assert list(resample_counts(0, Options())) == []


def test_draws_do_not_depend_on_the_size_of_blocks(monkeypatch) -> None:
    sums = np.random.default_rng(0).normal(size=(9, 2))
    whole = bootstrap(sums, lambda totals: totals, Options(1, 200)), sign_flip_p(np.tile(sums, (2, 1)), Options(1, 200))
    monkeypatch.setattr(resample, "_BLOCK", 64)
    parts = bootstrap(sums, lambda totals: totals, Options(1, 200)), sign_flip_p(np.tile(sums, (2, 1)), Options(1, 200))
    np.testing.assert_allclose(parts[0], whole[0], rtol=1e-12)
    np.testing.assert_array_equal(parts[1], whole[1])


@pytest.mark.parametrize("df", [1, 1.3, 2.5, 7, 30, 999, 1e6])
def test_student_quantile(df) -> None:
    assert student_quantile(df) == pytest.approx(stats.t.ppf(0.975, df), rel=1e-7)


def test_expanded_tail_tends_to_the_plain_one() -> None:
    """Hesterberg 2015: for n = 10, percentiles 0.9% and 99.1% in place of 2.5% and 97.5%."""
    assert expanded_tail(10) == pytest.approx(0.0085, abs=5e-4)
    assert (
        expanded_tail(2) < expanded_tail(10) < expanded_tail(100) < expanded_tail(1e6) == pytest.approx(0.025, rel=1e-3)
    )


def test_no_interval_from_few_units_or_undefined_draws() -> None:
    draws = np.random.default_rng(0).normal(size=(1000, 5))
    draws[:99, 3], draws[:101, 4] = np.nan, np.nan
    sizes = np.ones((10, 5))
    sizes[:3, 0] = 0  # seven units are left
    sizes[0, 1] = 1000  # one unit is nearly everything
    low, high = intervals(draws, sizes)
    np.testing.assert_array_equal(np.isfinite(low), [False, False, True, True, False])
    np.testing.assert_array_equal(np.isfinite(high), np.isfinite(low))
    assert low[2] == pytest.approx(np.quantile(draws[:, 2], expanded_tail(10)))
    assert np.isnan(intervals(np.empty((0, 1)), np.empty((0, 1)))).all()


def test_all_signs_of_few_units() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(0.4, 1, size=(7, 3))
    values[2:4, 1] = 0.0  # no units of the second column
    found = sign_flip_p(values, Options(0, 200))
    for k in range(3):
        sums = [abs(np.dot(signs, values[:, k])) for signs in itertools.product((-1, 1), repeat=7)]
        assert found[k] == pytest.approx(np.mean(np.array(sums) >= abs(values[:, k].sum()) - 1e-12))


def test_random_signs_of_many_units() -> None:
    """scipy's permutation test of a mean flips signs too; both count what was observed."""
    values = np.random.default_rng(2).normal(0.25, 1, size=(40, 1))
    wanted = stats.permutation_test((values[:, 0],), np.sum, permutation_type="samples", n_resamples=20_000, rng=0)
    assert sign_flip_p(values, Options(0, 20_000))[0] == pytest.approx(wanted.pvalue, abs=0.01)
    assert sign_flip_p(values + 9, Options(0, 999))[0] == 1 / 1000


def test_p_of_nothing() -> None:
    values = np.zeros((20, 2))
    values[3, 1] = 5.0
    assert sign_flip_p(values, Options())[0] == 1 and np.isnan(sign_flip_p(values, Options())[1])


def test_benjamini_hochberg_by_hand() -> None:
    """Of 5 tests: 0.01 * 5/1, 0.02 * 5/2, min(0.03 * 5/3, 0.035 * 5/4) since what follows is smaller, 0.5 * 5/5."""
    p = np.array([0.5, 0.02, np.nan, 0.035, 0.01, 0.03])
    np.testing.assert_allclose(benjamini_hochberg(p), [0.5, 0.04375, np.nan, 0.04375, 0.04375, 0.04375])
    np.testing.assert_allclose(benjamini_hochberg(np.array([0.001, 0.04])), [0.002, 0.04])
    assert benjamini_hochberg(np.array([])).shape == (0,)


def test_benjamini_hochberg_against_scipy() -> None:
    p = np.random.default_rng(3).uniform(size=50) ** 2
    np.testing.assert_allclose(benjamini_hochberg(p), stats.false_discovery_control(p))


def test_ratio_over_nothing() -> None:
    np.testing.assert_array_equal(ratio(np.array([1.0, 0.0, 3.0]), np.array([2.0, 0.0, 0.0])), [0.5, np.nan, np.nan])
