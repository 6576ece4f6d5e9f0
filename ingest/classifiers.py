"""Load a fine-tuned classifier of texts, with its head, as safely as a base model: safetensors only, no hub code."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from safetensors import safe_open
from torch import Tensor
from transformers import AutoModelForSequenceClassification, PreTrainedModel

from ingest.architectures import family_of
from ingest.architectures._encoder_layout import EncoderOfTwo
from ingest.gguf import is_gguf
from ingest.model_files import config_of, folder_of, weight_files
from ingest.models import LoadedModel, load_with_head
from warehouse.errors import ModelError, UsageError

_KIND: Final = "ForSequenceClassification"
"""How the names of such classes of transformers end; others, such as classifiers of tokens, have like-named layers."""

HEADS: Final = ("classifier.out_proj", "classifier", "score")
"""Where transformers' classifiers keep the linear layer that gives the logits."""


@dataclass(frozen=True)
class Classifier:
    """A model with a head that gives one logit a class; `model` is the base model inside it."""

    module: PreTrainedModel
    model: LoadedModel
    labels: tuple[str, ...]
    """Names of the classes, in the order of the logits."""

    def head(self) -> Tensor:
        """(n_classes, d_head_input) float32: the rows of the linear layer that gives the logits."""
        weight: Tensor = head_of(self.module).weight
        return weight.detach().float()

    @torch.no_grad()
    def logits(self, input_ids: Tensor) -> Tensor:
        """(B, n_classes) float32 of texts of one length (B, T), without padding."""
        out: Any = self.module(input_ids=input_ids, attention_mask=torch.ones_like(input_ids))
        return out.logits.float()

    @property
    def batch_limit(self) -> int | None:
        """1 where transformers refuses more texts at once, since no padding token tells it where each ends."""
        unpadded = self.model.is_causal and getattr(self.module.config, "pad_token_id", None) is None
        return 1 if unpadded else None


def load_classifier(spec: str, **options: Any) -> tuple[Classifier, Any]:
    """Load a classifier and its tokenizer; options and errors are those of `ingest.models.load_model`.

    Raises ModelError too for a model without the head of a classifier, for one that gives a number instead of classes
    or several classes at once, and for encoder-decoder models.
    """
    if not is_classifier(spec, options.get("revision")):
        msg = f"{spec}: no classifier of texts: its weights hold no such head; give a fine-tuned classifier"
        raise ModelError(msg)
    classifier, tokenizer = load_headed(spec, **options)
    config: Any = classifier.module.config
    if config.num_labels < 2 or getattr(config, "problem_type", None) in ("regression", "multi_label_classification"):
        kind = getattr(config, "problem_type", None) or "it has a single one"
        msg = f"{classifier.model.name}: no classifier of texts into one of several classes ({kind}): give one"
        raise ModelError(msg)
    return classifier, tokenizer


def load_headed(spec: str, **options: Any) -> tuple[Classifier, Any]:
    """Load a model for which `is_classifier` holds, whatever its outputs mean, and its tokenizer."""
    module, model, tokenizer = load_with_head(spec, AutoModelForSequenceClassification, **options)
    head_of(module)
    labels = tuple(str(module.config.id2label[number]) for number in range(module.config.num_labels))
    return Classifier(module, model, labels), tokenizer


def head_of(module: Any) -> torch.nn.Linear:
    """The linear layer that gives the logits; ModelError where it has another name."""
    for path in HEADS:
        found: Any = module
        for step in path.split("."):
            found = getattr(found, step, None)
        if isinstance(found, torch.nn.Linear):
            return found
    msg = f"{type(module).__name__}: its classifying layer is none of {', '.join(HEADS)}, so its weights cannot be read"
    raise ModelError(msg)


def is_classifier(spec: str, revision: str | None = None) -> bool:
    """Whether a model's files hold the head of a classifier of texts; transformers would make up a missing one.

    Raises ModelError as `load_model`, and for the classifier of an encoder-decoder model.
    """
    if is_gguf(spec):
        return False
    folder, _ = folder_of(spec, revision)
    config = config_of(folder, spec)
    kinds = getattr(config, "architectures", None) or []
    if kinds and not any(kind.endswith(_KIND) for kind in kinds):
        return False
    wanted = {f"{head}.weight" for head in HEADS}
    if not any(wanted & _keys(file, spec) for file in weight_files(folder, spec)):
        return False
    if isinstance(family_of(config), EncoderOfTwo):
        msg = f"{spec}: classifiers of encoder-decoder models are not supported, since their decoder reads the text too"
        raise ModelError(msg)
    return True


def _keys(file: Path, spec: str) -> set[str]:
    try:
        with safe_open(file, framework="pt") as weights:
            return set(weights.keys())
    except Exception as error:
        msg = f"{spec}: its weights cannot be loaded ({type(error).__name__}); get the files again"
        raise ModelError(msg) from error


def class_ids(
    labels: Sequence[str], names: Sequence[str], source: str, *, skip_other: bool = False
) -> list[int | None]:
    """The class of each label: by its name, whatever the case, or, where no label is a name, by its number.

    Numbers are the classes' own, from 0, as GLUE writes them. None for the label of no class, with `skip_other`; else
    UsageError, which names the first of them. UsageError too where no label is a class's.
    """
    by_name = {name.casefold(): number for number, name in enumerate(names)}
    by_number = {str(number): number for number in range(len(names))}
    known = by_name if any(label.casefold() in by_name for label in labels) else by_number
    found = [known.get(label.casefold()) for label in labels]
    strange = sorted({label for label, number in zip(labels, found, strict=True) if number is None})
    if len(by_name) < len(names):
        msg = f"the classes {_listed(names)} differ in case alone: labels cannot tell them apart"
        raise ModelError(msg)
    if strange and (not skip_other or all(number is None for number in found)):
        hint = "" if all(number is None for number in found) else ", or leave such texts out with --skip-other-labels"
        msg = (
            f"{source}: the label {strange[0]!r} is none of the classifier's classes {_listed(names)}: "
            f"choose another --label-column{hint}"
        )
        raise UsageError(msg)
    return found


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"{number} {name}" for number, name in enumerate(names))
