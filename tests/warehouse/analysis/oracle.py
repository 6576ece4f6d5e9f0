"""The analysis again, as slowly and plainly as it can be said: loops over rows, scipy for ranks. No code in common."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable

import numpy as np
from scipy import stats

Pair = tuple[int, int, int]
"""Sequence, query, key."""


def ff_amps(maps: dict[Pair, tuple[float, float, float]]) -> dict[Pair, float]:
    """FF-amp of the pairs of two positions that attention sees: (attention, before FF, after FF) of each pair."""
    rows: dict[tuple[int, int], list[Pair]] = defaultdict(list)
    for pair in maps:
        rows[pair[:2]].append(pair)
    amps = {}
    for pairs in rows.values():
        before, after = (math.fsum(maps[pair][i] for pair in pairs) for i in (1, 2))
        for pair in pairs:
            attention, own_before, own_after = maps[pair]
            if pair[1] != pair[2] and attention > 0:
                amps[pair] = own_after / after - own_before / before
    return amps


def pattern_numbers(amps: dict[Pair, float], held: set[Pair]) -> dict[str, float | int]:
    """What pattern_effect says of one pattern: amps of all pairs that count, and those that are in the pattern."""
    inside = {pair: amp for pair, amp in amps.items() if pair in held}
    gains, weights = [], []
    for seq in sorted({pair[0] for pair in inside}):
        own = [amp for pair, amp in inside.items() if pair[0] == seq]
        other = [amp for pair, amp in amps.items() if pair[0] == seq and pair not in held]
        if other:
            gains.append(len(own) * (math.fsum(own) / len(own) - math.fsum(other) / len(other)))
            weights.append(len(own))
    threshold = sorted(amps.values(), reverse=True)[math.ceil(len(amps) / 100) - 1]
    top = {pair for pair, amp in amps.items() if amp >= threshold}
    share = len(top & set(inside)) / len(top)
    return {
        "n_pairs": len(inside),
        "n_sequences": len(weights),
        "mean_amp": math.fsum(inside.values()) / len(inside),
        "effect": math.fsum(gains) / sum(weights) if weights else math.nan,
        "top_share": share,
        "lift": share / (len(inside) / len(amps)),
    }


def rank_correlation(x: Iterable[float], y: Iterable[float]) -> float:
    x, y = list(x), list(y)
    if len(set(x)) < 2 or len(set(y)) < 2:
        return math.nan
    return float(stats.spearmanr(x, y).statistic)


def partial_rank_correlation(x: Iterable[float], y: Iterable[float], z: Iterable[float]) -> float:
    """Pearson's r of what linear regression on the ranks of z leaves of the ranks of x and y."""
    ranks = [stats.rankdata(list(values)) for values in (x, y, z)]
    design = np.stack([np.ones(len(ranks[2])), ranks[2]], axis=1)
    left = [r - design @ np.linalg.lstsq(design, r, rcond=None)[0] for r in ranks[:2]]
    return float(np.corrcoef(*left)[0, 1])


def row_changes(maps: dict[Pair, tuple[float, float, float]], content: set[tuple[int, int]]) -> dict:
    """(sequence, query) -> 1 - rho of the row over its keys of content, of rows with three and a rho."""
    found = {}
    for seq, query in sorted(content):
        keys = [p for p in maps if p[:2] == (seq, query) and (seq, p[2]) in content and maps[p][0] > 0]
        if len(keys) >= 3:
            rho = rank_correlation((maps[p][1] for p in keys), (maps[p][2] for p in keys))
            if not math.isnan(rho):
                found[seq, query] = round(1 - rho, 12)  # or rounding errors part what is equal
    return found


def bootstrapped(units: int, seed: int, n_resamples: int, statistic: Callable[[list[int]], float]) -> np.ndarray:
    """The statistic of each resample, given the drawn units one by one."""
    drawn = np.random.default_rng([seed, 0]).integers(0, units, size=(n_resamples, units))
    return np.array([statistic(list(row)) for row in drawn])


def expanded_interval(draws: np.ndarray, sizes: list[float]) -> tuple[float, float]:
    """Percentiles as Hesterberg 2015 expands them, with Kish's effective number."""
    sizes = [size for size in sizes if size > 0]
    n = sum(sizes) ** 2 / sum(size**2 for size in sizes)
    tail = stats.norm.cdf(-math.sqrt(n / (n - 1)) * stats.t.ppf(0.975, n - 1))
    low, high = np.quantile(draws[~np.isnan(draws)], [tail, 1 - tail])
    return float(low), float(high)
