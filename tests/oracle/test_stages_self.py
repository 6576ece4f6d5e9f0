"""Spot checks of single vectors: removed values, Jacobians along the path, norms undone by hand."""

import numpy as np
import pytest
import torch
from scipy.integrate import quad
from transformers.activations import ACT2FN

from tests.oracle.maps import LayerPieces, change, oracle_pieces
from tests.oracle.model_states import layer_parts, readable
from tests.oracle.quadrature import gated_means
from tests.oracle.tiny import in_double, randomise, tiny_ids
from tests.oracle.variants import VARIANTS, VOCAB_SIZE, tiny_variant
from tests.oracle.weights import norm


def ids_of(length: int, seed: int = 0) -> torch.Tensor:
    return tiny_ids(length, seed, VOCAB_SIZE)


def values_only_of(key: int, layout: str, n_head: int):
    """A hook on the value projection that leaves key `key`'s values alone, queries and keys as they are."""

    def hook(_module, _args, output):
        kept = output.clone()
        others = [position for position in range(output.shape[1]) if position != key]
        if layout == "own":
            kept[:, others] = 0
        elif layout == "thirds":
            kept.view(*output.shape[:2], 3, -1)[:, others, 2] = 0
        else:
            kept.view(*output.shape[:2], n_head, 3, -1)[:, others, :, 2] = 0
        return kept

    return hook


@pytest.mark.parametrize("name", VARIANTS)
def test_attention_piece_is_the_models_output_with_every_other_value_removed(name):
    model, ids = tiny_variant(name), ids_of(6)
    base = readable(model)
    part = layer_parts(base)[0]
    (layer, *_) = oracle_pieces(model, ids)
    given: list[torch.Tensor] = []  # the attention's outputs, one a call; an ALBERT layer is called more than once
    watching = part.attn_dense.register_forward_hook(lambda _module, _args, output: given.append(output[0]))
    for key in range(6):
        given.clear()
        hook = values_only_of(key, part.value_layout, len(layer.states.alpha))
        removing = part.value.register_forward_hook(hook)
        with torch.no_grad():
            base(input_ids=ids)
        removing.remove()
        np.testing.assert_allclose(layer.attention[:, key], given[0].numpy() - layer.states.b_o, atol=1e-12)
    watching.remove()


