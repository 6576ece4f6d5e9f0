"""Does a family's reading hold on this very model? Checks that a user can run, and paste into a report.

The same texts go through the model in several ways that must not matter; what each way changes is measured on all maps
of all layers.
"""

import copy
import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from ingest.corpus.record import Record
from ingest.models import Dtype, LoadedModel, torch_dtype
from ingest.probe import Layers, map_error, precision_cost, probe
from ingest.rows import TokenSequence
from ingest.tokens import Counts, encode
from warehouse.contract import COMPLETENESS_VERIFIED

TEXTS = (
    "The quick brown fox jumps over the lazy dog, doesn't it?",
    "Zoë's café in São Paulo sold 1,234 crêpes; 東京 was next. 🙂",
    "Long before the committee met, everyone who mattered had already agreed that nothing would be decided.",
)
_RANDOM_LENGTHS = (1, 2, 19, 48)
_SEED = 0

Verdict = Literal["ok", "FAILED", "measured", "left out"]


@dataclass(frozen=True)
class Check:
    """One line of the report; `worst` is a relative error unless the check says otherwise."""

    check: str
    worst: float | None
    bound: float | None
    where: str
    verdict: Verdict


def examine(model: LoadedModel, tokenizer: Any) -> Iterator[Check]:
    """Try a model on random ids and on real text; yields each check as it is done.

    Bounds are those of the model's precision: in half precision its own rounding dominates.
    """
    sequences = _sequences(model, tokenizer)
    batched = probe(model, sequences)
    for number, layer in enumerate(zip(*batched, strict=True), start=1):
        worst = max(float(one.norms["completeness_error"].max()) for one in layer)
        yield _judged("pieces sum to the model's state", worst, COMPLETENESS_VERIFIED[model.dtype], f"layer {number}")
    alone = [probe(model, [sequence])[0] for sequence in sequences]
    yield _difference("batched with others against alone", model, batched, alone)
    if model.family.left_padding:
        left = probe(model, sequences, pad_left=True)
        yield _difference("padded on the left against on the right", model, batched, left)
    else:
        yield Check("padded on the left against on the right", None, None, "its positions count padding", "left out")
    yield _against_default_attention(model, sequences)
    yield from _against_other_precision(model, sequences, batched)


def _sequences(model: LoadedModel, tokenizer: Any) -> list[TokenSequence]:
    longest = model.max_tokens
    generator = torch.Generator().manual_seed(_SEED)
    ids = [
        torch.randint(model.config.vocab_size, (min(n, longest),), generator=generator).numpy() for n in _RANDOM_LENGTHS
    ]
    sequences = [TokenSequence(0, some, np.zeros(len(some), bool)) for some in ids]
    encoded = encode(
        [Record(text, None, "examine") for text in TEXTS],
        tokenizer,
        max_tokens=longest,
        too_long="truncate",
        counts=Counts(),
    )
    sequences += [TokenSequence(0, e.ids, e.is_special) for e in encoded]
    return [dataclasses.replace(s, seq_id=number) for number, s in enumerate(sequences)]


def _judged(check: str, worst: float, bound: float, where: str) -> Check:
    return Check(check, worst, bound, where, "ok" if worst <= bound else "FAILED")


def _difference(check: str, model: LoadedModel, one: list[Layers], other: list[Layers]) -> Check:
    worst, where = _worst_map(one, other)
    return _judged(check, worst, COMPLETENESS_VERIFIED[model.dtype], where)


def _worst_map(one: list[Layers], other: list[Layers]) -> tuple[float, str]:
    errors = (
        (map_error(layer.maps[name], again.maps[name]), f"layer {number}, {name}")
        for layers, others in zip(one, other, strict=True)
        for number, (layer, again) in enumerate(zip(layers, others, strict=True), start=1)
        for name in layer.maps
    )
    return max(errors)


def _against_default_attention(model: LoadedModel, sequences: Sequence[TokenSequence]) -> Check:
    """Eager attention shows its weights; the model's usual one must compute the same states."""
    check = "eager attention against the model's default"
    longest = max(sequences, key=lambda s: len(s.ids))
    if not getattr(model.module, "_supports_sdpa", False):
        return Check(check, None, None, "it has eager attention only", "left out")
    eager = _states(model, longest)
    try:
        model.module.set_attn_implementation("sdpa")
        usual = _states(model, longest)
    finally:
        model.module.set_attn_implementation("eager")
    gaps = [
        float((torch.linalg.vector_norm(a - b, dim=-1) / torch.linalg.vector_norm(a, dim=-1)).max())
        for a, b in zip(eager, usual, strict=True)
    ]
    worst = max(gaps)
    return _judged(check, worst, COMPLETENESS_VERIFIED[model.dtype], f"state after layer {gaps.index(worst) + 1}")


def _states(model: LoadedModel, sequence: TokenSequence) -> list[Tensor]:
    """The states after each layer, whatever computes attention."""
    states: list[Tensor] = []

    def keep(module: Any, args: Any, output: Any) -> None:
        states.append((output[0] if isinstance(output, tuple) else output).float())

    handles = [layer.register_forward_hook(keep) for layer in dict.fromkeys(model.family.layers(model.module))]
    try:
        ids = torch.tensor(sequence.ids, device=model.device).unsqueeze(0)
        with torch.no_grad():
            model.family.forward(model.module, ids, torch.ones_like(ids))
    finally:
        for handle in handles:
            handle.remove()
    return states


def _against_other_precision(
    model: LoadedModel, sequences: Sequence[TokenSequence], found: list[Layers]
) -> Iterator[Check]:
    """What half precision would cost, or what it costs where the model was loaded in it."""
    dtype: Dtype = "bfloat16" if model.dtype == "float32" else "float32"
    module: Any = copy.deepcopy(model.module)
    module.to(torch_dtype(dtype))
    other = probe(dataclasses.replace(model, module=module, dtype=dtype), sequences)
    cost = precision_cost(found, other, is_causal=model.is_causal)
    name = f"{model.dtype} against {dtype}"
    yield Check(name, cost.map_error, None, cost.map_error_at, "measured")
    yield Check(f"{name}: least Spearman", cost.spearman, None, cost.spearman_at, "measured")
