"""Maps and changes without outlier dimensions against the oracle's vectors, cut down to the other dimensions."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from ingest.attribution import pieces as core
from ingest.attribution.outliers import gram_without, norm_without, outlier_dims
from tests.ingest.attribution.support import FAMILY_NAMES, attribute, random_ids, tiny_model
from tests.oracle.maps import COMPONENTS, PAIR_FILTERS, change, oracle_pieces

N_TOKEN = 9


def plant(module: nn.Module) -> None:
    """Make two dimensions of every norm stand out, one large and one small, as trained models have them."""
    with torch.no_grad():
        for name, weight in module.named_parameters():
            if weight.ndim == 1 and name.endswith("weight"):
                weight.copy_(0.75 + torch.arange(len(weight)) / 2048)  # exact in float32, with 1 added too
                weight[1], weight[-2] = 4.0, -2.5


def by_definition(gamma: np.ndarray) -> list[int]:
    size = [abs(float(value)) for value in gamma]
    mean = sum(size) / len(size)
    deviation = (sum((value - mean) ** 2 for value in size) / len(size)) ** 0.5
    return [dim for dim, value in enumerate(size) if abs(value - mean) > 3 * deviation]


def test_outliers_by_definition() -> None:
    rng = np.random.default_rng(0)
    gamma = rng.normal(1, 0.1, 64)
    gamma[[3, 40]] = -2.0, 3.0
    assert by_definition(gamma) == [3, 40]
    assert outlier_dims(torch.from_numpy(gamma)).tolist() == [3, 40]
    assert outlier_dims(torch.ones(16)).tolist() == []


def test_vectors_come_back_as_they_were() -> None:
    vectors = torch.randn(4, 5, 12)
    before, dims = vectors.clone(), torch.tensor([0, 7])
    kept = [dim for dim in range(12) if dim not in (0, 7)]
    np.testing.assert_allclose(norm_without(vectors, dims), np.linalg.norm(before[..., kept], axis=-1), rtol=1e-6)
    assert torch.equal(vectors, before)
    v64 = vectors.double()
    gram = gram_without(v64 @ v64.transpose(-1, -2), vectors, dims)
    np.testing.assert_allclose(gram, v64[..., kept] @ v64[..., kept].transpose(-1, -2), atol=1e-12)


@pytest.fixture(scope="module", params=FAMILY_NAMES)
def planted(request: pytest.FixtureRequest) -> tuple[nn.Module, Tensor]:
    model = tiny_model(request.param, seed=5)
    plant(model)
    return model, random_ids(N_TOKEN)


def feed_forward_gamma(states) -> np.ndarray:  # type: ignore[no-untyped-def]
    """The weights of the norm that belongs to the feed-forward block, as the oracle read them off the model."""
    norm = {"post": states.ln_total, "res_post": states.ln_ff_out}.get(states.placement, states.ln_y)
    return norm.gamma


def test_maps_without_outliers(planted, monkeypatch) -> None:
    """Every stage of every family, in float64: the norm of the oracle's vectors over the other dimensions."""
    model, ids = planted
    found: list[dict[str, Tensor]] = []
    plain = core.layer_pieces

    def kept(*args, **options):  # type: ignore[no-untyped-def]
        result = plain(*args, **options)
        found.append(result.inlier_maps)
        return result

    monkeypatch.setattr("ingest.attribution.layer.layer_pieces", kept)
    attributed = attribute(model, ids, dtype=torch.float64, inliers=True)
    wanted = oracle_pieces(model, ids)
    n_layers_with_outliers = 0
    for maps, layer, result in zip(found, wanted, attributed, strict=True):
        dims = by_definition(feed_forward_gamma(layer.states))
        if not dims:
            assert maps is None and result[0].inlier_change is None
            continue
        n_layers_with_outliers += 1
        others = [dim for dim in range(layer.states.x.shape[-1]) if dim not in dims]
        for stage, split in layer.stages.items():
            expected = np.linalg.norm(split.pieces[..., others], axis=-1)
            largest = expected.max(axis=-1, keepdims=True)
            assert (np.abs(maps[stage][0].numpy() - expected) <= 1e-9 * largest).all(), stage
    assert n_layers_with_outliers == len(wanted)


def test_changes_without_outliers(planted) -> None:
    """Spearman of the same maps, by scipy, under every filter; the plain changes stay what they are."""
    model, ids = planted
    special = torch.zeros_like(ids, dtype=torch.bool)
    special[:, 0] = True
    ours = attribute(model, ids, special=special, dtype=torch.float64, inliers=True)
    plain = attribute(model, ids, special=special, dtype=torch.float64)
    for layer, result, without in zip(oracle_pieces(model, ids), ours, plain, strict=True):
        states = layer.states
        others = np.delete(np.arange(states.x.shape[-1]), by_definition(feed_forward_gamma(states)))
        maps = {name: np.linalg.norm(split.pieces[..., others], axis=-1) for name, split in layer.stages.items()}
        spearman = partial(change, is_special=special[0].numpy(), causal=states.causal, reach=states.reach)
        for component, (before, after) in COMPONENTS[states.placement].items():
            wanted = [1 - spearman(maps[before], maps[after], name) for name in PAIR_FILTERS]
            got = result[0].inlier_change[component][0].numpy()
            if states.placement != "parallel":  # off its diagonal all is zero, whose order is rounding
                np.testing.assert_allclose(got, wanted, atol=1e-9, err_msg=component)
            np.testing.assert_array_equal(result[0].change[component], without[0].change[component])


def test_float32_is_close(planted) -> None:
    model, ids = planted
    exact = attribute(model, ids, dtype=torch.float64, inliers=True)
    single = attribute(model, ids, dtype=torch.float32, inliers=True)
    for one, other in zip(exact, single, strict=True):
        for component, rho in one[0].inlier_change.items():
            gap = (rho - other[0].inlier_change[component]).abs().nan_to_num()
            assert gap.max() < 2e-2, component  # a swap of two nearly equal pairs among 36


def test_the_planted_dimensions_matter(planted) -> None:
    """Some change differs by more than rounding when they go, or these tests would show nothing."""
    model, ids = planted
    differences = [
        (layer[0].change[name] - layer[0].inlier_change[name]).abs().nan_to_num().max()
        for layer in attribute(model, ids, dtype=torch.float64, inliers=True)
        for name in layer[0].change
    ]
    assert max(differences) > 1e-3
