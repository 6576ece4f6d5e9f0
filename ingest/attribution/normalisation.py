"""Norms as linear maps of pieces, once the deviation of the true sum is known (Kobayashi et al. 2021, eq. 9)."""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Norm:
    """y -> gamma * (y - mean(y)) / s(y) + beta.

    LayerNorm, and RMSNorm where `centred` is false: no mean is taken off, and s(y)^2 is the mean square instead of the
    variance, plus eps either way. For pieces p_1 .. p_n and a constant c with y = sum p + c: `linear(p) / s(y)` are
    the pieces of the output, `linear(c) / s(y) + beta` is its constant.
    """

    gamma: Tensor  # (d,)
    beta: Tensor  # (d,)
    eps: float
    centred: bool = True

    def deviation(self, y: Tensor) -> Tensor:
        """s(y): (..., d) -> (..., 1)."""
        square = y.var(-1, keepdim=True, correction=0) if self.centred else y.square().mean(-1, keepdim=True)
        return (square + self.eps).sqrt()

    def linear(self, p: Tensor, out: Tensor | None = None) -> Tensor:
        """gamma * (p - mean(p)): (..., d) -> (..., d); written to `out`, which may be p itself, where one is given."""
        if self.centred:
            return torch.sub(p, p.mean(-1, keepdim=True), out=out).mul_(self.gamma)
        return torch.mul(p, self.gamma, out=out)

    def linear_into(self, w: Tensor) -> Tensor:
        """The matrix M with linear(p) @ w = p @ M: (d, n) -> (d, n)."""
        scaled = self.gamma.unsqueeze(-1) * w
        return scaled - scaled.mean(0, keepdim=True) if self.centred else scaled

    def __call__(self, y: Tensor) -> Tensor:
        return self.linear(y) / self.deviation(y) + self.beta
