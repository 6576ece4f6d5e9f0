"""Alignment against dense correlations in double precision, and exact chances against counting."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from ingest.projection.alignment import align, assign, metric, own_index_p


def embeddings(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """With a mean and directions of very different sizes, as trained ones have."""
    return rng.normal(size=(n, d)) * np.geomspace(1, 0.01, d) + 3 * rng.normal(size=d)


def tensors(arrays: list[np.ndarray]) -> list[torch.Tensor]:
    return [torch.tensor(array, dtype=torch.float32) for array in arrays]


def dense(a: list[np.ndarray], b: list[np.ndarray]) -> list[list[np.ndarray]]:
    """|r| and its sign of all vectors of all layers, over the columns."""
    return [[np.corrcoef(x, y)[: len(x), len(x) :] for y in b] for x in a]


@pytest.mark.parametrize(("d_a", "d_b"), [(12, 12), (12, 7)])
def test_embedding_space_is_pearson_over_the_vocabulary(d_a: int, d_b: int) -> None:
    rng = np.random.default_rng(3)
    e_a, e_b = embeddings(rng, 500, d_a), embeddings(rng, 500, d_b)
    a = [rng.normal(size=(n, d_a)).astype(np.float32) for n in (9, 5, 6)]
    b = [rng.normal(size=(n, d_b)).astype(np.float32) for n in (4, 8)]
    e_a, e_b = e_a.astype(np.float32), e_b.astype(np.float32)
    found = align(tensors(a), tensors(b), metric(*tensors([e_a, e_b])))
    wide_a, wide_b = ([x.astype(float) @ e.astype(float).T for x in of] for of, e in ((a, e_a), (b, e_b)))
    assert_equal(found, dense(wide_a, wide_b))


def test_feature_space_is_pearson_over_coordinates() -> None:
    rng = np.random.default_rng(4)
    a = [rng.normal(size=(n, 20)).astype(np.float32) + 2 for n in (7, 3)]
    b = [rng.normal(size=(n, 20)).astype(np.float32) for n in (5, 6, 2)]
    found = align(tensors(a), tensors(b), None)
    assert_equal(found, dense([x.astype(float) for x in a], [y.astype(float) for y in b]))


def assert_equal(found, expected: list[list[np.ndarray]]) -> None:
    score = np.array([[np.abs(r).mean() for r in row] for row in expected])
    best = [[np.concatenate([np.abs(r).max(1), np.abs(r).max(0)]).mean() for r in row] for row in expected]
    np.testing.assert_allclose(found.score, score, atol=1e-5)
    np.testing.assert_allclose(found.best_match, np.array(best), atol=1e-5)
    for matches, row in zip(found.matches, expected, strict=True):
        for unit in range(len(row[0])):
            sizes = [(abs(r[unit, other]), layer, other) for layer, r in enumerate(row) for other in range(r.shape[1])]
            _, layer, other = max(sizes)
            assert (int(matches.layer[unit]), int(matches.unit[unit])) == (layer, other)
            assert float(matches.r[unit]) == pytest.approx(row[layer][unit, other], abs=1e-5)


def test_a_model_is_its_own_match_under_any_basis() -> None:
    """Embedding space does not know a model's basis; feature space does."""
    rng = np.random.default_rng(5)
    e = rng.normal(size=(300, 16))
    layers = [rng.normal(size=(10, 16)) for _ in range(4)]
    turn = np.linalg.qr(rng.normal(size=(16, 16)))[0]
    turned = [layer @ turn for layer in layers]
    found = align(tensors(layers), tensors(turned), metric(*tensors([e, e @ turn])))
    assert assign(found.best_match).diagonal().all() and assign(found.score).diagonal().all()
    for layer, matches in enumerate(found.matches):
        assert matches.layer.tolist() == [layer] * 10 and matches.unit.tolist() == list(range(10))
        assert torch.allclose(matches.r, torch.ones(10), atol=1e-5)
    assert align(tensors(layers), tensors(turned), None).best_match.max() < 0.9


def test_ties_go_to_the_first_and_nothing_correlates_with_zeros() -> None:
    x = torch.tensor([[1.0, 2.0, -3.0], [0.0, 0.0, 0.0], [5.0, 5.0, 5.0]])
    y = torch.tensor([[-1.0, -2.0, 3.0], [1.0, 2.0, -3.0]])
    found = align([x], [y, y], None)
    assert found.matches[0].layer.tolist() == [0, 0, 0] and found.matches[0].unit.tolist() == [0, 0, 0]
    assert found.matches[0].r.tolist() == pytest.approx([-1.0, 0.0, 0.0])  # constant over coordinates: no variance
    assert found.score[0, 0] == pytest.approx(1 / 3)


@pytest.mark.parametrize(("n_a", "n_b"), [(1, 1), (2, 2), (4, 4), (6, 6), (3, 5), (5, 3), (1, 4)])
def test_chances_are_those_of_counting(n_a: int, n_b: int) -> None:
    small, large = sorted((n_a, n_b))
    own = [sum(i == j for i, j in enumerate(map_)) for map_ in itertools.permutations(range(large), small)]
    for k in range(small + 1):
        assert own_index_p(k, n_a, n_b) == pytest.approx(sum(n >= k for n in own) / len(own), rel=1e-12)


def test_twelve_layers_on_their_own_index_are_no_chance() -> None:
    assert own_index_p(12, 12, 12) == pytest.approx(1 / 479001600)
    assert own_index_p(0, 12, 12) == 1


def test_the_assignment_has_the_largest_sum() -> None:
    rng = np.random.default_rng(6)
    for shape in ((4, 4), (3, 5), (5, 3)):
        similarity = rng.normal(size=shape)
        small, large = sorted(shape)
        wide = similarity if shape[0] == small else similarity.T
        best = max(sum(wide[i, j] for i, j in enumerate(map_)) for map_ in itertools.permutations(range(large), small))
        assert similarity[assign(similarity)].sum() == pytest.approx(best)
