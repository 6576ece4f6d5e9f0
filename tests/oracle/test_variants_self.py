"""The oracle's reading of every kind of layer against the models' own states and answers."""

from itertools import pairwise

import numpy as np
import pytest
import torch

from tests.oracle.maps import COMPONENTS, STAGES, changes, oracle_layers, oracle_pieces
from tests.oracle.model_states import collect_states, layer_parts, readable
from tests.oracle.tiny import tiny_ids
from tests.oracle.variants import VARIANTS, VOCAB_SIZE, tiny_variant

READINGS = ("path", "constant")
PLACEMENTS = {
    "post": {"opt_post", "albert", "albert_groups", "mpnet", "bart"},
    "parallel": {"gpt_neox", "gptj", "phi"},
    "sandwich": {"gemma2", "gemma3_text"},
    "res_post": {"olmo2"},
}
BIDIRECTIONAL = {"albert", "albert_groups", "mpnet", "modernbert", "modernbert_biases", "t5", "t5_gated", "bart"}
REACHES = {
    "gpt_neo": [None, 3, 3],
    "mistral": [3, 3, 3],
    "qwen2": [None, None, 2],
    "gemma2": [3, None, 3],
    "gemma3_text": [3, None, 3],
    "modernbert": [None, 2, None],
    "modernbert_biases": [None, 3, 3],
}
NO_BIAS = ("opt_bare", "mistral", "qwen2", "gemma", "gemma3_text", "modernbert", "t5", "t5_gated")
"""Qwen2 has one on its values, which belongs to the token's piece."""
COMPARED = {
    "post": {
        "FF": ("atb", "after_ff"),
        "RES": ("after_ff", "after_res"),
        "LN": ("after_res", "after_ln"),
        "BLOCK": ("atb", "after_ln"),
    },
    "pre": {
        "LN": ("atb", "after_ln"),
        "FF": ("after_ln", "after_ff"),
        "RES": ("after_ff", "after_res"),
        "BLOCK": ("atb", "after_res"),
    },
    "res_post": {
        "FF": ("atb", "after_ff"),
        "LN": ("after_ff", "after_ln"),
        "RES": ("after_ln", "after_res"),
        "BLOCK": ("atb", "after_res"),
    },
}


def ids_of(length: int, seed: int = 0) -> torch.Tensor:
    return tiny_ids(length, seed, VOCAB_SIZE)


def test_components_follow_the_models_order():
    assert COMPARED | {"parallel": COMPARED["pre"], "sandwich": COMPARED["pre"]} == COMPONENTS


@pytest.mark.parametrize("ff_bias", READINGS)
@pytest.mark.parametrize("name", VARIANTS)
def test_pieces_sum_to_the_models_states(name, ff_bias):
    model = tiny_variant(name)
    for length in (1, 9):
        layers = oracle_layers(model, ids_of(length), ff_bias)
        assert len(layers) == (6 if name == "albert_groups" else 3)
        for layer in layers:
            assert set(layer["stage_errors"]) >= {"attn_out", "y", "ff_in", "z", "hidden", "ff_raw", *STAGES}
            assert max(layer["stage_errors"].values()) < 1e-13
            assert layer["completeness"].max() < 1e-13


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("opt", {"activation_function": "gelu"}),
        ("llama", {"hidden_act": "relu"}),
        ("llama", {"hidden_act": "sigmoid"}),  # act(0) is not 0
        ("phi", {"hidden_act": "sigmoid"}),
        ("t5_gated", {"feed_forward_proj": "gated-relu"}),
        ("olmo2", {"hidden_act": "gelu"}),
        ("gemma2", {"hidden_activation": "hardswish"}),
        ("modernbert", {"hidden_activation": "gelu_new"}),
    ],
)
@pytest.mark.parametrize("ff_bias", READINGS)
def test_other_activations(name, options, ff_bias):
    for layer in oracle_layers(tiny_variant(name, seed=1, **options), ids_of(9), ff_bias):
        assert max(layer["stage_errors"].values()) < 1e-13


@pytest.mark.parametrize("name", VARIANTS)
def test_layers_are_read_in_the_order_in_which_they_run(name):
    model, ids = tiny_variant(name), ids_of(9)
    base = readable(model)
    with torch.no_grad():
        expected = base(input_ids=ids).last_hidden_state[0]
    states = collect_states(model, ids)
    for before, after in pairwise(states):
        np.testing.assert_array_equal(before.output, after.x)
    last = torch.from_numpy(states[-1].output)[None]
    holder = base.decoder if name.startswith("opt") else base
    for final in ("ln_f", "norm", "final_norm", "final_layer_norm", "final_layernorm", "project_out"):
        if getattr(holder, final, None) is not None:
            last = getattr(holder, final)(last)
    torch.testing.assert_close(last[0], expected, rtol=0, atol=0)


