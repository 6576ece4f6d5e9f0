"""A model's parameters as vectors of the residual stream: what units read from it and write to it.

With `fold_ln` a vector goes through the norm between it and the stream, as far as that norm is linear: times gamma and,
for LayerNorm, less its mean. Division by a state's deviation, which no vector has, and beta are left out. So with x a
state, s(x) its deviation and k a folded vector that is read through a norm, k . x / s(x) is the unit's pre-activation
less what beta and its bias add; and a folded vector that is written through a norm is, over s, its part of what the
norm gives. Where that is, per placement (the norms' names are those of `ingest.attribution.weights.Norms`):

| placement | w_q, w_k, w_v read through | w_o writes through | ff_key, ff_gate read through | ff_value writes through |
|---|---|---|---|---|
| post_ln | nothing | LN1, after the residual | nothing | LN2, after the residual |
| pre_ln, parallel | LN1 | nothing | LN2 (GPT-J, Phi: LN1) | nothing |
| res_post_ln | nothing | the branch's norm | nothing | the branch's norm |
| sandwich_ln | LN1 | the branch's norm | LN2 | the branch's norm |

In post_ln the norms lie on the stream itself: FF and the next layer's attention read what a norm gave as it is. Norms
that queries and keys have of their own (Qwen3, Gemma 3, OLMo 2) come after the matrix and are never folded. A layer
without the norm (ModernBERT's first) reads as if unfolded.
"""

from typing import Literal

from torch import Tensor

from ingest.attribution.normalisation import Norm
from ingest.attribution.weights import LayerWeights, Norms
from ingest.models import LoadedModel
from warehouse.errors import UsageError, require_choice

Component = Literal["ff_key", "ff_gate", "ff_value", "w_q", "w_k", "w_v", "w_o"]
"""ff_key: what a neuron reads, of gated FF the factor that is not activated. ff_gate: of gated FF, what the activated
factor reads. ff_value: what a neuron writes. w_q, w_k, w_v: what a coordinate of a head reads. w_o: what one writes."""

Matrix = Literal["VO", "QK"]
"""The products of a head's matrices that the stream sees: W_V W_O, and W_Q W_K^T."""


def components_of(model: LoadedModel) -> tuple[Component, ...]:
    """The components that a model has: ff_gate where its FF is gated."""
    gate: tuple[Component, ...] = ("ff_gate",) if model.weights_of(1).is_gated else ()
    return ("ff_key", *gate, "ff_value", "w_q", "w_k", "w_v", "w_o")


def vectors(model: LoadedModel, layer: int, component: Component, *, fold_ln: bool = False) -> Tensor:
    """(n_units, d) float32: a component's vectors, one a unit, on the model's device.

    n_units is d_ff for ff_*; H * d_head for w_q and w_o, Hkv * d_head for w_k and w_v, whose units are counted over
    all heads: head = unit // d_head. `layer` counts from 1; layers that share parameters (ALBERT) each have them.

    Raises UsageError for a layer or component that the model does not have.
    """
    require_choice("component", component, Component)
    weights = model.weights_of(layer)
    norms = Norms.of(weights)
    if component == "ff_gate" and not weights.is_gated:
        msg = f"component ff_gate: the feed-forward network of {model.name} is not gated; it has ff_key and ff_value"
        raise UsageError(msg)
    match component:
        case "ff_key":
            return _read(weights.w_in if weights.w_up is None else weights.w_up, _before_ff(weights, norms), fold_ln)
        case "ff_gate":
            return _read(weights.w_in, _before_ff(weights, norms), fold_ln)
        case "w_q":
            return _read(model.query_key_of(layer)[0], norms.value, fold_ln)
        case "w_k":
            return _read(model.query_key_of(layer)[1], norms.value, fold_ln)
        case "w_v":
            return _read(weights.w_v, norms.value, fold_ln)
        case "w_o":
            return _written(weights.w_o, _after_attention(weights, norms), fold_ln)
        case "ff_value":
            return _written(weights.w_out, norms.out or norms.ff_out, fold_ln)


def bias(model: LoadedModel, layer: int, of: Literal["ff_bias", "attn_bias"], *, fold_ln: bool = False) -> Tensor:
    """(d,) float32: what FF or attention writes whatever it reads, through the norm that ff_value and w_o go through.

    Zeros where the model has no such bias. Raises UsageError for a layer that the model does not have.
    """
    weights = model.weights_of(layer)
    norms = Norms.of(weights)
    if of == "ff_bias":
        return _written(weights.b_out, norms.out or norms.ff_out, fold_ln)
    return _written(weights.b_o, _after_attention(weights, norms), fold_ln)


def head_factors(
    model: LoadedModel, layer: int, matrix: Matrix, *, fold_ln: bool = False
) -> list[tuple[Tensor, Tensor]]:
    """Per query head two factors A (d_head, d) and B (d_head, d) of its matrix W = A^T B (d, d).

    VO: W = W_V^h W_O^h, from what the head reads to what it writes. QK: W = W_Q^h W_K^h^T, rows of the query, columns
    of the key; neither biases nor rotations are in it. Query head h uses key/value head h // (H / Hkv). float32.

    Raises UsageError as `vectors`.
    """
    require_choice("matrix", matrix, Matrix)
    n_head = model.weights_of(layer).n_head
    if matrix == "VO":
        left, right = (vectors(model, layer, c, fold_ln=fold_ln) for c in ("w_v", "w_o"))
    else:
        left, right = (vectors(model, layer, c, fold_ln=fold_ln) for c in ("w_q", "w_k"))
    d_head = max(len(left), len(right)) // n_head
    return list(zip(_of_query_heads(left, n_head, d_head), _of_query_heads(right, n_head, d_head), strict=True))


def _of_query_heads(rows: Tensor, n_head: int, d_head: int) -> list[Tensor]:
    heads = rows.unflatten(0, (-1, d_head))
    return [heads[h * len(heads) // n_head] for h in range(n_head)]


def _before_ff(weights: LayerWeights, norms: Norms) -> Norm | None:
    return None if weights.placement == "post_ln" else norms.read


def _after_attention(weights: LayerWeights, norms: Norms) -> Norm | None:
    return norms.read if weights.placement == "post_ln" else norms.mixed


def _read(w: Tensor, norm: Norm | None, fold_ln: bool) -> Tensor:
    """The columns of w (d, n) as rows."""
    return (norm.linear_into(w) if fold_ln and norm else w).T.contiguous()


def _written(w: Tensor, norm: Norm | None, fold_ln: bool) -> Tensor:
    """The rows of w (n, d)."""
    return norm.linear(w) if fold_ln and norm else w.contiguous()
