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