@pytest.mark.parametrize("name", VARIANTS)
def test_placement_and_window(name):
    """Attention is zero outside the stated window, in every head, and nowhere inside it."""
    layers = oracle_pieces(tiny_variant(name), ids_of(9))
    query, key = np.indices((9, 9))
    for index, layer in enumerate(layers):
        states = layer.states
        assert states.placement == next((p for p, names in PLACEMENTS.items() if name in names), "pre")
        assert states.causal == (name not in BIDIRECTIONAL)
        assert states.reach == REACHES.get(name, [None] * len(layers))[index]
        inside = (key <= query) | (not states.causal)
        if states.reach is not None:
            inside &= abs(query - key) <= states.reach
        assert ((states.alpha > 0) == inside).all()


@pytest.mark.parametrize("name", ["mistral", "modernbert"])
def test_changes_leave_out_what_attention_cannot_see(name):
    layer = oracle_layers(tiny_variant(name), ids_of(9))[1]
    special = np.array([True, *[False] * 7, True])
    query, key = np.indices((9, 9))
    seen = (abs(query - key) <= layer["reach"]) & ((key <= query) | (not layer["causal"]))
    content = seen & ~special[:, None] & ~special
    found = changes(layer, special)
    for (component, pair_filter), value in found.items():
        pairs = {"all": seen, "content": content, "offdiag": content & (query != key)}[pair_filter]
        before, after = (layer[stage][pairs] for stage in COMPONENTS["pre"][component])
        rho = np.corrcoef(before.argsort().argsort(), after.argsort().argsort())[0, 1]  # no ties here
        assert value == pytest.approx(1 - rho, abs=1e-12)


@pytest.mark.parametrize("name", NO_BIAS)
def test_without_biases_the_constant_is_nothing_and_the_readings_agree(name):
    model = tiny_variant(name)
    for path, constant in zip(*(oracle_layers(model, ids_of(5), reading) for reading in READINGS), strict=True):
        for stage in STAGES:
            assert (path[f"const_{stage}"] == 0).all()
            np.testing.assert_array_equal(path[stage], constant[stage])


@pytest.mark.parametrize("name", [name for name in VARIANTS if name not in NO_BIAS])
def test_with_biases_the_constant_is_something(name):
    model = tiny_variant(name)
    for path, constant in zip(*(oracle_layers(model, ids_of(5), reading) for reading in READINGS), strict=True):
        for stage in STAGES:
            has_none = stage == "atb" and name in ("gptj", "gpt_neox_sequential")  # no b_O
            assert (path[f"const_{stage}"] == 0).all() if has_none else (path[f"const_{stage}"] > 0.01).all()
        assert np.abs(path["after_ff"] - constant["after_ff"]).max() > 1e-3


@pytest.mark.parametrize("name", VARIANTS)
def test_measures_are_of_the_models_own_tensors(name):
    """Norms and the cosine again, from hooks on the blocks rather than on the projections."""
    model, ids = tiny_variant(name), ids_of(9)
    part = layer_parts(readable(model))[0]
    caught: dict[str, torch.Tensor] = {}

    def keep(key):
        def hook(_module, _args, output):
            caught.setdefault(key, output.detach().view(9, -1))  # the first layer's, where modules are shared

        return hook

    watched = {"ff": part.ff_2, "ff_norm": part.ff_out_norm, "attn": part.attn_dense, "u": part.ff_norm}
    handles = [module.register_forward_hook(keep(key)) for key, module in watched.items() if module is not None]
    (layer, *_) = oracle_layers(model, ids)
    for handle in handles:
        handle.remove()
    (states, *_) = collect_states(model, ids)
    ff_out = caught["ff_norm" if layer["placement"] == "sandwich" else "ff"]
    added_to = caught["u"] if layer["placement"] == "post" else torch.from_numpy(states.y)
    np.testing.assert_allclose(layer["norm_ff_out"], ff_out.norm(dim=1), rtol=1e-14)
    np.testing.assert_allclose(layer["norm_attn_out"], caught["attn"].norm(dim=1), rtol=1e-12)
    cosine = torch.nn.functional.cosine_similarity(ff_out, added_to, dim=1)
    np.testing.assert_allclose(layer["cos_ff_res"], cosine, rtol=1e-12)
    assert (layer["norm_sum"] == layer["norm_output"]).all() == (layer["placement"] != "post")
