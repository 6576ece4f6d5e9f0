"""Tiny models of every discovered family, run through capture and core. Expectations come from tests.oracle."""

from __future__ import annotations

import copy
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers import AutoModel, PreTrainedModel

from ingest.architectures import Family, families
from ingest.attribution.layer import LayerAttribution, attribute_layer
from ingest.attribution.normalisation import Norm
from ingest.attribution.weights import FoldedLayer, LayerWeights, fold
from ingest.capture import forward_by_layer, length_groups
from tests.oracle.maps import oracle_layers, oracle_pieces
from tests.oracle.tiny import in_double, randomise
from warehouse.contract import NORM_MEASURES, PAIR_MEASURES

torch.set_num_threads(1)  # two threads on two cores that others use too: ten times slower, not faster

FAMILY_NAMES = tuple(sorted(families()))
IN_DOUBLE = ("albert", "bart", "bert", "distilbert", "electra", "gpt2", "mpnet", "roberta")
"""Families whose modules compute everything in the model's precision; others have a softmax in float32."""

ACTIVATIONS = ("gelu", "relu", "gelu_new", "silu", "quick_gelu", "sigmoid")
"""The last because it is not 0 at 0."""
SHARES = ("mix_", "cos_")
"""Numbers in [-1, 1] that may be zero by cancellation: their error is absolute."""


def tiny_model(name: str, seed: int = 0, **overrides: Any) -> PreTrainedModel:
    """A base model in float64 whose every parameter is exactly a float32, as `Family.weights` will hand it on."""
    config = families()[name].tiny_config(**overrides)
    model = AutoModel.from_config(config, attn_implementation="eager").double().eval()
    randomise(model, seed).float()
    with torch.no_grad():
        for module in model.modules():
            if type(module).__name__.startswith("Gemma") and type(module).__name__.endswith("RMSNorm"):
                module.weight.copy_(module.weight + 1).sub_(1)  # so that 1 + weight is a float32 too
    return in_double(model.double())


def with_activation(name: str, activation: str) -> dict[str, str]:
    """The overrides that set a family's activation, whatever its configuration calls it."""
    config = families()[name].tiny_config()
    for option in ("hidden_activation", "hidden_act", "activation_function", "activation", "feed_forward_proj"):
        if hasattr(config, option):
            return {option: activation}
    message = f"{name}: how does its configuration name the activation?"
    raise AssertionError(message)


def random_ids(*lengths: int, seed: int = 0) -> Tensor:
    """(1, T) or (B, T) ids, T at most 94; none is a padding id of any family.

    None comes twice in a row: equal tokens can have equal norms, whose order in ranks is rounding.
    """
    generator = torch.Generator().manual_seed(seed)
    n_batch, n_pos = lengths if len(lengths) > 1 else (1, *lengths)
    return torch.stack([3 + torch.randperm(94, generator=generator)[:n_pos] for _ in range(n_batch)])


def in_dtype(weights: LayerWeights, dtype: torch.dtype) -> LayerWeights:
    changed: dict[str, Any] = {}
    for field in fields(weights):
        value = getattr(weights, field.name)
        if isinstance(value, Tensor):
            changed[field.name] = value.to(dtype)
        elif isinstance(value, Norm):
            changed[field.name] = replace(value, gamma=value.gamma.to(dtype), beta=value.beta.to(dtype))
    return replace(weights, **changed)


def folded_layers(model: PreTrainedModel, family: Family, dtype: torch.dtype = torch.float32) -> list[FoldedLayer]:
    return [fold(in_dtype(family.weights(layer, model.config), dtype)) for layer in family.layers(model)]


def attribute(
    model: PreTrainedModel,
    ids: Tensor,
    *,
    mask: Tensor | None = None,
    special: Tensor | None = None,
    dtype: torch.dtype = torch.float32,
    **options: Any,
) -> list[dict[int, LayerAttribution]]:
    """Layer -> {row of the batch: its attribution, batch axis kept}; the core runs in `dtype`."""
    (family,) = (f for f in families().values() if model.config.model_type in f.model_types)
    folded = folded_layers(model, family, dtype)
    mask = torch.ones_like(ids) if mask is None else mask
    special = torch.zeros_like(ids, dtype=torch.bool) if special is None else special
    found: list[dict[int, LayerAttribution]] = [{} for _ in folded]

    def on_layer(index: int, x: Tensor, alpha: Tensor, output: Tensor) -> None:
        for group in length_groups(mask):
            whole = attribute_layer(
                group.states(x).to(dtype),
                group.alpha(alpha).to(dtype),
                group.states(output).to(dtype),
                group.states(special),
                folded[index],
                is_causal=family.is_causal(model.config),
                **options,
            )
            for nth, row in enumerate(group.rows.tolist()):
                found[index][row] = whole.of_sequence(nth)

    forward_by_layer(model, family, ids, mask, on_layer)
    return found


@dataclass(frozen=True)
class Case:
    """One tiny model on one sequence, with what the oracle finds for each of its layers."""

    model: PreTrainedModel
    ids: Tensor
    expected: list[dict[str, Any]]
    states: list[Any]

    def single_precision(self) -> PreTrainedModel:
        return copy.deepcopy(self.model).float()


@cache
def oracle_case(name: str, activation: str, length: int, ff_bias: str) -> Case:
    model = tiny_model(name, seed=length, **with_activation(name, activation))
    ids = random_ids(length, seed=length)
    pieces = oracle_pieces(model, ids, ff_bias)  # type: ignore[arg-type]
    return Case(model, ids, oracle_layers(model, ids, ff_bias), [layer.states for layer in pieces])  # type: ignore[arg-type]


def assert_layer(found: LayerAttribution, expected: dict[str, Any], tolerance: float, *, of_row: float = 0.0) -> None:
    """Every map and every norm of a layer against the oracle.

    A value v may miss the oracle's w by tolerance * |w|, elementwise, plus of_row * (largest |w| of its query's row,
    for a map; of the sequence, for a norm). Mixing ratios and cosines: absolute.
    """
    assert set(found.maps) == set(PAIR_MEASURES)
    assert set(found.norms) == set(NORM_MEASURES)
    for name, value in (found.maps | found.norms).items():
        if name == "completeness_error":
            assert value.max() <= tolerance, name
            continue
        got, want = value[0].double().numpy(), expected[name]
        assert got.shape == want.shape, name
        assert np.array_equal(np.isnan(got), np.isnan(want)), name
        if name.startswith(SHARES):
            allowed = np.full_like(want, max(tolerance, of_row))
        else:
            allowed = tolerance * np.abs(want) + of_row * np.abs(want).max(axis=-1, keepdims=True)
        gap = np.nan_to_num(np.abs(got - want))
        worst = np.unravel_index((gap - allowed).argmax(), gap.shape)
        assert (gap <= allowed).all(), f"{name}{list(worst)}: {got[worst]!r}, oracle {want[worst]!r}"


def assert_same(one: LayerAttribution, other: LayerAttribution, tolerance: float) -> None:
    """Two runs of one sequence: maps within `tolerance` of the row's largest value, norms of the sequence's."""
    for name, value in (one.maps | one.norms).items():
        if name == "completeness_error":
            continue
        second = (other.maps | other.norms)[name]
        assert value.shape == second.shape, name
        assert torch.equal(value.isnan(), second.isnan()), name
        scale = 1.0 if name.startswith(SHARES) else second.abs().amax(-1, keepdim=True)
        gap = (value - second).abs().nan_to_num()
        assert (gap <= tolerance * scale).all(), f"{name}: {(gap / scale).max():.1e}"
    assert torch.equal(one.n_pairs, other.n_pairs)
