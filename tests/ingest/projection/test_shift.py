"""Measures of a shift against numpy, and the order of what moved."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from ingest.projection.shift import extremes, largest, measure


def test_measures_are_those_of_numpy() -> None:
    random = np.random.default_rng(0)
    base, tuned = random.normal(size=(7, 5)), random.normal(size=(7, 5))
    found = measure(torch.from_numpy(base), torch.from_numpy(tuned))
    assert found.norm == pytest.approx(np.linalg.norm(tuned - base))
    assert found.base_norm == pytest.approx(np.linalg.norm(base))
    assert found.relative == pytest.approx(np.linalg.norm(tuned - base) / np.linalg.norm(base))
    cosine = base.ravel() @ tuned.ravel() / np.linalg.norm(base) / np.linalg.norm(tuned)
    assert found.cosine == pytest.approx(cosine)
    assert np.allclose(found.unit_norms.numpy(), np.linalg.norm(tuned - base, axis=1))


def test_no_training_and_unrelated_matrices() -> None:
    base = torch.randn(200, 50, generator=torch.Generator().manual_seed(0))
    same = measure(base, base)
    assert (same.norm, same.relative) == (0, 0)
    assert same.cosine == pytest.approx(1)
    other = measure(base, torch.randn(200, 50, generator=torch.Generator().manual_seed(1)))
    assert other.relative == pytest.approx(math.sqrt(2), abs=0.05)
    assert other.cosine == pytest.approx(0, abs=0.05)


def test_ratios_over_nothing_are_not_numbers() -> None:
    found = measure(torch.zeros(2, 2), torch.eye(2))
    assert math.isnan(found.relative)
    assert math.isnan(found.cosine)
    assert found.norm == pytest.approx(math.sqrt(2))


def test_the_farthest_come_first_and_what_did_not_move_not_at_all() -> None:
    assert largest(torch.tensor([1.0, 3.0, 0.0, 3.0, 2.0]), 3).tolist() == [1, 3, 4]
    assert largest(torch.tensor([0.0, 1.0, 0.0]), 3).tolist() == [1]


def test_extremes_of_both_signs_with_ties_by_column() -> None:
    scores = torch.tensor([[2.0, 5.0, -1.0, 5.0, -1.0]])
    (high, best), (low, worst) = extremes(scores, 3)
    assert (high.tolist(), best.tolist()) == ([[1, 3, 0]], [[5, 5, 2]])
    assert (low.tolist(), worst.tolist()) == ([[2, 4, 0]], [[-1, -1, 2]])
