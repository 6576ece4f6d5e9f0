"""||f^h(x_j)|| of every head against products of the model's own matrices, written out head by head in float64."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from ingest.attribution import bases
from tests.ingest.attribution.support import FAMILY_NAMES, attribute, random_ids, tiny_model

Matrices = tuple[Tensor, Tensor, Tensor]
"""What a layer's values are computed from (T, d), W_V with b_V below it (d + 1, Hkv * dh), W_O (H * dh, d)."""


def with_bias(linear: nn.Module) -> Tensor:
    """(d + 1, out) of an nn.Linear, whose weight is (out, in)."""
    weight: Tensor = linear.weight.T  # type: ignore[assignment, operator, union-attr]
    bias = linear.bias
    return torch.cat([weight, (weight.new_zeros(weight.shape[1]) if bias is None else bias).unsqueeze(0)])  # type: ignore[arg-type, list-item, operator]


def of_bert(model: PreTrainedModel, number: int, x: Tensor) -> Matrices:
    attention = model.encoder.layer[number].attention
    return x, with_bias(attention.self.value), attention.output.dense.weight.T


def of_gpt2(model: PreTrainedModel, number: int, x: Tensor) -> Matrices:
    """Conv1D: weights are (in, out); queries, keys and values lie side by side."""
    block, d = model.h[number], x.shape[-1]
    both = torch.cat([block.attn.c_attn.weight, block.attn.c_attn.bias.unsqueeze(0)])
    return block.ln_1(x), both[:, 2 * d :], block.attn.c_proj.weight


def of_llama(model: PreTrainedModel, number: int, x: Tensor) -> Matrices:
    """Gemma 2 as well: the norm on attention's output (post_attention_layernorm) has no part in it."""
    layer = model.layers[number]
    return layer.input_layernorm(x), with_bias(layer.self_attn.v_proj), layer.self_attn.o_proj.weight.T


READ: dict[str, Callable[[PreTrainedModel, int, Tensor], Matrices]] = {
    "bert": of_bert,
    "gpt2": of_gpt2,
    "llama": of_llama,
    "gemma2": of_llama,
}


@torch.no_grad()
def expected(name: str, model: PreTrainedModel, ids: Tensor) -> list[np.ndarray]:
    """(H, T) a layer: the model's own hidden states, then one head at a time."""
    states = model(ids, output_hidden_states=True).hidden_states
    n_head = model.config.num_attention_heads
    n_kv = getattr(model.config, "num_key_value_heads", n_head)
    found = []
    for number in range(model.config.num_hidden_layers):
        value_in, w_v, w_o = READ[name](model, number, states[number][0].double())
        dh = w_o.shape[0] // n_head
        rows = []
        for head in range(n_head):
            shared = head // (n_head // n_kv)
            mine = w_v[:, shared * dh : (shared + 1) * dh]
            values = value_in @ mine[:-1] + mine[-1]
            rows.append(torch.linalg.vector_norm(values @ w_o[head * dh : (head + 1) * dh], dim=-1))
        found.append(torch.stack(rows).numpy())
    return found


@pytest.mark.parametrize("n_bytes", [1, 2**25], ids=["a key at a time", "all keys"])
@pytest.mark.parametrize("name", READ)
def test_against_the_models_own_matrices(name, n_bytes, monkeypatch) -> None:
    """In float32 to 1e-5 of every value, in float64 to 1e-10, however keys are cut into blocks."""
    monkeypatch.setitem(bases.BASIS_BYTES, "cpu", n_bytes)
    model, ids = tiny_model(name, 3), random_ids(11)
    wanted = expected(name, model, ids)
    for dtype, tolerance in ((torch.float32, 1e-5), (torch.float64, 1e-10)):
        for layer, want in zip(attribute(model, ids, dtype=dtype), wanted, strict=True):
            got = layer[0].head_norm[0].double().numpy()
            np.testing.assert_allclose(got, want, rtol=tolerance)


def test_grouped_heads_are_not_alike() -> None:
    """Query heads that share values still have rows of W_O of their own."""
    model = tiny_model("llama", 3)
    assert model.config.num_key_value_heads < model.config.num_attention_heads
    norms = attribute(model, random_ids(5))[0][0].head_norm[0]
    assert norms.shape[0] == model.config.num_attention_heads
    assert not torch.allclose(norms[0], norms[1], rtol=1e-2)


@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_no_head_is_without_a_norm(name) -> None:
    """Every family and placement: one finite value above 0 for each head and position."""
    ids = random_ids(2, 7)
    for layer in attribute(tiny_model(name), ids):
        for row in layer.values():
            n_head = row.head_norm.shape[1]
            assert row.head_norm.shape == (1, n_head, 7)
            assert row.head_norm.isfinite().all() and (row.head_norm > 0).all()


@pytest.mark.parametrize("name", ["bert", "gpt2"])
def test_of_one_head_the_weighted_norm_is_attn_norm(name) -> None:
    """With a single head nothing cancels: alpha ||f(x_j)|| = ||alpha f(x_j)||, two ways through the core."""
    option = {"bert": "num_attention_heads", "gpt2": "n_head"}[name]
    model = tiny_model(name, 1, **{option: 1})
    for layer in attribute(model, random_ids(9)):
        maps, norms = layer[0].maps, layer[0].head_norm[0, 0]
        torch.testing.assert_close(maps["attn"][0] * norms, maps["attn_norm"][0], rtol=1e-5, atol=1e-7)
