"""What the page about correlations shows: equations and sources, as help (markdown)."""

from typing import Final

NORM_CHANGE: Final = (
    "Spearman's ρ of the norm of FF's output and the change that FF makes: over sentences (mean norm over tokens of "
    "content, change of the map of content), or over rows (a token of content, change of its row of the map). "
    "partial: with the norm of attention's output held. Bands: 95% by bootstrap over sequences, in both. Source: "
    "Kobayashi et al. 2024, section 6; partial ρ and intervals are ours."
)

NORM_CLOUD: Final = (
    "The points behind the correlation over sentences: mean norm of FF's output over a sentence's tokens of content, "
    "and the change 1 − ρ by FF of its map of content (view v_sequence_measure). Rows are not stored: their changes "
    "are computed for the correlation alone."
)

LN_WEIGHT: Final = (
    "Spearman's ρ, over the dimensions of the hidden state, of |γ| of the FF block's normalisation and the mean "
    "absolute value of what FF reads or writes there. Bands: 95% by bootstrap over dimensions, which says how far ρ "
    "rests on single ones. Source: Kobayashi et al. 2024, section 6; intervals are ours."
)

LN_CLOUD: Final = (
    "A point is a dimension. Orange: outlier dimensions, those whose |γ|, or FF input or output, lies more than 3 "
    "standard deviations from the layer's mean (table outlier_dim)."
)

POINT: Final = (
    "What a point is: a token, a sentence (means and changes of its map), or a dimension of the hidden state."
)

RHO: Final = (
    "Spearman's ρ in each layer, average ranks for ties: Pearson's r of ranks, as the SQL below has it. Bands: 95% by "
    "bootstrap, sequences drawn whole (of dimensions, dimensions) and ranked anew in each of 1,000 resamples. Nothing "
    "is adjusted for how many pairs of measures one looks at."
)

CLOUD: Final = "The points of one layer; where they are many, counted in bins of equal width."
