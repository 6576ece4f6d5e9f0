"""The oracle against the models' own states, itself written differently, and known integrals."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from transformers.activations import ACT2FN

from tests.bench.published import Weights, published_layer
from tests.oracle.maps import STAGES, change, changes, oracle_layers, oracle_pieces
from tests.oracle.model_states import LayerStates, collect_states
from tests.oracle.quadrature import mean_slope
from tests.oracle.tiny import FAMILIES, randomise, tiny_ids, tiny_model


@pytest.mark.parametrize("ff_bias", ["path", "constant"])
@pytest.mark.parametrize("activation", ["gelu", "relu", "gelu_new", "silu", "sigmoid"])
@pytest.mark.parametrize("family", FAMILIES)
def test_pieces_sum_to_the_models_states(family, activation, ff_bias):
    for length, d_model in ((1, 12), (2, 24), (7, 18)):
        model = tiny_model(family, activation=activation, d_model=d_model, seed=length)
        for layer in oracle_layers(model, tiny_ids(length), ff_bias):
            assert set(layer["stage_errors"]) >= {"y", "ff_in", "z", "hidden", *STAGES}
            assert max(layer["stage_errors"].values()) < 1e-10
            assert layer["completeness"].max() < 1e-10


@pytest.mark.parametrize("family", FAMILIES)
def test_last_layer_is_the_models_output(family):
    model, ids = tiny_model(family), tiny_ids(7)
    with torch.no_grad():
        output = model(input_ids=ids, output_hidden_states=True)
    states = collect_states(model, ids)
    for before, after in pairwise(states):
        np.testing.assert_array_equal(before.output, after.x)
    last = torch.from_numpy(states[-1].output)
    if family == "gpt2":
        last = model.ln_f(last)
    np.testing.assert_array_equal(last.detach().numpy(), output.last_hidden_state[0].numpy())


@pytest.mark.parametrize("family", FAMILIES)
def test_causal_maps_have_no_upper_triangle(family):
    (layer, *_) = oracle_layers(tiny_model(family), tiny_ids(7))
    above = np.triu_indices(7, 1)
    assert layer["causal"] == (family == "gpt2")
    for name in ("attn", "attn_norm", *STAGES):
        assert (layer[name][above] == 0).all() if layer["causal"] else (layer[name][above] > 0).all()


@pytest.mark.parametrize("family", ["bert", "distilbert", "gpt2"])
def test_attention_piece_is_the_output_with_every_other_value_removed(family):
    """The model's own order of work (all heads concatenated, then W_O) with only key j's values left in."""
    model, ids = tiny_model(family), tiny_ids(5)
    (layer, *_) = oracle_pieces(model, ids)
    states = layer.states
    n_head, n_token, _ = states.alpha.shape
    for j in range(n_token):
        only_j = np.zeros_like(states.v_input)
        only_j[j] = states.v_input[j]
        values = only_j @ states.w_v
        values[j] += states.b_v
        heads = values.reshape(n_token, n_head, -1)
        mixed = np.einsum("hij,jhk->ihk", states.alpha, heads).reshape(n_token, -1)
        np.testing.assert_allclose(layer.attention[:, j], mixed @ states.w_o, atol=1e-13)


@pytest.mark.parametrize(
    "activation", ["gelu", "gelu_new", "silu", "relu", "tanh", "sigmoid", "relu6", "hardswish", "mish"]
)
def test_mean_slope_is_the_difference_quotient(activation):
    """The fundamental theorem of calculus, on paths that cross kinks, are long, short, or of no length."""
    rng = np.random.default_rng(0)
    start = np.concatenate([np.zeros(40), rng.normal(0, 8, 80), [0.0, 1.3, -2.0, 1.5]])
    end = np.concatenate([rng.normal(0, 10, 40), rng.normal(0, 8, 80), [1e-9, 1.3, 25.0, 1.5 + 1e-3]])
    act = ACT2FN[activation]
    difference = (act(torch.from_numpy(end)) - act(torch.from_numpy(start))).numpy()
    found = mean_slope(act, start, end)
    np.testing.assert_allclose(found * (end - start), difference, atol=5e-13, rtol=1e-12)


@pytest.mark.parametrize(("ff_bias", "family"), [("path", "bert"), ("constant", "bert"), ("path", "gpt2")])
def test_ff_pieces_are_integrated_gradients_of_the_whole_ff(ff_bias, family):
    """IG of the model's own FF modules in all of its inputs at once: a Jacobian at every node of the path."""
    model = tiny_model(family, activation="gelu_new", n_layer=1, d_model=12, d_ff=16)
    (layer,) = oracle_pieces(model, tiny_ids(3), ff_bias)
    states = layer.states
    source = layer.stages["atb" if family == "bert" else "after_ln"]
    w_1, b_1, w_2 = (torch.from_numpy(np.ascontiguousarray(w)) for w in (states.w_1, states.b_1, states.w_2))
    nodes, weights = np.polynomial.legendre.leggauss(48)

    for i in range(3):
        # inputs: three token vectors, the constant vector, and b_1 as the last row of width d_ff
        vectors = torch.from_numpy(np.vstack([source.pieces[i], source.const[i]]))

        def ff(inputs, bias):
            return states.act(inputs.sum(0) @ w_1 + bias) @ w_2

        start, start_bias = torch.zeros_like(vectors), torch.zeros_like(b_1)
        if ff_bias == "constant":
            start[3], start_bias = vectors[3], b_1
        share, share_bias = torch.zeros(4, 12, dtype=torch.float64), torch.zeros(12, dtype=torch.float64)
        for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
            at = start + node * (vectors - start)
            at_bias = start_bias + node * (b_1 - start_bias)
            by_input, by_bias = torch.autograd.functional.jacobian(ff, (at, at_bias))
            share += weight * torch.einsum("omd,md->mo", by_input, vectors - start)
            share_bias += weight * by_bias @ (b_1 - start_bias)
        const = share[3] + share_bias + ff(start, start_bias) + torch.from_numpy(states.b_2)
        np.testing.assert_allclose(layer.stages["after_ff"].pieces[i], share[:3].numpy(), atol=1e-12)
        np.testing.assert_allclose(layer.stages["after_ff"].const[i], const.numpy(), atol=1e-12)