def undone(split_vectors: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Undo an RMSNorm on vectors (..., d): it scales every coordinate by after / before (d,), whatever the vector."""
    return split_vectors * (before / after)


def ff_shares(layer: LayerPieces, position: int) -> tuple[np.ndarray, np.ndarray]:
    """(T, d) and (d,): the oracle's shares of W_2's output, with the norm on it undone."""
    after_ff = layer.stages["after_ff"]
    pieces, const = after_ff.pieces[position], after_ff.const[position]
    if layer.states.placement == "sandwich":
        around = layer.states.ff_raw[position], layer.states.ff_out[position]
        return undone(pieces, *around), undone(const, *around)
    return pieces, const


@pytest.mark.parametrize("ff_bias", ["path", "constant"])
@pytest.mark.parametrize(
    "name", ["opt_post", "gpt_neox", "gptj", "llama", "qwen3", "gemma2", "olmo2", "modernbert_biases", "t5_gated"]
)
def test_ff_pieces_are_integrated_gradients_of_the_whole_ff(name, ff_bias):
    """IG of the whole FF in all of its inputs at once: a Jacobian at every node of the path."""
    options = {"activation_function": "gelu_new"} if name == "opt_post" else {}
    layer = oracle_pieces(tiny_variant(name, **options), ids_of(3), ff_bias)[1]
    states = layer.states
    source = layer.stages[{"post": "atb", "res_post": "atb"}.get(states.placement, "after_ln")]
    weights = [states.w_1, states.w_2] if states.w_up is None else [states.w_1, states.w_2, states.w_up]
    w_1, w_2, *w_up = (torch.from_numpy(np.ascontiguousarray(weight)) for weight in weights)
    b_1 = torch.from_numpy(states.b_1.copy())
    b_up = torch.zeros_like(b_1) if states.b_up is None else torch.from_numpy(states.b_up.copy())
    nodes, node_weights = np.polynomial.legendre.leggauss(40)

    def ff(inputs, bias, up_bias):
        up = inputs.sum(0) @ w_up[0] + up_bias if w_up else 1
        return (states.act(inputs.sum(0) @ w_1 + bias) * up) @ w_2

    for i in (0, 2):
        ends = torch.from_numpy(np.vstack([source.pieces[i], source.const[i]])), b_1, b_up
        starts = [torch.zeros_like(end) for end in ends]
        if ff_bias == "constant":  # what biases brought stands still
            starts[0][3], starts[1], starts[2] = ends[0][3], b_1, b_up
        token_shares, bias_share = torch.zeros(4, 24, dtype=torch.float64), ff(*starts)
        for node, weight in zip((nodes + 1) / 2, node_weights / 2, strict=True):
            at = tuple(start + node * (end - start) for start, end in zip(starts, ends, strict=True))
            by_input, *by_bias = torch.autograd.functional.jacobian(ff, at)
            token_shares += weight * torch.einsum("omd,md->mo", by_input, ends[0] - starts[0])
            for gradient, end, start in zip(by_bias, ends[1:], starts[1:], strict=True):
                bias_share = bias_share + weight * gradient @ (end - start)
        pieces, const = ff_shares(layer, i)
        scale = np.abs(states.ff_raw).max()
        np.testing.assert_allclose(pieces, token_shares[:3].numpy(), atol=1e-11 * scale)
        np.testing.assert_allclose(const - states.b_2, (token_shares[3] + bias_share).numpy(), atol=1e-11 * scale)


@pytest.mark.parametrize("name", ["gemma2", "gemma3_text", "olmo2"])
def test_norms_on_the_branches(name):
    """RMSNorm scales each coordinate alike for the sum and for its pieces: by the model's own output / input."""
    for layer in oracle_pieces(tiny_variant(name), ids_of(9)):
        states, stages = layer.states, layer.stages
        by_attn, by_ff = states.attn_branch / states.attn_out, states.ff_branch / states.ff_raw
        for i in range(9):
            expected = layer.attention[i] * by_attn[i]
            expected[i] += states.x[i]
            np.testing.assert_allclose(stages["atb"].pieces[i], expected, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(stages["atb"].const[i], states.b_o * by_attn[i], rtol=1e-9, atol=1e-12)
        if name == "olmo2":
            branch = stages["after_ff"].pieces * by_ff[:, None]
            np.testing.assert_allclose(stages["after_ln"].pieces, branch, rtol=1e-9, atol=1e-12)
            branch = stages["after_ln"].pieces
        else:
            branch = stages["after_ff"].pieces
            expected = stages["atb"].pieces * (states.ff_in / states.y)[:, None]
            np.testing.assert_allclose(stages["after_ln"].pieces, expected, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(stages["after_res"].pieces, branch + stages["atb"].pieces)


@pytest.mark.parametrize("name", ["gpt_neox", "gptj", "phi"])
def test_parallel_ff_reads_only_its_own_position(name):
    for layer in oracle_pieces(tiny_variant(name), ids_of(5)):
        stages, own, x = layer.stages, np.arange(5), layer.states.x
        off = ~np.eye(5, dtype=bool)
        for stage in ("after_ln", "after_ff"):
            assert (stages[stage].pieces[off] == 0).all()
        np.testing.assert_array_equal(stages["after_res"].pieces[off], layer.attention[off])
        np.testing.assert_array_equal(stages["atb"].pieces[own, own], layer.attention[own, own] + x)
        gamma, beta = layer.states.ln_y.gamma, layer.states.ln_y.beta
        by_hand = gamma * (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
        np.testing.assert_allclose(stages["after_ln"].pieces[own, own], by_hand, rtol=1e-12, atol=1e-14)
        np.testing.assert_array_equal(stages["after_ln"].const, np.tile(beta, (5, 1)))


def test_gated_means_by_hand():
    relu, one = ACT2FN["relu"], np.ones(1)
    # from the origin to (2, 3): act' = 1, so 3/2 and 2/2; to (-2, 3): nothing
    assert np.concatenate(gated_means(relu, 0 * one, 2 * one, 0 * one, 3 * one)) == pytest.approx([1.5, 1.0])
    assert np.concatenate(gated_means(relu, 0 * one, -2 * one, 0 * one, 3 * one)) == pytest.approx([0.0, 0.0])
    # from (-1, 2) to (1, 4): ReLU opens half way; integral_.5^1 of 2 + 2t is 1.75, of 2t - 1 is 0.25
    assert np.concatenate(gated_means(relu, -one, one, 2 * one, 4 * one)) == pytest.approx([1.75, 0.25])


@pytest.mark.parametrize("activation", ["silu", "gelu", "gelu_new", "relu", "sigmoid", "hardswish"])
def test_gated_means_against_scipy_and_the_difference(activation):
    rng = np.random.default_rng(0)
    a_0, b_0 = np.concatenate([np.zeros((2, 30)), rng.normal(0, 6, (2, 60))], axis=1)
    a, b = rng.normal(0, 10, (2, 90))
    act = ACT2FN[activation]
    by_gate, by_up = gated_means(act, a_0, a, b_0, b)

    def at(points):
        return act(torch.from_numpy(np.atleast_1d(points))).numpy()

    difference = at(a) * b - at(a_0) * b_0
    np.testing.assert_allclose((a - a_0) * by_gate + (b - b_0) * by_up, difference, rtol=1e-12, atol=1e-11)
    for n in range(0, 90, 6):
        kinks = [(k - a_0[n]) / (a[n] - a_0[n]) for k in (-3, 0, 3)]
        inside = [t for t in kinks if 0 < t < 1]
        mean, _ = quad(lambda t, n=n: at(a_0[n] + t * (a[n] - a_0[n]))[0], 0, 1, points=inside or None, epsabs=1e-13)
        assert by_up[n] == pytest.approx(mean, abs=1e-11)


def test_change_within_reach_by_hand():
    before = np.array([[9.0, 0, 0], [1.0, 2.0, 0], [50.0, 3.0, 4.0]])
    after = np.array([[1.0, 0, 0], [2.0, 3.0, 0], [99.0, 5.0, 4.0]])
    # (2, 0) is out of reach: 9 1 2 3 4 against 1 2 3 5 4: ranks 5 1 2 3 4 and 1 2 3 5 4, squares 16 1 1 4 0
    rho = 1 - 6 * 22 / (5 * 24)
    assert change(before, after, "all", np.zeros(3, bool), causal=True, reach=1) == pytest.approx(1 - rho)
    assert change(before, after, "all", np.zeros(3, bool), causal=True, reach=2) != pytest.approx(1 - rho)
    # the diagonal: 9 2 4 against 1 3 4: ranks 3 1 2 and 1 2 3
    assert change(before, after, "all", np.zeros(3, bool), causal=False, reach=0) == pytest.approx(1.5)
    assert np.isnan(change(before, after, "offdiag", np.zeros(3, bool), causal=False, reach=0))


@pytest.mark.parametrize("name", ["llama", "gemma", "gemma2", "gemma3_text", "olmo2", "qwen3", "t5"])
def test_in_double_changes_rounding_only(name):
    """Module by module against the class's own forward; and the model left as it is does miss its own sums."""
    model = tiny_variant(name)
    patched = [m for m in model.modules() if "forward" in vars(m)]
    assert len(patched) == sum(type(m).__name__.endswith(("RMSNorm", "T5LayerNorm")) for m in model.modules()) > 6
    for module in patched:
        x = torch.randn(5, len(module.weight), dtype=torch.float64, generator=torch.Generator().manual_seed(0))
        exact, rounded = module(x), type(module).forward(module, x)
        torch.testing.assert_close(exact, rounded, rtol=1e-5, atol=1e-6)
        assert not torch.equal(exact, rounded)
        reading = norm(module)
        by_hand = reading.gamma * x.numpy() / np.sqrt((x.numpy() ** 2).mean(1, keepdims=True) + reading.eps)
        np.testing.assert_allclose(exact.detach().numpy(), by_hand, rtol=1e-13)
        del module.forward
    with pytest.raises(AssertionError, match="miss the model's state"):
        oracle_pieces(model, ids_of(5))
    assert oracle_pieces(in_double(model), ids_of(5))


@pytest.mark.parametrize("name", VARIANTS)
def test_randomise_leaves_no_weight_at_its_start(name):
    model = tiny_variant(name, seed=3)
    for parameter, again in zip(model.parameters(), randomise(tiny_variant(name), 3).parameters(), strict=True):
        assert torch.equal(parameter, again)
        assert parameter.unique().numel() == parameter.numel()
    for part in layer_parts(readable(model)):
        for module in (part.ff_norm, part.total_norm, part.attn_out_norm, part.ff_out_norm):
            if module is not None and module.weight is not None:
                applied = norm(module)
                assert (applied.gamma < -0.1).any() and (applied.gamma > 0.1).any()
                assert (applied.beta != 0).all() == (getattr(module, "bias", None) is not None)
