"""Sequences in, table rows out: forward passes and the numerical core, batch by batch."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl
import torch

from ingest.attribution.layer import attribute_layer
from ingest.attribution.pieces import DEVICE_ROWS
from ingest.attribution.states import FFBias
from ingest.attribution.workspace import Workspace
from ingest.capture import forward_by_layer, length_groups
from ingest.models import LoadedModel
from ingest.plan import batches, pair_rows
from ingest.rows import ShardRows, TokenSequence


@dataclass
class Seconds:
    """Wall time by phase."""

    forward: float = 0.0
    core: float = 0.0


@dataclass(frozen=True)
class ShardResult:
    """A shard's rows, in the schemas and the order of `warehouse.contract.SHARD_TABLES`."""

    tables: dict[str, pl.DataFrame]
    seconds: Seconds
    max_completeness_error: float


def compute(
    model: LoadedModel,
    sequences: Sequence[TokenSequence],
    *,
    ff_bias: FFBias,
    on_progress: Callable[[int], None] = lambda rows: None,
) -> ShardResult:
    """Attribute sequences of any lengths, numbered upwards by `seq_id`.

    Args: on_progress is told how many token_pair rows were just computed.
    Raises NumericsError, naming layer and sequence, for a value that is not finite or not complete.
    """
    rows = ShardRows.empty(model, sequences)
    lengths = [len(s.ids) for s in sequences]
    clock, space = Seconds(), Workspace()
    for batch in batches(lengths, rows.n_head, model.device):
        _run_batch(model, [sequences[i] for i in batch], batch, rows, ff_bias, space, clock, on_progress)
    started = time.perf_counter()
    tables = rows.tables()
    clock.core += time.perf_counter() - started
    return ShardResult(tables, clock, float(rows.norms["completeness_error"].max()))


def _run_batch(
    model: LoadedModel,
    sequences: Sequence[TokenSequence],
    where: Sequence[int],
    rows: "ShardRows",
    ff_bias: FFBias,
    space: Workspace,
    clock: Seconds,
    on_progress: Callable[[int], None],
) -> None:
    ids, mask = _padded(sequences, model)
    special = torch.zeros(mask.shape, dtype=torch.bool, device=model.device)
    for row, sequence in enumerate(sequences):
        special[row, mask[row].bool()] = torch.from_numpy(sequence.is_special).to(model.device)
    groups = length_groups(mask)
    pairs_per_layer = sum(int(n) for n in pair_rows(mask.sum(1).cpu().numpy(), is_causal=model.is_causal))
    inside_core = 0.0

    def on_layer(index: int, x: torch.Tensor, alpha: torch.Tensor, output: torch.Tensor) -> None:
        nonlocal inside_core
        if model.device.type == "cuda":
            torch.cuda.synchronize(model.device)  # what the model still computes is not the core's time
        started = time.perf_counter()
        for group in groups:
            result = attribute_layer(
                group.states(x).float(),
                group.alpha(alpha).float(),
                group.states(output).float(),
                group.states(special),
                model.layers[index],
                is_causal=model.is_causal,
                ff_bias=ff_bias,
                rows=DEVICE_ROWS[model.device.type],
                space=space,
            )
            rows.put(index, [where[r] for r in group.rows.tolist()], group, result)
        inside_core += time.perf_counter() - started
        on_progress(pairs_per_layer)

    started = time.perf_counter()
    forward_by_layer(model.module, model.family, ids, mask, on_layer)
    clock.core += inside_core
    clock.forward += time.perf_counter() - started - inside_core


def _padded(sequences: Sequence[TokenSequence], model: LoadedModel) -> tuple[torch.Tensor, torch.Tensor]:
    """(B, T) ids and mask, padded on the right with id 0: positions and mask are explicit, so side and id are free."""
    longest = max(len(s.ids) for s in sequences)
    ids = torch.zeros((len(sequences), longest), dtype=torch.long)
    mask = torch.zeros((len(sequences), longest), dtype=torch.long)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence.ids)] = torch.from_numpy(sequence.ids)
        mask[row, : len(sequence.ids)] = 1
    return ids.to(model.device), mask.to(model.device)
