"""What is stored of a layer beside its maps: norms per token, mixing ratios, completeness, moments per dimension."""

import torch
from torch import Tensor

from ingest.attribution.pieces import Pieces
from ingest.attribution.states import LayerStates
from ingest.attribution.weights import FoldedLayer


def token_norms(
    states: LayerStates, pieces: Pieces, layer: FoldedLayer, output: Tensor, *, is_causal: bool
) -> dict[str, Tensor]:
    """Norms, mixing ratios and completeness of every token.

    Args: output (B, T, d), the model's own state after the layer.
    Returns name -> (B, T), the names of `warehouse.contract.NORM_MEASURES`. A mixing ratio is NaN where every piece
    of the token is zero.
    """
    st = states
    # Post-LN's ATB ends with the norm that FF reads; in Pre-LN that norm is the block's LN, `after_ln`.
    const_atb = st.const_ff_in if layer.is_post else st.const_residual
    const_ln = st.const_output if layer.is_post else st.const_ff_in
    whole_atb = st.ff_in if layer.is_post else st.y
    whole_ln = st.output if layer.is_post else st.ff_in

    def norm(v: Tensor) -> Tensor:
        return torch.linalg.vector_norm(v, dim=-1)

    def mix(whole: Tensor, own: Tensor) -> Tensor:
        if is_causal or whole.shape[1] == 1:  # position 0 sees itself alone: no rounding error may pose as another
            whole = torch.cat([own[:, :1], whole[:, 1:]], 1)
        return mixing_ratio(whole, own)

    return {
        "norm_input": norm(st.x),
        "norm_attn_out": norm(st.attn_out),
        "norm_y": norm(st.y),
        "norm_ff_in": norm(st.ff_in),
        "norm_ff_out": norm(st.ff),
        "norm_sum": norm(st.total),
        "norm_output": norm(st.output),
        "const_atb": norm(const_atb),
        "const_after_ff": norm(st.const_ff),
        "const_after_res": norm(st.const_total),
        "const_after_ln": norm(const_ln),
        "mix_atb": mix(whole_atb - const_atb, pieces.diag_atb),
        "mix_after_ff": mix(st.ff - st.const_ff, pieces.diag_ff),
        "mix_after_res": mix(st.total - st.const_total, pieces.diag_total),
        "mix_after_ln": mix(whole_ln - const_ln, pieces.diag_ln),
        "cos_ff_res": torch.cosine_similarity(st.ff, st.residual, dim=-1, eps=0.0),
        "completeness_error": completeness_error(states, pieces, layer, output),
    }


def mixing_ratio(whole: Tensor, own: Tensor) -> Tensor:
    """||sum_{j != i} v_ij|| / (||sum_{j != i} v_ij|| + ||v_ii||) (Kobayashi et al. 2021, eq. 10): (..., d) -> (...).

    Args: whole = sum over all keys of v_ij; own = v_ii.
    """
    others = torch.linalg.vector_norm(whole - own, dim=-1)
    return others / (others + torch.linalg.vector_norm(own, dim=-1))


def completeness_error(states: LayerStates, pieces: Pieces, layer: FoldedLayer, output: Tensor) -> Tensor:
    """||sum of the pieces + constant - the model's state|| / ||the model's state||: (B, T).

    The sum is that of the measured pieces, the state is the model's own: what the decomposition gets wrong shows.
    """
    if states.s_out is not None:
        rebuilt = layer.weights.ln_ff.linear(pieces.sum_total) / states.s_out + states.const_output
    else:
        rebuilt = pieces.sum_total + states.const_output
    gap = torch.linalg.vector_norm(rebuilt - output, dim=-1)
    return gap / torch.linalg.vector_norm(output, dim=-1)


def dim_moments(state: Tensor) -> dict[str, Tensor]:
    """Moments of each dimension over tokens, float64: (n, d) -> mean_abs, mean, m2 of (d,).

    m2 is the sum of squared deviations from the mean, so that shards merge exactly.
    """
    s64 = state.double()
    mean = s64.mean(0)
    return {"mean_abs": s64.abs().mean(0), "mean": mean, "m2": (s64 - mean).square().sum(0)}
