"""Integrated gradients of an activation, gated or not, by autograd and adaptive quadrature: no closed form."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

Act = Callable[[torch.Tensor], torch.Tensor]
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_NODES, _WEIGHTS = (_NODES + 1) / 2, _WEIGHTS / 2  # on [0, 1]
_TOLERANCE = 1e-14  # one panel and its two halves must agree to this, for an integrand of order one
_NARROWEST = 1e-9  # a panel that must be bisected further than this holds a jump that _KINKS lacks
_KINKS = (
    -3.0,
    0.0,
    3.0,
    6.0,
)  # where act' may jump: ReLU and its leaky kind 0, ReLU6 0 and 6, hard swish -3 and 3


def slope(act: Act, points: np.ndarray) -> np.ndarray:
    """act'(points), by autograd on the activation itself."""
    with torch.enable_grad():
        at = torch.tensor(points, dtype=torch.float64, requires_grad=True)
        (gradient,) = torch.autograd.grad(act(at).sum(), at)
    return gradient.numpy()


def value(act: Act, points: np.ndarray) -> np.ndarray:
    """act(points)."""
    with torch.no_grad():
        return act(torch.tensor(points, dtype=torch.float64)).numpy()


def mean_slope(act: Act, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """integral_0^1 act'(start + t (end - start)) dt for every element; ArithmeticError where it does not settle."""
    return _integrate(lambda _t, at: slope(act, at), start, end, np.ones(start.shape))


def gated_means(
    act: Act, gate_start: np.ndarray, gate_end: np.ndarray, up_start: np.ndarray, up_end: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Mean gradients of act(a) * b along the straight path from (a0, b0) to (a, b), for every element.

    Returns (integral_0^1 act'(a(t)) b(t) dt, integral_0^1 act(a(t)) dt). With b(t) = b0 + t (b - b0) the first
    is b0 integral act' + (b - b0) integral t act', so that no integrand grows with b.
    """
    one = np.ones(gate_start.shape)
    rise = _integrate(lambda t, at: t * slope(act, at), gate_start, gate_end, one)
    by_gate = up_start * mean_slope(act, gate_start, gate_end) + (up_end - up_start) * rise
    size = np.maximum(one, np.maximum(np.abs(gate_start), np.abs(gate_end)))
    return by_gate, _integrate(lambda _t, at: value(act, at), gate_start, gate_end, size)


def _integrate(
    integrand: Callable[[np.ndarray, np.ndarray], np.ndarray], start: np.ndarray, end: np.ndarray, size: np.ndarray
) -> np.ndarray:
    """integral_0^1 integrand(t, start + t (end - start)) dt for every element, to about 1e-14 times `size`.

    Panels no longer than 2 in the argument, split exactly where the path crosses one of _KINKS, then bisected
    until 16-point Gauss-Legendre on a panel agrees with itself on the panel's halves. Raises ArithmeticError
    where bisection does not settle.
    """
    shape = start.shape
    start, end, tolerance = start.ravel(), end.ravel(), _TOLERANCE * size.ravel()
    length = end - start
    n_panels = max(1, int(np.ceil(np.abs(length).max(initial=0.0) / 2)))
    crossings = [
        np.divide(kink - start, length, out=np.zeros_like(length), where=length != 0).clip(0, 1) for kink in _KINKS
    ]
    edges = np.column_stack([np.tile(np.linspace(0, 1, n_panels + 1), (start.size, 1)), *crossings])
    edges.sort(axis=1)
    element = np.repeat(np.arange(start.size), edges.shape[1] - 1)
    low, high = edges[:, :-1].ravel(), edges[:, 1:].ravel()

    def gauss(who: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        t = a[:, None] + (b - a)[:, None] * _NODES
        return (b - a) * (integrand(t, start[who, None] + t * length[who, None]) @ _WEIGHTS)

    integral = np.zeros(start.size)
    while element.size:
        middle = (low + high) / 2
        left, right = gauss(element, low, middle), gauss(element, middle, high)
        settled = np.abs(gauss(element, low, high) - left - right) <= tolerance[element]
        if (high - low < _NARROWEST)[~settled].any():
            message = f"integrating an activation does not settle: does its slope jump outside {_KINKS}?"
            raise ArithmeticError(message)
        np.add.at(integral, element[settled], (left + right)[settled])
        rest = ~settled
        element = np.concatenate([element[rest], element[rest]])
        low, high = np.concatenate([low[rest], middle[rest]]), np.concatenate([middle[rest], high[rest]])
    return integral.reshape(shape)
