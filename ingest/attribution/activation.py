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

_PART = 2**18
"""Elements taken at once, so that what is computed in double precision stays in cache."""


def mean_slope(act: Activation, z: Tensor, origin: Tensor) -> Tensor:
    """Mean slope of `act` between `origin` and `z`, elementwise: (act(z) - act(origin)) / (z - origin).

    Where the two meet it is the derivative. Computed in float64 with the model's own activation, so that every
    activation with a finite slope is right without a formula of its own.

    Args: z (...,) pre-activations; origin, broadcastable to z. Returns (...,) in the dtype of z.
    """
    origin = origin.double()
    slope = torch.empty_like(z)
    parts = (t.expand(z.shape).reshape(-1).split(_PART) for t in (z, origin, act(origin)))
    for z_part, o_part, act_o_part, out in zip(*parts, slope.view(-1).split(_PART), strict=True):
        out.copy_(_secant(act, z_part.double(), o_part, act_o_part))
    return slope


def _secant(act: Activation, z: Tensor, origin: Tensor, act_origin: Tensor) -> Tensor:
    width = z - origin
    slope = (act(z) - act_origin) / width
    narrow = width.abs_() < _NARROW
    if narrow.any():
        slope[narrow] = _derivative(act, ((z + origin) / 2)[narrow])
    return slope


def _derivative(act: Activation, at: Tensor) -> Tensor:
    with torch.inference_mode(False), torch.enable_grad():
        leaf = at.clone().detach().requires_grad_()
        (gradient,) = torch.autograd.grad(act(leaf).sum(), leaf)
    return gradient
