"""Rows that a run stores when it is asked for them: values of single heads, and rollout."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from ingest.attribution.rollout import rollout
from ingest.plan import pair_index
from warehouse.contract import PAIR_MEASURES, SHARD_TABLES
from warehouse.errors import UsageError

Heads = Literal["none", "norms", "weights"]
"""Of single heads: nothing; the norms of their transformed values; these and their attention weights."""

ADD_RESIDUAL = frozenset({"attn"})
"""Maps whose rollout halves each layer with the identity: attention weights know nothing of the residual."""


@dataclass(frozen=True)
class Extras:
    """What is stored beside the tables that every run fills."""

    heads: Heads = "none"
    rollout: tuple[str, ...] = ()
    """Maps to roll out, in the order of PAIR_MEASURES."""
    inliers: bool = False
    """How the maps change when outlier dimensions are left out."""
    neurons: int = 0
    """How many of the strongest activations of each feed-forward neuron, of each sign."""

    def rows_per_pair(self, n_layer: int, n_head: int) -> int:
        """Rows for each pair of positions, over all layers."""
        heads = n_layer * n_head if self.heads == "weights" else 0
        return heads + (n_layer + 1) * len(self.rollout)


NOTHING_MORE = Extras()

MOST_ACTIVATIONS = 1_000
"""Activations of a neuron and sign that a run stores at most: a shard has so many in memory for every neuron."""


def known_measures(given: Sequence[str]) -> tuple[str, ...]:
    """The maps to roll out in the order of PAIR_MEASURES, each once; UsageError for one that is none."""
    if isinstance(given, str) or not all(isinstance(name, str) for name in given):
        msg = f"rollout = {given!r}: must be a list of texts in quotes"
        raise UsageError(msg)
    for name in given:
        if name not in PAIR_MEASURES:
            msg = f"rollout = {name!r}: use some of {', '.join(PAIR_MEASURES)}"
            raise UsageError(msg)
    return tuple(name for name in PAIR_MEASURES if name in given)


@dataclass(frozen=True)
class Layout:
    """The sequences of a shard, and where each one's pairs and tokens begin within a layer."""

    seq_ids: npt.NDArray[np.int32]  # (S,)
    lengths: npt.NDArray[np.int32]  # (S,)
    pair_start: npt.NDArray[np.int64]  # (S + 1,)
    token_start: npt.NDArray[np.int64]  # (S + 1,)
    is_causal: bool

    def pairs(self, nth: int) -> slice:
        return slice(self.pair_start[nth], self.pair_start[nth + 1])

    def tokens(self, nth: int) -> slice:
        return slice(self.token_start[nth], self.token_start[nth + 1])

    def index(self) -> list[tuple[npt.NDArray[np.int16], npt.NDArray[np.int16]]]:
        """(query, key) of each sequence's pairs."""
        return [pair_index(n, is_causal=self.is_causal) for n in self.lengths.tolist()]


