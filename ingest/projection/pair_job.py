"""Read a model's attention heads as pairs of vocabulary items, layer by layer and matrix by matrix."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, get_args

import numpy as np
import polars as pl
import torch
from torch import Tensor

import warehouse
from ingest.models import LoadedModel
from ingest.progress import Progress
from ingest.projection import job
from ingest.projection.filters import require_filter
from ingest.projection.job import KeptItems, kept_items
from ingest.projection.pairs import top_pairs
from ingest.projection.parameters import Matrix, head_factors
from ingest.projection.vocabulary import EmbeddingSource
from warehouse import pair_projections, projections
from warehouse.contract import INTEGER
from warehouse.errors import ModelError, UsageError, require_whole
from warehouse.models import ModelIdentity
from warehouse.pair_projections import COSTS, ROWS, PairPart
from warehouse.projections import VocabFilter

_ITEMS_AT_ONCE: Final = 8192
"""Embeddings that are held in float64 at a time."""


@dataclass(frozen=True)
class PairOutcome:
    """What a job did; counts are of this call, where not said otherwise."""

    model_id: int
    name: str
    n_parts: int
    n_there: int
    """Parts that were stored already: a layer's matrix is one."""
    n_heads: int
    """Heads' matrices that were read."""
    share_multiplied: float
    """Of all their pairs of items, those whose scores had to be computed."""
    n_unhelped: int
    """Heads' matrices of which more than half had to be: the bound does not help there."""
    source: EmbeddingSource
    vocab_filter: VocabFilter
    note: str | None
    """What is to be told of the filter."""


@dataclass(frozen=True)
class PairTask:
    """One part to be made: all heads of a layer's matrix."""

    layer: int
    matrix: Matrix


def require_pair_options(pair_top_k: int, vocab_filter: str) -> None:
    """Raise UsageError for what is wrong whatever the model, before it is loaded."""
    require_whole("--pair-top-k", pair_top_k, 1, INTEGER[1])
    require_filter(vocab_filter)


def project_pairs(
    model: LoadedModel,
    tokenizer: Any,
    path: Path,
    progress: Progress,
    *,
    layers: Sequence[int] | None = None,
    pair_top_k: int = 50,
    exclude_same: bool = False,
    vocab_filter: str = "all",
    fold_ln: bool = False,
    replace: bool = False,
) -> PairOutcome:
    """Store the pair_top_k highest pairs of every head's VO and QK, of all layers where none are given.

    Parts that are stored are left as they are; a kill loses the part in flight. Raises UsageError for a layer that the
    model does not have, for more pairs than the filter leaves, and where stored parts were made with another
    pair_top_k or precision and `replace` does not allow to make them again; ModelError for NaN and infinity.
    """
    require_pair_options(pair_top_k, vocab_filter)
    for layer in layers or ():
        model.weights_of(layer)
    vocabulary, identity, chosen, note = job.read_vocabulary(model, tokenizer, path, progress, vocab_filter)
    n_items = len(chosen.token_ids)
    n_pairs = n_items * (n_items - exclude_same)
    if pair_top_k > n_pairs:
        msg = f"--pair-top-k {pair_top_k}: the filter {chosen.name} leaves {n_pairs:,} pairs; give at most that"
        raise UsageError(msg)
    tasks = pair_tasks(model, layers)
    warehouse.make_usable(path)
    reading = {"ln_folded": fold_ln, "exclude_same": exclude_same}
    there = pair_projections.stored(path, identity, chosen, **reading)
    how = (pair_top_k, vocabulary.source, model.dtype)
    missing = tasks if replace else _missing(tasks, there, how)
    costs = COSTS.to_frame()
    if missing:
        kept = kept_items(vocabulary, chosen.token_ids)
        model_id, costs = _compute(model, identity, kept, chosen, missing, path, progress, how, reading)
    else:
        model_id = projections.model_id_of(path, identity)
    multiplied, pairs = costs["n_multiplied"].to_numpy(), costs["n_pairs"].to_numpy()
    return PairOutcome(
        model_id=model_id,
        name=model.name,
        n_parts=len(missing),
        n_there=len(tasks) - len(missing),
        n_heads=len(costs),
        share_multiplied=float(multiplied.sum() / max(pairs.sum(), 1)),
        n_unhelped=int((2 * multiplied > pairs).sum()),
        source=vocabulary.source,
        vocab_filter=chosen,
        note=note,
    )


