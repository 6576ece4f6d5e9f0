"""Which dimensions a layer's feed-forward norm treats unlike the others, and vectors without them."""

from typing import Final

import torch
from torch import Tensor

OUTLIER_SD: Final = 3.0
"""Standard deviations from the mean of |gamma| beyond which a dimension is an outlier."""


def outlier_dims(gamma: Tensor) -> Tensor:
    """Indices of the dimensions whose |gamma| lies more than OUTLIER_SD population deviations from their mean: (d,)
    -> (n,), ascending.

    Definition: ours. Kobayashi et al. 2024 (section 6) find by eye that a few dimensions with odd LayerNorm weights
    carry much of what FF writes and LayerNorm takes back.
    """
    size = gamma.double().abs()
    return (((size - size.mean()).abs() > OUTLIER_SD * size.std(correction=0)).nonzero()).squeeze(-1)


def norm_without(vectors: Tensor, dims: Tensor) -> Tensor:
    """L2 norm over the last axis with some dimensions left out: (..., d), (n,) -> (...).

    The vectors are as before when it returns; nothing of their size is held beside them.
    """
    kept = vectors[..., dims]  # a copy
    vectors[..., dims] = 0.0
    norms = torch.linalg.vector_norm(vectors, dim=-1)
    vectors[..., dims] = kept
    return norms


def gram_without(gram: Tensor, vectors: Tensor, dims: Tensor) -> Tensor:
    """The Gram matrix of vectors with some dimensions left out: (..., n, n) float64, (..., n, d), (m,) -> (..., n, n).

    Args: gram, that of the whole vectors.
    """
    left_out = vectors[..., dims].double()
    return gram - left_out @ left_out.transpose(-1, -2)
