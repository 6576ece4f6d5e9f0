"""LayerNorm as a linear map of pieces, once the deviation of the true sum is known (Kobayashi et al. 2021, eq. 9)."""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class LayerNorm:
    """y -> gamma * (y - mean(y)) / s(y) + beta, s(y) = sqrt(var(y) + eps).

    For pieces p_1 .. p_n and a constant c with y = sum p + c:
    `linear(p) / s(y)` are the pieces of the output, `linear(c) / s(y) + beta` is its constant.
    """

    gamma: Tensor  # (d,)
    beta: Tensor  # (d,)
    eps: float

    def deviation(self, y: Tensor) -> Tensor:
        """s(y): (..., d) -> (..., 1)."""
        return (y.var(-1, keepdim=True, correction=0) + self.eps).sqrt()

    def linear(self, p: Tensor, out: Tensor | None = None) -> Tensor:
        """gamma * (p - mean(p)): (..., d) -> (..., d); written to `out`, which may be p itself, where one is given."""
        return torch.sub(p, p.mean(-1, keepdim=True), out=out).mul_(self.gamma)

    def linear_into(self, w: Tensor) -> Tensor:
        """The matrix M with linear(p) @ w = p @ M: (d, n) -> (d, n)."""
        scaled = self.gamma.unsqueeze(-1) * w
        return scaled - scaled.mean(0, keepdim=True)

    def __call__(self, y: Tensor) -> Tensor:
        return self.linear(y) / self.deviation(y) + self.beta
