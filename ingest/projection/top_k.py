"""The extreme items of vectors times embeddings, exactly, in memory for one block of scores.

A library's top-k reads a row of scores several times and takes a third as long as the product that made it. Here the
columns stand in groups of 32: one fast pass takes each group's extreme, the k most extreme groups are chosen, and the
top-k of their columns is that of the row. Proof: let t be the k-th best score of the chosen columns. A score better
than t makes its group's extreme better than t; were its group not chosen, then k chosen groups would have extremes at
least as good, hence k chosen columns better than t, but there are at most k - 1. Scores equal to t that are left out
are found by counting; such a row is sorted whole, so that ties always go to the lower column.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

GROUP = 32
"""Columns in a group: of 16, 32, 64 and 128 the fastest for vocabularies of 30,000 to 150,000 items."""

BLOCK_BYTES = 64 * 2**20
"""Least memory that scores are given; more only where a row has so many columns that fewer than 64 rows fit."""


class Extremes(NamedTuple):
    """Best first: rank from 1 is the column from 0."""

    columns: Tensor  # (n, k) int64
    scores: Tensor  # (n, k) float32


def extremes(vectors: Tensor, embeddings: Tensor, k: int) -> Iterator[tuple[Extremes, Extremes]]:
    """The k highest and the k lowest scores of vectors (n, d) with embeddings (V, d), block by block, 1 <= k <= V.

    Scores are vectors @ embeddings^T in the tensors' own precision. Equal scores are ordered by column, lower ones
    first, and of those at the border the lower ones are taken. Never more than one (block, V) matrix is held.
    """
    n_items = len(embeddings)
    padded = torch.nn.functional.pad(embeddings, (0, 0, 0, -n_items % GROUP))
    rows = block_rows(n_items)
    buffer = vectors.new_empty(min(rows, len(vectors)), len(padded))
    for block in vectors.split(rows):
        scores = torch.mm(block, padded.T, out=buffer[: len(block)])
        yield top(scores, n_items, k, largest=True), top(scores, n_items, k, largest=False)


def block_rows(n_items: int) -> int:
    """Rows of scores that are held at once."""
    return max(64, BLOCK_BYTES // (4 * n_items))


def top(scores: Tensor, n_items: int, k: int, *, largest: bool) -> Extremes:
    """The k best of the first n_items columns of scores (n, a multiple of GROUP); the columns after them are lost."""
    worst = -torch.inf if largest else torch.inf
    scores[:, n_items:] = worst
    n_rows, n_groups = len(scores), scores.shape[1] // GROUP
    if n_groups <= 2 * k:  # the groups would not leave much out
        best, at = scores.topk(k, largest=largest)
        groups = None
    else:
        grouped = scores.view(n_rows, n_groups, GROUP)
        groups = grouped.amax(-1) if largest else grouped.amin(-1)
        chosen = groups.topk(k, largest=largest, sorted=False).indices
        starts = torch.arange(n_rows, device=scores.device).unsqueeze(1) * n_groups
        candidates = grouped.view(-1, GROUP).index_select(0, (starts + chosen).flatten()).view(n_rows, k * GROUP)
        best, place = candidates.topk(k, largest=largest)
        at = chosen.gather(1, place // GROUP) * GROUP + place % GROUP
    border = best[:, -1:]
    tied = _count(scores if groups is None else candidates, border, largest) > k
    if groups is not None:
        tied |= _count(groups, border, largest) > k
    _order_equals(best, at, largest)
    for row in tied.nonzero().flatten().tolist():
        whole = scores[row, :n_items].sort(descending=largest, stable=True)
        best[row], at[row] = whole.values[:k], whole.indices[:k]
    return Extremes(at, best)


def _order_equals(best: Tensor, at: Tensor, largest: bool) -> None:
    """Order the columns of equal scores within the rows (n, k) that have such, in place."""
    rows = (best[:, 1:] == best[:, :-1]).any(1).nonzero().flatten()
    by_column, order = at[rows].sort(dim=1)
    by_score = best[rows].gather(1, order).sort(dim=1, descending=largest, stable=True)
    best[rows], at[rows] = by_score.values, by_column.gather(1, by_score.indices)


def _count(values: Tensor, border: Tensor, largest: bool) -> Tensor:
    """How many values of each row are as good as the border (n, 1)."""
    return (values >= border if largest else values <= border).sum(1)
