"""Tiny models as `load_model` would give them, and what they themselves compute as queries and keys."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from ingest.architectures import family_of
from ingest.models import LoadedModel
from tests.ingest.attribution.support import tiny_model
from tests.oracle.model_states import layer_parts, readable

QUERY, KEY = {"query", "q_proj", "q_lin", "q"}, {"key", "k_proj", "k_lin", "k"}
FUSED = ("gpt2", "gpt_neox", "modernbert")
"""Families with one matrix for queries, keys and values: what they make of its output is caught further on."""


def loaded(module: PreTrainedModel) -> LoadedModel:
    return LoadedModel(
        module=module,
        family=family_of(module.config),
        name="tiny",
        revision=None,
        weights_sha256="",
        dtype="float32",
        device=module.device,
        family_label=None,
        seed=None,
    )


def without_biases(name: str, **overrides: Any) -> PreTrainedModel:
    """A tiny model whose layers add no constant anywhere: a state that is read is linear in the vectors, but for s."""
    model = tiny_model(name, **overrides)
    with torch.no_grad():
        for key, parameter in model.named_parameters():
            if key.endswith("bias"):
                parameter.zero_()
    return model


def own_queries_and_keys(model: PreTrainedModel, ids: Tensor) -> list[tuple[Tensor, Tensor]]:
    """Per layer what the model's own projections give, biases included: (T, H * dh), (T, Hkv * dh).

    Of fused projections it is what attention receives, with all tokens at position 0, where a rotation turns nothing.
    """
    base = readable(model)
    caught: list[dict[str, Tensor]] = []
    if model.config.model_type in FUSED:
        with _recording(base, caught), torch.no_grad():
            base(input_ids=ids, position_ids=torch.zeros_like(ids))
    else:
        handles = []
        for attention in dict.fromkeys(part.attention for part in layer_parts(base)):  # some are shared
            for name, module in attention.named_children():
                side = "query" if name in QUERY else "key" if name in KEY else None
                if side is not None:
                    handles.append(module.register_forward_hook(_catch(caught, side)))
        with torch.no_grad():
            base(input_ids=ids)
        for handle in handles:
            handle.remove()
    queries = [found["query"] for found in caught if "query" in found]
    keys = [found["key"] for found in caught if "key" in found]
    return list(zip(queries, keys, strict=True))


def _catch(caught: list[dict[str, Tensor]], side: str) -> Any:
    def hook(module: nn.Module, inputs: Any, output: Tensor) -> None:
        caught.append({side: output[0].clone()})

    return hook


@contextmanager
def _recording(base: PreTrainedModel, caught: list[dict[str, Tensor]]) -> Iterator[None]:
    """Catch what the model's own attention function is called with."""
    owner = sys.modules[type(base).__module__]
    attention = owner.eager_attention_forward

    def recorded(module: nn.Module, query: Tensor, key: Tensor, *rest: Any, **options: Any) -> Any:
        # (1, H, T, dh) each
        caught.append({"query": query[0].transpose(0, 1).flatten(1), "key": key[0].transpose(0, 1).flatten(1)})
        return attention(module, query, key, *rest, **options)

    owner.eager_attention_forward = recorded
    try:
        yield
    finally:
        owner.eager_attention_forward = attention
