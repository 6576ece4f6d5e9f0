"""Integrated gradients of an activation, gated or not, in closed form.

Along the straight path from an origin to the true pre-activation, which is origin + sum_j p_j, the integrated gradient
for input p_j is p_j times a mean slope over the path, the same for all j: no integration steps over the model, no
backward pass (Kobayashi et al. 2024, section 3, with the integral solved; the closed forms are ours). The shares sum
to the activation's output less its value at the origin.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
import torch
from torch import Tensor

Activation = Callable[[Tensor], Tensor]

_NARROW = 1e-7
"""Below this width a secant in double precision loses more than the tangent at the midpoint does."""

_PART = 2**18
"""Elements taken at once, so that what is computed in double precision stays in cache."""

_NODES = {torch.float32: 16, torch.float64: 32}
_NEAR = {torch.float32: 10.0, torch.float64: 16.0}
"""Gauss-Legendre nodes from zero to as far as here integrate SiLU and both GELUs to the last digits of the dtype; from
here on, where they are nearly straight, 32 nodes do."""


def mean_slope(act: Activation, z: Tensor, origin: Tensor) -> Tensor:
    """Mean slope of `act` between `origin` and `z`, elementwise: (act(z) - act(origin)) / (z - origin).

    Where the two meet it is the derivative. Computed in float64 with the model's own activation, so that every
    activation with a finite slope is right without a formula of its own.

    Args: z (...,) pre-activations; origin, broadcastable to z. Returns (...,) in the dtype of z.
    """
    origin = origin.double()
    slope = torch.empty_like(z)
    inputs = (t.expand(z.shape).reshape(-1).split(_PART) for t in (z, origin, act(origin)))
    for z_part, o_part, act_o_part, out in zip(*inputs, slope.view(-1).split(_PART), strict=True):
        out.copy_(_secant(act, z_part.double(), o_part, act_o_part))
    return slope


def _secant(act: Activation, z: Tensor, origin: Tensor, act_origin: Tensor) -> Tensor:
    width = z - origin
    slope = (act(z) - act_origin) / width
    narrow = width.abs_() < _NARROW
    if narrow.any():
        slope[narrow] = _derivative(act, ((z + origin) / 2)[narrow])
    return slope


def gated_slopes(
    act: Activation, gate: Tensor, up: Tensor, origin: tuple[Tensor, Tensor] | None = None
) -> tuple[Tensor, Tensor]:
    """Mean slopes of act(gate) * up along the straight path from an origin, zero where none is given.

    With a(t), b(t) on the path, the share of a piece a_j of the gate and b_j of up is a_j * I1 + b_j * I2:
    I2 = integral of act(a(t)) dt, the mean of act over the path, and
    I1 = integral of act'(a(t)) b(t) dt = (act(a) b - act(a0) b0 - (b - b0) I2) / (a - a0), by parts.
    From zero, with act(0) = 0, nothing cancels and they are computed in the dtype of `gate`; else in float64.

    Args: gate, up, and the two parts of origin (..., n). Returns I1 and I2, (..., n) in the dtype of gate.
    """
    slope, mean = torch.empty_like(gate), torch.empty_like(gate)
    n = _PART // max(_NODES.values())
    if origin is None and act(gate.new_zeros(1)).any():
        origin = gate.new_zeros(()).expand_as(gate), gate.new_zeros(()).expand_as(gate)
    inputs = [t.reshape(-1).split(n) for t in (gate, up, *(() if origin is None else origin))]
    for *parts, slope_out, mean_out in zip(*inputs, slope.view(-1).split(n), mean.view(-1).split(n), strict=True):
        found = _gated(act, *(t.double() for t in parts)) if origin is not None else _gated_from_zero(act, *parts)
        slope_out.copy_(found[0])
        mean_out.copy_(found[1])
    return slope, mean


def _gated_from_zero(act: Activation, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    mean = _mean_from_zero(act, a)
    slope = (act(a) - mean) / a * b
    narrow = a.abs() < _NARROW
    if narrow.any():
        slope[narrow] = _derivative(act, a[narrow] / 2) * b[narrow] / 2
    return slope, mean


def _gated(act: Activation, a: Tensor, b: Tensor, a0: Tensor, b0: Tensor) -> tuple[Tensor, Tensor]:
    width = a - a0
    # By way of zero, so that a kink there, as ReLU has it, lies on no stretch that is integrated.
    mean = (a * _mean_from_zero(act, a) - a0 * _mean_from_zero(act, a0)) / width
    narrow = width.abs() < _NARROW
    mean[narrow] = act(((a + a0) / 2)[narrow])
    slope = (act(a) * b - act(a0) * b0 - (b - b0) * mean) / width
    if narrow.any():
        slope[narrow] = _derivative(act, ((a + a0) / 2)[narrow]) * ((b + b0) / 2)[narrow]
    return slope, mean


def _mean_from_zero(act: Activation, x: Tensor) -> Tensor:
    """Integral of act(t x) over t from 0 to 1: (n,) -> (n,), by Gauss-Legendre; exact to rounding for smooth act."""
    near = x.clamp(-_NEAR[x.dtype], _NEAR[x.dtype])
    mean = _quadrature(act, torch.zeros_like(near), near, _NODES[x.dtype])
    far = near != x
    if far.any():
        x, near = x[far], near[far]
        mean[far] = (near * mean[far] + (x - near) * _quadrature(act, near, x, _NODES[torch.float64])) / x
    return mean


def _quadrature(act: Activation, start: Tensor, stop: Tensor, n: int) -> Tensor:
    nodes, weights = _rule(n, stop.dtype, stop.device)
    return weights @ act(torch.addcmul(start, nodes.unsqueeze(-1), stop - start))


@cache
def _rule(n: int, dtype: torch.dtype, device: torch.device) -> tuple[Tensor, Tensor]:
    nodes, weights = (torch.from_numpy(v / 2) for v in np.polynomial.legendre.leggauss(n))
    return (nodes + 0.5).to(device, dtype), weights.to(device, dtype)


def _derivative(act: Activation, at: Tensor) -> Tensor:
    with torch.inference_mode(False), torch.enable_grad():
        leaf = at.clone().detach().requires_grad_()
        (gradient,) = torch.autograd.grad(act(leaf).sum(), leaf)
    return gradient
