"""The true hidden states of one layer and the constant (bias) part of each, from its input and attention weights.

Every state is `sum over key tokens of pieces + constant`; here are the left side and the constant, `pieces` has the
summands. Equations: DESIGN.md section 1; where the norms stand is the placement's (`weights.Norms`).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import torch
from torch import Tensor

from ingest.attribution.activation import gated_slopes, mean_slope
from ingest.attribution.normalisation import Norm
from ingest.attribution.weights import FoldedLayer

FFBias = Literal["path", "constant"]
"""Whether biases lie on the integration path as one more input, or form its start."""


@dataclass(frozen=True)
class Split:
    """A state (B, T, d): what the pieces of all tokens sum to, and its constant part."""

    tokens: Tensor
    const: Tensor

    @cached_property
    def whole(self) -> Tensor:
        return self.tokens + self.const

    def __add__(self, other: "Split") -> "Split":
        return Split(self.tokens + other.tokens, self.const + other.const)


@dataclass(frozen=True)
class LayerStates:
    """States of B sequences of length T. Deviations are (B, T, 1), None where there is no such norm."""

    values: Tensor  # (B, T, H, dh)
    x: Tensor  # (B, T, d)
    attn_out: Tensor  # (B, T, d): without the residual, with b_o, before any norm
    s_mixed: Tensor | None
    y: Tensor  # (B, T, d): attention's output and the residual
    s_read: Tensor | None
    ff_in: Split
    slope: Tensor  # (B, T, m * dff) mean slopes of the activation on the integration path
    ff_out: Split  # as FF ends: in sandwich_ln after the norm of its output
    s_ff: Tensor | None
    residual: Split  # what FF's branch is added to
    total: Split  # the sum
    s_out: Tensor | None
    output: Split
    atb: Split
    after_ln: Split

    @property
    def stages(self) -> dict[str, Split]:
        """The states that the four maps split."""
        return {"atb": self.atb, "after_ff": self.ff_out, "after_res": self.total, "after_ln": self.after_ln}


def layer_states(x: Tensor, alpha: Tensor, layer: FoldedLayer, ff_bias: FFBias) -> LayerStates:
    """Run one layer in the core's own arithmetic.

    Args: x (B, T, d) the layer's input; alpha (B, H, Q, K) the model's own attention weights, rows over real tokens.
    """
    w, norms = layer.weights, layer.norms
    value_in = norms.value(x) if norms.value else x
    values = (value_in @ w.w_v + w.b_v).unflatten(-1, (w.n_kv_head, -1))
    values = values.repeat_interleave(w.n_head // w.n_kv_head, dim=2)
    attn = torch.einsum("bhqk,bkhe->bqhe", alpha, values).flatten(2) @ w.w_o
    attn_out = Split(attn, w.b_o.expand_as(attn))
    branch, s_mixed = _through(norms.mixed, attn_out)
    y = Split(x + branch.tokens, branch.const)

    ff_in, s_read = _through(norms.read, Split(x, torch.zeros_like(x)) if layer.is_parallel else y)
    slope, raw_ff = _feed_forward(ff_in, _constant_in(layer, s_mixed, s_read), layer, ff_bias)
    branch, s_ff = _through(norms.ff_out, raw_ff)
    ff_out = branch if layer.norm_within_ff else raw_ff

    residual = ff_in if layer.is_post else y
    total = residual + branch
    output, s_out = _through(norms.out, total)
    after_ln = output if norms.out else branch if layer.norm_after_ff else ff_in
    return LayerStates(
        values, x, attn_out.whole, s_mixed, y.whole, s_read, ff_in, slope, ff_out, s_ff, residual, total, s_out, output,
        atb=ff_in if layer.is_post else y, after_ln=after_ln,
    )  # fmt: skip


def _through(norm: Norm | None, state: Split) -> tuple[Split, Tensor | None]:
    """A state behind a norm, and its deviation."""
    if norm is None:
        return state, None
    s = norm.deviation(state.whole)
    return Split(norm.linear(state.tokens) / s, norm.linear(state.const) / s + norm.beta), s


def _constant_in(layer: FoldedLayer, s_mixed: Tensor | None, s_read: Tensor | None) -> Tensor:
    """The constant part of the pre-activations: (m * dff,), or (B, T, m * dff) where it depends on deviations."""
    const = layer.const_in[0]
    if s_mixed is not None:
        const = const / s_mixed
    const = const + layer.const_in[1]
    return (const if s_read is None else const / s_read) + layer.const_fixed


def _feed_forward(ff_in: Split, const_z: Tensor, layer: FoldedLayer, ff_bias: FFBias) -> tuple[Tensor, Split]:
    """Mean slopes (B, T, m * dff) of the activation, and FF's output before any norm."""
    w = layer.weights
    z = ff_in.whole @ w.w_in + w.b_in
    if w.w_up is None or w.b_up is None:
        const_z = const_z.expand_as(z)
        origin = const_z if ff_bias == "constant" else z.new_zeros(())
        slope = mean_slope(w.act, z, origin)
        token_hidden = (z - const_z) * slope
        const_hidden = w.act(const_z) if ff_bias == "constant" else const_z * slope + w.act(origin)
    else:
        up = ff_in.whole @ w.w_up + w.b_up
        const_gate, const_up = (part.expand_as(z) for part in const_z.chunk(2, -1))
        from_const = ff_bias == "constant"
        by_gate, by_up = gated_slopes(w.act, z, up, (const_gate, const_up) if from_const else None)
        token_hidden = (z - const_gate) * by_gate + (up - const_up) * by_up
        const_hidden = w.act(const_gate) * const_up if from_const else const_gate * by_gate + const_up * by_up
        slope = torch.cat([by_gate, by_up], -1)
    tokens, const = torch.stack([token_hidden, const_hidden]) @ w.w_out
    return slope, Split(tokens, const + w.b_out)
