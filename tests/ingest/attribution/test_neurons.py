"""Activations of single neurons against what the model's own second matrix reads, and the strongest against sorting."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from transformers import PreTrainedModel

from ingest.architectures import Family, families
from ingest.attribution.neurons import merged, read_keys, strongest
from tests.ingest.attribution.support import FAMILY_NAMES, attribute, random_ids, tiny_model, with_activation


def second_matrix(layer: nn.Module, w_out: Tensor) -> nn.Module:
    """The module of a layer whose own weight holds the neurons' value vectors; Conv1D stores them as rows."""
    held = [
        module
        for module in layer.modules()
        for weight in (getattr(module, "weight", None),)
        if isinstance(weight, Tensor) and weight.dim() == 2 and _same(weight, w_out)
    ]
    (module,) = held
    return module


def _same(weight: Tensor, w_out: Tensor) -> bool:
    return any(w.shape == w_out.shape and torch.equal(w.float(), w_out) for w in (weight, weight.T))


@contextmanager
def observed(model: Any, family: Family) -> Iterator[list[tuple[Tensor, Tensor]]]:
    """What the second matrix of each layer reads and gives (B * T, ...), layer by layer as the model runs."""
    seen: list[tuple[Tensor, Tensor]] = []

    def keep(module: nn.Module, args: tuple[Tensor, ...], output: Tensor) -> None:
        seen.append((args[0].flatten(0, -2), output.flatten(0, -2)))

    layers = dict.fromkeys(family.layers(model))
    handles = [
        second_matrix(layer, family.weights(layer, model.config).w_out).register_forward_hook(keep) for layer in layers
    ]
    yield seen
    for handle in handles:
        handle.remove()


@torch.no_grad()
def models_own(model: PreTrainedModel, family: Family, ids: Tensor, mask: Tensor) -> list[tuple[Tensor, Tensor]]:
    """(B, T, dff) activations and (B, T, d) outputs of FF of each layer, from a run without the core."""
    with observed(model, family) as seen:
        family.forward(model, ids, mask)
    return [(read.unflatten(0, ids.shape), gave.unflatten(0, ids.shape)) for read, gave in seen]


def padded_batch(family: Family) -> tuple[Tensor, Tensor]:
    """Three sequences of different lengths, padded on either side where they may be."""
    ids, mask = random_ids(3, 9), torch.ones(3, 9, dtype=torch.long)
    mask[0, 4:] = 0
    mask[1, slice(0, 3) if family.left_padding else slice(6, 9)] = 0
    return ids, mask


ACTIVATIONS = ("gelu", "relu", "silu", "sigmoid")


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_activations_are_what_the_second_matrix_reads(name, activation) -> None:
    """In the core's own double precision, to 1e-10 of the token's largest; and they make FF's output."""
    family, ids = families()[name], random_ids(1, 7)
    model = tiny_model(name, **with_activation(name, activation))
    own = models_own(model, family, ids, torch.ones_like(ids))
    found = attribute(model, ids, dtype=torch.float64, neurons=True)
    weights = [family.weights(layer, model.config) for layer in family.layers(model)]
    assert len(own) == len(found) == 3
    for (reads, gives), rows, w in zip(own, found, weights, strict=True):
        activations = rows[0].activations
        assert_close(activations, reads, 1e-10)
        assert_close(activations @ w.w_out.double() + w.b_out.double(), gives, 1e-10)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_a_padded_batch_in_single_precision(name, activation) -> None:
    """As it runs: float32, several sequences at once; padding has no activations."""
    family = families()[name]
    model = tiny_model(name, **with_activation(name, activation)).float()
    ids, mask = padded_batch(family)
    own = models_own(model, family, ids, mask)
    for (reads, _), rows in zip(own, attribute(model, ids, mask=mask, neurons=True), strict=True):
        for row, result in rows.items():
            assert result.activations.dtype == torch.float32
            assert_close(result.activations[0], reads[row, mask[row] == 1], 1e-5)


def assert_close(found: Tensor, expected: Tensor, tolerance: float) -> None:
    assert found.shape == expected.shape
    gap = (found.double() - expected.double()).abs()
    assert (gap <= tolerance * expected.double().abs().amax(-1, keepdim=True)).all()


