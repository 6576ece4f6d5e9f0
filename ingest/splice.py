"""A model's states after every layer, and what a classifier makes of other states put in the place of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from ingest.capture import forward_by_layer
from ingest.classifiers import Classifier
from ingest.models import LoadedModel


def states_of(model: LoadedModel, input_ids: Tensor) -> list[Tensor]:
    """The states after 0, 1, ..., L layers, (B, T, d) each, of texts of one length (B, T), without padding."""
    states: list[Tensor] = []

    def on_layer(index: int, x: Tensor, alpha: Tensor, output: Tensor) -> None:
        if index == 0:
            states.append(x)
        states.append(output)

    with model.products():
        forward_by_layer(model.module, model.family, input_ids, torch.ones_like(input_ids), on_layer)
    return states


def logits_from(classifier: Classifier, input_ids: Tensor, cut: int, states: Tensor) -> Tensor:
    """(B, n_classes): the classifier's logits with `states` (B, T, d) as its states after `cut` layers, 0 to L.

    Everything behind the cut is the classifier's own: layers, final norm, pooling, head, masks and positions. Its
    earlier layers run too, and what they give is dropped.
    """
    with _replaced(classifier.model, cut, states), classifier.model.products():
        return classifier.logits(input_ids)


@contextmanager
def _replaced(model: LoadedModel, cut: int, states: Tensor) -> Iterator[None]:
    """Meanwhile the states after `cut` layers are these."""
    layers = model.family.layers(model.module)
    if not 0 <= cut <= len(layers):
        msg = f"cut {cut} of a model with {len(layers)} layers"
        raise ValueError(msg)
    begun = ended = 0  # layers; a module that several layers share runs as often

    def into(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        nonlocal begun
        begun += 1
        if begun != cut + 1:
            return None
        return ((states, *args[1:]), kwargs) if args else (args, kwargs | {"hidden_states": states})

    def out_of(module: Any, args: tuple[Any, ...], output: Any) -> Any:
        nonlocal ended
        ended += 1
        if ended != cut:
            return None
        return (states, *output[1:]) if isinstance(output, tuple) else states

    handles = []
    for layer in dict.fromkeys(layers):
        handles.append(layer.register_forward_pre_hook(into, with_kwargs=True))
        handles.append(layer.register_forward_hook(out_of))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
