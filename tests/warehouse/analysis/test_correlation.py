"""Rank correlation under weights against scipy on samples that are written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tests.warehouse.analysis import oracle
from warehouse.analysis.correlation import Ranking, rhos, spearman
from warehouse.analysis.part import Options

POINT = st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 5), st.integers(0, 3))


@settings(max_examples=200, deadline=None)
@given(st.lists(POINT, min_size=1, max_size=12))
def test_weights_are_copies(rows) -> None:
    """Ties in every variable, points of weight 0, constants: three variables of whole numbers, and a weight."""
    values, weights = np.array([row[:3] for row in rows], float), np.array([row[3] for row in rows])
    rankings = [Ranking.of(column) for column in values.T]
    copies = np.repeat(values, weights, axis=0)
    found = rhos(rankings, weights)
    varied = [len(set(column)) > 1 for column in copies.T]
    if not (varied[0] and varied[1]):
        assert np.isnan(found[0])
        return
    assert found[0] == pytest.approx(stats.spearmanr(copies[:, 0], copies[:, 1]).statistic, abs=1e-12)
    assert rhos(rankings[:2], weights) == pytest.approx(found[:1])
    with_z = [stats.spearmanr(copies[:, i], copies[:, 2]).statistic for i in (0, 1)] if varied[2] else [1, 1]
    if max(map(abs, with_z)) < 1 - 1e-9:
        assert found[1] == pytest.approx(oracle.partial_rank_correlation(*copies.T), abs=1e-9)
    else:
        assert np.isnan(found[1])


@pytest.mark.parametrize("decimals", [1, 9], ids=["ties", "none"])
def test_intervals_from_units_written_out(decimals) -> None:
    rng = np.random.default_rng(5)
    unit = np.repeat(np.arange(10, 25), rng.integers(1, 9, 15))
    own = rng.normal(size=25)[unit]
    points = np.stack([own + rng.normal(size=len(unit)) for _ in range(3)], axis=1).round(decimals)
    found = spearman(points, unit, Options(7, 150))
    drawn = np.random.default_rng([7, 0]).integers(0, 15, size=(150, 15))
    draws = []
    for row in drawn:
        copies = np.concatenate([points[unit == 10 + number] for number in row])
        plain = stats.spearmanr(copies[:, 0], copies[:, 1]).statistic
        draws.append((plain, oracle.partial_rank_correlation(*copies.T)))
    sizes = [float(np.sum(unit == number)) for number in range(10, 25)]
    wanted = stats.spearmanr(points[:, 0], points[:, 1]).statistic, oracle.partial_rank_correlation(*points.T)
    for k, one in enumerate(found):
        assert one.rho == pytest.approx(wanted[k], abs=1e-9)
        assert (one.low, one.high) == pytest.approx(oracle.expanded_interval(np.array(draws)[:, k], sizes), abs=1e-9)
        assert (one.n, one.n_units) == (len(unit), 15)


def test_equal_orders_give_exactly_one() -> None:
    x = np.random.default_rng(0).normal(size=37).round(1)
    [found] = spearman(np.stack([x, np.exp(x)], axis=1), np.arange(37), Options(0, 100))
    assert (found.rho, found.low, found.high) == (1, 1, 1) and found.p == pytest.approx(1 / 101)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_few_points(n) -> None:
    points = np.random.default_rng(n).normal(size=(n, 3))
    plain, partial = spearman(points, np.arange(n), Options(0, 100))
    assert np.isnan([plain.low, plain.high, partial.low]).all() and plain.n == n
    assert np.isnan(plain.rho) == (n < 2) and np.isnan(partial.rho) == (n < 3)


def test_constants() -> None:
    points = np.stack([np.ones(20), np.arange(20.0)], axis=1)
    [found] = spearman(points, np.arange(20), Options(0, 100))
    assert np.isnan([found.rho, found.low, found.high, found.p]).all()
