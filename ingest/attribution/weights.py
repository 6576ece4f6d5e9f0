"""The parameters of one layer in one convention, and the products of them that every sequence shares."""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from ingest.attribution.activation import Activation
from ingest.attribution.normalisation import Norm
from ingest.attribution.outliers import outlier_dims

Placement = Literal["post_ln", "pre_ln", "parallel", "res_post_ln", "sandwich_ln"]

COMPONENT_ORDER: dict[Placement, tuple[str, ...]] = {
    "post_ln": ("FF", "RES", "LN"),
    "pre_ln": ("LN", "FF", "RES"),
    "parallel": ("LN", "FF", "RES"),
    "res_post_ln": ("FF", "LN", "RES"),
    "sandwich_ln": ("LN", "FF", "RES"),
}
"""The components of the feed-forward block in the model's own order.

Post-LN and Pre-LN: Kobayashi et al. 2024, section 4. The others are ours: `parallel`, FF reads the layer's input beside
attention (GPT-J); `res_post_ln`, a norm on each branch before it joins the residual (OLMo 2); `sandwich_ln`, norms
before and after each branch (Gemma 2), where FF includes the norm of its output.
"""


@dataclass(frozen=True)
class LayerWeights:
    """A layer as a family reads it from a model. Vectors are rows: values = input @ w_v + b_v, and so on.

    Query head h uses key/value head h // (H / Hkv). FF is act(input @ w_in + b_in) @ w_out + b_out, or, gated,
    (act(input @ w_in + b_in) * (input @ w_up + b_up)) @ w_out + b_out.
    """

    placement: Placement
    n_head: int
    w_v: Tensor  # (d, Hkv * dh)
    b_v: Tensor  # (Hkv * dh,)
    w_o: Tensor  # (H * dh, d)
    b_o: Tensor  # (d,)
    ln_attn: Norm | None  # the attention block's norm, where the placement has it; None for a layer without one
    w_in: Tensor  # (d, dff)
    b_in: Tensor  # (dff,)
    act: Activation
    w_out: Tensor  # (dff, d)
    b_out: Tensor  # (d,)
    ln_ff: Norm  # the feed-forward block's norm; in `parallel`, what FF reads the layer's input through
    w_up: Tensor | None = None  # (d, dff)
    b_up: Tensor | None = None  # (dff,)
    ln_attn_out: Norm | None = None  # sandwich_ln: on attention's output
    ln_ff_out: Norm | None = None  # sandwich_ln: on FF's output
    reach: int | None = None  # greatest |query - key| that attention spans; None where it spans all

    @property
    def n_kv_head(self) -> int:
        return self.w_v.shape[1] * self.n_head // self.w_o.shape[0]

    @property
    def is_gated(self) -> bool:
        return self.w_up is not None


@dataclass(frozen=True)
class Norms:
    """Where a layer's norms stand; None where none does."""

    value: Norm | None = None  # between the layer's input and attention
    mixed: Norm | None = None  # on attention's output, before the residual joins it
    read: Norm | None = None  # between the residual stream and FF
    ff_out: Norm | None = None  # on FF's output, before the residual joins it
    out: Norm | None = None  # after the residual has joined FF's output

    @classmethod
    def of(cls, w: LayerWeights) -> "Norms":
        match w.placement:
            case "post_ln":
                return cls(read=w.ln_attn, out=w.ln_ff)
            case "pre_ln" | "parallel":
                return cls(value=w.ln_attn, read=w.ln_ff)
            case "res_post_ln":
                return cls(mixed=w.ln_attn, ff_out=w.ln_ff)
            case "sandwich_ln":
                return cls(value=w.ln_attn, mixed=w.ln_attn_out, read=w.ln_ff, ff_out=w.ln_ff_out)


@dataclass(frozen=True)
class FoldedLayer:
    """A layer with the products that turn values straight into pre-activation pieces.

    m is 2 where FF is gated (gate first, then up), else 1. `const_in` has what the constants of attention's output
    add to the pre-activations: b_o, still to be divided by the deviation of `norms.mixed`, then that norm's beta; both
    still to be divided by the deviation of `norms.read`.
    """

    weights: LayerWeights
    norms: Norms
    w_attn: Tensor  # (H, dh, d): a head's values to attention's output
    w_o: Tensor  # (H, dh, d): the same through norms.mixed, before division by its deviation
    w_o_in: Tensor  # (H, dh, m * dff): on to pre-activations, before division by the deviation of norms.read
    w_res_in: Tensor  # (d, m * dff): the residual to pre-activations, likewise
    const_in: Tensor  # (2, m * dff)
    const_fixed: Tensor  # (m * dff,): what the beta of norms.read and b_in, b_up add
    w_out: Tensor  # (dff, d): FF's way out; in sandwich_ln through norms.ff_out, before division by its deviation
    outliers: Tensor  # (n,): dimensions where the weights of the feed-forward block's norm are far from the others

    @property
    def is_post(self) -> bool:
        """Whether the residual of FF is what FF reads."""
        return self.weights.placement == "post_ln"

    @property
    def is_parallel(self) -> bool:
        """Whether FF reads the layer's input, not attention's output."""
        return self.weights.placement == "parallel"

    @property
    def norm_within_ff(self) -> Norm | None:
        """The norm on FF's output that counts as a part of FF."""
        return self.norms.ff_out if self.weights.placement == "sandwich_ln" else None

    @property
    def norm_after_ff(self) -> Norm | None:
        """The norm on FF's output that is a component of its own."""
        return self.norms.ff_out if self.weights.placement == "res_post_ln" else None


def fold(weights: LayerWeights) -> FoldedLayer:
    """Fold a layer's matrices; costs d * d * dff once per layer (twice where FF is gated)."""
    norms = Norms.of(weights)
    w_in, b_in = weights.w_in, weights.b_in
    if weights.w_up is not None and weights.b_up is not None:
        w_in, b_in = torch.cat([w_in, weights.w_up], 1), torch.cat([b_in, weights.b_up])
    w_read = norms.read.linear_into(w_in) if norms.read else w_in
    w_attn = weights.w_o.unflatten(0, (weights.n_head, -1))
    w_o = norms.mixed.linear(w_attn) if norms.mixed else w_attn
    consts = torch.stack(
        [norms.mixed.linear(weights.b_o), norms.mixed.beta]
        if norms.mixed
        else [weights.b_o, torch.zeros_like(weights.b_o)]
    )
    is_parallel = weights.placement == "parallel"
    within_ff = norms.ff_out if weights.placement == "sandwich_ln" else None
    return FoldedLayer(
        weights=weights,
        norms=norms,
        w_attn=w_attn,
        w_o=w_o,
        w_o_in=w_o @ w_read if not is_parallel else w_o.new_zeros(0),
        w_res_in=w_read,
        const_in=consts @ w_read if not is_parallel else torch.zeros_like(consts) @ w_read,
        const_fixed=norms.read.beta @ w_in + b_in if norms.read else b_in,
        w_out=within_ff.linear(weights.w_out) if within_ff else weights.w_out,
        outliers=outlier_dims(weights.ln_ff.gamma),
    )
