"""The Multi-Bootstrap against a loop that draws runs and sequences one by one, and on studies whose truth is known."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from warehouse.analysis import sums
from warehouse.analysis.multibootstrap import group_draws, mean_of_pairs, seed_expansion, two_sided_p
from warehouse.analysis.resample import intervals


def test_draws_are_those_of_a_loop() -> None:
    """Every way to draw 3 runs, on 4 resamples of the sequences: the draws are means of the drawn runs, widened."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(3, 5))  # run, sequence
    drawn = rng.integers(0, 5, size=(4, 5))
    counts = np.array([np.bincount(d, minlength=5) for d in drawn], float)
    of_run = np.stack([sums.mean(counts @ np.stack([row, np.ones(5)], -1)) for row in x])
    found = group_draws(np.repeat(of_run, 500, axis=1), x.mean(axis=1), np.random.default_rng(2)).reshape(4, 500)
    for resample in range(4):
        means = [np.mean([x[run][i] for i in drawn[resample]]) for run in range(3)]
        more = [(seed_expansion(3) - 1) * (x[run].mean() - x.mean()) for run in range(3)]
        possible = [np.mean([means[run] + more[run] for run in runs]) for runs in product(range(3), repeat=3)]
        np.testing.assert_allclose(np.unique(found[resample].round(9)), np.unique(np.round(possible, 9)))


def test_expansion_is_that_of_t() -> None:
    for n in (2, 3, 5, 10, 25, 100):
        expected = np.sqrt(n / (n - 1)) * stats.t.ppf(0.975, n - 1) / stats.norm.ppf(0.975)
        assert seed_expansion(n) == pytest.approx(expected, rel=1e-6)
    assert seed_expansion(1) == 1


def test_one_run_keeps_its_own_draws_and_undefined_ones_stay_undefined() -> None:
    values = np.random.default_rng(3).normal(size=(1, 30, 2))
    values[0, 4, 1] = np.nan
    np.testing.assert_array_equal(group_draws(values, values[:, 0], np.random.default_rng(0)), values[0])
    undefined = group_draws(np.concatenate([values, values + 1]), np.zeros((2, 2)), np.random.default_rng(0))
    assert np.argwhere(np.isnan(undefined)).tolist() == [[4, 1]]
    assert two_sided_p(np.array([[np.nan, np.nan], [1.0, np.nan]]))[0] == 1
    assert np.isnan(two_sided_p(np.full((3, 1), np.nan)))


def study(rng: np.random.Generator, n_runs: int, n_seq: int, sd_seed: float) -> np.ndarray:
    """(run, sequence) values around 0: seeds, sequences and what is left all vary."""
    seed, sequence = rng.normal(0, sd_seed, (n_runs, 1)), rng.normal(0, 1, (1, n_seq))
    return seed + sequence + rng.normal(0, 1, (n_runs, n_seq))


def draws_of(x: np.ndarray, counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return group_draws((counts @ x.T).T / x.shape[1], x.mean(axis=1), rng)


def ends(draws: np.ndarray) -> tuple[float, float]:
    """The interval, of 40 sequences that count alike."""
    low, high = intervals(draws[:, None], np.ones((40, 1)))
    return low[0], high[0]


@pytest.mark.parametrize(("n_runs", "sd_seed"), [(3, 1.0), (5, 1.0), (10, 0.2)])
def test_the_interval_covers_the_truth(n_runs: int, sd_seed: float) -> None:
    """In 95% of studies or more; of 300, 92% is two and a half standard errors below."""
    rng, hits = np.random.default_rng(7), 0
    for _ in range(300):
        x = study(rng, n_runs, 40, sd_seed)
        counts = rng.multinomial(40, np.full(40, 1 / 40), size=400)
        low, high = ends(draws_of(x, counts, rng))
        hits += low <= 0 <= high
    assert hits / 300 > 0.92


def test_groups_that_do_not_differ_are_told_so_in_19_of_20_studies() -> None:
    """Paired sequences: what both groups owe to the same sequences leaves the difference."""
    rng, hits, wider = np.random.default_rng(8), 0, []
    for _ in range(200):
        common = rng.normal(0, 5, 40)
        a, b = (study(rng, 5, 40, 0.5) + common for _ in "ab")
        counts, others = rng.multinomial(40, np.full(40, 1 / 40), size=(2, 400))
        of_a = draws_of(a, counts, rng)
        low, high = ends(draws_of(b, counts, rng) - of_a)
        hits += low <= 0 <= high
        unpaired = ends(draws_of(b, others, rng) - of_a)
        wider.append((unpaired[1] - unpaired[0]) / (high - low))
    assert hits / 200 > 0.92
    assert np.median(wider) > 1.5


def test_p_is_small_where_the_interval_leaves_zero_out() -> None:
    rng = np.random.default_rng(9)
    for mean in (0.0, 0.5, 1.9, 2.0, 4.0):
        draws = rng.normal(mean, 1, 100_000)
        assert two_sided_p(draws) == pytest.approx(2 * stats.norm.sf(mean), abs=0.01)
    assert two_sided_p(np.full(999, 3.0)) == pytest.approx(2 / 1000)
    assert two_sided_p(np.zeros(999)) == 1


def test_the_mean_over_pairs_of_runs_is_covered() -> None:
    """Pairs that share a run go together: r_ij = 0.3 + a_i + a_j + e_ij."""
    rng, hits = np.random.default_rng(10), 0
    for _ in range(400):
        own = rng.normal(0, 0.05, 5)
        first, second = np.triu_indices(5, 1)
        values = 0.3 + own[first] + own[second] + rng.normal(0, 0.02, 10)
        low, high = mean_of_pairs(values, values - 0.005, values + 0.005)
        hits += low <= 0.3 <= high
    assert 0.92 < hits / 400 < 0.98


def test_two_runs_have_no_interval_over_runs_and_none_ends_beyond_one() -> None:
    assert np.isnan(mean_of_pairs(np.array([0.5]), np.array([0.4]), np.array([0.6]))).all()
    values = np.array([0.9, 0.99, 0.7])
    low, high = mean_of_pairs(values, values - 0.01, values + 0.01)
    assert low < values.mean() < high == 1
