"""The closed form of integrated gradients against quadrature and hand values."""

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from scipy.integrate import quad
from transformers.activations import ACT2FN

from ingest.attribution.activation import gated_slopes, mean_slope
from tests.oracle import quadrature

SLOPE_AT_0 = {
    "gelu": 0.5,
    "gelu_new": 0.5,
    "gelu_pytorch_tanh": 0.5,
    "silu": 0.5,
    "quick_gelu": 0.5,
    "relu": 0.0,
    "relu6": 0.0,
    "tanh": 1.0,
    "sigmoid": 0.25,
    "mish": math.tanh(math.log(2)),
}
ACTIVATIONS = tuple(SLOPE_AT_0)


def pairs(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    z, origin = rng.normal(0, 3, 400), rng.normal(0, 3, 400)
    origin[:150] = 0
    z[150:160], origin[150:160] = rng.normal(0, 20, 10), rng.normal(0, 20, 10)
    return z, origin


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_against_quadrature(activation):
    z, origin = pairs()
    found = mean_slope(ACT2FN[activation], torch.from_numpy(z), torch.from_numpy(origin))
    assert found.dtype == torch.float64
    np.testing.assert_allclose(found, quadrature.mean_slope(ACT2FN[activation], origin, z), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_single_precision_input_loses_only_its_own_rounding(activation):
    z, origin = (torch.from_numpy(a).float() for a in pairs())
    found = mean_slope(ACT2FN[activation], z, origin)
    assert found.dtype == torch.float32
    expected = quadrature.mean_slope(ACT2FN[activation], origin.double().numpy(), z.double().numpy())
    np.testing.assert_allclose(found, expected, rtol=1.2e-7, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_at_zero_by_hand(activation, dtype):
    found = mean_slope(ACT2FN[activation], torch.zeros(3, dtype=dtype), torch.zeros((), dtype=dtype))
    np.testing.assert_allclose(found, [SLOPE_AT_0[activation]] * 3, rtol=1e-7)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("width", [1e-3, 1e-4, 1e-5, 1e-6, 1.1e-7, 9e-8, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 0.0])
@pytest.mark.parametrize("activation", ["gelu", "gelu_new", "silu", "quick_gelu", "tanh", "sigmoid"])
def test_narrow_paths(activation, width, sign):
    """Next to the slope's own value nothing is lost to cancellation: 1e-8 over the whole range of widths."""
    origin = np.array([0.0, 0.3, -0.7, 2.0, -2.5, 5.0, -9.0])
    z = origin + sign * width
    found = mean_slope(ACT2FN[activation], torch.from_numpy(z), torch.from_numpy(origin))
    np.testing.assert_allclose(found, quadrature.mean_slope(ACT2FN[activation], origin, z), atol=1e-8, rtol=0)


def test_relu_by_hand():
    relu = ACT2FN["relu"]
    z = torch.tensor([3.0, -3.0, 3.0, -1.0, 1.0, 5e-8, -5e-8, 0.0, 1e-30])
    origin = torch.tensor([0.0, 0.0, -1.0, 3.0, 2.0, 0.0, 0.0, 0.0, 0.0])
    assert mean_slope(relu, z, origin).tolist() == [1.0, 0.0, 0.75, 0.75, 1.0, 1.0, 0.0, 0.0, 1.0]


def test_known_closed_forms():
    """From 0: GELU has the normal CDF, SiLU the logistic function, quick GELU the logistic function of 1.702 z."""
    z = torch.linspace(-30, 30, 401, dtype=torch.float64)
    zero = torch.zeros((), dtype=torch.float64)
    cdf = torch.tensor([0.5 * math.erfc(-v / math.sqrt(2)) for v in z.tolist()], dtype=torch.float64)
    logistic = torch.tensor([1 / (1 + math.exp(-v)) for v in z.tolist()], dtype=torch.float64)
    quick = torch.tensor([1 / (1 + math.exp(-1.702 * v)) for v in z.tolist()], dtype=torch.float64)
    for activation, expected in (("gelu", cdf), ("silu", logistic), ("quick_gelu", quick)):
        torch.testing.assert_close(mean_slope(ACT2FN[activation], z, zero), expected, rtol=1e-12, atol=1e-15)


def test_shares_sum_to_the_difference():
    """Times the width, the mean slope is act(z) - act(origin), also where act(0) is not 0."""
    z, origin = (torch.from_numpy(a) for a in pairs(1))
    for activation in ACTIVATIONS:
        act = ACT2FN[activation]
        torch.testing.assert_close(
            mean_slope(act, z, origin) * (z - origin), act(z) - act(origin), rtol=1e-12, atol=1e-13
        )


def test_broadcasts_and_leaves_its_input_alone():
    z, origin = torch.randn(2, 3, 4), torch.randn(4)
    before = z.clone(), origin.clone()
    found = mean_slope(ACT2FN["gelu"], z, origin)
    assert found.shape == (2, 3, 4)
    torch.testing.assert_close(found[1, 2], mean_slope(ACT2FN["gelu"], z[1, 2], origin))
    assert torch.equal(z, before[0])
    assert torch.equal(origin, before[1])


def test_needs_no_gradient_mode_and_leaves_no_graph():
    with torch.no_grad():
        found = mean_slope(ACT2FN["gelu"], torch.zeros(2), torch.zeros(()))
    assert found.tolist() == [0.5, 0.5]
    assert not found.requires_grad


# Gated: act(gate) * up.

GATE = np.array([3.1, -2.2, 0.7, -0.4, 5.0, 0.0, 1e-9, -1e-5, 1e-3, 17.0, -25.0, 60.0, -60.0, 200.0])
GATE_ORIGIN = np.array([0.3, -2.0, -1.1, 2.0, -4.0, 0.5, 1e-9, 1.0, -0.7, -0.3, 0.2, 60.0 + 5e-8, 1.0, -30.0])


def gated_truth(activation: str, start: tuple[np.ndarray, np.ndarray], stop: tuple[np.ndarray, np.ndarray]) -> Any:
    """Both integrals by adaptive quadrature, cut where activations bend; the derivative by autograd."""
    act = ACT2FN[activation]

    def value(x: float) -> float:
        return float(act(torch.tensor(x, dtype=torch.float64)))

    def slope(x: float) -> float:
        leaf = torch.tensor(x, dtype=torch.float64, requires_grad=True)
        act(leaf).backward()
        return float(leaf.grad)

    found = []
    for a0, b0, a, b in zip(*start, *stop, strict=True):
        bends = [(bend - a0) / (a - a0) for bend in (-16, -6, -2, 0, 2, 6, 16)] if a != a0 else []
        cuts = [0.0, *sorted(t for t in bends if 0 < t < 1), 1.0]

        def whole(f: Callable[[float], float], cuts: list[float] = cuts) -> float:
            return sum(quad(f, s, e, epsabs=1e-14, epsrel=1e-12, limit=200)[0] for s, e in pairwise(cuts))

        found.append((
            whole(lambda t, a0=a0, b0=b0, a=a, b=b: slope(a0 + t * (a - a0)) * (b0 + t * (b - b0))),
            whole(lambda t, a0=a0, a=a: value(a0 + t * (a - a0))),
        ))  # fmt: skip
    return np.array(found).T


@pytest.mark.parametrize("from_zero", [True, False])
@pytest.mark.parametrize("activation", ["silu", "gelu", "gelu_pytorch_tanh", "relu", "sigmoid"])
def test_gated_against_quadrature(activation, from_zero):
    """Wide and narrow paths, paths over a kink, an origin on the value itself, an activation that is not 0 at 0."""
    up, up_origin = np.random.default_rng(0).normal(size=(2, GATE.size))
    start = (0 * GATE, 0 * GATE) if from_zero else (GATE_ORIGIN, up_origin)
    expected = gated_truth(activation, start, (GATE, up))
    for dtype, tolerance, slack in ((torch.float64, 1e-9, 1e-12), (torch.float32, 5e-6, 1e-7)):
        gate, other, *origin = (torch.tensor(v, dtype=dtype) for v in (GATE, up, *start))
        found = gated_slopes(ACT2FN[activation], gate, other, None if from_zero else tuple(origin))
        for one, truth in zip(found, expected, strict=True):
            assert one.dtype == dtype
            np.testing.assert_allclose(one, truth, rtol=tolerance, atol=slack)


@pytest.mark.parametrize("from_zero", [True, False])
def test_gated_shares_sum_to_the_difference(from_zero):
    generator = torch.Generator().manual_seed(0)
    a, b, a0, b0 = torch.randn(4, 3, 500, generator=generator, dtype=torch.float64) * 4
    if from_zero:
        a0, b0 = torch.zeros(2, 3, 500, dtype=torch.float64)
    act = ACT2FN["silu"]
    by_gate, by_up = gated_slopes(act, a, b, None if from_zero else (a0, b0))
    shares = (a - a0) * by_gate + (b - b0) * by_up
    torch.testing.assert_close(shares, act(a) * b - act(a0) * b0, rtol=1e-11, atol=1e-12)