@dataclass(frozen=True)
class HeadRows:
    """Values of single heads in table order: layer, sequence, head, then position or pair; empty unless asked for."""

    layout: Layout
    n_head: int
    value_norm: npt.NDArray[np.float32]  # (L, tokens * H), or (L, 0)
    alpha: npt.NDArray[np.float32]  # (L, pairs * H), or (L, 0)

    @classmethod
    def empty(cls, heads: Heads, layout: Layout, n_layer: int, n_head: int) -> "HeadRows":
        n_norm = int(layout.token_start[-1]) * n_head if heads != "none" else 0
        n_alpha = int(layout.pair_start[-1]) * n_head if heads == "weights" else 0
        norms = np.empty((n_layer, n_norm), np.float32)
        return cls(layout, n_head, norms, np.empty((n_layer, n_alpha), np.float32))

    def put_norms(self, layer: int, s: int, norms: npt.NDArray[np.float32]) -> None:
        """Take (H, T) of sequence s."""
        start, stop = (self.layout.token_start[s : s + 2] * self.n_head).tolist()
        self.value_norm[layer, start:stop] = norms.ravel()

    def put_weights(self, layer: int, s: int, weights: npt.NDArray[np.float32]) -> None:
        """Take (H, pairs) of sequence s."""
        start, stop = (self.layout.pair_start[s : s + 2] * self.n_head).tolist()
        self.alpha[layer, start:stop] = weights.ravel()

    def tables(self) -> dict[str, pl.DataFrame]:
        return {"head_norm": self._head_norm(), "head_pair": self._head_pair()}

    def _head_norm(self) -> pl.DataFrame:
        if not self.value_norm.size:
            return pl.DataFrame(schema=SHARD_TABLES["head_norm"])
        positions = [np.arange(n, dtype=np.int16) for n in self.layout.lengths.tolist()]
        return self._frame("head_norm", {"pos": positions}, self.value_norm)

    def _head_pair(self) -> pl.DataFrame:
        if not self.alpha.size:
            return pl.DataFrame(schema=SHARD_TABLES["head_pair"])
        index = self.layout.index()
        axes = {"query": [query for query, _ in index], "key": [key for _, key in index]}
        return self._frame("head_pair", axes, self.alpha)

    def _frame(
        self, table: str, axes: dict[str, list[npt.NDArray[np.int16]]], values: npt.NDArray[np.float32]
    ) -> pl.DataFrame:
        """Args: axes, the columns of each sequence's positions or pairs, which every head and layer repeats."""
        n_layer, schema = len(values), SHARD_TABLES[table]
        sizes = [len(one) for one in next(iter(axes.values()))]
        head = np.arange(self.n_head, dtype=np.int16)
        columns = {
            "layer": np.repeat(np.arange(1, n_layer + 1, dtype=np.int16), values.shape[1]),
            "seq_id": np.tile(np.repeat(self.layout.seq_ids, np.multiply(sizes, self.n_head)), n_layer),
            "head": np.tile(np.concatenate([np.repeat(head, size) for size in sizes]), n_layer),
            **{
                name: np.tile(np.concatenate([np.tile(one, self.n_head) for one in parts]), n_layer)
                for name, parts in axes.items()
            },
            list(schema)[-1]: values.ravel(),
        }
        return pl.DataFrame(columns, schema=schema)


def rollout_frame(measures: tuple[str, ...], maps: dict[str, npt.NDArray[np.float32]], layout: Layout) -> pl.DataFrame:
    """The shard's rollout table. Args: maps, name -> (L, pairs), complete."""
    schema = SHARD_TABLES["rollout"]
    index = layout.index() if measures else []
    frames = [_rolled(name, maps[name], layout, index) for name in measures]
    return pl.concat(frames) if frames else pl.DataFrame(schema=schema)


def _rolled(
    measure: str,
    maps: npt.NDArray[np.float32],
    layout: Layout,
    index: list[tuple[npt.NDArray[np.int16], npt.NDArray[np.int16]]],
) -> pl.DataFrame:
    n_layer, n_pairs = maps.shape
    values = np.empty((n_layer + 1, n_pairs), np.float32)
    for s, (query, key) in enumerate(index):
        n_pos = int(layout.lengths[s])
        square = np.zeros((n_layer, n_pos, n_pos), np.float32)
        square[:, query, key] = maps[:, layout.pairs(s)]
        values[:, layout.pairs(s)] = rollout(square, add_residual=measure in ADD_RESIDUAL)[:, query, key]
    columns = {
        "layer": np.repeat(np.arange(n_layer + 1, dtype=np.int16), n_pairs),
        "seq_id": np.tile(np.repeat(layout.seq_ids, np.diff(layout.pair_start)), n_layer + 1),
        "query": np.tile(np.concatenate([query for query, _ in index]), n_layer + 1),
        "key": np.tile(np.concatenate([key for _, key in index]), n_layer + 1),
        "value": values.ravel(),
    }
    frame = pl.DataFrame(columns, schema={name: SHARD_TABLES["rollout"][name] for name in columns})
    return frame.select(pl.lit(measure).alias("measure"), pl.all())
