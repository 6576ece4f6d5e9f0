"""Mixing ratios, completeness and moments per dimension, by hand and by numpy."""

import numpy as np
import torch

from ingest.architectures import families
from ingest.attribution.layer import attribute_layer
from ingest.attribution.measures import dim_moments, mixing_ratio
from ingest.capture import forward_by_layer
from tests.ingest.attribution.support import attribute, folded_layers, random_ids, tiny_model


def test_mixing_ratio_by_hand():
    whole = torch.tensor([[3.0, 4.0], [1.0, 0.0], [2.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    own = torch.tensor([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 0.0], [0.0, 2.0]])
    found = mixing_ratio(whole, own)
    # all from others; all its own; 3 against 1; nothing at all; others cancel the token itself
    np.testing.assert_allclose(found, [1.0, 0.0, 0.75, np.nan, 0.5])


def test_mixing_ratio_is_of_the_sum_not_the_sum_of_norms():
    """Two others that cancel mix nothing in."""
    pieces = torch.tensor([[1.0, 0.0], [0.0, 5.0], [0.0, -5.0]])
    assert mixing_ratio(pieces.sum(0), pieces[0]).item() == 0


def test_dim_moments_are_numpys():
    generator = torch.Generator().manual_seed(0)
    state = 5 + torch.randn(40, 6, generator=generator)
    found = dim_moments(state)
    array = state.double().numpy()
    assert all(value.dtype == torch.float64 for value in found.values())
    np.testing.assert_allclose(found["mean"], array.mean(0), rtol=1e-13)
    np.testing.assert_allclose(found["mean_abs"], np.abs(array).mean(0), rtol=1e-13)
    np.testing.assert_allclose(found["m2"], 40 * array.var(0), rtol=1e-12)


def test_moments_of_shards_merge_exactly():
    """What the loader does (Chan et al. 1979) gives the moments of all tokens."""
    state = torch.randn(30, 4, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    one, two, both = dim_moments(state[:7]), dim_moments(state[7:]), dim_moments(state)
    shift = two["mean"] - one["mean"]
    torch.testing.assert_close(one["m2"] + two["m2"] + shift.square() * 7 * 23 / 30, both["m2"])


def test_completeness_shows_a_state_that_is_not_the_models():
    """The error is relative to the model's own state: moved by a hundredth of its norm, it reads 0.01."""
    for name in ("bert", "gpt2"):
        model, family, ids = tiny_model(name).float(), families()[name], random_ids(5)
        folded = folded_layers(model, family)
        seen = []

        def on_layer(index, x, alpha, output, folded=folded, family=family, model=model, seen=seen):
            nudge = torch.randn(output.shape, generator=torch.Generator().manual_seed(index))
            nudge *= 0.01 * output.norm(dim=-1, keepdim=True) / nudge.norm(dim=-1, keepdim=True)
            special = torch.zeros(output.shape[:2], dtype=torch.bool)
            found = attribute_layer(
                x, alpha, output + nudge, special, folded[index], is_causal=family.is_causal(model.config)
            )
            seen.append((found.norms["completeness_error"], 0.01 * output.norm(dim=-1) / (output + nudge).norm(dim=-1)))

        forward_by_layer(model, family, ids, torch.ones_like(ids), on_layer)
        assert len(seen) == 3
        for error, expected in seen:
            torch.testing.assert_close(error, expected, rtol=1e-3, atol=0)


def test_wrong_attention_weights_show_in_completeness():
    """Weights of another sequence do not rebuild this one's states."""
    model, family = tiny_model("bert").float(), families()["bert"]
    folded = folded_layers(model, family)
    caught = []
    for seed in (0, 1):
        ids = random_ids(6, seed=seed)
        forward_by_layer(model, family, ids, torch.ones_like(ids), lambda *seen: caught.append(seen))
    (index, x, _, output), (_, _, foreign, _) = caught[0], caught[3]
    special = torch.zeros(1, 6, dtype=torch.bool)
    found = attribute_layer(x, foreign, output, special, folded[index], is_causal=False)
    assert found.norms["completeness_error"].min() > 1e-3


def test_attribution_needs_no_graph():
    found = attribute(tiny_model("bert").float(), random_ids(4))
    assert not any(value.requires_grad for layer in found for value in layer[0].maps.values())
