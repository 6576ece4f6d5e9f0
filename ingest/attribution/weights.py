"""The parameters of one layer in one convention, and the products of them that every sequence shares."""

from dataclasses import dataclass
from typing import Literal

from torch import Tensor

from ingest.attribution.activation import Activation
from ingest.attribution.normalisation import LayerNorm

Placement = Literal["post_ln", "pre_ln"]

COMPONENT_ORDER: dict[Placement, tuple[str, ...]] = {
    "post_ln": ("FF", "RES", "LN"),
    "pre_ln": ("LN", "FF", "RES"),
}
"""The components of the feed-forward block in the model's own order (Kobayashi et al. 2024, section 4)."""


@dataclass(frozen=True)
class LayerWeights:
    """A layer as a family reads it from a model. Vectors are rows: values = input @ w_v + b_v, and so on."""

    placement: Placement
    n_head: int
    w_v: Tensor  # (d, H * dh)
    b_v: Tensor  # (H * dh,)
    w_o: Tensor  # (H * dh, d)
    b_o: Tensor  # (d,)
    ln_attn: LayerNorm
    w_in: Tensor  # (d, dff)
    b_in: Tensor  # (dff,)
    act: Activation
    w_out: Tensor  # (dff, d)
    b_out: Tensor  # (d,)
    ln_ff: LayerNorm


@dataclass(frozen=True)
class FoldedLayer:
    """A layer with the products that turn values straight into pre-activation pieces.

    `ln_read` is the norm whose output the feed-forward block reads: the one after attention in Post-LN, the one
    before FF in Pre-LN.
    """

    weights: LayerWeights
    ln_read: LayerNorm
    w_o: Tensor  # (H, dh, d)
    w_o_in: Tensor  # (H, dh, dff): a head's values to pre-activations, before division by s(y)
    w_res_in: Tensor  # (d, dff): the residual to pre-activations, likewise
    c_scaled: Tensor  # (dff,): what b_o adds to the pre-activations, before division by s(y)
    c_fixed: Tensor  # (dff,): what ln_read's beta and b_in add to them

    @property
    def is_post(self) -> bool:
        return self.weights.placement == "post_ln"


def fold(weights: LayerWeights) -> FoldedLayer:
    """Fold a layer's matrices; costs d * d * dff once per layer."""
    ln_read = weights.ln_attn if weights.placement == "post_ln" else weights.ln_ff
    w_o = weights.w_o.unflatten(0, (weights.n_head, -1))
    w_read = ln_read.linear_into(weights.w_in)
    return FoldedLayer(
        weights=weights,
        ln_read=ln_read,
        w_o=w_o,
        w_o_in=w_o @ w_read,
        w_res_in=w_read,
        c_scaled=weights.b_o @ w_read,
        c_fixed=ln_read.beta @ weights.w_in + weights.b_in,
    )
