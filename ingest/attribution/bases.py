"""The vectors that all pieces of a key are combinations of, and the blocks in which pairs are taken."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

import torch
from torch import Tensor

from ingest.attribution.states import LayerStates
from ingest.attribution.weights import FoldedLayer
from ingest.attribution.workspace import Workspace

BASIS_BYTES = 32 * 2**20
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
    def of(cls, states: LayerStates, layer: FoldedLayer, block: Block, space: Workspace) -> "KeyBasis":
        """The bases of a block's keys, in memory of `space`: one block's at a time."""
        values = states.values[block.batch, block.keys]
        x = states.x[block.batch, block.keys]
        b, k, n_head, _ = values.shape
        by_head = values.flatten(0, 1).transpose(0, 1)  # (H, b * k, dh)
        x = x.flatten(0, 1)
        shape = (n_head + 1, b * k, x.shape[-1])
        raw, read = space.take("raw", shape, x), space.take("read", shape, x)
        hidden = space.take("basis", (*shape[:2], layer.w_res_in.shape[1]), x)
        torch.bmm(by_head, layer.w_o, out=raw[:n_head])
        torch.bmm(by_head, layer.w_o_in, out=hidden[:n_head])
        raw[n_head] = x
        torch.mm(x, layer.w_res_in, out=hidden[n_head])
        layer.ln_read.linear(raw, out=read)
        raw, read, hidden = (stacked.transpose(0, 1).unflatten(0, (b, k)) for stacked in (raw, read, hidden))
        return cls(raw, read, hidden, _gram(raw, space), _gram(read, space))

    def at(self, part: tuple[slice, slice]) -> "KeyBasis":
        return KeyBasis(self.raw[part], self.read[part], self.hidden[part], self.gram_raw[part], self.gram_read[part])


def _gram(vectors: Tensor, space: Workspace) -> Tensor:
    v64 = space.take("double", vectors.shape, vectors, torch.float64).copy_(vectors)
    return v64 @ v64.transpose(-1, -2)


def basis_blocks(n_batch: int, n_pos: int, bytes_per_key: int) -> Iterator[Block]:
    """Whole sequences while their keys' bases fit into BASIS_BYTES, else stretches of one sequence's keys."""
    n_keys = max(1, BASIS_BYTES // bytes_per_key)
    for b in _stretches(0, n_batch, max(1, n_keys // n_pos)):
        for k in _stretches(0, n_pos, n_keys):
            yield Block(b, k, slice(0, n_pos))


def pair_blocks(outer: Block, n_pos: int, rows: int, *, is_causal: bool) -> Iterator[Block]:
    """Blocks of at most `rows` pairs, or of one key where it has more queries than that.

    Causal blocks take few keys of many sequences, to skip what is masked.
    """
    k = outer.keys.start
    while k < outer.keys.stop:
        first = k if is_causal else 0
        most_keys = max(1, n_pos // 8) if is_causal else n_pos
        n_query = n_pos - first
        keys = next(_stretches(k, outer.keys.stop, min(most_keys, max(1, rows // n_query))))
        n_pairs = n_query * (keys.stop - keys.start)
        for batch in _stretches(outer.batch.start, outer.batch.stop, max(1, rows // n_pairs)):
            yield Block(batch, keys, slice(first, n_pos))
        k = keys.stop


def _stretches(start: int, stop: int, most: int) -> Iterator[slice]:
    """[start, stop) in as few stretches of at most `most` as there can be, of nearly one length."""
    n = ceil((stop - start) / most)
    for i in range(n):
        yield slice(start + (stop - start) * i // n, start + (stop - start) * (i + 1) // n)
