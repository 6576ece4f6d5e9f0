"""Help of the page on parameters (markdown), as in measures.py."""

from typing import Final

SAYS: Final = (
    "Score of an item: dot product of the unit's vector and the item's output embedding. Highest: what the unit "
    "promotes; lowest: what it suppresses. Source: Geva et al. 2022; Dar et al. 2023."
)
ACTIVATION: Final = (
    "Tokens on which the neuron is strongest: what multiplies its value vector, act(z), or act(gate) · up in gated "
    "networks. Above zero the value vector is added, below zero it is subtracted."
)
SEARCH: Final = (
    "Units with the items among their stored ones. mean_rank and score, a sum, are over the items that a unit has. "
    "Sign 1: among its highest; -1: among its lowest."
)
PAIRS: Final = (
    "The pairs of items that a head's matrix W scores highest, e_row · W · e_col. VO: from what is read to what is "
    "written. QK: from query to key; with rotary positions, at distance 0. Source: Dar et al. 2023."
)
SHIFT: Final = (
    "Shift: the tuned matrix less the base's. relative: Frobenius norm of the shift over that of the base's matrix. "
    "mean_unit_norm, max_unit_norm: of the shifts of single units."
)
SHIFT_SAYS: Final = (
    "The units that moved farthest in their layer and component, and the items that their shifts score highest and "
    "lowest with the base's output embeddings. Source: Dar et al. 2023."
)
ALIGNMENT: Final = (
    "score: mean of |r| over all pairs of vectors of two layers. best_match: mean |r| of each vector's best match. "
    "Embedding space compares what vectors say of all items; feature space, their own coordinates, is the baseline. "
    "Ringed: the best one-to-one assignment of layers. p: chance of as many on their own index. Each field has its "
    "own colours. Source: Dar et al. 2023."
)
STITCHING: Final = (
    "The first layers of a model, its states times E_model pinv(E_classifier), then the classifier's last layers. "
    "Bands: 95% intervals by bootstrap over texts. Dashes: states as they are (identity); dots: random matrices of "
    "the same scale. classifier: its own accuracy. chance: share of the most frequent class. Source: Dar et al. 2023."
)
