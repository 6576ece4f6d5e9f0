"""Sequences in, table rows out: forward passes and the numerical core, batch by batch."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import polars as pl
import torch
from torch import Tensor

from ingest.attribution.layer import LayerAttribution, attribute_layer
from ingest.attribution.pieces import DEVICE_ROWS
from ingest.attribution.states import FFBias
from ingest.attribution.workspace import Workspace
from ingest.capture import LengthGroup, forward_by_layer, length_groups
from ingest.extra_rows import NOTHING_MORE, Extras
from ingest.models import LoadedModel
from ingest.plan import batches, pair_rows
from ingest.rows import ShardRows, TokenSequence
from warehouse.errors import DeviceMemoryError

_LEAST_ROWS = 256
"""Blocks of fewer pairs are not halved further."""


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
    extras: Extras = NOTHING_MORE,
    on_progress: Callable[[int], None] = lambda rows: None,
) -> ShardResult:
    """Attribute sequences of any lengths, numbered upwards by `seq_id`.

    Where the device has too little memory, blocks and then batches are halved, which changes no value.

    Args: on_progress is told how many token_pair rows were just computed.
    Raises NumericsError, naming layer and sequence, for a value that is not finite or not complete; DeviceMemoryError
    where a single sequence does not fit.
    """
    rows = ShardRows.empty(model, sequences, extras)
    work = _Computation(model, sequences, rows, ff_bias, on_progress, DEVICE_ROWS[model.device.type])
    for batch in batches([len(s.ids) for s in sequences], rows.n_head, model.device):
        work.run(batch)
    started = time.perf_counter()
    tables = rows.tables()
    work.clock.core += time.perf_counter() - started
    return ShardResult(tables, work.clock, float(rows.norms["completeness_error"].max()))


@dataclass
class _Computation:
    """What the batches of a shard share."""

    model: LoadedModel
    sequences: Sequence[TokenSequence]
    rows: ShardRows
    ff_bias: FFBias
    on_progress: Callable[[int], None]
    block_rows: int
    """Pairs of a block, halved where the device has too little memory for it."""
    clock: Seconds = field(default_factory=Seconds)
    space: Workspace = field(default_factory=Workspace)

    def run(self, batch: list[int]) -> None:
        """Attribute some of the sequences together, or in halves where they do not fit."""
        if self._fits(batch):
            self.rows.settle()
            return
        if len(batch) == 1:
            longest = self.sequences[batch[0]]
            msg = (
                f"sequence {longest.seq_id} ({len(longest.ids)} tokens) does not fit into the memory of "
                f"{self.model.device}, even alone and in small blocks: use --max-tokens, --dtype bfloat16, or "
                "--device cpu"
            )
            raise DeviceMemoryError(msg)
        self._make_room()
        self.rows.forget(batch)
        half = len(batch) // 2
        self.run(batch[:half])
        self.run(batch[half:])

    def _fits(self, batch: list[int]) -> bool:
        try:
            self._attribute(batch)
        except torch.OutOfMemoryError:
            return False
        return True

    def _attribute(self, batch: list[int]) -> None:
        model = self.model
        sequences = [self.sequences[i] for i in batch]
        ids, mask, special = padded(sequences, model.device)
        groups = length_groups(mask)
        inside_core = 0.0

        def on_layer(index: int, x: Tensor, alpha: Tensor, output: Tensor) -> None:
            nonlocal inside_core
            if model.device.type == "cuda":
                torch.cuda.synchronize(model.device)  # what the model still computes is not the core's time
            started = time.perf_counter()
            for group in groups:
                weights = group.alpha(alpha).float()
                result = self._layer(index, group, x, weights, output, special)
                stored = weights if self.rows.extras.heads == "weights" else None
                self.rows.put(index, [batch[r] for r in group.rows.tolist()], group, result, stored)
            inside_core += time.perf_counter() - started
            self.on_progress(pairs_per_layer)

        pairs_per_layer = sum(int(n) for n in pair_rows(mask.sum(1).cpu().numpy(), is_causal=model.is_causal))
        started = time.perf_counter()
        with model.products():
            forward_by_layer(model.module, model.family, ids, mask, on_layer)
        self.clock.core += inside_core
        self.clock.forward += time.perf_counter() - started - inside_core

    def _layer(
        self, index: int, group: LengthGroup, x: Tensor, alpha: Tensor, output: Tensor, special: Tensor
    ) -> LayerAttribution:
        x, output = group.states(x).float(), group.states(output).float()
        while True:
            with suppress(torch.OutOfMemoryError):
                return attribute_layer(
                    x,
                    alpha,
                    output,
                    group.states(special),
                    self.model.layers[index],
                    is_causal=self.model.is_causal,
                    ff_bias=self.ff_bias,
                    rows=self.block_rows,
                    space=self.space,
                    inliers=self.rows.extras.inliers,
                    neurons=self.rows.extras.neurons > 0,
                )
            if self.block_rows < _LEAST_ROWS:
                msg = "a block does not fit"
                raise torch.OutOfMemoryError(msg)
            self.block_rows //= 2
            self._make_room()

    def _make_room(self) -> None:
        self.space = Workspace()
        if self.model.device.type == "cuda":
            torch.cuda.empty_cache()


def padded(
    sequences: Sequence[TokenSequence], device: torch.device, *, on_left: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """(B, T) ids, mask and which tokens are special, padded with id 0.

    Positions and mask are explicit, so side and id are free.
    """
    longest = max(len(s.ids) for s in sequences)
    ids = torch.zeros((len(sequences), longest), dtype=torch.long)
    mask, special = torch.zeros_like(ids), torch.zeros_like(ids, dtype=torch.bool)
    for row, sequence in enumerate(sequences):
        n = len(sequence.ids)
        real = slice(longest - n, longest) if on_left else slice(0, n)
        ids[row, real] = torch.from_numpy(sequence.ids)
        mask[row, real] = 1
        special[row, real] = torch.from_numpy(sequence.is_special)
    return ids.to(device), mask.to(device), special.to(device)
