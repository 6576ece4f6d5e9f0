"""Project a model's parameters into its vocabulary, part by part, into the warehouse."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl
import torch
from torch import Tensor

import warehouse
from ingest.identity import identity_of
from ingest.models import LoadedModel
from ingest.progress import Progress
from ingest.projection.filters import filter_of, require_filter
from ingest.projection.parameters import Component, bias, components_of, vectors
from ingest.projection.top_k import Extremes, extremes
from ingest.projection.vocabulary import EmbeddingSource, Vocabulary, vocabulary_of
from warehouse import projections
from warehouse.contract import INTEGER
from warehouse.errors import ModelError, UsageError, require_choice, require_whole
from warehouse.models import ModelIdentity
from warehouse.projections import ROWS, Part, VocabFilter

Bias = Literal["ff_bias", "attn_bias", "output_bias"]
"""What is added whatever the input: to FF's output, to attention's output, to the scores of the vocabulary itself."""

Projected = Literal[Component, Bias]

STORE_SECONDS = 2.0
"""Parts are stored together until they took so long: opening the warehouse costs as much as a small part."""


@dataclass(frozen=True)
class Outcome:
    """What a job did; counts are of this call, where not said otherwise."""

    model_id: int
    name: str
    n_parts: int
    n_there: int
    """Parts that were stored already."""
    n_units: int
    source: EmbeddingSource
    vocab_filter: VocabFilter
    note: str | None
    """What is to be told of the filter."""


@dataclass(frozen=True)
class Task:
    """One part to be made: a component of a layer, 0 for output_bias."""

    layer: int
    component: Projected


def require_options(top_k: int, vocab_filter: str, components: Sequence[str] | None) -> None:
    """Raise UsageError for what is wrong whatever the model, before it is loaded."""
    require_whole("--top-k", top_k, 1, INTEGER[1])
    require_filter(vocab_filter)
    for component in components or ():
        require_choice("--components", component, Projected)


def project(
    model: LoadedModel,
    tokenizer: Any,
    path: Path,
    progress: Progress,
    *,
    components: Sequence[Projected] | None = None,
    layers: Sequence[int] | None = None,
    top_k: int = 50,
    vocab_filter: str = "all",
    fold_ln: bool = False,
    replace: bool = False,
) -> Outcome:
    """Store the top_k highest and lowest items of every unit, of all layers and components where none are given.

    Parts that are stored are left as they are; a kill loses the part in flight. Raises UsageError for a layer or
    component that the model does not have, for a top_k above the number of items, for a filter that leaves none, and
    where stored parts were made with another top_k or precision and `replace` does not allow to make them again.
    """
    require_options(top_k, vocab_filter, components)
    vocabulary, identity, chosen, note = read_vocabulary(model, tokenizer, path, progress, vocab_filter)
    if top_k > len(chosen.token_ids):
        msg = f"--top-k {top_k}: the filter {chosen.name} leaves {len(chosen.token_ids):,} items; give at most that"
        raise UsageError(msg)
    tasks = tasks_of(model, vocabulary, components, layers)
    warehouse.make_usable(path)
    there = projections.stored(path, identity, chosen, ln_folded=fold_ln)
    missing = tasks if replace else _missing(tasks, there, top_k, vocabulary.source, model.dtype)
    if missing:
        model_id, n_units = _compute(model, identity, vocabulary, chosen, missing, path, progress, top_k, fold_ln)
    else:
        model_id, n_units = projections.model_id_of(path, identity), 0
    n_there = len(tasks) - len(missing)
    return Outcome(model_id, model.name, len(missing), n_there, n_units, vocabulary.source, chosen, note)


def read_vocabulary(
    model: LoadedModel, tokenizer: Any, path: Path, progress: Progress, vocab_filter: str
) -> tuple[Vocabulary, ModelIdentity, VocabFilter, str | None]:
    """What a model's parameters are read with, what it is known by, the items that take part, and what is to be told
    of them."""
    progress.phase("reading the output embeddings")
    vocabulary = vocabulary_of(model, tokenizer)
    identity = identity_of(model, tokenizer)

    def counts() -> dict[int, int]:
        return projections.token_counts(path, identity.tokenizer["fingerprint"])

    chosen, note = filter_of(vocab_filter, tokenizer, identity.vocab, counts)
    return vocabulary, identity, chosen, note


def tasks_of(
    model: LoadedModel,
    vocabulary: Vocabulary,
    components: Sequence[Projected] | None = None,
    layers: Sequence[int] | None = None,
) -> list[Task]:
    """What there is to project, in the order of the layers; biases only where the model has them.

    Raises UsageError for a layer or component that the model does not have.
    """
    has: dict[Projected, list[int]] = {}
    every = range(1, model.n_layer + 1)
    for layer in layers or ():
        model.weights_of(layer)
    for component in components_of(model):
        has[component] = list(every)
    for added in ("ff_bias", "attn_bias"):
        if with_bias := [layer for layer in every if bias(model, layer, added).any()]:
            has[added] = with_bias
    if vocabulary.bias is not None:
        has["output_bias"] = [0]
    lacking = [component for component in components or () if component not in has]
    if lacking:
        msg = f"{model.name} has no {lacking[0]}: it has {', '.join(has)}"
        raise UsageError(msg)
    wanted = [component for component in has if components is None or component in components]
    tasks = [
        Task(layer, component)
        for component in wanted
        for layer in has[component]
        if layers is None or layer in layers or component == "output_bias"
    ]
    return sorted(tasks, key=lambda task: task.layer)


def _missing(tasks: list[Task], there: set[Part], top_k: int, source: EmbeddingSource, dtype: str) -> list[Task]:
    stored = {(part.layer, part.component): part for part in there}
    for task in tasks:
        part = stored.get((task.layer, task.component))
        if part is not None:
            made = (part.k, part.embedding_source, part.dtype)
            require_same_making(f"layer {task.layer} {task.component}", made, (top_k, source, dtype))
    return [task for task in tasks if (task.layer, task.component) not in stored]


def require_same_making(where: str, made: tuple[int, str, str], wanted: tuple[int, str, str], what: str = "") -> None:
    """Raise UsageError where a stored part was made with another top k, other embeddings or another precision."""
    if made != wanted:
        msg = (
            f"{where} is stored with the top {made[0]}{what} of {made[1]} embeddings in {made[2]}: --replace makes it "
            f"again with the top {wanted[0]} of {wanted[1]} ones in {wanted[2]}"
        )
        raise UsageError(msg)


def _compute(
    model: LoadedModel,
    identity: ModelIdentity,
    vocabulary: Vocabulary,
    chosen: VocabFilter,
    tasks: list[Task],
    path: Path,
    progress: Progress,
    top_k: int,
    fold_ln: bool,
) -> tuple[int, int]:
    """model_id, and how many units were projected."""
    kept = kept_items(vocabulary, chosen.token_ids)
    progress.phase("projecting", total=len(tasks))
    model_id = n_total = 0
    made: list[tuple[Part, pl.DataFrame]] = []
    last_stored = time.perf_counter()
    for task in tasks:
        started = time.perf_counter()
        rows = part_rows(model, kept, task, top_k, fold_ln=fold_ln)
        ended = time.perf_counter()
        n_units = len(rows) // (2 * top_k)
        how = (vocabulary.source, model.dtype, ended - started)
        made.append((Part(task.layer, task.component, fold_ln, top_k, n_units, *how), rows))
        n_total += n_units
        if ended - last_stored >= STORE_SECONDS or task is tasks[-1]:
            model_id = projections.store(path, identity, chosen, made)
            made, last_stored = [], time.perf_counter()
        progress.advance(1)
    return model_id, n_total


class KeptItems(NamedTuple):
    """What takes part of a vocabulary: token ids (n,) ascending, their embeddings (n, d) and output biases (n,)."""

    token_ids: npt.NDArray[np.int64]
    embeddings: Tensor
    bias: Tensor | None


def kept_items(vocabulary: Vocabulary, token_ids: Sequence[int]) -> KeptItems:
    ids = torch.tensor(token_ids, device=vocabulary.embeddings.device)
    is_whole = len(ids) == len(vocabulary.embeddings)  # then a copy would only take memory
    embeddings = vocabulary.embeddings if is_whole else vocabulary.embeddings[ids]
    return KeptItems(np.array(token_ids), embeddings, None if vocabulary.bias is None else vocabulary.bias[ids])


def part_rows(model: LoadedModel, kept: KeptItems, task: Task, top_k: int, *, fold_ln: bool = False) -> pl.DataFrame:
    """The rows of one part, with the columns of ROWS: 2 top_k a unit. Raises ModelError for NaN and infinity."""
    head_width = None
    if task.component == "output_bias":
        assert kept.bias is not None, "tasks_of gives this task only where there is an output bias"
        rows, embeddings = kept.bias.new_ones(1, 1), kept.bias.unsqueeze(1)
    else:
        rows, head_width = _vectors(model, task.layer, task.component, fold_ln)
        embeddings = kept.embeddings
    return pl.concat(_frames(extremes(rows, embeddings, top_k), kept.token_ids, head_width))


def _vectors(
    model: LoadedModel, layer: int, component: Component | Literal["ff_bias", "attn_bias"], fold_ln: bool
) -> tuple[Tensor, int | None]:
    """(n_units, d), and how many of them a head has where they belong to heads."""
    head_width = None
    if component == "ff_bias" or component == "attn_bias":
        rows = bias(model, layer, component, fold_ln=fold_ln).unsqueeze(0)
    else:
        rows = vectors(model, layer, component, fold_ln=fold_ln)
        head_width = model.d_head(layer) if component.startswith("w_") else None
    if not rows.isfinite().all():
        msg = f"{model.name}: layer {layer} {component} holds NaN or infinity; get the model again"
        raise ModelError(msg)
    return rows, head_width


def _frames(
    found: Iterable[tuple[Extremes, Extremes]], token_ids: npt.NDArray[np.int64], head_width: int | None
) -> Iterator[pl.DataFrame]:
    """Blocks of both signs as rows, units counted on; token_ids are those of the columns."""
    first = 0
    for both in found:
        n_units, k = both[0].columns.shape
        unit = np.repeat(np.arange(first, first + n_units, dtype=np.int32), k)
        for sign, side in zip((1, -1), both, strict=True):
            yield pl.DataFrame(
                {
                    "unit": unit,
                    "head": None if head_width is None else (unit // head_width).astype(np.int16),
                    "sign": np.full(len(unit), sign, np.int8),
                    "rank": np.tile(np.arange(1, k + 1, dtype=np.int32), n_units),
                    "token_id": token_ids[side.columns.cpu().numpy().ravel()].astype(np.int32),
                    "score": side.scores.cpu().numpy().ravel(),
                },
                schema=ROWS,
            )
        first += n_units
