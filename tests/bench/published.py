"""The published way, as a baseline: norm-based analysis with every vector held, extended through FF.

Kobayashi et al. 2020 (2004.10102) and 2021 (2109.07152) hold the weighted value vectors (H, T, T, d) of a
layer and sum them over heads; the 2024 paper (2302.00456) carries the sums through FF by integrated
gradients. Here, for one Post-LN layer with erf-GELU: attention, residual, LN1, W_1, times the closed form
act(z) / z, W_2, residual, LN2, by the distributive law. It gives what those papers report of a layer: the norm
of every head's weighted vector (2020), of their sum, of each later stage, and the mixing ratios (2021) with FF.
Written from the papers; float32 or whatever dtype comes in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

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


@dataclass
class Maps:
    """The maps of a layer, [query, key], and the mixing ratio of each query after each stage."""

    weighted_norm: Tensor  # (B, H, T, T), each head's
    attn_norm: Tensor  # (B, T, T), as the four that follow
    atb: Tensor
    after_ff: Tensor
    after_res: Tensor
    after_ln: Tensor
    mixing: Tensor  # (B, 4, T), of atb, after_ff, after_res, after_ln


@torch.inference_mode()
def published_layer(x: Tensor, alpha: Tensor, weights: Weights) -> Maps:
    """x (B, T, d), alpha (B, H, T, T) [query, key].

    One sequence at a time: at T = 128, d = 768, H = 12 the weighted values alone take 600 MB in float32.
    """
    maps = [_sequence(x_b, alpha_b, weights) for x_b, alpha_b in zip(x, alpha, strict=True)]
    return Maps(**{f.name: torch.stack([getattr(m, f.name) for m in maps]) for f in fields(Maps)})


def _sequence(x: Tensor, alpha: Tensor, w: Weights) -> Maps:
    n_token, d = x.shape
    n_head = alpha.shape[0]
    d_head = w.w_v.shape[1] // n_head

    value = (x @ w.w_v + w.b_v).view(n_token, n_head, d_head)
    transformed = torch.einsum("thk,hkd->htd", value, w.w_o.view(n_head, d_head, d))  # (H, T, d)
    weighted = alpha[..., None] * transformed[:, None]  # (H, T, T, d)
    weighted_norm = weighted.norm(dim=-1)  # (H, T, T)
    pieces = weighted.sum(dim=0)  # (T, T, d)
    del weighted
    attn_norm = pieces.norm(dim=-1)
    pieces.diagonal(dim1=0, dim2=1).add_(x.T)  # the residual
    y = pieces.sum(dim=1) + w.b_o  # (T, d)

    pieces = _normalise(pieces, y, w.ln1_gamma, w.eps)
    ff_in = _normalise(y[:, None], y, w.ln1_gamma, w.eps)[:, 0] + w.ln1_beta
    atb = pieces.norm(dim=-1)
    mixing = [_mixing_ratio(pieces)]

    z = ff_in @ w.w1 + w.b1  # (T, d_ff)
    cdf = 0.5 * (1.0 + torch.erf(z / math.sqrt(2.0)))  # gelu(z) / z, and its limit at z = 0
    hidden = (pieces @ w.w1).mul_(cdf[:, None])  # (T, T, d_ff)
    ff_pieces = hidden @ w.w2  # (T, T, d)
    del hidden
    after_ff = ff_pieces.norm(dim=-1)
    mixing.append(_mixing_ratio(ff_pieces))

    pieces = ff_pieces.add_(pieces)
    after_res = pieces.norm(dim=-1)
    mixing.append(_mixing_ratio(pieces))

    total = (z * cdf) @ w.w2 + w.b2 + ff_in
    pieces = _normalise(pieces, total, w.ln2_gamma, w.eps)
    after_ln = pieces.norm(dim=-1)
    mixing.append(_mixing_ratio(pieces))
    return Maps(weighted_norm, attn_norm, atb, after_ff, after_res, after_ln, torch.stack(mixing))


def _mixing_ratio(pieces: Tensor) -> Tensor:
    """(T, T, d) pieces -> (T,): the norm of what other tokens bring, over that plus the token's own."""
    own = pieces.diagonal(dim1=0, dim2=1).T  # (T, d)
    others = (pieces.sum(dim=1) - own).norm(dim=-1)
    return others / (others + own.norm(dim=-1))


def _normalise(pieces: Tensor, state: Tensor, gamma: Tensor, eps: float) -> Tensor:
    """(T, K, d) pieces of `state` (T, d): gamma * (piece - its mean) / deviation of the state."""
    deviation = (state.var(dim=-1, unbiased=False) + eps).sqrt()[:, None, None]
    return (pieces - pieces.mean(dim=-1, keepdim=True)) / deviation * gamma
