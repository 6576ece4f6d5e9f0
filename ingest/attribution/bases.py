"""The vectors that all pieces of a key are combinations of, and the blocks in which pairs are taken."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from ingest.attribution.states import LayerStates
from ingest.attribution.weights import FoldedLayer

BASIS_BYTES = 48 * 2**20
"""Bound on the bases of the keys in pre-activation space that are held at once."""


@dataclass(frozen=True)
class Block:
    """Sequences `batch`, keys `keys`, and the queries from the first that sees any of them."""

    batch: slice
    keys: slice
    queries: slice

    def within(self, outer: "Block") -> tuple[slice, slice]:
        """Where this block's sequences and keys lie in a larger block."""
        b, k = outer.batch.start, outer.keys.start
        return slice(self.batch.start - b, self.batch.stop - b), slice(self.keys.start - k, self.keys.stop - k)


@dataclass(frozen=True)
class KeyBasis:
    """Basis vectors of b sequences' keys: the heads' transformed values f^h(x_j) first, the residual x_j last."""

    raw: Tensor  # (b, k, H + 1, d)
    read: Tensor  # (b, k, H + 1, d): through the norm that FF reads, before division by s(y)
    hidden: Tensor  # (b, k, H + 1, dff): the same in pre-activation space
    gram_raw: Tensor  # (b, k, H + 1, H + 1), float64
    gram_read: Tensor  # (b, k, H + 1, H + 1), float64

    @classmethod
    def of(cls, states: LayerStates, layer: FoldedLayer, block: Block) -> "KeyBasis":
        values = states.values[block.batch, block.keys]
        x = states.x[block.batch, block.keys]
        b, k, n_head, _ = values.shape
        by_head = values.flatten(0, 1).transpose(0, 1)  # (H, b * k, dh)
        x = x.flatten(0, 1)
        stacked_raw = values.new_empty(n_head + 1, b * k, x.shape[-1])
        stacked_hidden = values.new_empty(n_head + 1, b * k, layer.w_res_in.shape[1])
        torch.bmm(by_head, layer.w_o, out=stacked_raw[:n_head])
        torch.bmm(by_head, layer.w_o_in, out=stacked_hidden[:n_head])
        stacked_raw[n_head] = x
        torch.mm(x, layer.w_res_in, out=stacked_hidden[n_head])
        raw, read, hidden = (
            stacked.transpose(0, 1).unflatten(0, (b, k))
            for stacked in (stacked_raw, layer.ln_read.linear(stacked_raw), stacked_hidden)
        )
        return cls(raw, read, hidden, _gram(raw), _gram(read))

    def at(self, part: tuple[slice, slice]) -> "KeyBasis":
        return KeyBasis(self.raw[part], self.read[part], self.hidden[part], self.gram_raw[part], self.gram_read[part])


def _gram(vectors: Tensor) -> Tensor:
    v64 = vectors.double()
    return v64 @ v64.transpose(-1, -2)


def basis_blocks(n_batch: int, n_pos: int, bytes_per_key: int) -> Iterator[Block]:
    """Whole sequences while their keys' bases fit into BASIS_BYTES, else stretches of one sequence's keys."""
    n_keys = max(1, BASIS_BYTES // bytes_per_key)
    step_b = max(1, n_keys // n_pos)
    step_k = min(n_pos, n_keys)
    for b in range(0, n_batch, step_b):
        for k in range(0, n_pos, step_k):
            yield Block(slice(b, min(b + step_b, n_batch)), slice(k, min(k + step_k, n_pos)), slice(0, n_pos))


def pair_blocks(outer: Block, n_pos: int, rows: int, *, is_causal: bool) -> Iterator[Block]:
    """Blocks of at most `rows` pairs, or of one key where it has more queries than that.

    Causal blocks take few keys of many sequences, to skip what is masked.
    """
    n_batch = outer.batch.stop - outer.batch.start
    most_keys = max(1, n_pos // 8) if is_causal else n_pos
    k = outer.keys.start
    while k < outer.keys.stop:
        first = k if is_causal else 0
        n_query = n_pos - first
        n_keys = min(most_keys, max(1, rows // n_query), outer.keys.stop - k)
        step_b = max(1, rows // (n_query * n_keys))
        for b in range(0, n_batch, step_b):
            start = outer.batch.start + b
            yield Block(slice(start, min(start + step_b, outer.batch.stop)), slice(k, k + n_keys), slice(first, n_pos))
        k += n_keys
