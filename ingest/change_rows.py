"""Rows of map changes: of whole maps, and of maps without outlier dimensions."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl
from torch import Tensor

from warehouse.contract import PAIR_FILTERS, SHARD_TABLES


@dataclass(frozen=True)
class ChangeRows:
    """Spearman's rho of every layer, sequence, component and pair filter, in table order; layers may have none."""

    table: str
    seq_ids: npt.NDArray[np.int32]  # (S,)
    components: tuple[str, ...]
    rho: npt.NDArray[np.float64]  # (L, S, C, F)
    n_pairs: npt.NDArray[np.int32]  # (L, S, F)
    layers: set[int]
    """Those that have rows, from 0."""

    @classmethod
    def empty(
        cls, table: str, seq_ids: npt.NDArray[np.int32], components: tuple[str, ...], n_layer: int
    ) -> "ChangeRows":
        shape = (n_layer, len(seq_ids), len(PAIR_FILTERS))
        rho = np.empty((*shape[:2], len(components), shape[2]))
        return cls(table, seq_ids, components, rho, np.empty(shape, np.int32), set())

    def put(self, layer: int, where: list[int], change: dict[str, Tensor] | None, n_pairs: Tensor) -> None:
        """Take component -> (B, F) of the sequences numbered `where`; None where the layer has none."""
        if change is None:
            return
        self.layers.add(layer)
        self.n_pairs[layer, where] = n_pairs.cpu().numpy()
        for c, component in enumerate(self.components):
            self.rho[layer, where, c] = change[component].cpu().numpy()

    def frame(self) -> pl.DataFrame:
        """The rows; what is undefined becomes NULL."""
        layers = sorted(self.layers)
        _, n_seq, n_component, n_filter = self.rho.shape
        per_layer = n_seq * n_component * n_filter
        names = np.array(self.components, dtype=object)
        columns = {
            "layer": np.repeat(np.array(layers, np.int16) + 1, per_layer),
            "seq_id": np.tile(np.repeat(self.seq_ids, n_component * n_filter), len(layers)),
            "component": np.tile(np.repeat(names, n_filter), len(layers) * n_seq).tolist(),
            "pair_filter": list(PAIR_FILTERS) * (len(layers) * n_seq * n_component),
            "spearman": self.rho[layers].ravel(),
            "n_pairs": np.repeat(self.n_pairs[layers], n_component, axis=1).ravel(),
        }
        return pl.DataFrame(columns, schema=SHARD_TABLES[self.table]).with_columns(pl.col("spearman").fill_nan(None))
