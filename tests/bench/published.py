"""The published way, as a baseline: norm-based analysis with every vector held, extended through FF.

Kobayashi et al. 2020 (2004.10102) and 2021 (2109.07152) hold the weighted value vectors (H, T, T, d) of a
layer and sum them over heads; the 2024 paper (2302.00456) carries the sums through FF by integrated
gradients. Here, for one Post-LN layer with erf-GELU: attention, residual, LN1, W_1, times the closed form
act(z) / z, W_2, residual, LN2, by the distributive law. Written from the papers; float32 or whatever dtype
comes in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Weights:
    """One Post-LN layer, for row vectors: x @ w + b."""

    w_v: Tensor  # (d, d)
    b_v: Tensor  # (d,)
    w_o: Tensor  # (d, d)
    b_o: Tensor  # (d,)
    ln1_gamma: Tensor  # (d,)
    ln1_beta: Tensor  # (d,)
    eps: float
    w1: Tensor  # (d, d_ff)
    b1: Tensor  # (d_ff,)
    w2: Tensor  # (d_ff, d)
    b2: Tensor  # (d,)
    ln2_gamma: Tensor  # (d,)
    ln2_beta: Tensor  # (d,)


@torch.inference_mode()
def published_layer(x: Tensor, alpha: Tensor, weights: Weights) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """x (B, T, d), alpha (B, H, T, T) [query, key] -> atb, after_ff, after_res, after_ln, each (B, T, T).

    One sequence at a time: at T = 128, d = 768, H = 12 the weighted values alone take 600 MB in float32.
    """
    maps = [_sequence(x_b, alpha_b, weights) for x_b, alpha_b in zip(x, alpha, strict=True)]
    atb, after_ff, after_res, after_ln = (torch.stack(stage) for stage in zip(*maps, strict=True))
    return atb, after_ff, after_res, after_ln


def _sequence(x: Tensor, alpha: Tensor, w: Weights) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    n_token, d = x.shape
    n_head = alpha.shape[0]
    d_head = w.w_v.shape[1] // n_head

    value = (x @ w.w_v + w.b_v).view(n_token, n_head, d_head)
    transformed = torch.einsum("thk,hkd->htd", value, w.w_o.view(n_head, d_head, d))  # (H, T, d)
    weighted = alpha[..., None] * transformed[:, None]  # (H, T, T, d)
    pieces = weighted.sum(dim=0)  # (T, T, d)
    del weighted
    pieces.diagonal(dim1=0, dim2=1).add_(x.T)  # the residual
    y = pieces.sum(dim=1) + w.b_o  # (T, d)

    pieces = _normalise(pieces, y, w.ln1_gamma, w.eps)
    ff_in = _normalise(y[:, None], y, w.ln1_gamma, w.eps)[:, 0] + w.ln1_beta
    atb = pieces.norm(dim=-1)

    z = ff_in @ w.w1 + w.b1  # (T, d_ff)
    cdf = 0.5 * (1.0 + torch.erf(z / math.sqrt(2.0)))  # gelu(z) / z, and its limit at z = 0
    hidden = (pieces @ w.w1).mul_(cdf[:, None])  # (T, T, d_ff)
    ff_pieces = hidden @ w.w2  # (T, T, d)
    del hidden
    after_ff = ff_pieces.norm(dim=-1)

    pieces = ff_pieces.add_(pieces)
    after_res = pieces.norm(dim=-1)

    total = (z * cdf) @ w.w2 + w.b2 + ff_in
    after_ln = _normalise(pieces, total, w.ln2_gamma, w.eps).norm(dim=-1)
    return atb, after_ff, after_res, after_ln


def _normalise(pieces: Tensor, state: Tensor, gamma: Tensor, eps: float) -> Tensor:
    """(T, K, d) pieces of `state` (T, d): gamma * (piece - its mean) / deviation of the state."""
    deviation = (state.var(dim=-1, unbiased=False) + eps).sqrt()[:, None, None]
    return (pieces - pieces.mean(dim=-1, keepdim=True)) / deviation * gamma
