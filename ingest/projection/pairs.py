"""The k largest entries of a product of two tall factors, exactly, without ever holding the product.

For an attention head, S = E W E^T with W = A^T B of rank dh: left = E A^T, right = E B^T, and an entry is the score of
a pair of vocabulary items. The product is taken in tiles, and few of them: a tile whose bound lies below the k-th best
score so far holds none of the k.

Proof. Rows and columns are written anew (`balance`), sorted by norm, largest first, and cut into tiles; n_u m_v bounds
a tile's entries, n and m the norms of its first row and column. `floor` is at all times a score that at least k of the
allowed pairs reach: the k-th largest of the lower ends of intervals that hold pairs' float64 scores. So no pair whose
upper end lies below it is one of the k, and neither is any in a tile whose bound does; ends equal to it are kept, for
among equal scores the ids decide. Tiles come in order of their bounds, so the first that falls below `floor` ends
the search. Within a tile, rows and columns whose own bound falls below it are left out: as norms are sorted, they
are its last ones. What is left when the search ends holds the k, and float64 decides among it. Ours.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor

from ingest.projection.balance import Balanced, balanced
from warehouse.errors import UsageError

_TILE_ROWS: Final = 512
_TILE_COLS: Final = 1024
_MOST_CANDIDATES: Final = 1 << 16
"""Candidates held beyond k before float64 decides among them: many near one score are decided in steps."""


@dataclass(frozen=True)
class TopPairsCost:
    """What finding them took: pairs there were, pairs multiplied in float32, and pairs that float64 decided about."""

    n_pairs: int
    n_multiplied: int
    n_decided: int

    @property
    def share_multiplied(self) -> float:
        """1 where no bound helped; the blocked product of everything is 1 by definition."""
        return self.n_multiplied / self.n_pairs


@dataclass(frozen=True)
class TopPairs:
    """The pairs, best first: row and col (k,) int64, score (k,) float64; and what finding them took."""

    row: Tensor
    col: Tensor
    score: Tensor
    cost: TopPairsCost


def top_pairs(
    left: Tensor,
    right: Tensor,
    k: int,
    *,
    keep_rows: Tensor | None = None,
    keep_cols: Tensor | None = None,
    exclude_same: bool = False,
) -> TopPairs:
    """The k pairs (u, v) with the largest left_u . right_v, of left (V, r) and right (V', r).

    Scores are float64 dot products of the given rows. Equal scores are ordered by row, then column. `keep_rows` (V,)
    and `keep_cols` (V',) are masks of what may take part; `exclude_same` leaves u = v out. Memory beyond the factors:
    about four times theirs in float32, one tile, and the candidates.

    Raises UsageError where fewer than k pairs are allowed, NumericsError where a factor holds NaN or infinity.
    """
    row_ids, left = _kept(left, keep_rows)
    col_ids, right = _kept(right, keep_cols)
    n_pairs = len(row_ids) * len(col_ids)
    same = int(torch.isin(row_ids, col_ids, assume_unique=True).sum()) if exclude_same else 0
    if n_pairs == same:
        message = "no pair is left to choose from: filter less"
        raise UsageError(message)
    if not 1 <= k <= n_pairs - same:
        message = f"{k} top pairs of {n_pairs - same:,} that are allowed: ask for 1 to {n_pairs - same:,}"
        raise UsageError(message)
    factors = balanced(left, right)
    if factors is None:
        return _all_zero(row_ids, col_ids, k, exclude_same=exclude_same)
    search = _Search(left, right, row_ids, col_ids, k, factors, exclude_same=exclude_same)
    with _plain_float32():
        search.run()
    return search.result()


def _kept(factor: Tensor, keep: Tensor | None) -> tuple[Tensor, Tensor]:
    """Ids of the rows that take part, and those rows in float64."""
    if keep is None:
        return torch.arange(len(factor), device=factor.device), factor.double()
    ids = keep.to(factor.device).nonzero().squeeze(1)
    return ids, factor[ids].double()


def _all_zero(row_ids: Tensor, col_ids: Tensor, k: int, *, exclude_same: bool) -> TopPairs:
    """Every score is zero, so the ids alone decide: the first k pairs, which lie in the first few rows."""
    rows = row_ids[: k // max(len(col_ids) - 1, 1) + 2]
    row, col = rows.repeat_interleave(len(col_ids)), col_ids.repeat(len(rows))
    allowed = (row != col) if exclude_same else torch.ones_like(row, dtype=torch.bool)
    row, col = row[allowed][:k], col[allowed][:k]
    score = torch.zeros(k, dtype=torch.float64, device=row.device)
    return TopPairs(row, col, score, TopPairsCost(len(row_ids) * len(col_ids), 0, 0))


@contextmanager
def _plain_float32() -> Iterator[None]:
    """Matrix products of float32 in full, which the error bound counts on, whatever the process had set."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


class _Search:
    """One search: the candidates so far as intervals [low, high] that hold their float64 scores, all over `scale`."""

    def __init__(
        self,
        left: Tensor,
        right: Tensor,
        row_ids: Tensor,
        col_ids: Tensor,
        k: int,
        factors: Balanced,
        *,
        exclude_same: bool,
    ) -> None:
        self.left, self.right, self.row_ids, self.col_ids = left, right, row_ids, col_ids
        self.k, self.scale, self.error, self.tiny = k, factors.scale, factors.error, factors.tiny
        self.row_order = factors.row_norm.argsort(descending=True, stable=True)
        self.col_order = factors.col_norm.argsort(descending=True, stable=True)
        self.rows, self.cols = factors.rows[self.row_order], factors.cols[self.col_order]
        self.row_norm = factors.row_norm[self.row_order].cpu().numpy()
        self.col_norm = factors.col_norm[self.col_order].cpu().numpy()
        self.same = self._same_place() if exclude_same else None
        self.floor = -2.0  # norms are at most 1
        self.row = self.col = row_ids.new_empty(0)
        self.low = self.high = left.new_empty(0)
        self.n_multiplied = self.n_decided = 0

    def run(self) -> None:
        """Multiply tiles, best bound first, until no other can hold one of the k."""
        bounds = np.outer(self.row_norm[::_TILE_ROWS], self.col_norm[::_TILE_COLS])
        for tile in np.argsort(-bounds, axis=None, kind="stable"):
            i, j = np.unravel_index(tile, bounds.shape)
            if bounds[i, j] * (1 + self.error) < self.floor:
                return
            self._multiply(int(i) * _TILE_ROWS, int(j) * _TILE_COLS)

    def result(self) -> TopPairs:
        self._decide()
        cost = TopPairsCost(len(self.rows) * len(self.cols), self.n_multiplied, self.n_decided)
        return TopPairs(self.row_ids[self.row], self.col_ids[self.col], self.low * self.scale, cost)

    def _multiply(self, i: int, j: int) -> None:
        """The tile that begins at row i and column j: what may be among the k becomes a candidate."""
        n_rows = self._reaching(self.row_norm[i : i + _TILE_ROWS], self.col_norm[j])
        n_cols = self._reaching(self.col_norm[j : j + _TILE_COLS], self.row_norm[i])
        scores = self.rows[i : i + n_rows] @ self.cols[j : j + n_cols].T  # (n_rows, n_cols)
        self.n_multiplied += scores.numel()
        error = self.error * float(self.row_norm[i] * self.col_norm[j]) + self.tiny
        if self.same is not None:
            place = self.same[i : i + n_rows] - j
            inside = ((place >= 0) & (place < n_cols)).nonzero().squeeze(1)
            scores[inside, place[inside]] = -torch.inf
        best = scores.amax(1)  # of k rows, the least is reached by k pairs
        if n_rows >= self.k:
            self.floor = max(self.floor, float(best.topk(self.k).values[-1]) - error)
        if float(best.max()) < self.floor - error:
            return
        at = (scores >= self.floor - error).nonzero()
        score = scores[at[:, 0], at[:, 1]].double()
        self._add(self.row_order[i + at[:, 0]], self.col_order[j + at[:, 1]], score - error, score + error)

    def _reaching(self, norms: np.ndarray, other: float) -> int:
        """How many of a tile's sorted norms reach `floor` together with the largest on the other side."""
        reach = norms * (other * (1 + self.error)) >= self.floor
        return int(np.count_nonzero(reach))

    def _add(self, row: Tensor, col: Tensor, low: Tensor, high: Tensor) -> None:
        """Take candidates in, raise the floor, and drop those that it leaves behind."""
        self.row, self.col = torch.cat([self.row, row]), torch.cat([self.col, col])
        self.low, self.high = torch.cat([self.low, low]), torch.cat([self.high, high])
        if len(self.low) < self.k:
            return
        self.floor = max(self.floor, float(self.low.topk(self.k).values[-1]))
        keep = self.high >= self.floor
        self.row, self.col, self.low, self.high = (x[keep] for x in (self.row, self.col, self.low, self.high))
        if len(self.low) > self.k + _MOST_CANDIDATES:
            self._decide()

    def _decide(self) -> None:
        """Replace intervals by float64 scores, and keep the k best in order."""
        self.n_decided += len(self.row)
        parts = zip(self.row.split(_MOST_CANDIDATES), self.col.split(_MOST_CANDIDATES), strict=True)
        score = torch.cat([(self.left[row] * self.right[col]).sum(1) for row, col in parts]) / self.scale
        ids = self.row * len(self.cols) + self.col
        order = ids.argsort()
        order = order[score[order].argsort(descending=True, stable=True)][: self.k]
        self.row, self.col = self.row[order], self.col[order]
        self.low = self.high = score[order]
        self.floor = max(self.floor, float(self.low[-1]))

    def _same_place(self) -> Tensor:
        """For each sorted row, the place of the column with its id; -1 where that takes no part."""
        n_ids = int(max(self.row_ids.max(), self.col_ids.max())) + 1
        place = self.row_ids.new_full((n_ids,), -1)
        place[self.col_ids[self.col_order]] = torch.arange(len(self.cols), device=place.device)
        return place[self.row_ids[self.row_order]]
