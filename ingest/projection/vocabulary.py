"""The output embeddings of a model: what its vectors are read with."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast

import torch
from safetensors import safe_open
from torch import Tensor, nn

from ingest.display import readable_vocab
from ingest.models import LoadedModel
from warehouse.errors import ModelError, UsageError

EmbeddingSource = Literal["output", "tied", "input"]
"""output: the files hold output embeddings of their own. tied: the model's output embeddings are its input embeddings.
input: the files hold no output embeddings, so the input embeddings stand in for them."""


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Output embeddings with the items that they belong to. Row v of all fields is the item with token id v.

    E itself, not its inverse, and nothing else of the way out: no final norm, no transform of a masked language model's
    head, no scale. Embeddings that are narrower than the states come through the model's own map between the two: OPT's
    way out, (ALBERT, ELECTRA) the weights of the way in; the bias of that map, the same for every item, is left out.
    """

    embeddings: Tensor
    """E, (V, d) float32, on the model's device."""
    source: EmbeddingSource
    bias: Tensor | None
    """(V,) float32: the output bias; None where there is none, and where the embeddings are the input ones."""
    tokens: tuple[str, ...]
    """The tokenizer's own spelling; `<unused ID>` where it has no item."""
    keep: Tensor
    """(V,) bool: items that take part. Rows beyond the tokenizer's items, which only fill a matrix up, never do."""

    @property
    def ids(self) -> Tensor:
        """(n,) int64: the token ids that take part, ascending."""
        return self.keep.nonzero().squeeze(-1)

    def only(self, keep: Tensor) -> "Vocabulary":
        """The same with those items alone that `keep` (V,) has too; UsageError where none is left."""
        both = self.keep & keep.to(self.keep.device)
        if not both.any():
            msg = "no vocabulary item is left: choose another vocabulary filter"
            raise UsageError(msg)
        return replace(self, keep=both)


def vocabulary_of(model: LoadedModel, tokenizer: Any) -> Vocabulary:
    """A model's output embeddings, out of the weight files that it was loaded from.

    Encoders of encoder-decoder models have none of their own: their files' belong to the decoder. Raises ModelError
    where the output embeddings are of another shape than the input ones, or not finite.
    """
    family, module = model.family, model.module
    stored = _find(model.weight_files, family.output_weight)
    bias = _find(model.weight_files, family.output_bias)
    inputs: Tensor = cast(nn.Embedding, module.get_input_embeddings()).weight.detach()
    has_head = family.is_lm or bias is not None
    source: EmbeddingSource
    if stored is not None:
        _require_rows(stored, tuple(inputs.shape), model.name)
        same = torch.equal(stored.to(inputs.device, inputs.dtype), inputs)
        source, narrow = ("tied", inputs) if same else ("output", stored)
    else:
        is_tied = has_head and bool(getattr(model.config, "tie_word_embeddings", True))
        source, narrow = "tied" if is_tied else "input", inputs
    if bias is not None:
        _require_rows(bias, (len(inputs),), model.name)
    embeddings, widening = narrow.to(model.device).float(), family.widening(module)
    spelled = tokenizer.get_vocab().values()
    names = readable_vocab(tokenizer)["token"].to_list()
    keep = torch.zeros(len(embeddings), dtype=torch.bool, device=model.device)
    keep[torch.tensor(sorted(spelled), device=model.device)] = True
    return Vocabulary(
        embeddings=embeddings if widening is None else embeddings @ widening,
        source=source,
        bias=None if bias is None or source == "input" else bias.to(model.device).float(),
        tokens=(*names, *(f"<unused {token_id}>" for token_id in range(len(names), len(embeddings)))),
        keep=keep,
    )


def _find(files: Sequence[Path], names: tuple[str, ...]) -> Tensor | None:
    """The first of `names` that the files hold."""
    for name in names:
        for file in files:
            with safe_open(file, framework="pt") as weights:
                if name in weights.keys():  # noqa: SIM118 - a reader, not a mapping
                    return weights.get_tensor(name)
    return None


def _require_rows(found: Tensor, shape: tuple[int, ...], name: str) -> None:
    if tuple(found.shape) != shape:
        msg = (
            f"{name}: its output embeddings are of shape {tuple(found.shape)}, its input embeddings ask for {shape}; "
            "get the model again, or correct its config.json"
        )
        raise ModelError(msg)
    if not found.isfinite().all():
        msg = f"{name}: its output embeddings hold NaN or infinity; get the model again"
        raise ModelError(msg)
