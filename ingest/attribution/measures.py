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
        "norm_ff_in": norm(st.ff_in.whole),
        "norm_ff_out": norm(st.ff_out.whole),
        "norm_sum": norm(st.total.whole),
        "norm_output": norm(st.output.whole),
        **{f"const_{stage}": norm(state.const) for stage, state in st.stages.items()},
        **{f"mix_{stage}": mix(state.tokens, pieces.own[stage]) for stage, state in st.stages.items()},
        "cos_ff_res": torch.cosine_similarity(st.ff_out.whole, st.residual.whole, dim=-1, eps=0.0),
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
    summed = pieces.sum_total
    if layer.norms.out is not None and states.s_out is not None:
        summed = layer.norms.out.linear(summed) / states.s_out
    rebuilt = summed + states.output.const
    gap = torch.linalg.vector_norm(rebuilt - output, dim=-1)
    return gap / torch.linalg.vector_norm(output, dim=-1)


def dim_moments(state: Tensor) -> dict[str, Tensor]:
    """Moments of each dimension over tokens, float64: (n, d) -> mean_abs, mean, m2 of (d,).

    m2 is the sum of squared deviations from the mean, so that shards merge exactly.
    """
    s64 = state.double()
    mean = s64.mean(0)
    return {"mean_abs": s64.abs().mean(0), "mean": mean, "m2": (s64 - mean).square().sum(0)}
