"""The maps of DESIGN.md section 1 with every vector held: slow, float64, no code from ingest."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from scipy.stats import spearmanr
from torch import nn

from tests.oracle.model_states import LayerStates, Norm, collect_states
from tests.oracle.quadrature import mean_slope

FFBias = Literal["path", "constant"]
PairFilter = Literal["all", "content", "offdiag"]
PAIR_FILTERS: tuple[PairFilter, ...] = ("all", "content", "offdiag")
STAGES = ("atb", "after_ff", "after_res", "after_ln")
COMPONENTS = {
    "post": {
        "FF": ("atb", "after_ff"),
        "RES": ("after_ff", "after_res"),
        "LN": ("after_res", "after_ln"),
        "BLOCK": ("atb", "after_ln"),
    },
    "pre": {
        "LN": ("atb", "after_ln"),
        "FF": ("after_ln", "after_ff"),
        "RES": ("after_ff", "after_res"),
        "BLOCK": ("atb", "after_res"),
    },
}
WORST_STAGE_ERROR = 1e-9
"""If a stage's pieces miss the model's own state by more (relative, per position), the oracle is wrong."""


@dataclass
class Split:
    """A state split into token vectors: pieces (T, T, n) [query, key], const (T, n)."""

    pieces: np.ndarray
    const: np.ndarray

    def sum(self) -> np.ndarray:
        """(T, n): the state."""
        return self.pieces.sum(axis=1) + self.const

    def __add__(self, other: Split) -> Split:
        return Split(self.pieces + other.pieces, self.const + other.const)


@dataclass
class LayerPieces:
    """Every vector of one layer, and how far each stage's sum is from the model's own state."""

    states: LayerStates
    attention: np.ndarray
    """(T, T, d): sum_h alpha f^h, without residual and b_O."""
    stages: dict[str, Split]
    stage_errors: dict[str, float]
    """Worst relative error over positions, for attn_out, y, ff_in, z, hidden, and the four stages."""


def oracle_layers(model: nn.Module, input_ids: torch.Tensor, ff_bias: FFBias = "path") -> list[dict[str, np.ndarray]]:
    """One dict per layer (first layer first) of float64 arrays.

    (T, T) [query, key]: attn, attn_norm, atb, after_ff, after_res, after_ln.
    (T,): norm_input, norm_attn_out, norm_y, norm_ff_in, norm_ff_out, norm_sum, norm_output, cos_ff_res,
    completeness, and const_* and mix_* of the four stages. NaN where a ratio is 0/0.
    Not arrays: placement ('post' | 'pre'), causal (bool), stage_errors (dict of floats).
    """
    return [_measure(layer) for layer in oracle_pieces(model, input_ids, ff_bias)]


def oracle_pieces(model: nn.Module, input_ids: torch.Tensor, ff_bias: FFBias = "path") -> list[LayerPieces]:
    """The vectors behind `oracle_layers`; raises AssertionError where a stage does not sum to the model's."""
    return [_split_layer(states, ff_bias) for states in collect_states(model, input_ids)]


def change(
    before: np.ndarray, after: np.ndarray, pair_filter: PairFilter, is_special: np.ndarray, causal: bool
) -> float:
    """1 - Spearman rho over the selected pairs; NaN where undefined (under two pairs, or a constant map)."""
    n = before.shape[0]
    chosen = [
        (query, key)
        for query in range(n)
        for key in range(n)
        if (key <= query or not causal)
        and (pair_filter == "all" or not (is_special[query] or is_special[key]))
        and (pair_filter != "offdiag" or query != key)
    ]
    a = np.array([before[pair] for pair in chosen])
    b = np.array([after[pair] for pair in chosen])
    if len(chosen) < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return float("nan")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy's p-value divides by zero for two pairs; rho is fine
        return float(1 - spearmanr(a, b).statistic)


def changes(layer: dict, is_special: np.ndarray) -> dict[tuple[str, str], float]:
    """{(component, pair_filter): change} of one dict of `oracle_layers`."""
    return {
        (component, pair_filter): change(layer[before], layer[after], pair_filter, is_special, layer["causal"])
        for component, (before, after) in COMPONENTS[layer["placement"]].items()
        for pair_filter in PAIR_FILTERS
    }


