"""The true hidden states of one layer and the constant (bias) part of each, from its input and attention weights.

Every state is `sum over key tokens of pieces + constant`; here are the left side and the constant, `pieces` has the
summands. Equations: DESIGN.md section 1; the order of components is the placement's.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from ingest.attribution.activation import mean_slope
from ingest.attribution.weights import FoldedLayer

FFBias = Literal["path", "constant"]
"""Whether biases lie on the integration path as one more input, or form its start."""


@dataclass(frozen=True)
class LayerStates:
    """States are (B, T, d) unless noted; `const_*` is the constant part of the state of that name."""

    values: Tensor  # (B, T, H, dh)
    x: Tensor
    attn_out: Tensor  # without the residual, with b_o
    y: Tensor  # attn_out + x
    s_read: Tensor  # (B, T, 1) deviation of y in the norm that FF reads through
    ff_in: Tensor
    const_ff_in: Tensor
    slope: Tensor  # (B, T, dff) mean slope of the activation on the integration path
    ff: Tensor
    const_ff: Tensor
    residual: Tensor  # what FF's output is added to
    const_residual: Tensor
    total: Tensor  # residual + ff
    s_out: Tensor | None  # (B, T, 1) deviation of total; None where no norm follows (Pre-LN)
    output: Tensor
    const_output: Tensor

    @property
    def const_total(self) -> Tensor:
        return self.const_residual + self.const_ff


def layer_states(x: Tensor, alpha: Tensor, layer: FoldedLayer, ff_bias: FFBias) -> LayerStates:
    """Run one layer in the core's own arithmetic.

    Args: x (B, T, d) the layer's input; alpha (B, H, Q, K) the model's own attention weights, rows over real tokens.
    """
    w = layer.weights
    value_in = x if layer.is_post else w.ln_attn(x)
    values = (value_in @ w.w_v + w.b_v).unflatten(-1, (w.n_head, -1))
    mixed = torch.einsum("bhqk,bkhe->bqhe", alpha, values).flatten(2)
    attn_out = mixed @ w.w_o + w.b_o
    y = x + attn_out

    s_read = layer.ln_read.deviation(y)
    ff_in = layer.ln_read.linear(y) / s_read + layer.ln_read.beta
    const_ff_in = layer.ln_read.linear(w.b_o) / s_read + layer.ln_read.beta

    z = ff_in @ w.w_in + w.b_in
    const_z = layer.c_scaled / s_read + layer.c_fixed
    if ff_bias == "path":
        origin = torch.zeros((), dtype=z.dtype, device=z.device)
        slope = mean_slope(w.act, z, origin)
        const_hidden = const_z * slope + w.act(origin)
    else:
        slope = mean_slope(w.act, z, const_z)
        const_hidden = w.act(const_z)
    token_ff, const_ff = torch.stack([(z - const_z) * slope, const_hidden]) @ w.w_out
    const_ff = const_ff + w.b_out
    ff = token_ff + const_ff

    residual, const_residual = (ff_in, const_ff_in) if layer.is_post else (y, w.b_o.expand_as(y))
    total = residual + ff
    if layer.is_post:
        s_out = w.ln_ff.deviation(total)
        output = w.ln_ff.linear(total) / s_out + w.ln_ff.beta
        const_output = w.ln_ff.linear(const_residual + const_ff) / s_out + w.ln_ff.beta
    else:
        s_out, output, const_output = None, total, const_residual + const_ff
    return LayerStates(
        values, x, attn_out, y, s_read, ff_in, const_ff_in, slope, ff, const_ff,
        residual, const_residual, total, s_out, output, const_output,
    )  # fmt: skip
