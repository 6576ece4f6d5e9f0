"""A layer's states split into one vector per token and one for the biases: every vector held."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tests.oracle.model_states import LayerStates
from tests.oracle.quadrature import gated_means, mean_slope, value
from tests.oracle.weights import Norm

FFBias = Literal["path", "constant"]


@dataclass
class Split:
    """A state split into token vectors: pieces (T, T, n) [query, key], const (T, n)."""

    pieces: np.ndarray
    const: np.ndarray

    @classmethod
    def diagonal(cls, state: np.ndarray) -> Split:
        """(T, n): each position's state is its own token's, all of it."""
        pieces = np.zeros((len(state), *state.shape))
        for i, vector in enumerate(state):
            pieces[i, i] = vector
        return cls(pieces, np.zeros_like(state))

    def sum(self) -> np.ndarray:
        """(T, n): the state."""
        return self.pieces.sum(axis=1) + self.const

    def apply(self, weight: np.ndarray, bias: np.ndarray) -> Split:
        """state @ weight + bias."""
        return Split(self.pieces @ weight, self.const @ weight + bias)

    def __add__(self, other: Split) -> Split:
        return Split(self.pieces + other.pieces, self.const + other.const)


def attention_pieces(states: LayerStates) -> np.ndarray:
    """(T, T, d): sum_h alpha^h_ij f^h(x_j), f^h(x) = (x W_V^h + b_V^h) W_O^h."""
    n_head, n_token, _ = states.alpha.shape
    d_head = states.w_v.shape[1] // n_head
    pieces = np.zeros((n_token, n_token, states.w_o.shape[1]))
    for h in range(n_head):
        mine = slice(h * d_head, (h + 1) * d_head)
        f = (states.v_input @ states.w_v[:, mine] + states.b_v[mine]) @ states.w_o[mine]
        for i in range(n_token):
            for j in range(n_token):
                pieces[i, j] += states.alpha[h, i, j] * f[j]
    return pieces


def normalise(split: Split, state: np.ndarray, norm: Norm) -> Split:
    """A norm of a sum, linear once the deviation of the model's own `state` (T, d) is fixed: Kobayashi et al. 2021.

    LayerNorm takes the mean off state and pieces alike; RMSNorm takes off nothing.
    """

    def centre(vectors: np.ndarray) -> np.ndarray:
        return vectors - vectors.mean(axis=-1, keepdims=True) if norm.centred else vectors

    deviation = np.sqrt((centre(state) ** 2).mean(axis=-1, keepdims=True) + norm.eps)
    return Split(
        norm.gamma * centre(split.pieces) / deviation[:, None],
        norm.gamma * centre(split.const) / deviation + norm.beta,
    )


def activate(gate: Split, up: Split | None, states: LayerStates, ff_bias: FFBias) -> Split:
    """act(gate), or act(gate) * up: integrated gradients along the straight path to the model's own values.

    'path': the path starts at 0; what biases brought is one more input; what stands at the start, act(0), is
    the constant's (times 0 where FF is gated). 'constant': the path starts at the constant parts, which do not
    move, and what stands there is the constant's.
    """
    if ff_bias not in ("path", "constant"):
        message = f"ff_bias is 'path' or 'constant', not {ff_bias!r}"
        raise ValueError(message)
    moves = ff_bias == "path"  # whether the constant part moves

    def start(split: Split) -> np.ndarray:
        return np.zeros_like(split.const) if moves else split.const

    def moving(split: Split) -> np.ndarray:
        return split.const if moves else np.zeros_like(split.const)

    at_start = value(states.act, start(gate))
    if up is None:
        mean = mean_slope(states.act, start(gate), states.z)
        return Split(gate.pieces * mean[:, None], moving(gate) * mean + at_start)
    by_gate, by_up = gated_means(states.act, start(gate), states.z, start(up), states.up)
    return Split(
        gate.pieces * by_gate[:, None] + up.pieces * by_up[:, None],
        moving(gate) * by_gate + moving(up) * by_up + at_start * start(up),
    )
