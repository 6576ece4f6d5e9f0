"""What each family calls its queries and keys, against its own projections; vectors against what its layers compute."""

import numpy as np
import pytest
import torch
from torch import Tensor

from ingest.architectures import families
from ingest.projection.parameters import components_of, head_factors, vectors
from tests.ingest.attribution.support import FAMILY_NAMES, random_ids, tiny_model
from tests.ingest.projection.support import FUSED, loaded, own_queries_and_keys, without_biases
from tests.oracle.model_states import collect_states, layer_parts, readable
from tests.oracle.parts import Module
from warehouse.errors import UsageError

EXTRA = [
    ("opt", {"do_layer_norm_before": False}),
    ("gpt_neox", {"use_parallel_residual": False}),
    ("phi", {"num_attention_heads": 6, "num_key_value_heads": 3, "qk_layernorm": True}),
    ("llama", {"num_key_value_heads": 1, "head_dim": 10, "attention_bias": True}),
    ("albert", {"num_hidden_layers": 4, "num_hidden_groups": 2, "inner_group_num": 2}),
    ("t5", {"feed_forward_proj": "gated-gelu", "d_kv": 5}),
    ("bart", {"encoder_attention_heads": 4}),
]
every_model = pytest.mark.parametrize(
    ("name", "overrides"), [*((name, {}) for name in FAMILY_NAMES), *EXTRA], ids=lambda value: str(value)[:40]
)


@every_model
def test_queries_and_keys_are_the_models_own(name, overrides):
    """Differences between positions, in which no bias is left."""
    model, ids = tiny_model(name, **overrides), random_ids(7)
    found, states, layers = loaded(model), collect_states(model, ids), own_queries_and_keys(model, ids)
    assert len(layers) == len(states) == len(found.family.layers(model))
    at_zero = layers_at_position_zero(model, ids) if name in FUSED else states
    for number, (own, state) in enumerate(zip(layers, at_zero, strict=True), 1):
        for matrix, true in zip(found.query_key_of(number), own, strict=True):
            assert matrix.dtype == torch.float32
            values = torch.as_tensor(state.v_input) @ matrix.double()
            torch.testing.assert_close(values[1:] - values[:-1], true[1:] - true[:-1], rtol=1e-6, atol=1e-6)


def layers_at_position_zero(model, ids):
    """States where every token is at position 0, as the fused projections were caught."""
    forward = model.forward

    def at_zero(input_ids):
        return forward(input_ids=input_ids, position_ids=torch.zeros_like(input_ids))

    model.forward = at_zero
    try:
        return collect_states(model, ids)
    finally:
        del model.forward


@every_model
def test_plain_vectors_give_what_the_layers_compute(name, overrides):
    model, ids = without_biases(name, **overrides), random_ids(7)
    found = loaded(model)
    for number, state in enumerate(collect_states(model, ids), 1):
        v = {component: vectors(found, number, component).double() for component in components_of(found)}
        read = {"ff_key": state.z} if state.up is None else {"ff_gate": state.z, "ff_key": state.up}
        assert ("ff_gate" in v) == (state.up is not None)
        for component, true in read.items():
            np.testing.assert_allclose(state.ff_in @ v[component].numpy().T, true, atol=1e-10)
        np.testing.assert_allclose(state.hidden @ v["ff_value"].numpy(), state.ff_raw, atol=1e-10)
        assert torch.equal(of_query_heads(v["w_v"], len(state.alpha), len(state.w_o)).T, torch.as_tensor(state.w_v))
        assert torch.equal(v["w_o"], torch.as_tensor(state.w_o))
        assert all(vectors(found, number, component).is_contiguous() for component in v)


@every_model
def test_folded_vectors_read_the_stream_itself(name, overrides):
    """What a unit computes of a state is its folded vector times that state, but for one positive factor a state."""
    model, ids = without_biases(name, **overrides), random_ids(7)
    found = loaded(model)
    for number, state in enumerate(collect_states(model, ids), 1):
        stream = {"post": state.ff_in, "parallel": state.x}.get(state.placement, state.y)
        read = {"ff_key": state.z} if state.up is None else {"ff_gate": state.z, "ff_key": state.up}
        for component, true in read.items():
            same_directions(stream @ folded(found, number, component).numpy().T, true)
        for component, matrix in zip(("w_q", "w_k"), found.query_key_of(number), strict=True):
            same_directions(
                state.x @ folded(found, number, component).numpy().T, state.v_input @ matrix.double().numpy()
            )
        values = of_query_heads(folded(found, number, "w_v"), len(state.alpha), len(state.w_o)).numpy()
        same_directions(state.x @ values.T, state.v_input @ state.w_v)


@every_model
def test_folded_vectors_are_what_the_norm_after_them_gives(name, overrides):
    """A norm times the deviation of what it reads is linear: the model's own norm with and without the written part."""
    model, ids = without_biases(name, **overrides), random_ids(7)
    found = loaded(model)
    parts = layer_parts(readable(model))
    for number, (state, part) in enumerate(zip(collect_states(model, ids), parts, strict=True), 1):
        context = np.linalg.lstsq(state.w_o.T, state.attn_out.T, rcond=None)[0].T
        np.testing.assert_allclose(context @ state.w_o, state.attn_out, atol=1e-10)
        post = state.placement == "post"
        through = part.ff_norm if post else part.attn_out_norm
        written = after(through, state.y if post else state.attn_out, state.attn_out)
        np.testing.assert_allclose(context @ folded(found, number, "w_o").numpy(), written, atol=2e-5)
        through = part.total_norm if post else part.ff_out_norm
        written = after(through, state.total if post else state.ff_raw, state.ff_raw)
        np.testing.assert_allclose(state.hidden @ folded(found, number, "ff_value").numpy(), written, atol=2e-5)