def test_the_two_readings_of_the_bias_differ():
    model, ids = tiny_model("bert"), tiny_ids(5)
    path, constant = (oracle_layers(model, ids, reading)[0] for reading in ("path", "constant"))
    np.testing.assert_array_equal(path["atb"], constant["atb"])
    assert np.abs(path["after_ff"] / constant["after_ff"] - 1).mean() > 0.01


def test_change_by_hand():
    special = np.array([True, False, False])
    before = np.array([[9.0, 0.0, 0.0], [8.0, 1.0, 2.0], [7.0, 3.0, 4.0]])
    after = np.array([[0.0, 5.0, 5.0], [0.0, 1.0, 3.0], [0.0, 2.0, 4.0]])
    # content pairs: ranks 1 2 3 4 against 1 3 2 4: rho = 1 - 6 * 2 / (4 * 15)
    assert change(before, after, "content", special, causal=False) == pytest.approx(0.2)
    # off the diagonal (1, 2) and (2, 1) are left, in opposite order
    assert change(before, after, "offdiag", special, causal=False) == pytest.approx(2.0)
    assert np.isnan(change(before, after, "offdiag", special, causal=True))
    assert np.isnan(change(before, np.ones((3, 3)), "all", special, causal=False))
    # lower triangle: 9 8 1 7 3 4 and 0 0 1 0 2 4, average ranks 6 5 1 4 2 3 and 2 2 4 2 5 6
    ranks = np.corrcoef([6, 5, 1, 4, 2, 3], [2, 2, 4, 2, 5, 6])[0, 1]
    assert change(before, after, "all", special, causal=True) == pytest.approx(1 - ranks)


@pytest.mark.parametrize("family", ["bert", "gpt2"])
def test_single_token(family):
    (layer, *_) = oracle_layers(tiny_model(family), tiny_ids(1))
    assert layer["mix_atb"] == 0
    assert layer["attn"] == 1
    assert all(np.isnan(value) for value in changes(layer, np.array([False])).values())


def test_randomise_is_reproducible_and_hides_nothing():
    model, again = tiny_model("bert", seed=3), tiny_model("bert", seed=3)
    for (name, one), (_, two) in zip(model.named_parameters(), again.named_parameters(), strict=True):
        assert torch.equal(one, two), name
        assert one.abs().max() > 0, name
    gammas = torch.cat([p for n, p in model.named_parameters() if n.endswith("LayerNorm.weight")])
    assert (gammas < -0.1).any() and (gammas > 0.1).any() and (gammas.abs() < 0.002).any()
    assert not torch.equal(next(randomise(again, 4).parameters()), next(model.parameters()))


def as_published(states: LayerStates, dtype: torch.dtype) -> Weights:
    def tensor(array: np.ndarray) -> torch.Tensor:
        return torch.tensor(array, dtype=dtype)

    return Weights(
        w_v=tensor(states.w_v),
        b_v=tensor(states.b_v),
        w_o=tensor(states.w_o),
        b_o=tensor(states.b_o),
        ln1_gamma=tensor(states.ln_y.gamma),
        ln1_beta=tensor(states.ln_y.beta),
        eps=states.ln_y.eps,
        w1=tensor(states.w_1),
        b1=tensor(states.b_1),
        w2=tensor(states.w_2),
        b2=tensor(states.b_2),
        ln2_gamma=tensor(states.ln_total.gamma),
        ln2_beta=tensor(states.ln_total.beta),
    )


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-12), (torch.float32, 1e-5)])
def test_published_way_agrees(dtype, tolerance):
    """Same weights, two sequences in a batch."""
    model, batch = tiny_model("bert", n_layer=1), [tiny_ids(7, seed) for seed in (0, 1)]
    (states,), (other,) = (collect_states(model, ids) for ids in batch)
    found = published_layer(
        torch.tensor(np.stack([states.x, other.x]), dtype=dtype),
        torch.tensor(np.stack([states.alpha, other.alpha]), dtype=dtype),
        as_published(states, dtype),
    )
    for index, ids in enumerate(batch):
        (layer,) = oracle_layers(model, ids)
        for name in ("attn_norm", *STAGES):
            np.testing.assert_allclose(getattr(found, name)[index].numpy(), layer[name], rtol=tolerance)
        for name, mixing in zip(STAGES, found.mixing[index], strict=True):
            np.testing.assert_allclose(mixing.numpy(), layer[f"mix_{name}"], rtol=tolerance)
