"""Rollout against sums over paths, written as loops, and against what it must be whatever the maps are."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ingest.attribution.rollout import rollout

MAPS = st.tuples(st.integers(1, 4), st.integers(1, 5)).flatmap(
    lambda size: arrays(np.float32, (size[0], size[1], size[1]), elements=st.floats(0, 8, width=32))
)


def by_loops(maps: np.ndarray, add_residual: bool) -> np.ndarray:
    """R_l[i, j] = sum over k of A_l[i, k] R_(l-1)[k, j], one number at a time."""
    n_layer, n, _ = maps.shape
    found = np.zeros((n_layer + 1, n, n))
    for i in range(n):
        found[0, i, i] = 1.0
    for layer in range(n_layer):
        for i in range(n):
            row = [float(value) for value in maps[layer, i]]
            total = sum(row)
            shares = [value / total for value in row] if total else [float(i == k) for k in range(n)]
            if add_residual:
                shares = [(share + (i == k)) / 2 for k, share in enumerate(shares)]
            for j in range(n):
                found[layer + 1, i, j] = sum(shares[k] * found[layer, k, j] for k in range(n))
    return found


@given(MAPS, st.booleans(), st.booleans())
def test_against_loops(maps, add_residual, is_causal) -> None:
    maps = np.tril(maps) if is_causal else maps
    before = maps.copy()
    found = rollout(maps, add_residual=add_residual)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, by_loops(maps, add_residual), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found.sum(2), 1, rtol=1e-12)
    if is_causal:
        assert (found == np.tril(found)).all()
    assert (maps == before).all(), "the stored maps are not written into"


def test_the_last_layer_sums_over_paths() -> None:
    """Every path from position 0 at the top to an input token, one by one."""
    maps = np.random.default_rng(0).lognormal(size=(3, 4, 4)).astype(np.float32)
    shares = maps.astype(float) / maps.astype(float).sum(2, keepdims=True)
    wanted = np.zeros(4)
    for a, b, c in product(range(4), repeat=3):
        wanted[c] += shares[2, 0, a] * shares[1, a, b] * shares[0, b, c]
    np.testing.assert_allclose(rollout(maps, add_residual=False)[3, 0], wanted, rtol=1e-12)


def test_numbers_by_hand() -> None:
    """Two causal layers of two tokens: half of the second token comes from the first, each time."""
    maps = np.array([[[3.0, 0.0], [1.0, 1.0]]] * 2)
    plain, with_residual = (rollout(maps, add_residual=add) for add in (False, True))
    assert plain.tolist() == [[[1, 0], [0, 1]], [[1, 0], [0.5, 0.5]], [[1, 0], [0.75, 0.25]]]
    assert with_residual[1:].tolist() == [[[1, 0], [0.25, 0.75]], [[1, 0], [0.4375, 0.5625]]]


@pytest.mark.parametrize("add_residual", [False, True])
def test_a_row_of_zeros_passes_on_what_it_has(add_residual) -> None:
    maps = np.array([[[0.2, 0.8], [0.5, 0.5]], [[0.0, 0.0], [0.0, 0.0]]])
    found = rollout(maps, add_residual=add_residual)
    assert (found[2] == found[1]).all()


def test_tiny_values_are_shares_like_any() -> None:
    """Smallest float32 of all: no overflow, no rounding to a row of zeros."""
    maps = np.full((2, 2, 2), 1e-45, np.float32)
    assert rollout(maps, add_residual=False)[2].tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_no_layers_and_one_token() -> None:
    assert rollout(np.empty((0, 3, 3)), add_residual=False).tolist() == [np.eye(3).tolist()]
    assert rollout(np.zeros((5, 1, 1)), add_residual=True).ravel().tolist() == [1] * 6