def _split_layer(states: LayerStates, ff_bias: FFBias) -> LayerPieces:
    attention = _attention_pieces(states)
    y = Split(attention.copy(), np.tile(states.b_o, (len(states.x), 1)))
    for i, x_i in enumerate(states.x):
        y.pieces[i, i] += x_i
    ff_in = _normalise(y, states.y, states.ln_y)
    z = Split(ff_in.pieces @ states.w_1, ff_in.const @ states.w_1 + states.b_1)
    hidden = _activate(z, states, ff_bias)
    after_ff = Split(hidden.pieces @ states.w_2, hidden.const @ states.w_2 + states.b_2)

    if states.ln_total is not None:  # Post-LN
        atb, after_res = ff_in, after_ff + ff_in
        after_ln = _normalise(after_res, states.total, states.ln_total)
        true_after_res, true_after_ln, true_atb = states.total, states.output, states.ff_in
    else:  # Pre-LN
        atb, after_res, after_ln = y, after_ff + y, ff_in
        true_after_res, true_after_ln, true_atb = states.output, states.ff_in, states.y
    errors = {
        "attn_out": _relative(attention.sum(axis=1) + states.b_o, states.attn_out).max(),
        "y": _relative(y.sum(), states.y).max(),
        "ff_in": _relative(ff_in.sum(), states.ff_in).max(),
        "z": _relative(z.sum(), states.z).max(),
        "hidden": _relative(hidden.sum(), states.hidden).max(),
        "atb": _relative(atb.sum(), true_atb).max(),
        "after_ff": _relative(after_ff.sum(), states.ff_out).max(),
        "after_res": _relative(after_res.sum(), true_after_res).max(),
        "after_ln": _relative(after_ln.sum(), true_after_ln).max(),
    }
    for stage, error in errors.items():
        assert error < WORST_STAGE_ERROR, f"oracle: pieces of {stage} miss the model's state by {error:.1e}"
    stages = {"atb": atb, "after_ff": after_ff, "after_res": after_res, "after_ln": after_ln}
    return LayerPieces(states, attention, stages, {stage: float(error) for stage, error in errors.items()})


def _attention_pieces(states: LayerStates) -> np.ndarray:
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


def _normalise(split: Split, state: np.ndarray, norm: Norm) -> Split:
    """LayerNorm of a sum, with the deviation of the model's own `state` (T, d): Kobayashi et al. 2021."""
    s = np.sqrt(state.var(axis=-1, keepdims=True) + norm.eps)

    def g(vectors: np.ndarray, deviation: np.ndarray) -> np.ndarray:
        return norm.gamma * (vectors - vectors.mean(axis=-1, keepdims=True)) / deviation

    return Split(g(split.pieces, s[:, None]), g(split.const, s) + norm.beta)


def _activate(z: Split, states: LayerStates, ff_bias: FFBias) -> Split:
    """Integrated gradients of act: each input's share is itself times the mean slope along the path."""
    if ff_bias == "path":  # from 0; what biases brought is one more input; act(0) belongs to the constant
        start = np.zeros_like(states.z)
        moving_const = z.const
    elif ff_bias == "constant":  # from the constant part, which does not move
        start = z.const
        moving_const = np.zeros_like(z.const)
    else:
        message = f"ff_bias is 'path' or 'constant', not {ff_bias!r}"
        raise ValueError(message)
    mean = mean_slope(states.act, start, states.z)
    with torch.no_grad():
        at_start = states.act(torch.from_numpy(start.copy())).numpy()
    return Split(z.pieces * mean[:, None, :], moving_const * mean + at_start)


def _measure(layer: LayerPieces) -> dict:
    states, stages = layer.states, layer.stages
    post = states.placement == "post"
    residual = states.ff_in if post else states.y
    measured = {
        "placement": states.placement,
        "causal": states.causal,
        "stage_errors": layer.stage_errors,
        "attn": states.alpha.mean(axis=0),
        "attn_norm": _norms(layer.attention),
        "norm_input": _norms(states.x),
        "norm_attn_out": _norms(layer.attention.sum(axis=1) + states.b_o),
        "norm_y": _norms(states.y),
        "norm_ff_in": _norms(states.ff_in),
        "norm_ff_out": _norms(states.ff_out),
        "norm_sum": _norms(states.output if states.total is None else states.total),
        "norm_output": _norms(states.output),
        "cos_ff_res": _ratio((states.ff_out * residual).sum(-1), _norms(states.ff_out) * _norms(residual)),
        "completeness": _relative(stages["after_ln" if post else "after_res"].sum(), states.output),
    }
    for name in STAGES:
        measured[name] = _norms(stages[name].pieces)
        measured[f"const_{name}"] = _norms(stages[name].const)
        measured[f"mix_{name}"] = _mixing_ratio(stages[name].pieces)
    return measured


def _mixing_ratio(pieces: np.ndarray) -> np.ndarray:
    """(T,): ||sum_{j != i} v_ij|| / (||sum_{j != i} v_ij|| + ||v_ii||)."""
    n_token, _, d = pieces.shape
    mixed = np.zeros((n_token, d))
    for i in range(n_token):
        for j in range(n_token):
            if j != i:
                mixed[i] += pieces[i, j]
    own = np.array([np.linalg.norm(pieces[i, i]) for i in range(n_token)])
    return _ratio(_norms(mixed), _norms(mixed) + own)


def _norms(vectors: np.ndarray) -> np.ndarray:
    return np.linalg.norm(vectors, axis=-1)


def _ratio(top: np.ndarray, bottom: np.ndarray) -> np.ndarray:
    return np.divide(top, bottom, out=np.full_like(bottom, np.nan), where=bottom != 0)


def _relative(found: np.ndarray, true: np.ndarray) -> np.ndarray:
    """(T,): ||found - true|| / ||true||; 0 where both vanish."""
    difference, size = _norms(found - true), _norms(true)
    return np.divide(difference, size, out=np.where(difference == 0, 0.0, np.inf), where=size != 0)
