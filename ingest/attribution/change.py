"""How much a component changes the attention map: 1 - Spearman rho of the maps before and after it.

Source: Kobayashi et al. 2024, section 5 (contextualization change); the pair filters are ours.
"""

import torch
from torch import Tensor

from ingest.attribution.weights import Placement

COMPARISONS: dict[Placement, dict[str, tuple[str, str]]] = {
    "post_ln": {
        "FF": ("atb", "after_ff"),
        "RES": ("after_ff", "after_res"),
        "LN": ("after_res", "after_ln"),
        "BLOCK": ("atb", "after_ln"),
    },
    "pre_ln": {
        "LN": ("atb", "after_ln"),
        "FF": ("after_ln", "after_ff"),
        "RES": ("after_ff", "after_res"),
        "BLOCK": ("atb", "after_res"),
    },
}
"""Component -> the maps before and after it; BLOCK is what survives of the whole feed-forward block."""


def pair_filters(is_special: Tensor, *, is_causal: bool) -> dict[str, Tensor]:
    """Masks of the pairs that count: is_special (B, T) -> name -> (B, Q, K) bool.

    all: every pair the model can see; content: no special token on either side; offdiag: content and i != j.
    """
    n_pos = is_special.shape[1]
    visible = torch.ones(n_pos, n_pos, dtype=torch.bool, device=is_special.device)
    if is_causal:
        visible = visible.tril()
    content = ~is_special
    both = content.unsqueeze(2) & content.unsqueeze(1) & visible
    off = ~torch.eye(n_pos, dtype=torch.bool, device=is_special.device)
    return {"all": visible.expand_as(both), "content": both, "offdiag": both & off}


def map_changes(maps: dict[str, Tensor], filters: dict[str, Tensor], placement: Placement) -> dict[str, Tensor]:
    """Spearman's rho of every comparison under every filter.

    Args: maps name -> (B, Q, K); filters name -> (B, Q, K) bool.
    Returns component -> (B, F) float64, F in the order of `filters`; NaN where rho is undefined: fewer than two
    pairs, or a constant map.
    """
    stages = sorted({stage for pair in COMPARISONS[placement].values() for stage in pair})
    values = torch.stack([maps[stage].flatten(1) for stage in stages], 1)  # (B, S, n)
    found = [_correlations(values, mask.flatten(1).unsqueeze(1)) for mask in filters.values()]
    where = {stage: i for i, stage in enumerate(stages)}
    return {
        component: torch.stack([rho[:, where[before], where[after]] for rho in found], 1)
        for component, (before, after) in COMPARISONS[placement].items()
    }


def _correlations(values: Tensor, mask: Tensor) -> Tensor:
    """Spearman's rho of every two maps over the masked pairs: (B, S, n), (B, 1, n) -> (B, S, S)."""
    ranks = average_ranks(values, mask)
    n = mask.sum(-1, keepdim=True)
    centred = torch.where(mask, ranks - (n + 1) / 2, 0.0)
    scale = centred.square().sum(-1)
    both = torch.stack([(centred * centred[:, i : i + 1]).sum(-1) for i in range(centred.shape[1])], 1)
    # The root of the product, not the product of roots: only so do equal maps give exactly 1.
    return both / (scale.unsqueeze(1) * scale.unsqueeze(2)).sqrt()


def average_ranks(values: Tensor, mask: Tensor) -> Tensor:
    """Ranks from 1 within the masked entries of the last axis, ties sharing their mean rank.

    Args: values and mask (..., n), broadcastable, values finite. Returns (..., n) float64; entries outside the mask
    hold no meaning.
    """
    values, mask = torch.broadcast_tensors(values, mask)
    ordered, order = torch.where(mask, values, torch.inf).sort(dim=-1)
    n = ordered.shape[-1]
    position = torch.arange(1, n + 1, device=values.device)
    begins = torch.ones_like(ordered, dtype=torch.bool)
    begins[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    ends = torch.ones_like(begins)
    ends[..., :-1] = begins[..., 1:]
    first = torch.where(begins, position, 0).cummax(-1).values
    last = torch.where(ends, position, n + 1).flip(-1).cummin(-1).values.flip(-1)
    tied = (first + last).double() / 2
    return torch.empty_like(tied).scatter_(-1, order, tied)
