"""A shard's table rows, filled as its layers are computed, in any order, and given out in table order."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl
import torch
from torch import Tensor

from ingest.attribution.change import comparisons
from ingest.attribution.layer import LayerAttribution
from ingest.attribution.measures import dim_moments
from ingest.capture import LengthGroup
from ingest.change_rows import ChangeRows
from ingest.extra_rows import Extras, HeadRows, Layout, rollout_frame
from ingest.models import LoadedModel
from ingest.neuron_rows import NeuronRows
from ingest.plan import pair_rows
from warehouse.contract import (
    COMPLETENESS_STORED,
    DIM_STATES,
    NORM_MEASURES,
    PAIR_MEASURES,
    SHARD_TABLES,
    UNDEFINED,
)
from warehouse.errors import NumericsError

Moments = dict[str, npt.NDArray[np.float64]]
"""state_mean_abs, state_mean, state_m2 -> (d,), over some tokens."""


@dataclass(frozen=True)
class TokenSequence:
    """One sequence as the model sees it."""

    seq_id: int
    ids: npt.NDArray[np.int32]
    is_special: npt.NDArray[np.bool_]

    def beginning(self, most: int) -> "TokenSequence":
        return TokenSequence(self.seq_id, self.ids[:most], self.is_special[:most])


@dataclass
class ShardRows:
    """Preallocated columns in table order (layer, seq_id, query, key): batches may come in any order."""

    sequences: Sequence[TokenSequence]
    layout: Layout
    extras: Extras
    n_head: int
    max_completeness: float
    changes: ChangeRows
    inlier_changes: ChangeRows
    heads: HeadRows
    neurons: NeuronRows
    maps: dict[str, npt.NDArray[np.float32]]  # (L, pairs)
    norms: dict[str, npt.NDArray[np.float32]]  # (L, tokens)
    moments: list[dict[tuple[int, ...], tuple[int, Moments]]]  # per layer: sequences -> number of tokens, moments

    @classmethod
    def empty(cls, model: LoadedModel, sequences: Sequence[TokenSequence], extras: Extras) -> "ShardRows":
        lengths = np.array([len(s.ids) for s in sequences], np.int32)
        n_layer = len(model.layers)
        first = model.layers[0].weights
        components = tuple(comparisons(first.placement))
        pair_start = np.concatenate([[0], pair_rows(lengths, is_causal=model.is_causal).cumsum()])
        token_start = np.concatenate([[0], lengths.astype(np.int64).cumsum()])
        seq_ids = np.array([s.seq_id for s in sequences], np.int32)
        layout = Layout(seq_ids, lengths, pair_start, token_start, model.is_causal)
        return cls(
            sequences=sequences,
            layout=layout,
            extras=extras,
            n_head=first.n_head,
            max_completeness=COMPLETENESS_STORED[model.dtype],
            changes=ChangeRows.empty("map_change", seq_ids, components, n_layer),
            inlier_changes=ChangeRows.empty("inlier_change", seq_ids, components, n_layer),
            heads=HeadRows.empty(extras.heads, layout, n_layer, first.n_head),
            neurons=NeuronRows.empty(extras.neurons, layout),
            maps={name: np.empty((n_layer, pair_start[-1]), np.float32) for name in PAIR_MEASURES},
            norms={name: np.empty((n_layer, token_start[-1]), np.float32) for name in NORM_MEASURES},
            moments=[{} for _ in range(n_layer)],
        )

    def put(
        self, layer: int, where: list[int], group: LengthGroup, result: LayerAttribution, alpha: Tensor | None = None
    ) -> None:
        """Take one layer of the sequences numbered `where`, which have one length.

        Args: alpha (B, H, T, T), their attention weights, where these are stored.
        """
        n_pos = group.positions.shape[1]
        for name in PAIR_MEASURES:
            values = self._pairs(result.maps[name])
            for i, s in enumerate(where):
                self._require_finite(values[i], name, layer, s)
                self.maps[name][layer, self.layout.pairs(s)] = values[i]
        self._put_heads(layer, where, result.head_norm, alpha)
        self._put_neurons(layer, where, result.activations)
        for name in NORM_MEASURES:
            values = result.norms[name].cpu().numpy()
            for i, s in enumerate(where):
                if name not in UNDEFINED:
                    self._require_finite(values[i], name, layer, s)
                self.norms[name][layer, self.layout.tokens(s)] = values[i]
        self._require_complete(layer, where, result)
        self.changes.put(layer, where, result.change, result.n_pairs)
        self.inlier_changes.put(layer, where, result.inlier_change, result.n_pairs)
        moments = {
            f"{state}_{moment}": value.cpu().numpy()
            for state in DIM_STATES
            for moment, value in dim_moments(result.dims[state].flatten(0, 1)).items()
        }
        self.moments[layer][tuple(where)] = len(where) * n_pos, moments

    def _put_heads(self, layer: int, where: list[int], head_norm: Tensor, alpha: Tensor | None) -> None:
        if self.extras.heads == "none":
            return
        norms = head_norm.cpu().numpy()
        weights = None if alpha is None else self._pairs(alpha)
        for i, s in enumerate(where):
            self._require_finite(norms[i], "value_norm", layer, s)
            self.heads.put_norms(layer, s, norms[i])
            if weights is not None:
                self._require_finite(weights[i], "alpha", layer, s)
                self.heads.put_weights(layer, s, weights[i])

    def _put_neurons(self, layer: int, where: list[int], activations: Tensor | None) -> None:
        if activations is None:
            return
        extremes = torch.stack(activations.flatten(1).aminmax(dim=1), 1).cpu().numpy()  # NaN where one is NaN
        for i, s in enumerate(where):
            self._require_finite(extremes[i], "activation", layer, s)
        self.neurons.put(layer, where, activations)

    def _pairs(self, square: Tensor) -> npt.NDArray[np.float32]:
        """(..., T, T) -> (..., pairs), in table order."""
        values = square.flatten(-2).float().cpu().numpy()
        if not self.layout.is_causal:
            return values
        query, key = np.tril_indices(square.shape[-1])
        return values[..., query * square.shape[-1] + key]

    def settle(self) -> None:
        """What has been put is whole: no sequence of it comes again."""
        self.neurons.settle()

    def forget(self, where: list[int]) -> None:
        """Take back what some sequences have put, who will come again in other groups."""
        self.neurons.forget()
        for layer in self.moments:
            for group in [group for group in layer if not set(group).isdisjoint(where)]:
                del layer[group]

    def _require_finite(self, values: npt.NDArray[np.float32], name: str, layer: int, s: int) -> None:
        if not np.isfinite(values).all():
            msg = (
                f"{name} is not finite in layer {layer + 1} of sequence {self.sequences[s].seq_id}: nothing of this "
                "shard is stored; check the weights, or use --dtype float32"
            )
            raise NumericsError(msg)

    def _require_complete(self, layer: int, where: list[int], result: LayerAttribution) -> None:
        worst, at = result.norms["completeness_error"].max(1).values.max(0)
        if worst > self.max_completeness:
            msg = (
                f"the pieces of layer {layer + 1}, sequence {self.sequences[where[int(at)]].seq_id} miss the model's "
                f"state by {worst:.1e} (bound {self.max_completeness:.0e}): nothing of this shard is stored; "
                "the model may hold values too large for its precision"
            )
            raise NumericsError(msg)

    def tables(self) -> dict[str, pl.DataFrame]:
        """The shard's frames; what is undefined becomes NULL."""
        layer = np.arange(1, len(self.moments) + 1, dtype=np.int16)
        return {
            "token_pair": self._token_pair(layer),
            "token_norm": self._token_norm(layer),
            "map_change": self.changes.frame(),
            "layer_dim": self._layer_dim(layer),
            "inlier_change": self.inlier_changes.frame(),
            **self.heads.tables(),
            "rollout": rollout_frame(self.extras.rollout, self.maps, self.layout),
            "neuron_activation": self.neurons.frame(),
        }

    def _token_pair(self, layer: npt.NDArray[np.int16]) -> pl.DataFrame:
        index = self.layout.index()
        seq_id = np.repeat(self.layout.seq_ids, np.diff(self.layout.pair_start))
        query, key = (np.concatenate([pair[axis] for pair in index]) for axis in (0, 1))
        columns = {
            "layer": np.repeat(layer, len(seq_id)),
            "seq_id": np.tile(seq_id, len(layer)),
            "query": np.tile(query, len(layer)),
            "key": np.tile(key, len(layer)),
        } | {name: values.ravel() for name, values in self.maps.items()}
        return pl.DataFrame(columns, schema=SHARD_TABLES["token_pair"])

    def _token_norm(self, layer: npt.NDArray[np.int16]) -> pl.DataFrame:
        lengths = self.layout.lengths
        seq_id = np.repeat(self.layout.seq_ids, lengths)
        pos = np.concatenate([np.arange(n, dtype=np.int16) for n in lengths])
        columns = {
            "layer": np.repeat(layer, len(seq_id)),
            "seq_id": np.tile(seq_id, len(layer)),
            "pos": np.tile(pos, len(layer)),
        } | {name: values.ravel() for name, values in self.norms.items()}
        frame = pl.DataFrame(columns, schema=SHARD_TABLES["token_norm"])
        return frame.with_columns(pl.col(*UNDEFINED.intersection(NORM_MEASURES)).fill_nan(None))

    def _layer_dim(self, layer: npt.NDArray[np.int16]) -> pl.DataFrame:
        frames = []
        for number, groups in zip(layer, self.moments, strict=True):
            n_tokens, merged = merge_moments(list(groups.values()))
            d_model = len(next(iter(merged.values())))
            columns = {
                "layer": np.full(d_model, number),
                "dim": np.arange(d_model, dtype=np.int32),
                "n_tokens": np.full(d_model, n_tokens, np.int64),
            } | merged
            frames.append(pl.DataFrame(columns, schema=SHARD_TABLES["layer_dim"]))
        return pl.concat(frames)


def merge_moments(
    groups: list[tuple[int, Moments]],
) -> tuple[int, Moments]:
    """Merge (n, {state_mean_abs, state_mean, state_m2}) of disjoint groups of tokens (Chan et al. 1983)."""
    n_tokens = sum(n for n, _ in groups)
    merged = {}
    for state in DIM_STATES:
        for moment in ("mean_abs", "mean"):
            name = f"{state}_{moment}"
            merged[name] = sum(n / n_tokens * m[name] for n, m in groups)
        mean = merged[f"{state}_mean"]
        merged[f"{state}_m2"] = sum(m[f"{state}_m2"] + n * (m[f"{state}_mean"] - mean) ** 2 for n, m in groups)
    return n_tokens, merged  # type: ignore[return-value]
