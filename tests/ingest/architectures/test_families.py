"""Every family that discovery finds: its layers through the core, against the oracle."""

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoConfig, AutoModel, PretrainedConfig

from ingest.architectures import families, family_of
from ingest.attribution.weights import COMPONENT_ORDER
from tests.ingest.attribution.support import (
    ACTIVATIONS,
    FAMILY_NAMES,
    assert_layer,
    assert_same,
    attribute,
    oracle_case,
    random_ids,
    tiny_model,
    with_activation,
)
from tests.oracle.maps import changes, oracle_layers
from tests.oracle.tiny import in_double
from warehouse.contract import COMPONENTS as STORED_COMPONENTS
from warehouse.contract import DIM_STATES, PAIR_FILTERS
from warehouse.errors import ModelError

FIRST = ("bert", "roberta", "electra", "distilbert", "gpt2")
LEARNED_POSITIONS = (*FIRST, "albert", "bart", "gpt_neo", "gptj", "mpnet", "opt")

# Every length and reading with one activation, every activation at one length; of the later families, which share the
# ungated code, the activations that differ in kind.
CASES = [(name, "gelu", n, reading) for name in FIRST for n in (1, 2, 7, 23) for reading in ("path", "constant")]
CASES += [(name, act, 7, reading) for name in FIRST for act in ACTIVATIONS[1:] for reading in ("path", "constant")]
LATER = [name for name in FAMILY_NAMES if name not in FIRST]
CASES += [(name, "silu", n, "path") for name in LATER for n in (1, 2, 7, 23)]
CASES += [(name, "silu", 7, "constant") for name in LATER]
CASES += [(name, act, 7, "path") for name in LATER for act in ("relu", "sigmoid")]
every_case = pytest.mark.parametrize(("name", "activation", "length", "ff_bias"), CASES)


def test_no_two_families_claim_one_architecture():
    assert set(FAMILY_NAMES) >= set(FIRST)
    claimed = [model_type for family in families().values() for model_type in family.model_types]
    assert len(claimed) == len(set(claimed)), "two families claim one architecture"


@every_case
def test_double_precision_core(name, activation, length, ff_bias):
    """The core's own arithmetic in float64 on the model's float64 states: 1e-10 of every single value."""
    case = oracle_case(name, activation, length, ff_bias)
    found = attribute(case.model, case.ids, dtype=torch.float64, ff_bias=ff_bias)
    assert len(found) == len(case.expected) == 3
    for layer, expected in zip(found, case.expected, strict=True):
        assert_layer(layer[0], expected, 1e-10)


@every_case
def test_single_precision_core(name, activation, length, ff_bias):
    """The core as it runs, float32, on the same states: 1e-5 of every single value, without any absolute slack."""
    case = oracle_case(name, activation, length, ff_bias)
    found = attribute(case.model, case.ids, ff_bias=ff_bias)
    for layer, expected in zip(found, case.expected, strict=True):
        assert all(value.dtype == torch.float32 for value in (layer[0].maps | layer[0].norms).values())
        assert_layer(layer[0], expected, 1e-5)


@every_case
def test_single_precision_model_and_core(name, activation, length, ff_bias):
    """The model in float32 too: its own smallest attention weights are only right to 1e-5 of their row's largest."""
    case = oracle_case(name, activation, length, ff_bias)
    found = attribute(case.single_precision(), case.ids, ff_bias=ff_bias)
    for layer, expected in zip(found, case.expected, strict=True):
        assert_layer(layer[0], expected, 1e-5, of_row=1e-5)


