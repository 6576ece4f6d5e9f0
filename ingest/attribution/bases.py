"""The vectors that all pieces of a key are combinations of, and the blocks in which pairs are taken."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

import torch
from torch import Tensor

from ingest.attribution.states import LayerStates
from ingest.attribution.weights import FoldedLayer
from ingest.attribution.workspace import Workspace

BASIS_BYTES = {"cpu": 2**25, "cuda": 2**31}
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
    """Basis vectors of b sequences' keys: one per head first, the residual x_j last.

    A head's is its transformed values f^h(x_j), behind the norm on attention's output where there is one. Nothing is
    divided by a deviation, which is the query's. What a layer has no use for is left out.
    """

    raw: Tensor  # (b, k, H + 1, d)
    read: Tensor  # (b, k, H + 1, d): through the norm that FF reads
    hidden: Tensor | None  # (b, k, H + 1, m * dff): on to pre-activation space
    gram_attn: Tensor  # (b, k, H, H), float64: of f^h(x_j) itself
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

        def by_key(stacked: Tensor) -> Tensor:
            return stacked.transpose(0, 1).unflatten(0, (b, k))

        shape = (n_head + 1, b * k, x.shape[-1])
        raw = space.take("raw", shape, x)
        torch.bmm(by_head, layer.w_o, out=raw[:n_head])
        raw[n_head] = x
        gram_raw = _gram(by_key(raw), space)
        read, gram_read = raw, gram_raw
        if layer.norms.read is not None and not layer.is_parallel:
            read = layer.norms.read.linear(raw, out=space.take("read", shape, x))
            gram_read = _gram(by_key(read), space)
        gram_attn = gram_raw[..., :-1, :-1]
        if layer.norms.mixed is not None:
            gram_attn = _gram(by_key(torch.bmm(by_head, layer.w_attn)), space)
        hidden = None
        if not layer.is_parallel:
            hidden = space.take("basis", (n_head + 1, b * k, layer.w_res_in.shape[1]), x)
            torch.bmm(by_head, layer.w_o_in, out=hidden[:n_head])
            torch.mm(x, layer.w_res_in, out=hidden[n_head])
            hidden = by_key(hidden)
        return cls(by_key(raw), by_key(read), hidden, gram_attn, gram_raw, gram_read)

    @property
    def head_norm(self) -> Tensor:
        """||f^h(x_j)||: (b, k, H), float64."""
        return self.gram_attn.diagonal(dim1=-2, dim2=-1).sqrt()

    def at(self, part: tuple[slice, slice]) -> "KeyBasis":
        return KeyBasis(*(None if t is None else t[part] for t in vars(self).values()))  # type: ignore[arg-type]


def _gram(vectors: Tensor, space: Workspace) -> Tensor:
    v64 = space.take("double", vectors.shape, vectors, torch.float64).copy_(vectors)
    return v64 @ v64.transpose(-1, -2)


def basis_blocks(n_batch: int, n_pos: int, most_keys: int) -> Iterator[Block]:
    """Whole sequences of at most `most_keys` keys together, else stretches of one sequence's keys."""
    n_keys = max(1, most_keys)
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
