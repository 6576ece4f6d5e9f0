"""LayerNorm of a sum, and the products that fold a layer."""

from functools import partial
from itertools import product

import numpy as np
import pytest
import torch
from torch import nn

from ingest.attribution.change import comparisons
from ingest.attribution.normalisation import Norm
from ingest.attribution.weights import COMPONENT_ORDER, LayerWeights, Placement, fold


def random_norm(d: int = 9, eps: float = 0.01, *, centred: bool = True) -> Norm:
    generator = torch.Generator().manual_seed(1)
    gamma, beta = torch.randn(2, d, generator=generator, dtype=torch.float64)
    return Norm(gamma, beta, eps, centred)


kinds = pytest.mark.parametrize("centred", [True, False], ids=["LayerNorm", "RMSNorm"])


def torchs(norm: Norm, y: torch.Tensor) -> torch.Tensor:
    if norm.centred:
        return nn.functional.layer_norm(y, (9,), norm.gamma, norm.beta, norm.eps)
    return nn.functional.rms_norm(y, (9,), norm.gamma, norm.eps) + norm.beta


@kinds
def test_norm_is_torchs(centred):
    norm, y = random_norm(centred=centred), torch.randn(4, 3, 9, dtype=torch.float64)
    torch.testing.assert_close(norm(y), torchs(norm, y), rtol=1e-12, atol=1e-14)
    assert norm.deviation(y).shape == (4, 3, 1)
    square = y.numpy().var(-1) if centred else (y.numpy() ** 2).mean(-1)
    np.testing.assert_allclose(norm.deviation(y)[..., 0], np.sqrt(square + 0.01))


@kinds
def test_pieces_and_constant_sum_to_the_norm_of_the_sum(centred):
    norm, pieces = random_norm(centred=centred), torch.randn(5, 9, dtype=torch.float64)
    constant = torch.randn(9, dtype=torch.float64)
    y = pieces.sum(0) + constant
    s = norm.deviation(y)
    rebuilt = (norm.linear(pieces) / s).sum(0) + norm.linear(constant) / s + norm.beta
    torch.testing.assert_close(rebuilt, torchs(norm, y), rtol=1e-12, atol=1e-14)


def test_linear_by_hand():
    norm = Norm(torch.tensor([1.0, -2.0, 0.5]), torch.tensor([9.0, 9.0, 9.0]), 0.0)
    assert norm.linear(torch.tensor([1.0, 2.0, 6.0])).tolist() == [-2.0, 2.0, 1.5]
    assert norm.deviation(torch.tensor([1.0, 3.0])).tolist() == [1.0]  # the population's, not the sample's


@kinds
def test_linear_into_a_matrix(centred):
    """linear(p) @ w = p @ linear_into(w), with linear written out as a matrix."""
    norm, w = random_norm(centred=centred), torch.randn(9, 5, dtype=torch.float64)
    centring = torch.eye(9, dtype=torch.float64) - (1 / 9 if centred else 0)
    expected = centring @ torch.diag(norm.gamma) @ w
    torch.testing.assert_close(norm.linear_into(w), expected, rtol=1e-12, atol=1e-14)
    p = torch.randn(4, 9, dtype=torch.float64)
    torch.testing.assert_close(p @ norm.linear_into(w), norm.linear(p) @ w, rtol=1e-12, atol=1e-13)


def random_layer(placement: Placement, *, is_gated: bool, centred: bool) -> LayerWeights:
    """d = 24, H = 4, Hkv = 2, dh = 5, d_ff = 7, everything random, in float64."""
    generator = torch.Generator().manual_seed(1)

    def normal(*shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    def norm() -> Norm:
        return Norm(normal(24), normal(24), 0.01, centred=centred)

    sandwich = placement == "sandwich_ln"
    return LayerWeights(
        placement, 4, normal(24, 10), normal(10), normal(20, 24), normal(24), norm(),
        normal(24, 7), normal(7), torch.nn.functional.silu, normal(7, 24), normal(24), norm(),
        w_up=normal(24, 7) if is_gated else None, b_up=normal(7) if is_gated else None,
        ln_attn_out=norm() if sandwich else None, ln_ff_out=norm() if sandwich else None,
    )  # fmt: skip


every_kind = pytest.mark.parametrize(
    ("placement", "is_gated", "centred"), list(product(COMPONENT_ORDER, (False, True), (False, True)))
)


@every_kind
def test_folded_products(placement, is_gated, centred):
    """Each against the explicit product of all its matrices, head by head, in float64."""
    w = random_layer(placement, is_gated=is_gated, centred=centred)
    assert w.n_kv_head == 2
    folded = fold(w)
    centring = torch.eye(24, dtype=torch.float64) - (1 / 24 if centred else 0)
    identity = torch.eye(24, dtype=torch.float64)

    def matrix(norm: Norm | None) -> torch.Tensor:
        return identity if norm is None else centring @ torch.diag(norm.gamma)

    mixed, read, ff_out = {
        "post_ln": (None, w.ln_attn, None),
        "pre_ln": (None, w.ln_ff, None),
        "parallel": (None, w.ln_ff, None),
        "res_post_ln": (w.ln_attn, None, None),
        "sandwich_ln": (w.ln_attn_out, w.ln_ff, w.ln_ff_out),
    }[placement]
    w_in = torch.cat([w.w_in, w.w_up], 1) if is_gated else w.w_in
    b_in = torch.cat([w.b_in, w.b_up]) if is_gated else w.b_in
    close = partial(torch.testing.assert_close, rtol=1e-11, atol=1e-12)
    close(folded.w_res_in, matrix(read) @ w_in)
    close(folded.w_out, w.w_out @ matrix(ff_out))
    close(folded.const_fixed, (0 if read is None else read.beta @ w_in) + b_in)
    for h in range(4):
        w_o = w.w_o[5 * h : 5 * h + 5]
        assert torch.equal(folded.w_attn[h], w_o)
        close(folded.w_o[h], w_o @ matrix(mixed))
        if placement != "parallel":
            close(folded.w_o_in[h], w_o @ matrix(mixed) @ matrix(read) @ w_in)
    if placement != "parallel":
        close(folded.const_in[0], w.b_o @ matrix(mixed) @ matrix(read) @ w_in)
        close(folded.const_in[1], (0 * w.b_o if mixed is None else mixed.beta) @ matrix(read) @ w_in)


def test_placements_say_which_map_is_before_and_after():
    assert comparisons("post_ln") == {
        "FF": ("atb", "after_ff"), "RES": ("after_ff", "after_res"), "LN": ("after_res", "after_ln"),
        "BLOCK": ("atb", "after_ln"),
    }  # fmt: skip
    for placement in ("pre_ln", "parallel", "sandwich_ln"):
        assert comparisons(placement) == {
            "LN": ("atb", "after_ln"), "FF": ("after_ln", "after_ff"), "RES": ("after_ff", "after_res"),
            "BLOCK": ("atb", "after_res"),
        }  # fmt: skip
    assert comparisons("res_post_ln") == {
        "FF": ("atb", "after_ff"), "LN": ("after_ff", "after_ln"), "RES": ("after_ln", "after_res"),
        "BLOCK": ("atb", "after_res"),
    }  # fmt: skip