def after(norm: Module | None, whole: np.ndarray, part: np.ndarray) -> np.ndarray:
    """What `part` of what a norm reads adds to its output, times the deviation; the part itself where there is none."""
    if norm is None:
        return part
    return linear_part(norm, torch.as_tensor(whole)) - linear_part(norm, torch.as_tensor(whole - part))


def linear_part(norm: Module, u: Tensor) -> np.ndarray:
    centred = isinstance(norm, torch.nn.LayerNorm)
    eps = getattr(norm, "variance_epsilon", None) or norm.eps
    square = u.var(-1, keepdim=True, correction=0) if centred else u.square().mean(-1, keepdim=True)
    with torch.no_grad():
        return (norm(u) * (square + eps).sqrt()).numpy()


def folded(model, layer: int, component: str) -> Tensor:
    found = vectors(model, layer, component, fold_ln=True)
    assert found.dtype == torch.float32
    assert found.shape == vectors(model, layer, component).shape
    return found.double()


def same_directions(found: np.ndarray, true: np.ndarray) -> None:
    """Rows that are equal up to a positive factor each; rows of nothing, both."""
    sizes = [np.linalg.norm(rows, axis=1, keepdims=True) for rows in (found, true)]
    np.testing.assert_allclose(found / sizes[0], true / sizes[1], atol=2e-5)


def of_query_heads(rows: Tensor, n_head: int, width: int) -> Tensor:
    """(Hkv * dh, d) -> (H * dh, d): the rows of each query head's own key/value head."""
    heads = rows.reshape(-1, width // n_head, rows.shape[1])
    return torch.cat([heads[h // (n_head // len(heads))] for h in range(n_head)])


@every_model
@pytest.mark.parametrize("fold_ln", [False, True])
def test_head_factors_multiply_to_the_matrices(name, overrides, fold_ln):
    model = tiny_model(name, **overrides)
    found = loaded(model)
    for number, state in enumerate(collect_states(model, random_ids(3)), 1):
        n_head, width = len(state.alpha), len(state.w_o)
        v = {c: vectors(found, number, c, fold_ln=fold_ln) for c in ("w_q", "w_k", "w_v", "w_o")}
        keys, values = (of_query_heads(v[c], n_head, width) for c in ("w_k", "w_v"))
        for matrix, left, right in (("VO", values, v["w_o"]), ("QK", v["w_q"], keys)):
            factors = head_factors(found, number, matrix, fold_ln=fold_ln)
            assert len(factors) == n_head
            for head, (a, b) in enumerate(factors):
                rows = slice(head * width // n_head, (head + 1) * width // n_head)
                torch.testing.assert_close(a.T @ b, left[rows].T @ right[rows])


def test_attention_through_the_factors():
    """A head's logits and output in a model with grouped heads and no norm in between: the sums that W stands for."""
    model, ids = without_biases("llama"), random_ids(6)
    found = loaded(model)
    state = collect_states(model, ids)[0]
    [(queries, keys), *_] = own_queries_and_keys(model, ids)
    d_head = queries.shape[1] // 4
    for head, (a, b) in enumerate(head_factors(found, 1, "QK")):
        of_query, of_key = (s[:, h * d_head : (h + 1) * d_head] for s, h in ((queries, head), (keys, head // 2)))
        logits = state.v_input @ (a.T @ b).double().numpy() @ state.v_input.T
        np.testing.assert_allclose(logits, (of_query @ of_key.T).numpy(), atol=1e-5)
    written = sum(
        state.alpha[head] @ state.v_input @ (a.T @ b).double().numpy()
        for head, (a, b) in enumerate(head_factors(found, 1, "VO"))
    )
    np.testing.assert_allclose(written, state.attn_out, atol=1e-5)


def test_what_a_model_does_not_have_is_refused():
    found = loaded(tiny_model("bert"))
    assert components_of(found) == ("ff_key", "ff_value", "w_q", "w_k", "w_v", "w_o")
    assert "ff_gate" in components_of(loaded(tiny_model("llama")))
    with pytest.raises(UsageError, match="not gated"):
        vectors(found, 1, "ff_gate")
    for layer in (0, 4, -1):
        with pytest.raises(UsageError, match="has layers 1 to 3"):
            vectors(found, layer, "ff_key")
    with pytest.raises(UsageError, match="use one of ff_key, ff_gate"):
        vectors(found, 1, "w_x")
    with pytest.raises(UsageError, match="use one of VO, QK"):
        head_factors(found, 1, "OV")


def test_layers_that_share_parameters_share_vectors():
    found = loaded(tiny_model("albert"))
    assert torch.equal(vectors(found, 1, "ff_key"), vectors(found, 3, "ff_key"))
    assert len(families()["albert"].layers(found.module)) == 3
