"""The translation between two models' states, against numpy's own pseudo-inverse."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from ingest.projection.stitching import random_kernel, stitched_predictions, translation


def rows(n: int, d: int, seed: int) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).normal(size=(n, d)))


@pytest.mark.parametrize("widths", [(6, 6), (4, 7), (7, 4)])
def test_it_is_embeddings_times_pseudo_inverse(widths) -> None:
    a, b = rows(30, widths[0], 0), rows(30, widths[1], 1)
    expected = a.numpy().T @ np.linalg.pinv(b.numpy().T)  # E_A (d_a, V) times pinv(E_B) (V, d_b)
    assert np.allclose(translation(a, b).numpy(), expected, atol=1e-12)
    assert translation(a.float(), b.float()).dtype == torch.float64


def test_directions_without_embeddings_stay_out() -> None:
    """Two equal columns, and fewer items than dimensions: the inverse does not exist, the pseudo-inverse does."""
    b = rows(30, 5, 1)
    b[:, 3] = b[:, 0]
    for a, other in ((rows(30, 4, 0), b), (rows(3, 4, 0), rows(3, 5, 1))):
        expected = a.numpy().T @ np.linalg.pinv(other.numpy().T)
        assert np.allclose(translation(a, other).numpy(), expected, atol=1e-10)


def test_one_matrix_gives_the_identity_and_a_turned_one_the_turn() -> None:
    a = rows(40, 6, 0)
    turn, _ = torch.linalg.qr(rows(6, 6, 2))
    assert torch.allclose(translation(a, a), torch.eye(6, dtype=torch.float64), atol=1e-12)
    assert torch.allclose(translation(a, a @ turn), turn, atol=1e-12)


def test_random_kernels_keep_scale_and_shape_alone() -> None:
    kernel = rows(50, 40, 0)
    generator = torch.Generator().manual_seed(7)
    first, second = random_kernel(kernel, generator), random_kernel(kernel, generator)
    for drawn in (first, second):
        assert drawn.shape == kernel.shape
        assert drawn.norm().item() == pytest.approx(kernel.norm().item())
        assert abs((drawn * kernel).sum() / kernel.norm() ** 2) < 0.1  # 2,000 numbers: 1 / sqrt(2000) is 0.02
    assert not torch.allclose(first, second)
    assert torch.equal(first, random_kernel(kernel, torch.Generator().manual_seed(7)))


def test_every_cut_is_asked_with_every_kernel() -> None:
    states = [torch.full((2, 3, 2), float(cut + 1)) for cut in range(3)]
    kernels = [torch.eye(2, dtype=torch.float64), -2 * torch.eye(2, dtype=torch.float64)]
    seen = []

    def finish(cut: int, state: torch.Tensor) -> torch.Tensor:
        seen.append((cut, state[0, 0, 0].item()))
        return torch.tensor([[0.0, state[0, 0, 0].item()], [1.0, 0.5]])

    said = stitched_predictions(states, kernels, finish)
    assert seen == [(0, 1), (0, -2), (1, 2), (1, -4), (2, 3), (2, -6)]
    assert said.tolist() == [[[1, 0], [0, 0]]] * 3
