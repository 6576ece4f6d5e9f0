"""The closed form of integrated gradients against quadrature and hand values."""

import math

import numpy as np
import pytest
import torch
from transformers.activations import ACT2FN

from ingest.attribution.activation import mean_slope
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
