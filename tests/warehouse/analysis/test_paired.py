"""Paired differences of two runs: their value by hand, and intervals that cover."""

import numpy as np
import polars as pl
import pytest

from warehouse.analysis.paired import change_differences, share_differences
from warehouse.analysis.part import Options


def frame(values: dict[str, np.ndarray], layer: int = 1) -> pl.DataFrame:
    n = len(next(iter(values.values())))
    return pl.DataFrame({"layer": [layer] * n, "seq_id": range(n)} | values)


def test_values_are_those_by_hand() -> None:
    rng = np.random.default_rng(3)
    a, b, c, d = rng.uniform(0.1, 1, size=(4, 20))
    found = change_differences(
        pl.concat([frame({"change_a": c, "change_b": d}, 2), frame({"change_a": a, "change_b": b})])
    )
    assert found["layer"].to_list() == [1, 2] and found["n_sequences"].to_list() == [20, 20]
    assert found["difference"].to_list() == pytest.approx([(b - a).mean(), (d - c).mean()])
    share = share_differences(frame({"ff_a": a, "block_a": b, "ff_b": c, "block_b": d}))
    assert share["difference"].item() == pytest.approx(d.sum() / c.sum() - b.sum() / a.sum())
    assert share["low"].item() < share["difference"].item() < share["high"].item()


def test_order_of_the_runs_turns_the_sign() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.uniform(size=(2, 15))
    there, back = (change_differences(frame({"change_a": x, "change_b": y})) for x, y in ((a, b), (b, a)))
    assert there["difference"].item() == pytest.approx(-back["difference"].item())
    assert there["low"].item() == pytest.approx(-back["high"].item())


def test_pairs_count_not_two_samples() -> None:
    """Sequences that are hard for both runs do not hide a difference that all of them show."""
    rng = np.random.default_rng(5)
    a = rng.uniform(0, 1, 30)
    found = change_differences(frame({"change_a": a, "change_b": a + 0.01 + rng.normal(0, 0.001, 30)})).row(
        0, named=True
    )
    assert 0.009 < found["low"] < found["high"] < 0.011


def test_few_sequences_have_no_interval() -> None:
    found = change_differences(frame({"change_a": np.arange(7.0), "change_b": np.arange(7.0) ** 2})).row(0, named=True)
    assert found["difference"] is not None and found["low"] is None and found["high"] is None


def test_a_share_of_nothing_is_undefined() -> None:
    zero, one = np.zeros(10), np.ones(10)
    found = share_differences(frame({"ff_a": zero, "block_a": one, "ff_b": one, "block_b": one})).row(0, named=True)
    assert (found["difference"], found["low"], found["high"]) == (None, None, None)


def test_no_rows() -> None:
    nothing = frame({"change_a": np.zeros(0), "change_b": np.zeros(0)})
    assert change_differences(nothing).is_empty()


def test_intervals_cover() -> None:
    """Of 200 studies of 12 sequences about 95% hold the true difference; a binomial of 0.9 would give 189 in 2%."""
    rng = np.random.default_rng(6)
    held = 0
    for _ in range(200):
        a = rng.normal(0.3, 0.1, 12)
        b = a + rng.normal(0.05, 0.05, 12)
        found = change_differences(frame({"change_a": a, "change_b": b}), Options(n_resamples=300)).row(0, named=True)
        held += found["low"] <= 0.05 <= found["high"]
    assert 180 <= held <= 198
