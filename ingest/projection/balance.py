"""Write a product of two tall factors with rows as short as they can be, so that their norms bound its entries well.

For any invertible T, left right^T = (left T)(right T^-T)^T, and Cauchy-Schwarz bounds an entry by the norms of the new
rows. `balanced` takes the T of the singular value decomposition, left T = Q_l U sqrt(S) and right T^-T = Q_r V sqrt(S):
of all T it makes the sum of squared norms of both sides smallest (both are then the product's nuclear norm). Ours.
"""

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from warehouse.errors import NumericsError

RIDGE: Final = 1e-8
"""Added to both Gram matrices, as a share of their mean eigenvalue: T stays invertible where factors lack rank, and its
condition number below about 1e4 sqrt(r). Any T is right; this one is a little less short in directions that are nearly
empty."""


@dataclass(frozen=True)
class Balanced:
    """The factors of left right^T = scale * rows cols^T, and how far their product can be off.

    rows (n, r) and cols (m, r) are float32, row_norm (n,) and col_norm (m,) float64; the largest norm on each side lies
    between 1/2 and 1. With x_uv the dot product of two given rows as float64 computes it, divided by `scale`, and b_uv
    = row_norm_u col_norm_v: |x_uv| <= b_uv (1 + error), and |x_uv - float32(rows_u . cols_v)| <= error b_uv + tiny,
    whatever the order in which the float32 product adds, with fused multiplication or without.
    """

    rows: Tensor
    cols: Tensor
    row_norm: Tensor
    col_norm: Tensor
    scale: float
    error: float
    tiny: float


def balanced(left: Tensor, right: Tensor) -> Balanced | None:
    """left (n, r) and right (m, r), float64, written anew; None where one of them is zero everywhere.

    Entries are no larger or smaller than products of float32 numbers are. Raises NumericsError for NaN and infinity.

    Proof of `error`, with u = 2^-53, v = 2^-24, k = |T|_2 |T^-1|_2 and n, m the norms of two new rows. Old rows are at
    most |T^-1| resp. |T| times as long as their new ones, so an error relative to |l| |r| is k times that relative to
    n m. In float64 three things are off: the new rows, r u |l| |T| and r u |r| |T^-1|, together 2 r u k; the product of
    the two computed transforms, D = T T^-1 - I, of which l D r^T is at most |D| k, D itself being known to r u k; and
    the float64 dot product of the old rows, r u k. In float32: rounding the entries (2 v), a dot product of r terms
    (r v), and comparing it with a float64 number (1 v). Second-order terms are less than the whole once more: the sum
    is doubled. `tiny` is what is lost where float32 has no smaller numbers: at most 2^-126 in each entry and product.
    """
    r = left.shape[1]
    gram_left, gram_right = left.T @ left, right.T @ right
    if not (gram_left.isfinite().all() and gram_right.isfinite().all()):  # where an entry is not, its square is not
        msg = "a factor of the pair scores holds NaN or infinity: get the model again"
        raise NumericsError(msg)
    if not (gram_left.any() and gram_right.any()):
        return None
    root_left, root_right = _root(gram_left), _root(gram_right)
    u, s, vt = torch.linalg.svd(root_left.T @ root_right)
    to_left = torch.linalg.solve_triangular(root_left.T, u * s.sqrt(), upper=True)
    to_right = torch.linalg.solve_triangular(root_right.T, vt.T * s.sqrt(), upper=True)
    k = float(torch.linalg.matrix_norm(to_left, 2) * torch.linalg.matrix_norm(to_right, 2))
    eye = torch.eye(r, dtype=left.dtype, device=left.device)
    d = float(torch.linalg.matrix_norm(to_left @ to_right.T - eye, 2))
    in_double = 3 * r * 2.0**-53 * k + (d + r * 2.0**-53 * k) * k
    rows, row_norm, row_scale = _short(left, to_left)
    cols, col_norm, col_scale = _short(right, to_right)
    error = 2 * (in_double + (r + 3) * 2.0**-24)
    return Balanced(rows, cols, row_norm, col_norm, row_scale * col_scale, error, tiny=4 * r * 2.0**-126)


def _root(gram: Tensor) -> Tensor:
    """Lower triangular root of a Gram matrix (r, r) with its ridge."""
    ridge = RIDGE * gram.diagonal().mean()
    return torch.linalg.cholesky(gram + ridge * torch.eye(len(gram), dtype=gram.dtype, device=gram.device))


def _short(factor: Tensor, transform: Tensor) -> tuple[Tensor, Tensor, float]:
    """The new rows in float32, their norms, and the largest norm, by which both are divided.

    The division is by a power of two near it: it rounds nothing, and keeps float32 far from its limits.
    """
    rows = factor @ transform
    norm = rows.norm(dim=1)
    scale = 2.0 ** float(norm.max().log2().ceil())
    return (rows / scale).float(), norm / scale, scale
