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
