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

from ingest.attribution.change import Ordered
from ingest.attribution.layer import LayerAttribution, attribute_layer
from ingest.attribution.pieces import DEVICE_ROWS
from ingest.capture import forward_by_layer, length_groups
from ingest.corpus.record import Record
from ingest.models import Dtype, LoadedModel
from ingest.rows import TokenSequence
from ingest.tokens import Counts, encode
from ingest.verify import BOUND

TEXTS = (
    "The quick brown fox jumps over the lazy dog, doesn't it?",
    "Zoë's café in São Paulo sold 1,234 crêpes; 東京 was next. 🙂",
    "Long before the committee met, everyone who mattered had already agreed that nothing would be decided.",
)
_RANDOM_LENGTHS = (1, 2, 19, 48)
_SEED = 0
_RANKED = 12
"""Tokens that a sequence must have for the ranks of its pairs to be worth comparing."""

Verdict = Literal["ok", "FAILED", "measured", "left out"]


@dataclass(frozen=True)
class Check:
    """One line of the report; `worst` is a relative error unless the check says otherwise."""

    check: str
    worst: float | None
    bound: float | None
    where: str
    verdict: Verdict


Layers = list[LayerAttribution]
"""One sequence: its layers, each with a batch axis of 1."""


def examine(model: LoadedModel, tokenizer: Any) -> Iterator[Check]:
    """Try a model on random ids and on real text; yields each check as it is done.

    Bounds are those of the model's precision: in half precision its own rounding dominates.
    """
    sequences = _sequences(model, tokenizer)
    batched = _attribute(model, sequences)
    for number, layer in enumerate(zip(*batched, strict=True), start=1):
        worst = max(float(one.norms["completeness_error"].max()) for one in layer)
        yield _judged("pieces sum to the model's state", worst, BOUND[model.dtype], f"layer {number}")
    alone = [_attribute(model, [sequence])[0] for sequence in sequences]
    yield _difference("batched with others against alone", model, batched, alone)
    if model.family.left_padding:
        left = _attribute(model, sequences, pad_left=True)
        yield _difference("padded on the left against on the right", model, batched, left)
    else:
        yield Check("padded on the left against on the right", None, None, "its positions count padding", "left out")
    yield _against_default_attention(model, sequences)
    yield from _against_other_precision(model, sequences, batched)


def map_error(one: Tensor, other: Tensor) -> float:
    """Greatest difference of two maps (B, Q, K), each relative to its row's greatest value in the first."""
    largest = one.amax(-1, keepdim=True)
    return float(((one - other).abs() / torch.where(largest > 0, largest, 1.0)).max())


def map_spearman(one: Tensor, other: Tensor, *, is_causal: bool) -> float:
    """Spearman's rho of two maps (1, Q, K) over the pairs that the model sees; NaN where there are too few."""
    visible = torch.ones_like(one, dtype=torch.bool)
    if is_causal:
        visible = visible.tril()
    ranks = Ordered.of(torch.stack([one, other]).flatten(1)).ranks(visible.flatten(1))[:, visible.flatten()]
    return float(torch.corrcoef(ranks)[0, 1]) if ranks.shape[1] > 2 else float("nan")


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


def _attribute(model: LoadedModel, sequences: Sequence[TokenSequence], *, pad_left: bool = False) -> list[Layers]:
    """Attribute sequences as one padded batch."""
    longest = max(len(s.ids) for s in sequences)
    ids = torch.zeros(len(sequences), longest, dtype=torch.long)
    mask, special = torch.zeros_like(ids), torch.zeros_like(ids, dtype=torch.bool)
    for row, s in enumerate(sequences):
        real = slice(longest - len(s.ids), longest) if pad_left else slice(0, len(s.ids))
        ids[row, real], mask[row, real], special[row, real] = torch.tensor(s.ids), 1, torch.tensor(s.is_special)
    ids, mask, special = (t.to(model.device) for t in (ids, mask, special))
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

    forward_by_layer(model.module, model.family, ids, mask, on_layer)
    return found


def _judged(check: str, worst: float, bound: float, where: str) -> Check:
    return Check(check, worst, bound, where, "ok" if worst <= bound else "FAILED")


def _difference(check: str, model: LoadedModel, one: list[Layers], other: list[Layers]) -> Check:
    worst, where = _worst_map(one, other)
    return _judged(check, worst, BOUND[model.dtype], where)


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
    return _judged(check, worst, BOUND[model.dtype], f"state after layer {gaps.index(worst) + 1}")


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
    module = copy.deepcopy(model.module).to(getattr(torch, dtype))
    other = _attribute(dataclasses.replace(model, module=module, dtype=dtype), sequences)
    worst, where = _worst_map(found, other)
    name = f"{model.dtype} against {dtype}"
    yield Check(name, worst, None, where, "measured")
    long_enough = [n for n, s in enumerate(sequences) if len(s.ids) >= _RANKED]
    rhos = [
        (map_spearman(a.maps[stage], b.maps[stage], is_causal=model.is_causal), f"layer {number}, {stage}")
        for n in long_enough
        for number, (a, b) in enumerate(zip(found[n], other[n], strict=True), start=1)
        for stage in a.maps
    ]
    rho, where = min(rhos, default=(float("nan"), f"no sequence of {_RANKED} tokens"))
    yield Check(f"{name}: least Spearman", rho, None, where, "measured")
