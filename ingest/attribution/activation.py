"""Integrated gradients of an elementwise activation, in closed form.

Along the straight path from `origin` to z, with z = origin + sum_j p_j, the integrated gradient of act for input p_j
is p_j times the mean slope of act over the path, and the mean slope is the secant: no integration steps, no backward
pass (Kobayashi et al. 2024, section 3, with the integral solved; the closed form is ours). The shares sum to
act(z) - act(origin).
"""

from collections.abc import Callable

import torch
from torch import Tensor

Activation = Callable[[Tensor], Tensor]

_NARROW = 1e-7
"""Below this width a secant in double precision loses more than the tangent at the midpoint does."""


def mean_slope(act: Activation, z: Tensor, origin: Tensor) -> Tensor:
    """Mean slope of `act` between `origin` and `z`, elementwise: (act(z) - act(origin)) / (z - origin).

    Where the two meet it is the derivative. Computed in float64 with the model's own activation, so that every
    activation with a finite slope is right without a formula of its own.

    Args: z, origin (...,) pre-activations, broadcastable. Returns (...,) in the dtype of z.
    """
    z64, origin64 = torch.broadcast_tensors(z.double(), origin.double())
    width = z64 - origin64
    narrow = width.abs() < _NARROW
    slope = (act(z64) - act(origin64)) / torch.where(narrow, 1.0, width)
    if narrow.any():
        slope[narrow] = _derivative(act, ((z64 + origin64) / 2)[narrow])
    return slope.to(z.dtype)


def _derivative(act: Activation, at: Tensor) -> Tensor:
    with torch.inference_mode(False), torch.enable_grad():
        leaf = at.clone().detach().requires_grad_()
        (gradient,) = torch.autograd.grad(act(leaf).sum(), leaf)
    return gradient
