"""A model's states after every layer, and what a classifier makes of other states put in the place of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

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


class Spliced:
    """A classifier on a batch of texts of one length (B, T): its own logits, and those from other states on.

    What its layers give of their own is computed once; behind a cut everything is the classifier's own computation:
    layers, final norm, pooling, head, masks and positions.
    """

    def __init__(self, classifier: Classifier, input_ids: Tensor) -> None:
        self._classifier, self._input_ids = classifier, input_ids
        self._layers = classifier.model.family.layers(classifier.model.module)
        self._outputs: list[Any] = []  # of each layer, as the layer returns them

        def record(layer: nn.Module, args: tuple[Any, ...], output: Any) -> None:
            self._outputs.append(output)

        handles = [layer.register_forward_hook(record) for layer in dict.fromkeys(self._layers)]
        try:
            with classifier.model.products():
                self.logits = classifier.logits(input_ids)
        finally:
            for handle in handles:
                handle.remove()

    def logits_from(self, cut: int, states: Tensor) -> Tensor:
        """(B, n_classes): the logits with `states` (B, T, d) as the states after `cut` layers, 0 to L."""
        if not 0 <= cut <= len(self._layers):
            msg = f"cut {cut} of a model with {len(self._layers)} layers"
            raise ValueError(msg)
        given = [*self._outputs[:cut]]
        if cut:
            given[-1] = (states, *given[-1][1:]) if isinstance(given[-1], tuple) else states
        with self._giving(given, states), self._classifier.model.products():
            return self._classifier.logits(self._input_ids)

    @contextmanager
    def _giving(self, given: list[Any], first_input: Tensor) -> Iterator[None]:
        """Meanwhile the first layers give these outputs; where there are none, the first layer reads `first_input`."""
        ran = 0  # layers; a module that several of them share runs as often

        def instead_of(forward: Any) -> Any:
            def run(*args: Any, **kwargs: Any) -> Any:
                nonlocal ran
                ran += 1
                if ran <= len(given):
                    return given[ran - 1]
                if ran == 1 and args:
                    args = (first_input, *args[1:])
                elif ran == 1:
                    kwargs["hidden_states"] = first_input
                return forward(*args, **kwargs)

            return run

        modules = list(dict.fromkeys(self._layers))
        for module in modules:
            module.forward = instead_of(module.forward)
        try:
            yield
        finally:
            for module in modules:
                del module.forward  # the instance's own, which hid the class's
