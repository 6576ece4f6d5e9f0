"""What a model computes, layer by layer, taken from its own forward pass and handed on before the next layer runs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from ingest.architectures import Family
from warehouse.errors import ModelError

OnLayer = Callable[[int, Tensor, Tensor, Tensor], None]
"""Called with (layer from 0, x, alpha, output): x and output (B, T, d), alpha (B, H, T, T), padding included."""


@torch.no_grad()
def forward_by_layer(
    model: PreTrainedModel, family: Family, input_ids: Tensor, attention_mask: Tensor, on_layer: OnLayer
) -> None:
    """Run a padded batch and hand each layer's states to `on_layer` while it is the only one held.

    Args: input_ids, attention_mask (B, T), padded on either side.
    Raises ModelError when a layer gives no attention weights (the model must run eager attention).
    """
    with _watching(model, family, on_layer):
        family.forward(model, input_ids, attention_mask)


@contextmanager
def _watching(model: PreTrainedModel, family: Family, on_layer: OnLayer) -> Iterator[None]:
    seen = _Seen(family, on_layer)
    handles = []
    try:
        for layer in dict.fromkeys(family.layers(model)):  # a layer that is shared is watched once, and runs often
            handles += [
                layer.register_forward_pre_hook(partial(_see_input, seen), with_kwargs=True),
                family.attention(layer).register_forward_hook(partial(_see_alpha, seen)),
                layer.register_forward_hook(partial(_hand_on, seen)),
            ]
        yield
    finally:
        for handle in handles:
            handle.remove()


@dataclass
class _Seen:
    """What the layer that runs has shown so far, and how many have run."""

    family: Family
    on_layer: OnLayer
    n_done: int = 0
    x: Tensor | None = None
    alpha: Tensor | None = None


# A forward hook that returns anything but None replaces the module's output: these return None.


def _see_input(seen: _Seen, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    seen.x = args[0] if args else kwargs["hidden_states"]


def _see_alpha(seen: _Seen, module: nn.Module, args: tuple[Any, ...], output: Any) -> None:
    seen.alpha = seen.family.alpha_of(output)


def _hand_on(seen: _Seen, module: nn.Module, args: tuple[Any, ...], output: Any) -> None:
    if seen.x is None or seen.alpha is None:
        msg = f"layer {seen.n_done + 1} gave no attention weights: load the model with attn_implementation='eager'"
        raise ModelError(msg)
    x, alpha, index = seen.x, seen.alpha, seen.n_done
    seen.x = seen.alpha = None
    seen.n_done += 1
    seen.on_layer(index, x, alpha, output[0] if isinstance(output, tuple) else output)


@dataclass(frozen=True)
class LengthGroup:
    """The sequences of a padded batch that have one length: what the core takes, free of padding."""

    rows: Tensor  # (b,) their rows in the batch
    positions: Tensor  # (b, n) where their real tokens lie

    def states(self, x: Tensor) -> Tensor:
        """(B, T, ...) -> (b, n, ...)."""
        return x[self.rows.unsqueeze(1), self.positions]

    def alpha(self, alpha: Tensor) -> Tensor:
        """(B, H, T, T) -> (b, H, n, n)."""
        queries, keys = self.positions.unsqueeze(2), self.positions.unsqueeze(1)
        # Advanced indices around the slice put H last.
        return alpha[self.rows[:, None, None], :, queries, keys].permute(0, 3, 1, 2)


def length_groups(attention_mask: Tensor) -> list[LengthGroup]:
    """Split a padded batch (B, T) by the number of real tokens, shortest first; empty rows belong to none."""
    lengths = attention_mask.sum(1)
    groups = []
    for n in lengths.unique().tolist():
        if n:
            rows = (lengths == n).nonzero().squeeze(1)
            positions = attention_mask[rows].nonzero()[:, 1].view(len(rows), n)
            groups.append(LengthGroup(rows, positions))
    return groups
