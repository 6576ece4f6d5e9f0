"""What each measure is: its equation and where it comes from, as help on the pages (markdown)."""

from typing import Final

CHANGE: Final = (
    "How much a component changes the attention map of a layer: 1 − Spearman's ρ of the map's values before and after "
    "it, average ranks for ties, one value a sequence, then their mean. 0: the order of all pairs stays. Bands: 95% "
    "intervals by bootstrap over sequences. Source: Kobayashi et al. 2024, section 5; intervals are ours."
)

COMPONENT: Final = (
    "FF: the feed-forward network. RES: the residual connection around it. LN: the block's normalisation. BLOCK: the "
    "first map against the last, what all three leave of it. The order depends on the model."
)

PAIR_FILTER: Final = (
    "content: no special token on either side. offdiag: content, and query other than key. all: every pair that the "
    "layer's attention can see."
)

SURVIVING: Final = (
    "Mean change by the whole block over mean change by FF: below 1, the residual connection and LN take back part of "
    "what FF does to the map; above 1, they add to it. Bands: 95% intervals by bootstrap over sequences. Source: "
    "Kobayashi et al. 2024, section 5.3, for the cancelling; this ratio is ours."
)

SPREAD: Final = (
    "The change 1 − Spearman's ρ of every sentence in every layer. Quantiles are over sentences, interpolated between "
    "two of them. The data below is that of the points or bins; quantiles are in the view `v_change_quantiles`."
)

OUTLYING: Final = (
    "Sentences whose change lies farthest from the median of their layer, on either side. Short sentences have few "
    "pairs and scatter more."
)

DISTANCE: Final = "(change − median) / (upper − lower quartile), over the sentences of the layer"

INLIERS: Final = (
    "The mean change once more with every vector's norm taken without the layer's outlier dimensions: those whose |LN "
    "weight| lies more than 3 standard deviations from the layer's mean. Runs with `--inliers` have it. Source: "
    "Kobayashi et al. 2024, section 5.4; the rule for outliers is ours."
)

PROJECTION: Final = (
    "The vocabulary items that a vector of the residual stream scores highest and lowest: its dot product with their "
    "output embeddings, biases and norms left out unless LN is folded. ff_key: what a neuron reads; ff_value: what it "
    "writes; w_q, w_k, w_v, w_o: coordinates of heads. Source: Dar et al. 2023, section 3."
)

ACTIVATION: Final = (
    "Tokens on which the neuron's activation, which multiplies its value vector, is largest in a run's corpus: act(z), "
    "or act(gate) · up where the network is gated."
)

PAIRS: Final = (
    "Pairs of items (u, v) with the highest e_u W e_v. VO: W = W_V W_O, what a head writes (v) where it reads u. QK: "
    "W = W_Q W_Kᵀ, which key v a query u attends to, positions left out. Exact. Source: Dar et al. 2023, section 3."
)

SHIFT: Final = (
    "Tuned less base, by layer and component: Frobenius norm of the difference over that of the base. Largest shifts "
    "are read as items. Source: Dar et al. 2023, section 4.1; norms are ours."
)

ALIGNMENT: Final = (
    "score: mean |r| of all pairs of vectors of two layers. best_match: mean |r| of the best matches (ours). "
    "embedding: r over vocabulary items; feature: r over coordinates. A dot marks the one-to-one assignment of "
    "layers with the largest sum. Source: Dar et al. 2023, section 4.2."
)

STITCHING: Final = (
    "Accuracy of a classifier whose layers after the cut read another model's states, translated by E_A E_B⁺ "
    "(stitched), as they are (identity) or by a random matrix of the same norm. Bands: 95% over texts. Source: "
    "Dar et al. 2023, section 4.3; baselines and intervals are ours."
)
