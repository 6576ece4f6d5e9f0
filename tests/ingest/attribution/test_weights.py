"""LayerNorm of a sum, and the products that fold a layer."""

import numpy as np
import pytest
import torch
from torch import nn

from ingest.architectures import families
from ingest.attribution.normalisation import LayerNorm
from ingest.attribution.weights import fold
from tests.ingest.attribution.support import FAMILY_NAMES, in_dtype, tiny_model


def random_norm(d: int = 9, eps: float = 0.01) -> LayerNorm:
    generator = torch.Generator().manual_seed(1)
    gamma, beta = torch.randn(2, d, generator=generator, dtype=torch.float64)
    return LayerNorm(gamma, beta, eps)


def test_norm_is_torchs():
    norm, y = random_norm(), torch.randn(4, 3, 9, dtype=torch.float64)
    expected = nn.functional.layer_norm(y, (9,), norm.gamma, norm.beta, norm.eps)
    torch.testing.assert_close(norm(y), expected, rtol=1e-12, atol=1e-14)
    assert norm.deviation(y).shape == (4, 3, 1)
    np.testing.assert_allclose(norm.deviation(y)[..., 0], np.sqrt(y.numpy().var(-1) + 0.01))


def test_pieces_and_constant_sum_to_the_norm_of_the_sum():
    norm, pieces = random_norm(), torch.randn(5, 9, dtype=torch.float64)
    constant = torch.randn(9, dtype=torch.float64)
    y = pieces.sum(0) + constant
    s = norm.deviation(y)
    rebuilt = (norm.linear(pieces) / s).sum(0) + norm.linear(constant) / s + norm.beta
    expected = nn.functional.layer_norm(y, (9,), norm.gamma, norm.beta, norm.eps)
    torch.testing.assert_close(rebuilt, expected, rtol=1e-12, atol=1e-14)


def test_linear_by_hand():
    norm = LayerNorm(torch.tensor([1.0, -2.0, 0.5]), torch.tensor([9.0, 9.0, 9.0]), 0.0)
    assert norm.linear(torch.tensor([1.0, 2.0, 6.0])).tolist() == [-2.0, 2.0, 1.5]
    assert norm.deviation(torch.tensor([1.0, 3.0])).tolist() == [1.0]  # the population's, not the sample's


def test_linear_into_a_matrix():
    """linear(p) @ w = p @ linear_into(w), with linear written out as a matrix."""
    norm, w = random_norm(), torch.randn(9, 5, dtype=torch.float64)
    centring = torch.eye(9, dtype=torch.float64) - 1 / 9
    expected = centring @ torch.diag(norm.gamma) @ w
    torch.testing.assert_close(norm.linear_into(w), expected, rtol=1e-12, atol=1e-14)
    p = torch.randn(4, 9, dtype=torch.float64)
    torch.testing.assert_close(p @ norm.linear_into(w), norm.linear(p) @ w, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_folded_products(name):
    """Each against the explicit product of all its matrices, head by head, in float64."""
    model, family = tiny_model(name), families()[name]
    for module in family.layers(model):
        weights = in_dtype(family.weights(module, model.config), torch.float64)
        folded = fold(weights)
        post = family.placement == "post_ln"
        assert folded.is_post == post
        reads = weights.ln_attn if post else weights.ln_ff
        assert folded.ln_read is reads
        centring = torch.eye(24, dtype=torch.float64) - 1 / 24
        read = centring @ torch.diag(reads.gamma) @ weights.w_in
        torch.testing.assert_close(folded.w_res_in, read, rtol=1e-11, atol=1e-13)
        for h in range(3):
            w_o = weights.w_o[8 * h : 8 * h + 8]
            assert torch.equal(folded.w_o[h], w_o)
            torch.testing.assert_close(folded.w_o_in[h], w_o @ read, rtol=1e-11, atol=1e-13)
        torch.testing.assert_close(folded.c_scaled, weights.b_o @ read, rtol=1e-11, atol=1e-13)
        torch.testing.assert_close(folded.c_fixed, reads.beta @ weights.w_in + weights.b_in, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_folded_pre_activations_are_the_models(name):
    """y through the folded matrices is what the model's own modules compute from it."""
    model, family = tiny_model(name).float(), families()[name]
    y = torch.randn(5, 24)
    for module in family.layers(model):
        folded = fold(family.weights(module, model.config))
        s = folded.ln_read.deviation(y)
        found = (y - folded.weights.b_o) @ folded.w_res_in / s + folded.c_scaled / s + folded.c_fixed
        if name == "gpt2":
            expected = module.mlp.c_fc(module.ln_2(y))
        elif name == "distilbert":
            expected = module.ffn.lin1(module.sa_layer_norm(y))
        else:
            expected = module.intermediate.dense(module.attention.output.LayerNorm(y))
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
