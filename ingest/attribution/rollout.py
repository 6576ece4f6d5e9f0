"""Rollout: one layer's map after another, multiplied into what each input token contributes to each position.

Source: Abnar and Zuidema 2020 (attention rollout); over maps of vector norms, Modarressi et al. 2022 (GlobEnc), whose
map is `after_ln` of a Post-LN model less the direct effect of the feed-forward network, which is in ours.
"""

import numpy as np
import numpy.typing as npt

Maps = npt.NDArray[np.float64]


def rollout(maps: npt.NDArray[np.floating], *, add_residual: bool) -> Maps:
    """R_0 = I, R_l = A_l R_(l-1), with A_l the row-normalised map of layer l: (L, T, T) -> (L + 1, T, T), float64.

    Invariant: the rows of every R_l sum to 1, and R_l is 0 above the diagonal where every map is.

    Args: maps, values of at least 0 by layer, query and key; 0 where a query does not see a key. `add_residual`, take
    (A_l + I) / 2 for A_l: for maps of attention weights, which know nothing of the residual connection.
    """
    n_layer, n_pos, _ = maps.shape
    rolled = np.empty((n_layer + 1, n_pos, n_pos))
    rolled[0] = np.eye(n_pos)
    for number in range(n_layer):
        step = row_normalised(maps[number])
        if add_residual:
            step = (step + rolled[0]) / 2
        np.matmul(step, rolled[number], out=rolled[number + 1])
    return rolled


def row_normalised(one_map: npt.NDArray[np.floating]) -> Maps:
    """Each row over its sum, float64: (T, T) -> (T, T). A row of zeros becomes the identity's: its token stays."""
    values = one_map.astype(np.float64)
    sums = values.sum(1)
    empty = np.flatnonzero(sums == 0)
    values[empty, empty] = 1
    sums[empty] = 1
    return values / sums[:, None]
