"""Extremes against whole rows sorted in numpy, ties included."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.projection import top_k
from ingest.projection.top_k import extremes


def sorted_whole(scores: np.ndarray, k: int, sign: int) -> tuple[np.ndarray, np.ndarray]:
    columns = np.argsort(-sign * scores, axis=1, kind="stable")[:, :k]
    return columns, np.take_along_axis(scores, columns, axis=1)


def found(vectors, embeddings, k):
    blocks = list(extremes(vectors, embeddings, k))
    return [
        (np.concatenate([b[side].columns.numpy() for b in blocks]), np.concatenate([b[side].scores for b in blocks]))
        for side in (0, 1)
    ]


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 9),
    n_items=st.integers(1, 700),
    k=st.integers(1, 12),
    levels=st.sampled_from([1, 2, 3, 10, 1000]),
    seed=st.integers(0, 99),
)
def test_every_row_with_ties(n, n_items, k, levels, seed):
    """Whole numbers, whose products are exact, so that equal scores are equal."""
    k = min(k, n_items)
    draw = torch.Generator().manual_seed(seed)
    vectors = torch.randint(-levels, levels + 1, (n, 3), generator=draw).float()
    embeddings = torch.randint(-levels, levels + 1, (n_items, 3), generator=draw).float()
    scores = vectors.numpy() @ embeddings.numpy().T
    for (columns, best), sign in zip(found(vectors, embeddings, k), (1, -1), strict=True):
        expected = sorted_whole(scores, k, sign)
        np.testing.assert_array_equal(columns, expected[0])
        np.testing.assert_array_equal(best, expected[1])


@pytest.mark.parametrize("row", [np.zeros(1000), np.full(1000, -3.0), np.full(1000, 3.0), np.arange(1000) // 40])
def test_rows_that_tie_across_groups(row):
    """More equal scores than k, in more groups than are chosen; all negative or all positive beside padding columns."""
    embeddings = torch.tensor(row, dtype=torch.float32).unsqueeze(1)[:993]
    for (columns, _), sign in zip(found(torch.ones(2, 1), embeddings, 5), (1, -1), strict=True):
        expected, _ = sorted_whole(np.tile(row[:993], (2, 1)), 5, sign)
        np.testing.assert_array_equal(columns, expected)


def test_in_single_precision_and_in_blocks(monkeypatch):
    """Against a product in double precision: scores within 1e-5, and no better item left out."""
    draw = torch.Generator().manual_seed(1)
    vectors, embeddings = torch.randn(150, 96, generator=draw), torch.randn(5000, 96, generator=draw)
    exact = vectors.double().numpy() @ embeddings.double().numpy().T
    monkeypatch.setattr(top_k, "BLOCK_BYTES", 64 * 4 * 5000)
    assert len(list(extremes(vectors, embeddings, 20))) == 3
    for (columns, best), sign in zip(found(vectors, embeddings, 20), (1, -1), strict=True):
        _, expected = sorted_whole(exact, 20, sign)
        np.testing.assert_allclose(best, expected, rtol=1e-5)
        np.testing.assert_allclose(np.take_along_axis(exact, columns, axis=1), best, rtol=1e-5)
        assert all(len(set(row)) == 20 for row in columns.tolist())


def test_embeddings_are_left_alone():
    embeddings = torch.randn(70, 4, generator=torch.Generator().manual_seed(2))
    before = embeddings.clone()
    list(extremes(torch.ones(3, 4), embeddings, 70))
    assert torch.equal(embeddings, before)