@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_a_model_in_half_precision(name) -> None:
    """The core reads the layer's bfloat16 input and goes on in float32; the model has rounded its own on the way."""
    family = families()[name]
    model, ids = tiny_model(name).bfloat16(), random_ids(1, 9)
    own = models_own(model, family, ids, torch.ones_like(ids))
    for (reads, _), rows in zip(own, attribute(model, ids, neurons=True), strict=True):
        assert reads.dtype == torch.bfloat16
        assert_close(rows[0].activations, reads, 0.05)


@pytest.mark.parametrize(
    ("name", "overrides"),
    [
        ("albert", {"num_hidden_layers": 4, "num_hidden_groups": 2}),
        ("gpt_neox", {"use_parallel_residual": False}),
        ("opt", {"do_layer_norm_before": False}),
        ("t5", {"feed_forward_proj": "gated-gelu"}),
    ],
)
def test_options_that_change_the_shape_of_layers(name, overrides) -> None:
    family = families()[name]
    model, ids = tiny_model(name, **overrides), random_ids(1, 8)
    own = models_own(model, family, ids, torch.ones_like(ids))
    for (reads, _), rows in zip(own, attribute(model, ids, dtype=torch.float64, neurons=True), strict=True):
        assert_close(rows[0].activations, reads, 1e-10)


def test_they_are_left_out_unless_asked_for() -> None:
    model, ids = tiny_model("bert"), random_ids(1, 5)
    assert all(layer[0].activations is None for layer in attribute(model, ids))


# The strongest: values with many ties and zeros, so that order matters.

TIED = st.integers(-3, 3).map(lambda n: n / 2)


@st.composite
def groups_of_tokens(draw) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Activations (T, 2) and token numbers of groups, which together hold every token once."""
    n = draw(st.integers(1, 24))
    values = np.array(draw(st.lists(st.tuples(TIED, TIED), min_size=n, max_size=n)), np.float32)
    order = np.array(draw(st.permutations(range(n))))
    cuts = sorted(draw(st.sets(st.integers(1, n - 1), max_size=4))) if n > 1 else []
    parts = np.split(order, cuts)
    return [values[part] for part in parts], parts


@given(groups_of_tokens(), st.integers(1, 6))
@settings(deadline=None)
def test_the_strongest_are_those_that_sorting_gives(groups, n_most) -> None:
    values, tokens = groups
    keys: Tensor | None = None
    for some, numbers in zip(values, tokens, strict=True):
        new = strongest(torch.from_numpy(some), torch.from_numpy(numbers), n_most)
        keys = new if keys is None else merged(keys, new, n_most)
    assert keys is not None
    sizes, numbers = read_keys(keys.sort(-1, descending=True).values)
    everything = sorted(
        (number, *row.tolist())
        for some, its in zip(values, tokens, strict=True)
        for number, row in zip(its.tolist(), some, strict=True)
    )
    for nth, sign in enumerate((1, -1)):
        for unit in range(2):
            of_sign = [(row[0], sign * row[1 + unit]) for row in everything if sign * row[1 + unit] > 0]
            expected = sorted(of_sign, key=lambda pair: (-pair[1], pair[0]))[:n_most]
            there = sizes[nth, unit] > 0
            found = zip(numbers[nth, unit, there].tolist(), sizes[nth, unit, there].tolist(), strict=True)
            assert list(found) == expected


def test_keys_hold_every_float_and_every_token() -> None:
    """Smallest and largest sizes and numbers come back bit for bit."""
    values = torch.tensor([[1e-45], [3.4e38], [0.1], [-0.1], [-1e-45], [-0.0]])
    tokens = torch.tensor([0, 1, 2**31 - 1, 5, 2**31 - 2, 9])
    sizes, numbers = read_keys(strongest(values, tokens, 6).sort(-1, descending=True).values)
    assert sizes[0, 0, :3].tolist() == [values[1].item(), values[2].item(), values[0].item()]
    assert numbers[0, 0, :3].tolist() == [1, 2**31 - 1, 0]
    assert sizes[1, 0, :2].tolist() == [-values[3].item(), -values[4].item()]
    assert numbers[1, 0, :2].tolist() == [5, 2**31 - 2]
    assert not (sizes[0, 0, 3:] > 0).any() and not (sizes[1, 0, 2:] > 0).any()


def test_many_neurons_are_taken_in_parts(monkeypatch) -> None:
    values, tokens = torch.randn(30, 50, generator=torch.Generator().manual_seed(1)), torch.arange(30)
    whole = strongest(values, tokens, 4).sort(-1).values
    monkeypatch.setattr("ingest.attribution.neurons._PART", 100)
    assert torch.equal(strongest(values, tokens, 4).sort(-1).values, whole)
