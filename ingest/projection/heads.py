"""The head of a classifier, read as directions of the last layer's state."""

from typing import Any, Final

from torch import Tensor, nn

from ingest.classifiers import Classifier

_POOLING: Final = ("base_model.pooler.dense", "base_model.pooler", "classifier.dense", "pre_classifier", "head.dense")
"""Where transformers' classifiers keep the linear layer between a state and the head, if they have one: BERT; ALBERT;
RoBERTa, ELECTRA and MPNet; DistilBERT; ModernBERT."""


def class_directions(classifier: Classifier) -> Tensor:
    """(n_classes, d) float32: a row a class, w P where the head reads act(P x + b) of the state x, else w.

    The head's row w is carried back through the pooling's linear map; its activation and all biases are left out. For
    tanh, whose slope at 0 is 1, that is the logit's gradient at small pre-activations. (Ours.)
    """
    rows = classifier.head()
    for path in _POOLING:
        module: Any = classifier.module
        for step in path.split("."):
            module = getattr(module, step, None)
        if isinstance(module, nn.Linear):
            return rows @ module.weight.detach().float()
    widening = classifier.model.family.widening(classifier.model.module)
    # A head that reads narrower states (OPT's way out) is carried back through the map that makes them.
    return rows @ widening if widening is not None and widening.shape[0] == rows.shape[1] else rows


def class_difference(directions: Tensor) -> Tensor | None:
    """(1, d): of two classes, the second's direction less the first's; None for more of them, or one."""
    return directions[1:] - directions[:1] if len(directions) == 2 else None