@pytest.mark.parametrize("length", [1, 2, 7, 23])
@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_changes_and_dimensions(name, length):
    """Every rho, its number of pairs, and the states behind the moments per dimension."""
    case = oracle_case(name, "gelu", length, "path")
    special = torch.zeros(1, length, dtype=torch.bool)
    special[0, :: max(2, length // 3)] = True
    found = attribute(case.model, case.ids, special=special, dtype=torch.float64)
    for layer, expected, states in zip(found, case.expected, case.states, strict=True):
        want = changes(expected, special[0].numpy())
        assert {c for c, _ in want} == set(layer[0].change) == set(STORED_COMPONENTS)
        for component, rho in layer[0].change.items():
            for nth, pair_filter in enumerate(PAIR_FILTERS):
                np.testing.assert_allclose(1 - rho[0, nth].item(), want[component, pair_filter], atol=1e-9)
        assert layer[0].n_pairs.tolist() == [n_pairs(special[0].tolist(), expected["causal"], expected["reach"])]
        dims = {name: value[0].numpy() for name, value in layer[0].dims.items()}
        residual = states.ff_in if states.placement == "post" else states.y
        for state, true in (
            ("ff_in", states.ff_in), ("ff_out", states.ff_out), ("residual", residual), ("output", states.output)
        ):  # fmt: skip
            np.testing.assert_allclose(dims[state], true, atol=1e-12, rtol=1e-10)
        assert set(dims) == set(DIM_STATES)


def n_pairs(special: list[bool], causal: bool, reach: int | None) -> list[int]:
    seen = [
        (i, j)
        for i in range(len(special))
        for j in range(len(special))
        if (j <= i or not causal) and (reach is None or abs(i - j) <= reach)
    ]
    content = [(i, j) for i, j in seen if not special[i] and not special[j]]
    return [len(seen), len(content), sum(i != j for i, j in content)]


@pytest.mark.parametrize(
    ("name", "overrides"),
    [
        ("gpt2", {}),
        ("bert", {"is_decoder": True}),
        ("roberta", {"is_decoder": True}),
        ("electra", {"is_decoder": True}),
    ],
)
def test_causal(name, overrides):
    """A token's row is the same whatever follows it, and what follows contributes nothing."""
    model, ids = tiny_model(name, seed=3, **overrides), random_ids(9)
    whole, begun = attribute(model, ids, dtype=torch.float64), attribute(model, ids[:, :4], dtype=torch.float64)
    for layer, prefix, expected in zip(whole, begun, oracle_layers(model, ids), strict=True):
        assert expected["causal"]
        assert_layer(layer[0], expected, 1e-10)
        for stage, values in layer[0].maps.items():
            assert values.triu(1).count_nonzero() == 0, stage
            torch.testing.assert_close(values[:, :4, :4], prefix[0].maps[stage], rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize(
    "overrides",
    [{"scale_attn_by_inverse_layer_idx": True}, {"scale_attn_weights": False}, {"reorder_and_upcast_attn": True},
     {"n_inner": None}, {"n_head": 1}, {"n_inner": 5}],
)  # fmt: skip
def test_gpt2_options_that_change_its_numbers(overrides):
    model, ids = tiny_model("gpt2", **overrides), random_ids(6)
    if "reorder_and_upcast_attn" in overrides:  # computes its attention in float32, which the oracle refuses
        found = attribute(model.float(), ids)
        assert all(layer[0].norms["completeness_error"].max() < 1e-5 for layer in found)
        return
    for layer, expected in zip(attribute(model, ids, dtype=torch.float64), oracle_layers(model, ids), strict=True):
        assert_layer(layer[0], expected, 1e-10)


@pytest.mark.parametrize(
    "overrides",
    [{"num_attention_heads": 1}, {"num_attention_heads": 24}, {"intermediate_size": 3}, {"layer_norm_eps": 0.5},
     {"hidden_size": 6}],
)  # fmt: skip
def test_bert_of_other_shapes(overrides):
    model, ids = tiny_model("bert", **overrides), random_ids(6)
    for layer, expected in zip(attribute(model, ids, dtype=torch.float64), oracle_layers(model, ids), strict=True):
        assert_layer(layer[0], expected, 1e-10)


VARIANTS = [
    ("opt", {"do_layer_norm_before": False}),
    ("opt", {"enable_bias": False, "layer_norm_elementwise_affine": False, "word_embed_proj_dim": 24}),
    ("gpt_neo", {"window_size": 1}),
    ("gpt_neox", {"use_parallel_residual": False}),
    ("gpt_neox", {"attention_bias": False}),
    ("phi", {"num_attention_heads": 6, "num_key_value_heads": 3, "qk_layernorm": True}),
    ("llama", {"attention_bias": True, "mlp_bias": True}),
    ("llama", {"num_key_value_heads": 1, "head_dim": 10}),
    ("llama", {"num_key_value_heads": 4}),
    ("mistral", {"sliding_window": None}),
    ("qwen2", {"use_sliding_window": True, "max_window_layers": 1, "sliding_window": 3}),
    ("gemma2", {"attention_bias": True, "attn_logit_softcapping": None}),
    ("olmo2", {"attention_bias": True}),
    ("albert", {"num_hidden_layers": 4, "num_hidden_groups": 2, "inner_group_num": 2}),
    ("modernbert", {"norm_bias": True, "mlp_bias": True, "attention_bias": True, "local_attention": 6}),
    ("t5", {"feed_forward_proj": "gated-gelu"}),
    ("t5", {"feed_forward_proj": "gated-silu", "d_kv": 5}),
    ("bart", {"scale_embedding": True, "encoder_attention_heads": 4}),
]


@pytest.mark.parametrize("ff_bias", ["path", "constant"])
@pytest.mark.parametrize(("name", "overrides"), VARIANTS)
def test_options_that_change_the_shape_of_layers(name, overrides, ff_bias):
    """Norms after, not before; one after the other, not in parallel; with and without biases; groups; windows."""
    model, ids = tiny_model(name, **overrides), random_ids(9)
    found, expected = attribute(model, ids, dtype=torch.float64, ff_bias=ff_bias), oracle_layers(model, ids, ff_bias)
    for layer, truth in zip(found, expected, strict=True):
        assert_layer(layer[0], truth, 1e-9 if ff_bias == "constant" else 1e-10)
    for layer, truth in zip(attribute(model, ids, ff_bias=ff_bias), expected, strict=True):
        assert_layer(layer[0], truth, 1e-5)


def test_chunked_feed_forward_is_the_same():
    plain, chunked = tiny_model("bert"), tiny_model("bert", chunk_size_feed_forward=2)
    ids = random_ids(6)
    for one, other in zip(attribute(plain, ids), attribute(chunked, ids), strict=True):
        assert_same(one[0], other[0], 1e-6)
        assert other[0].norms["completeness_error"].max() < 1e-5


@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_every_architecture_that_a_family_claims(name):
    """The same weights under each of the family's model types give the same maps."""
    family = families()[name]
    model, ids = tiny_model(name), random_ids(8)
    options = {key: value for key, value in family.tiny_config().to_diff_dict().items() if key != "model_type"}
    for model_type in family.model_types:
        config = AutoConfig.for_model(model_type, **options)
        assert family_of(config) is family
        other = in_double(AutoModel.from_config(config, attn_implementation="eager").double().eval())
        other.load_state_dict(model.state_dict())
        for one, two in zip(attribute(model, ids), attribute(other, ids), strict=True):
            assert_same(one[0], two[0], 1e-7)


@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_what_a_family_says_of_its_sizes(name):
    family = families()[name]
    config = family.tiny_config(**with_activation(name, "silu"))
    model = tiny_model(name)
    weights = [family.weights(layer, config) for layer in family.layers(model)]
    assert len(weights) == 3
    for layer in weights:
        assert layer.placement == family.placement_in(config)
        assert layer.w_o.shape[1] == layer.w_v.shape[0] == 24
        assert layer.w_o.shape[0] * layer.n_kv_head == layer.w_v.shape[1] * layer.n_head
        assert layer.w_in.shape == (24, 40)
        assert layer.w_up is None or layer.w_up.shape == (24, 40)
        assert layer.w_out.shape == (40, 24)
        assert layer.n_head == getattr(config, "num_attention_heads", None) or config.n_head
        assert layer.n_kv_head == (getattr(config, "num_key_value_heads", None) or layer.n_head)
        assert layer.w_v.dtype == torch.float32
        assert not layer.w_v.requires_grad
    assert family.activation(config) == "silu"
    assert family.is_causal(config) == oracle_layers(model, random_ids(2))[0]["causal"]


@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_the_longest_sequence_runs(name):
    """`max_tokens` is what the position embeddings allow: RoBERTa loses those up to its padding index."""
    family = families()[name]
    model = tiny_model(name)
    longest = family.max_tokens(model.config)
    assert longest == (46 if name in ("roberta", "mpnet") else 48)
    attribute(model, random_ids(longest))
    if name in LEARNED_POSITIONS:
        with pytest.raises((IndexError, RuntimeError)):
            attribute(model, random_ids(longest + 1))


@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_a_biasless_model(name):
    """All biases zero, norms at their defaults: no constant anywhere, so both readings are one."""
    model, ids = tiny_model(name), random_ids(7)
    with torch.no_grad():
        for key, parameter in model.named_parameters():
            if key.endswith("bias"):
                parameter.zero_()
    path, constant = (attribute(model, ids, ff_bias=reading) for reading in ("path", "constant"))
    for one, other in zip(path, constant, strict=True):
        assert_same(one[0], other[0], 1e-6)
        for stage in ("atb", "after_ff", "after_res", "after_ln"):
            assert one[0].norms[f"const_{stage}"].abs().max() == 0


@pytest.mark.parametrize(
    ("model_type", "near"), [("bertt", "bert"), ("gpt3", "gptj"), ("distillbert", "distilbert"), ("zzz", None)]
)
def test_an_unknown_architecture_is_refused_with_the_nearest_known(model_type, near):
    config = PretrainedConfig()
    config.model_type = model_type
    with pytest.raises(ModelError) as refused:
        family_of(config)
    message = str(refused.value)
    assert "\n" not in message
    assert f"'{model_type}'" in message
    assert "known: albert, bart, bert, camembert, distilbert" in message
    assert "README" in message
    if near is None:
        assert "nearest" not in message
    else:
        assert message.split("nearest: ")[1].split(";")[0].split(", ")[0] == near


@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_cross_attention_is_refused(name):
    with pytest.raises(ModelError, match="cross-attention"):
        family_of(families()[name].tiny_config(add_cross_attention=True))


@pytest.mark.parametrize("name", ["bert", "roberta", "electra"])
def test_relative_positions_are_refused(name):
    with pytest.raises(ModelError, match="relative_key"):
        family_of(families()[name].tiny_config(position_embedding_type="relative_key"))
    assert family_of(families()[name].tiny_config(position_embedding_type="absolute")).name == name


def test_readme_has_every_architecture():
    """The row of each is its own: placement and order of components as the family says."""
    words = {"post_ln": "Post-LN", "pre_ln": "Pre-LN", "parallel": "parallel", "sandwich_ln": "sandwich",
             "res_post_ln": "norm on each branch"}  # fmt: skip
    rows = [
        line for line in (Path(__file__).parents[3] / "README.md").read_text().splitlines() if line.startswith("| ")
    ]
    for family in families().values():
        config = family.tiny_config()
        placement = family.placement_in(config)
        for model_type in family.model_types:
            (row,) = (line for line in rows if f"`{model_type}`" in line)
            _, _, _, says, order, *_ = (cell.strip() for cell in row.split("|"))
            assert says.startswith(words[placement])
            assert ("causal" in says) == family.is_causal(config)
            assert order == ", ".join(COMPONENT_ORDER[placement])
