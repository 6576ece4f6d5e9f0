"""Rows of the strongest activations of every feed-forward neuron over a shard, of which no more is ever held."""

from dataclasses import dataclass

import numpy as np
import polars as pl
import torch
from torch import Tensor

from ingest.attribution.neurons import SIGNS, merged, read_keys, strongest
from ingest.extra_rows import Layout
from warehouse.contract import SHARD_TABLES


@dataclass(frozen=True)
class NeuronRows:
    """Keys (2, dff, up to n_most) of each layer: of batches that are done, and of the one under way.

    What a batch brings counts once it is whole: one that did not fit comes again in halves, and what it had displaced
    could not be brought back.
    """

    layout: Layout
    n_most: int
    """How many each neuron has of each sign; 0 where they are not asked for."""
    done: dict[int, Tensor]
    under_way: dict[int, Tensor]

    @classmethod
    def empty(cls, n_most: int, layout: Layout) -> "NeuronRows":
        return cls(layout, n_most, {}, {})

    def put(self, layer: int, where: list[int], activations: Tensor) -> None:
        """Take (B, T, dff) of the sequences numbered `where`."""
        starts = torch.from_numpy(self.layout.token_start[where]).to(activations.device)
        tokens = starts.unsqueeze(1) + torch.arange(activations.shape[1], device=activations.device)
        keys = strongest(activations.flatten(0, 1).float(), tokens.flatten(), self.n_most)
        self._add(self.under_way, layer, keys)

    def settle(self) -> None:
        """The batch under way is whole."""
        for layer, keys in self.under_way.items():
            self._add(self.done, layer, keys)
        self.forget()

    def forget(self) -> None:
        """The batch under way will come again."""
        self.under_way.clear()

    def _add(self, held: dict[int, Tensor], layer: int, keys: Tensor) -> None:
        held[layer] = merged(held[layer], keys, self.n_most) if layer in held else keys

    def frame(self) -> pl.DataFrame:
        """The rows in the order layer, unit, sign (positive first), strongest first."""
        frames = [self._of_layer(layer, self.done[layer]) for layer in sorted(self.done)]
        return pl.concat(frames) if frames else pl.DataFrame(schema=SHARD_TABLES["neuron_activation"])

    def _of_layer(self, layer: int, keys: Tensor) -> pl.DataFrame:
        sizes, tokens = read_keys(keys.cpu().sort(-1, descending=True).values.transpose(0, 1))  # (dff, 2, n)
        unit, sign, nth = (sizes > 0).numpy().nonzero()
        token, signs = tokens.numpy()[unit, sign, nth], np.array(SIGNS)[sign]
        s = np.searchsorted(self.layout.token_start, token, side="right") - 1
        columns = {
            "layer": np.full(len(unit), layer + 1, np.int16),
            "unit": unit.astype(np.int32),
            "sign": signs.astype(np.int16),
            "seq_id": self.layout.seq_ids[s],
            "pos": (token - self.layout.token_start[s]).astype(np.int16),
            "activation": (signs * sizes.numpy()[unit, sign, nth]).astype(np.float32),
        }
        return pl.DataFrame(columns, schema=SHARD_TABLES["neuron_activation"])
