"""How much a component changes the attention map: 1 - Spearman rho of the maps before and after it.

Source: Kobayashi et al. 2024, section 5 (contextualization change); the pair filters are ours.
"""

from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor

from ingest.attribution.weights import COMPONENT_ORDER, Placement


def comparisons(placement: Placement) -> dict[str, tuple[str, str]]:
    """Component -> the maps before and after it; BLOCK is what survives of the whole feed-forward block."""
    order = COMPONENT_ORDER[placement]
    maps = ["atb", *(f"after_{component.lower()}" for component in order)]
    return dict(zip(order, pairwise(maps), strict=True)) | {"BLOCK": (maps[0], maps[-1])}


def pair_filters(is_special: Tensor, *, is_causal: bool, reach: int | None = None) -> dict[str, Tensor]:
    """Masks of the pairs that count: is_special (B, T) -> name -> (B, Q, K) bool.

    all: every pair that the layer's attention can see, at most `reach` apart; content: no special token on either
    side; offdiag: content and i != j.
    """
    n_pos = is_special.shape[1]
    visible = torch.ones(n_pos, n_pos, dtype=torch.bool, device=is_special.device)
    if is_causal:
        visible = visible.tril()
    if reach is not None:
        visible = visible.triu(-reach).tril(reach)
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
    stages = sorted({stage for pair in comparisons(placement).values() for stage in pair})
    ordered = Ordered.of(torch.stack([maps[stage].flatten(1) for stage in stages], 1))  # (B, S, n)
    found = [_correlations(ordered, mask.flatten(1).unsqueeze(1)) for mask in filters.values()]
    where = {stage: i for i, stage in enumerate(stages)}
    return {
        component: torch.stack([rho[:, where[before], where[after]] for rho in found], 1)
        for component, (before, after) in comparisons(placement).items()
    }


@dataclass(frozen=True)
class Ordered:
    """The last axis of some finite values in ascending order: sorted once, ranked under any mask."""

    order: Tensor  # (..., n) where the values stand
    begins: Tensor  # (..., n) bool: the first of equal values, in order
    ends: Tensor  # (..., n) bool: the last of them

    @classmethod
    def of(cls, values: Tensor) -> "Ordered":
        ordered, order = values.sort(dim=-1)
        begins = torch.ones_like(ordered, dtype=torch.bool)
        begins[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
        ends = torch.ones_like(begins)
        ends[..., :-1] = begins[..., 1:]
        return cls(order, begins, ends)

    def ranks(self, mask: Tensor) -> Tensor:
        """Ranks from 1 within the masked entries, ties sharing their mean rank.

        Args: mask (..., n) bool, broadcastable to the values. Returns (..., n) float64; entries outside the mask hold
        no meaning.
        """
        counted = mask.expand(self.order.shape).gather(-1, self.order)
        so_far = counted.cumsum(-1)
        n = mask.shape[-1]
        first = torch.where(self.begins, so_far - counted.long() + 1, 0).cummax(-1).values
        last = torch.where(self.ends, so_far, n + 1).flip(-1).cummin(-1).values.flip(-1)
        tied = (first + last).double() / 2
        return torch.empty_like(tied).scatter_(-1, self.order, tied)


def _correlations(ordered: Ordered, mask: Tensor) -> Tensor:
    """Spearman's rho of every two of S maps over the masked pairs: mask (B, 1, n) -> (B, S, S)."""
    ranks = ordered.ranks(mask)
    n = mask.sum(-1, keepdim=True)
    centred = torch.where(mask, ranks - (n + 1) / 2, 0.0)
    both = centred @ centred.transpose(-1, -2)
    scale = both.diagonal(dim1=-2, dim2=-1)
    # The root of the product, not the product of roots: only so do equal maps give exactly 1.
    return (both / (scale.unsqueeze(1) * scale.unsqueeze(2)).sqrt()).clamp_(-1, 1)
