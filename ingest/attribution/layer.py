"""One layer, from the model's own states to everything that is stored of it."""

from dataclasses import dataclass

import torch
from torch import Tensor

from ingest.attribution.change import map_changes, pair_filters
from ingest.attribution.measures import token_norms
from ingest.attribution.neurons import neuron_activations
from ingest.attribution.pieces import DEVICE_ROWS, layer_pieces
from ingest.attribution.states import FFBias, layer_states
from ingest.attribution.weights import FoldedLayer
from ingest.attribution.workspace import Workspace


@dataclass(frozen=True)
class LayerAttribution:
    """Everything about one layer of B sequences of one length T."""

    maps: dict[str, Tensor]  # name -> (B, Q, K)
    norms: dict[str, Tensor]  # name -> (B, T)
    change: dict[str, Tensor]  # component -> (B, F) Spearman's rho, float64, NaN where undefined
    n_pairs: Tensor  # (B, F) pairs behind each rho
    dims: dict[str, Tensor]  # state -> (B, T, d)
    head_norm: Tensor  # (B, H, T) norms of each head's transformed values
    inlier_change: dict[str, Tensor] | None  # as `change`, outlier dimensions left out; None without or not asked for
    activations: Tensor | None  # (B, T, dff) of the feed-forward neurons; None where not asked for

    def of_sequence(self, nth: int) -> "LayerAttribution":
        """One of the sequences, the batch axis kept."""

        def one(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
            return {name: value[nth : nth + 1] for name, value in tensors.items()}

        n_pairs, head_norm = self.n_pairs[nth : nth + 1], self.head_norm[nth : nth + 1]
        inlier_change = None if self.inlier_change is None else one(self.inlier_change)
        activations = None if self.activations is None else self.activations[nth : nth + 1]
        return LayerAttribution(
            one(self.maps), one(self.norms), one(self.change), n_pairs, one(self.dims), head_norm, inlier_change,
            activations,
        )  # fmt: skip


@torch.no_grad()
def attribute_layer(
    x: Tensor,
    alpha: Tensor,
    output: Tensor,
    is_special: Tensor,
    layer: FoldedLayer,
    *,
    is_causal: bool,
    ff_bias: FFBias = "path",
    rows: int = DEVICE_ROWS["cpu"],
    space: Workspace | None = None,
    inliers: bool = False,
    neurons: bool = False,
) -> LayerAttribution:
    """Attribute one layer.

    Args: x, output (B, T, d) the model's states before and after the layer; alpha (B, H, T, T) its attention weights;
    is_special (B, T) bool. Sequences have one length and no padding. `space` is memory that layers share; `inliers`
    asks for the changes of the maps without the layer's outlier dimensions too, `neurons` for the activations.
    """
    states = layer_states(x, alpha, layer, ff_bias)
    pieces = layer_pieces(alpha, states, layer, is_causal=is_causal, rows=rows, space=space, inliers=inliers)
    placement = layer.weights.placement
    filters = pair_filters(is_special, is_causal=is_causal, reach=layer.weights.reach)
    return LayerAttribution(
        maps=pieces.maps,
        norms=token_norms(states, pieces, layer, output, is_causal=is_causal),
        change=map_changes(pieces.maps, filters, placement),
        n_pairs=torch.stack([filters[name].sum((1, 2)) for name in filters], 1),
        dims={
            "ff_in": states.ff_in.whole,
            "ff_out": states.ff_out.whole,
            "residual": states.residual.whole,
            "output": states.output.whole,
        },
        head_norm=pieces.head_norm,
        inlier_change=pieces.inlier_maps and map_changes(pieces.inlier_maps, filters, placement),
        activations=neuron_activations(states.ff_in.whole, layer.weights) if neurons else None,
    )