def pair_tasks(model: LoadedModel, layers: Sequence[int] | None = None) -> list[PairTask]:
    """What there is to read, in the order of the layers."""
    chosen = range(1, model.n_layer + 1) if layers is None else sorted(set(layers))
    return [PairTask(layer, matrix) for layer in chosen for matrix in get_args(Matrix)]


def _missing(tasks: list[PairTask], there: set[PairPart], how: tuple[int, str, str]) -> list[PairTask]:
    stored = {(part.layer, part.matrix): part for part in there}
    for task in tasks:
        part = stored.get((task.layer, task.matrix))
        if part is not None:
            made = (part.k, part.embedding_source, part.dtype)
            job.require_same_making(f"layer {task.layer} {task.matrix}", made, how, " pairs")
    return [task for task in tasks if (task.layer, task.matrix) not in stored]


def _compute(
    model: LoadedModel,
    identity: ModelIdentity,
    kept: KeptItems,
    chosen: VocabFilter,
    tasks: list[PairTask],
    path: Path,
    progress: Progress,
    how: tuple[int, str, str],
    reading: dict[str, bool],
) -> tuple[int, pl.DataFrame]:
    """model_id, and what each head took."""
    progress.phase("finding pairs", total=sum(model.weights_of(task.layer).n_head for task in tasks))
    model_id, every = 0, [COSTS.to_frame()]
    made: list[tuple[PairPart, pl.DataFrame, pl.DataFrame]] = []
    last_stored = time.perf_counter()
    for task in tasks:
        rows, costs = pair_rows(model, kept, task, how[0], progress=progress, **reading)
        every.append(costs)
        made.append((PairPart(task.layer, task.matrix, *how), rows, costs))
        if time.perf_counter() - last_stored >= job.STORE_SECONDS or task is tasks[-1]:
            model_id = pair_projections.store(path, identity, chosen, made, **reading)
            made, last_stored = [], time.perf_counter()
    return model_id, pl.concat(every)


def pair_rows(
    model: LoadedModel,
    kept: KeptItems,
    task: PairTask,
    k: int,
    *,
    ln_folded: bool = False,
    exclude_same: bool = False,
    progress: Progress | None = None,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The pairs of one part, with the columns of ROWS, k a head, and its heads, with those of COSTS."""
    rows, costs = [], []
    for head, (a, b) in enumerate(head_factors(model, task.layer, task.matrix, fold_ln=ln_folded)):
        started = time.perf_counter()
        if not (a.isfinite().all() and b.isfinite().all()):
            msg = f"{model.name}: layer {task.layer} {task.matrix} holds NaN or infinity; get the model again"
            raise ModelError(msg)
        found = top_pairs(*item_factors(kept.embeddings, a, b), k, exclude_same=exclude_same)
        row, col = (kept.token_ids[ids.cpu().numpy()] for ids in (found.row, found.col))
        ranks = np.arange(1, k + 1)
        columns = [np.full(k, head), ranks, row, col, found.score.cpu().numpy()]
        rows.append(pl.DataFrame(dict(zip(ROWS, columns, strict=True))).cast(ROWS))
        costs.append((head, found.cost.n_pairs, found.cost.n_multiplied, time.perf_counter() - started))
        if progress is not None:
            progress.advance(1)
    return pl.concat(rows), pl.DataFrame(costs, schema=COSTS, orient="row")


def item_factors(embeddings: Tensor, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """(n, d_head) float64 each: what every item, embeddings (n, d), gives in a head's factors a and b (d_head, d).

    Their rows' dot products are the pair scores E a^T b E^T. In float64 from the start: the ranks of near scores are
    those of the parameters, not of float32's rounding.
    """
    both = torch.cat([a, b]).double().T
    made = torch.cat([block.double() @ both for block in embeddings.split(_ITEMS_AT_ONCE)])
    left, right = made.split([len(a), len(b)], dim=1)
    return left.contiguous(), right.contiguous()
