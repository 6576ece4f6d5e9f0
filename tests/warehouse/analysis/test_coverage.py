"""Do the intervals cover, and are the p-values uniform? 400 invented corpora for each, through the real functions.

Sentences differ in length as in real text (log-normal), so few long ones hold most pairs; the pairs of a sentence share
a random effect, and so do its pairs of the pattern.
"""

import numpy as np
import pytest
from scipy import stats

from warehouse.analysis.correlation import Correlation, Ranking, rhos, spearman
from warehouse.analysis.part import Options
from warehouse.analysis.patterns import Sums, estimates

N_CORPORA = 400
TRUE_EFFECT = 0.3


def corpus(rng: np.random.Generator, n_sequences: int, effect: float) -> Sums:
    """Sums of sequences: n pairs of the pattern among N; the amplified are top three times as often."""
    lengths = np.clip(rng.lognormal(np.log(20), 0.5, n_sequences), 5, 80).astype(int)
    all_n = (lengths * (lengths - 1)).astype(float)
    n = rng.binomial(all_n.astype(int), 0.05).astype(float)
    sentence, own = rng.normal(0, 1, n_sequences), rng.normal(0, 0.5, n_sequences)
    amp = n * (sentence + effect + own) + rng.normal(0, 2, n_sequences) * np.sqrt(n)
    rest_amp = (all_n - n) * sentence + rng.normal(0, 2, n_sequences) * np.sqrt(all_n - n)
    rate = 0.01 * rng.gamma(4, 0.25, n_sequences)
    top = rng.binomial(n.astype(int), rate * (3 if effect else 1)).astype(float)
    rest_top = rng.binomial((all_n - n).astype(int), rate).astype(float)
    columns = (n, amp, top, all_n, amp + rest_amp, top + rest_top)
    return Sums(*(column[:, None] for column in columns))


def many(n_sequences: int, effect: float) -> dict[str, np.ndarray]:
    """Columns of pattern_effect, one entry a corpus."""
    found = [
        estimates(corpus(np.random.default_rng([n_sequences, number]), n_sequences, effect), Options(number, 600))
        for number in range(N_CORPORA)
    ]
    return {name: np.concatenate([one[name] for one in found]) for name in found[0]}


def covers(found: dict[str, np.ndarray], name: str, truth: float) -> float:
    return float(((found[f"{name}_low"] <= truth) & (truth <= found[f"{name}_high"])).mean())


@pytest.mark.parametrize("n_sequences", [30, 100, 300])
def test_intervals_of_a_planted_pattern(n_sequences) -> None:
    found = many(n_sequences, TRUE_EFFECT)
    assert 0.93 <= covers(found, "effect", TRUE_EFFECT) <= 0.97
    assert 0.93 <= covers(found, "mean_amp", TRUE_EFFECT) <= 0.97
    assert 0.93 <= covers(found, "lift", 3 / (0.05 * 3 + 0.95)) <= 0.97
    assert (found["p_value"] < 0.05).mean() > (0.4 if n_sequences == 30 else 0.9), "it is found"


@pytest.mark.parametrize("n_sequences", [12, 30, 100])
def test_without_a_pattern(n_sequences) -> None:
    found = many(n_sequences, 0.0)
    assert stats.kstest(found["p_value"], "uniform").pvalue > 0.05
    assert 0.93 <= covers(found, "effect", 0.0) <= 0.97
    if n_sequences > 12:
        assert 0.93 <= covers(found, "lift", 1.0) <= 0.97


def rows(rng: np.random.Generator, n_sequences: int, slope: float) -> tuple[np.ndarray, np.ndarray]:
    """Points of sequences of 3 to 17 rows: x, y and z, each with a sequence's own part; y follows x by slope."""
    unit = np.repeat(np.arange(n_sequences), rng.integers(3, 18, n_sequences))
    z = rng.normal(size=n_sequences)[unit] + rng.normal(size=len(unit))
    x, y = (rng.normal(0, 0.7, n_sequences)[unit] + rng.normal(size=len(unit)) + z for _ in range(2))
    return np.stack([x, y + slope * x, z], axis=1), unit


def correlations(stream: int, slope: float) -> list[list[Correlation]]:
    """Of each corpus of 40 sequences: the plain and the partial correlation."""
    rngs = (np.random.default_rng([stream, number]) for number in range(N_CORPORA))
    return [spearman(*rows(rng, 40, slope), Options(number, 200)) for number, rng in enumerate(rngs)]


def test_p_values_of_rows_that_only_the_third_variable_joins() -> None:
    """Given z, nothing joins x and y: the partial p is uniform, though rows of a sequence are alike."""
    found = correlations(9, 0.0)
    assert stats.kstest([partial.p for _, partial in found], "uniform").pvalue > 0.05
    assert np.mean([plain.p < 0.05 for plain, _ in found]) > 0.9


def test_intervals_of_correlations_of_rows() -> None:
    points, _ = rows(np.random.default_rng(1), 100_000, 0.4)
    truth = rhos([Ranking.of(column) for column in points.T], np.ones(len(points), np.int64))
    found = correlations(8, 0.4)
    for k in range(2):
        hits = [one[k].low <= truth[k] <= one[k].high for one in found]
        assert 0.93 <= np.mean(hits) <= 0.97
