"""A few sequences through a model, every map of every layer kept: for comparing ways of running it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ingest.attribution.change import Ordered, pair_filters
from ingest.attribution.layer import LayerAttribution, attribute_layer
from ingest.attribution.pieces import DEVICE_ROWS
from ingest.capture import forward_by_layer, length_groups
from ingest.compute import padded
from ingest.models import LoadedModel
from ingest.rows import TokenSequence

_RANKED = 12
"""Tokens that a sequence must have for the ranks of its pairs to be worth comparing."""

Layers = list[LayerAttribution]
"""One sequence: its layers, each with a batch axis of 1."""


@dataclass(frozen=True)
class PrecisionCost:
    """How far maps in one precision are from those in another, at worst over all layers, maps and sequences."""

    map_error: float
    """Frobenius norm of the difference over that of the reference."""
    map_error_at: str
    spearman: float
    """NaN where no sequence was long enough."""
    spearman_at: str


def probe(model: LoadedModel, sequences: Sequence[TokenSequence], *, pad_left: bool = False) -> list[Layers]:
    """Attribute sequences as one padded batch, every layer of each kept in memory."""
    ids, mask, special = padded(sequences, model.device, on_left=pad_left)
    found: list[Layers] = [[] for _ in sequences]

    def on_layer(index: int, x: Tensor, alpha: Tensor, output: Tensor) -> None:
        for group in length_groups(mask):
            whole = attribute_layer(
                group.states(x).float(),
                group.alpha(alpha).float(),
                group.states(output).float(),
                group.states(special),
                model.layers[index],
                is_causal=model.is_causal,
                rows=DEVICE_ROWS[model.device.type],
            )
            for nth, row in enumerate(group.rows.tolist()):
                found[row].append(whole.of_sequence(nth))

    with model.products():
        forward_by_layer(model.module, model.family, ids, mask, on_layer)
    return found


def map_error(one: Tensor, other: Tensor) -> float:
    """Greatest difference of two maps (B, Q, K), each relative to its row's greatest value in the first."""
    largest = one.amax(-1, keepdim=True)
    return float(((one - other).abs() / torch.where(largest > 0, largest, 1.0)).max())


def map_spearman(one: Tensor, other: Tensor, *, is_causal: bool) -> float:
    """Spearman's rho of two maps (1, Q, K) over the pairs that the model sees; NaN where there are too few."""
    no_special = torch.zeros(one.shape[:2], dtype=torch.bool, device=one.device)
    visible = pair_filters(no_special, is_causal=is_causal)["all"]
    ranks = Ordered.of(torch.stack([one, other]).flatten(1)).ranks(visible.flatten(1))[:, visible.flatten()]
    return float(torch.corrcoef(ranks)[0, 1]) if ranks.shape[1] > 2 else float("nan")


def precision_cost(reference: list[Layers], found: list[Layers], *, is_causal: bool) -> PrecisionCost:
    """Compare the maps of the same sequences in two precisions."""
    errors, rhos = [(0.0, "no map")], [(math.inf, "")]
    for layers, others in zip(reference, found, strict=True):
        for number, (one, other) in enumerate(zip(layers, others, strict=True), start=1):
            for name, values in one.maps.items():
                where, size = f"layer {number}, {name}", float(values.norm())
                if size > 0:
                    errors.append((float((other.maps[name] - values).norm()) / size, where))
                if values.shape[1] >= _RANKED:
                    rhos.append((map_spearman(values, other.maps[name], is_causal=is_causal), where))
    rho, rho_at = min(rhos)
    if rho_at == "":
        rho, rho_at = math.nan, f"no sequence of {_RANKED} tokens"
    return PrecisionCost(*max(errors), rho, rho_at)
