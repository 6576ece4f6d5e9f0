"""The maps of DESIGN.md section 1 with every vector held: slow, float64, no code from ingest."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import torch
from scipy.stats import spearmanr
from torch import nn

from tests.oracle.model_states import LayerStates, collect_states
from tests.oracle.pieces import FFBias, Split, activate, attention_pieces, normalise

PairFilter = Literal["all", "content", "offdiag"]
PAIR_FILTERS: tuple[PairFilter, ...] = ("all", "content", "offdiag")
STAGES = ("atb", "after_ff", "after_res", "after_ln")
ORDERS = {
    "post": ("FF", "RES", "LN"),
    "pre": ("LN", "FF", "RES"),
    "parallel": ("LN", "FF", "RES"),
    "sandwich": ("LN", "FF", "RES"),
    "res_post": ("FF", "LN", "RES"),
}
"""The components after the attention block, in the model's own order."""
_MAP_AFTER = {"FF": "after_ff", "RES": "after_res", "LN": "after_ln"}


def _comparisons(order: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    maps = ["atb", *(_MAP_AFTER[component] for component in order)]
    return dict(zip(order, pairwise(maps), strict=True)) | {"BLOCK": (maps[0], maps[-1])}


COMPONENTS = {placement: _comparisons(order) for placement, order in ORDERS.items()}
"""{placement: {component: (the map before it, the map after it)}}."""
WORST_STAGE_ERROR = 1e-9
"""If a stage's pieces miss the model's own state by more (relative, per position), the oracle is wrong."""


_Keep = Callable[[str, Split, np.ndarray], Split]


@dataclass
class LayerPieces:
    """Every vector of one layer, and how far each stage's sum is from the model's own state."""

    states: LayerStates
    attention: np.ndarray
    """(T, T, d): sum_h alpha f^h, without residual, b_O and the norm on the attention's output."""
    stages: dict[str, Split]
    stage_errors: dict[str, float]
    """Worst relative error over positions, for every state on the way and the four stages."""


def oracle_layers(model: nn.Module, input_ids: torch.Tensor, ff_bias: FFBias = "path") -> list[dict[str, np.ndarray]]:
    """One dict per layer (first layer first) of float64 arrays.

    (T, T) [query, key]: attn, attn_norm, atb, after_ff, after_res, after_ln.
    (T,): norm_input, norm_attn_out, norm_y, norm_ff_in, norm_ff_out, norm_sum, norm_output, cos_ff_res,
    completeness, and const_* and mix_* of the four stages. NaN where a ratio is 0/0.
    Not arrays: placement (a key of ORDERS), causal (bool), reach (int or None: the largest |query - key| in the
    layer's attention window), stage_errors (dict of floats).
    """
    return [_measure(layer) for layer in oracle_pieces(model, input_ids, ff_bias)]


def oracle_pieces(model: nn.Module, input_ids: torch.Tensor, ff_bias: FFBias = "path") -> list[LayerPieces]:
    """The vectors behind `oracle_layers`; raises AssertionError where a stage does not sum to the model's.

    RMSNorm modules of transformers compute in float32 whatever the model's type, and miss by 1e-7: put them in
    double first (`tests.oracle.tiny.in_double`).
    """
    return [_split_layer(states, ff_bias) for states in collect_states(model, input_ids)]


def change(
    before: np.ndarray,
    after: np.ndarray,
    pair_filter: PairFilter,
    is_special: np.ndarray,
    causal: bool,
    reach: int | None = None,
) -> float:
    """1 - Spearman rho over the selected pairs; NaN where undefined (under two pairs, or a constant map).

    Pairs with |query - key| > reach, which lie outside the layer's attention window, are left out.
    """
    n = before.shape[0]
    chosen = [
        (query, key)
        for query in range(n)
        for key in range(n)
        if (key <= query or not causal)
        and (reach is None or abs(query - key) <= reach)
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
        (component, pair_filter): change(
            layer[before], layer[after], pair_filter, is_special, layer["causal"], layer["reach"]
        )
        for component, (before, after) in COMPONENTS[layer["placement"]].items()
        for pair_filter in PAIR_FILTERS
    }


def _split_layer(states: LayerStates, ff_bias: FFBias) -> LayerPieces:
    found: dict[str, tuple[Split, np.ndarray]] = {}  # name: (the split, the model's own state)

    def keep(name: str, split: Split, true: np.ndarray) -> Split:
        found[name] = split, true
        return split

    attention, x = attention_pieces(states), Split.diagonal(states.x)
    a = keep("attn_out", Split(attention, np.tile(states.b_o, (len(states.x), 1))), states.attn_out)
    if states.ln_attn_out is not None:
        a = keep("attn_branch", normalise(a, states.attn_out, states.ln_attn_out), states.attn_branch)
    y = keep("y", x + a, states.y)
    ff_in = keep("ff_in", _ff_input(states, x, y), states.ff_in)
    ff = _feed_forward(states, ff_in, ff_bias, keep)
    stages = _stages(states, y, ff_in, ff)
    for name, (split, true) in stages.items():
        keep(name, split, true)
    errors = {name: float(_relative(split.sum(), true).max()) for name, (split, true) in found.items()}
    for name, error in errors.items():
        assert error < WORST_STAGE_ERROR, f"oracle: pieces of {name} miss the model's state by {error:.1e}"
    return LayerPieces(states, attention, {name: split for name, (split, _) in stages.items()}, errors)


def _ff_input(states: LayerStates, x: Split, y: Split) -> Split:
    if states.ln_y is None:  # res_post
        return y
    if states.placement == "parallel":
        return normalise(x, states.x, states.ln_y)
    return normalise(y, states.y, states.ln_y)


def _feed_forward(states: LayerStates, ff_in: Split, ff_bias: FFBias, keep: _Keep) -> Split:
    """W_2's output."""
    gate, up = keep("z", ff_in.apply(states.w_1, states.b_1), states.z), None
    if states.w_up is not None:
        up = keep("up", ff_in.apply(states.w_up, states.b_up), states.up)
    hidden = keep("hidden", activate(gate, up, states, ff_bias), states.hidden)
    return keep("ff_raw", hidden.apply(states.w_2, states.b_2), states.ff_raw)


def _stages(states: LayerStates, y: Split, ff_in: Split, ff: Split) -> dict[str, tuple[Split, np.ndarray]]:
    """The four stages, each with the model's own state."""
    if states.placement == "post":
        total = ff + ff_in
        return {
            "atb": (ff_in, states.ff_in),
            "after_ff": (ff, states.ff_out),
            "after_res": (total, states.total),
            "after_ln": (normalise(total, states.total, states.ln_total), states.output),
        }
    branch = ff if states.ln_ff_out is None else normalise(ff, states.ff_raw, states.ln_ff_out)
    late_norm = states.placement == "res_post"
    return {
        "atb": (y, states.y),
        "after_ff": (ff if late_norm else branch, states.ff_out),
        "after_res": (branch + y, states.output),
        "after_ln": (branch, states.ff_branch) if late_norm else (ff_in, states.ff_in),
    }


def _measure(layer: LayerPieces) -> dict:
    states, stages = layer.states, layer.stages
    residual = states.ff_in if states.placement == "post" else states.y
    last_map = COMPONENTS[states.placement]["BLOCK"][1]
    measured = {
        "placement": states.placement,
        "causal": states.causal,
        "reach": states.reach,
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
        "completeness": _relative(stages[last_map].sum(), states.output),
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
