"""Capture: what the model itself computes, unharmed by being watched."""

from functools import partial

import numpy as np
import pytest
import torch
from transformers import AutoModel

from ingest.architectures import families
from ingest.capture import forward_by_layer
from tests.ingest.attribution.support import FAMILY_NAMES, IN_DOUBLE, random_ids, tiny_model
from tests.oracle.model_states import collect_states, readable
from warehouse.errors import ModelError

EXACT, ROUNDED = {"rtol": 1e-10, "atol": 1e-12}, {"rtol": 1e-5, "atol": 1e-5}


def n_hooks(model):
    return sum(len(m._forward_hooks) + len(m._forward_pre_hooks) for m in model.modules())


def captured(model, name, ids, mask=None):
    seen = []
    mask = torch.ones_like(ids) if mask is None else mask
    forward_by_layer(model, families()[name], ids, mask, lambda *states: seen.append(states))
    return seen


@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_states_are_the_models_own(name):
    """Those that independent hooks catch: every layer, in order, before and after it, and its attention."""
    model, ids = tiny_model(name), random_ids(7)
    seen = captured(model, name, ids)
    assert [index for index, *_ in seen] == [0, 1, 2]
    for (_, x, alpha, output), expected in zip(seen, collect_states(model, ids), strict=True):
        np.testing.assert_allclose(x[0], expected.x, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(alpha[0], expected.alpha, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(output[0], expected.output, rtol=1e-12, atol=1e-13)
        assert not any(state.requires_grad for state in (x, alpha, output))


@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_positions_are_those_the_model_would_count_itself(name):
    """RoBERTa's begin after its padding index: unpadded, the model left to itself gives the same states."""
    model, ids = tiny_model(name), random_ids(5)
    with torch.no_grad():
        plain = readable(model)(input_ids=ids, output_hidden_states=True).hidden_states
    for index, x, _, _ in captured(model, name, ids):
        torch.testing.assert_close(x, plain[index], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_watching_changes_nothing(name):
    """The output is the same bit for bit while hooks are there, and they are gone afterwards."""
    model, family, ids = tiny_model(name).float(), families()[name], random_ids(2, 6)
    mask = torch.tensor([[1] * 6, [0, 0, 1, 1, 1, 1]])
    outputs = []
    handle = readable(model).register_forward_hook(lambda module, args, output: outputs.append(output[0]))
    before = n_hooks(model)
    with torch.no_grad():
        family.forward(model, ids, mask)
    seen_hooks = []
    forward_by_layer(model, family, ids, mask, lambda *states: seen_hooks.append(n_hooks(model)))
    with torch.no_grad():
        family.forward(model, ids, mask)
    assert n_hooks(model) == before
    assert seen_hooks == [before + 3 * len(set(family.layers(model)))] * 3
    handle.remove()
    assert torch.equal(outputs[0], outputs[1])
    assert torch.equal(outputs[0], outputs[2])


@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_an_exception_in_the_callback_leaves_no_hook(name):
    model, ids = tiny_model(name), random_ids(4)

    def fail(index, *states):
        if index == 1:
            raise ZeroDivisionError

    before = n_hooks(model)
    with pytest.raises(ZeroDivisionError):
        forward_by_layer(model, families()[name], ids, torch.ones_like(ids), fail)
    assert n_hooks(model) == before == 0
    assert len(captured(model, name, ids)) == 3


@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_sdpa_gives_no_weights_and_is_refused(name):
    config = families()[name].tiny_config()
    if name in ("gemma2", "gpt_neo", "mpnet"):  # transformers has no other attention for them
        with pytest.raises(ValueError, match="scaled_dot_product_attention"):
            AutoModel.from_config(config, attn_implementation="sdpa")
        return
    model = AutoModel.from_config(config, attn_implementation="sdpa").eval()
    with pytest.raises(ModelError) as refused:
        captured(model, name, random_ids(4))
    message = str(refused.value)
    assert message.startswith("layer 1 ")
    assert "attn_implementation='eager'" in message
    assert "\n" not in message
    assert n_hooks(model) == 0


@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_padding_on_either_side_changes_no_state(name):
    """Weights on padding are zero, and states of real tokens those of the sequence alone."""
    model, ids = tiny_model(name), random_ids(5)
    if name not in IN_DOUBLE:  # a softmax in float32 makes NaN of the mask of a model in float64
        model = model.float()
    alone = captured(model, name, ids)
    pad_id = model.config.pad_token_id if model.config.pad_token_id is not None else 1
    close = partial(torch.testing.assert_close, **(EXACT if name in IN_DOUBLE else ROUNDED))
    for start in (0, 2, 4) if families()[name].left_padding else (0,):
        real = slice(start, start + 5)
        batch, mask = torch.full((2, 9), pad_id), torch.zeros(2, 9, dtype=torch.long)
        batch[0, real], mask[0, real] = ids[0], 1
        batch[1], mask[1] = random_ids(9)[0], 1
        for (_, x, alpha, output), (_, x1, alpha1, output1) in zip(
            captured(model, name, batch, mask), alone, strict=True
        ):
            close(x[0, real], x1[0])
            close(output[0, real], output1[0])
            close(alpha[0, :, real, real], alpha1[0])
            assert alpha[0, :, real][..., mask[0] == 0].abs().max() == 0


@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_each_layer_is_handed_on_before_the_next_runs(name):
    """So that only one layer's states are held."""
    model, family, ids = tiny_model(name), families()[name], random_ids(4)
    order = []
    handles = [layer.register_forward_pre_hook(lambda *_: order.append("runs")) for layer in set(family.layers(model))]
    forward_by_layer(model, family, ids, torch.ones_like(ids), lambda index, *_: order.append(f"seen {index}"))
    for handle in handles:
        handle.remove()
    assert order == ["runs", "seen 0", "runs", "seen 1", "runs", "seen 2"]


@pytest.mark.parametrize("name", ["bert", "roberta", "electra"])
def test_a_decoder_is_causal(name):
    model, ids = tiny_model(name, is_decoder=True), random_ids(6)
    assert families()[name].is_causal(model.config)
    for _, _, alpha, _ in captured(model, name, ids):
        assert alpha.triu(1).count_nonzero() == 0
        torch.testing.assert_close(alpha.sum(-1), torch.ones(1, 3, 6, dtype=torch.float64))
