"""What a transformers model itself computes in each layer, caught by hooks, and the weights it used.

Arrays are float64 numpy, for one unpadded sequence of T tokens. Weights are given for row vectors:
state @ weight + bias. Where a model has no bias it is zero, where a norm has no weight it is one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from tests.oracle.decoders import DECODERS
from tests.oracle.encoders import ENCODERS
from tests.oracle.parts import Module, Parts
from tests.oracle.weights import Norm, array, halves, linear, norm, value_weights


@dataclass
class LayerStates:
    """One layer. Shapes: states (T, d), pre-activations (T, d_ff), alpha (H, T, T) as [head, query, key]."""

    placement: str
    """'post', 'pre', 'parallel', 'sandwich' or 'res_post'."""
    causal: bool
    reach: int | None
    """Largest |query - key| inside the layer's attention window; None: no limit."""
    x: np.ndarray
    """The layer's input state."""
    v_input: np.ndarray
    """What W_V reads: the norm of x where the layer normalises before attention, else x."""
    alpha: np.ndarray
    attn_out: np.ndarray
    """Output of the attention's last projection, with its bias, without its norm and the residual."""
    attn_branch: np.ndarray
    """What is added to x: attn_out, or the norm of it ('sandwich', 'res_post')."""
    y: np.ndarray
    """x + attn_branch."""
    ff_in: np.ndarray
    """What W_1 reads: the norm of y ('post', 'pre', 'sandwich') or of x ('parallel'), or y ('res_post')."""
    z: np.ndarray
    """Pre-activations; of the gate where FF is gated."""
    up: np.ndarray | None
    """The other factor of a gated FF, before the product."""
    hidden: np.ndarray
    """What W_2 reads: act(z), or act(z) * up."""
    ff_raw: np.ndarray
    """Output of W_2 with its bias."""
    ff_out: np.ndarray
    """What after_ff splits: ff_raw, in 'sandwich' the norm of it."""
    ff_branch: np.ndarray
    """What is added to FF's residual: ff_raw, or the norm of it ('sandwich', 'res_post')."""
    total: np.ndarray | None
    """Residual + ff_raw as the last norm reads it ('post'); None elsewhere, where it is `output`."""
    output: np.ndarray
    """The layer's output state."""
    w_v: np.ndarray
    """(d, H * d_head): a key/value head's columns stand once for every query head that uses it."""
    b_v: np.ndarray
    w_o: np.ndarray
    b_o: np.ndarray
    w_1: np.ndarray
    b_1: np.ndarray
    w_up: np.ndarray | None
    b_up: np.ndarray | None
    w_2: np.ndarray
    b_2: np.ndarray
    ln_y: Norm | None
    """The norm whose output FF reads: of y, in 'parallel' of x; None in 'res_post'."""
    ln_total: Norm | None
    """The norm that reads `total` ('post'), or None."""
    ln_attn_out: Norm | None
    ln_ff_out: Norm | None
    act: Callable[[torch.Tensor], torch.Tensor]
    """The model's own activation module."""


class _Calls:
    """What each watched module read and gave, one entry a call: layers may share modules (ALBERT)."""

    def __init__(self) -> None:
        self.seen: dict[tuple[int, str], list[np.ndarray]] = {}
        self.handles: dict[int, torch.utils.hooks.RemovableHandle] = {}

    def watch(self, module: Module, alpha_index: int | None = None) -> None:
        """Keep input and output, flattened to (T, n), or only alpha (H, T, T) where its index is given."""
        if id(module) in self.handles:
            return

        def keep(side: str, value: np.ndarray) -> None:
            self.seen.setdefault((id(module), side), []).append(value)

        def hook(_module: nn.Module, args: tuple, output: object) -> None:
            if alpha_index is None:
                state = output[0] if isinstance(output, tuple) else output
                keep("in", array(args[0].flatten(0, -2)))
                keep("out", array(state.flatten(0, -2)))
            elif len(output) <= alpha_index or output[alpha_index] is None:
                message = "no attention weights: load the model with attn_implementation='eager'"
                raise ValueError(message)
            else:
                keep("alpha", array(output[alpha_index][0]))

        self.handles[id(module)] = module.register_forward_hook(hook)

    def close(self) -> None:
        for handle in self.handles.values():
            handle.remove()

    def get(self, parts: list[Parts], index: int, name: str, side: str) -> np.ndarray:
        """The call that belongs to layer `index`; ValueError unless its module ran once a layer."""
        module = getattr(parts[index], name)
        users = [layer for layer, other in enumerate(parts) if getattr(other, name) is module]
        values = self.seen[id(module), side]
        if len(values) != len(users):
            message = f"layer {index}: {name} ran {len(values)} times for {len(users)} layers (chunked FF?)"
            raise ValueError(message)
        return values[users.index(index)]


def readable(model: nn.Module) -> Module:
    """The module that holds the layers and is run: the base model, or the encoder alone of T5 and BART."""
    base: Module = model.base_model
    return base.encoder if base.config.model_type in ("t5", "bart") and hasattr(base, "encoder") else base


def layer_parts(base: Module) -> list[Parts]:
    """Parts of every layer of `readable(model)`, in the order in which they run."""
    readers = ENCODERS | DECODERS
    model_type = base.config.model_type
    if model_type not in readers:
        message = f"the oracle has no reading of model type {model_type!r}"
        raise ValueError(message)
    return readers[model_type](base)


def collect_states(model: nn.Module, input_ids: torch.Tensor) -> list[LayerStates]:
    """Run `model` (float64, eager attention) on (1, T) ids, plainly, without a mask; report every layer."""
    base = readable(model)
    if base.training:
        message = "the oracle wants model.eval()"
        raise ValueError(message)
    if input_ids.dim() != 2 or input_ids.shape[0] != 1:
        message = f"the oracle takes one sequence, (1, T); got {tuple(input_ids.shape)}"
        raise ValueError(message)
    parts = layer_parts(base)
    calls = _Calls()
    asked = {"output_attentions": True} if base.config.model_type == "mpnet" else {}
    try:
        for layer in parts:
            calls.watch(layer.attention, layer.alpha_index)
            for name, module in vars(layer).items():
                if isinstance(module, nn.Module) and name != "attention":
                    calls.watch(module)
        with torch.no_grad():
            base(input_ids=input_ids, **asked)
    finally:
        calls.close()
    layers = [_layer_states(parts, index, calls) for index in range(len(parts))]
    for index, layer_states in enumerate(layers):
        _check_window(index, layer_states)
    return layers


def _check_window(index: int, states: LayerStates) -> None:
    """Refuse a reading of the window that the model's own attention contradicts."""
    query, key = np.indices(states.alpha.shape[1:])
    outside = (key > query) & states.causal
    if states.reach is not None:
        outside |= abs(query - key) > states.reach
    if states.alpha[:, outside].any():
        message = f"layer {index} attends outside causal={states.causal}, reach={states.reach}"
        raise ValueError(message)


def _layer_states(parts: list[Parts], index: int, calls: _Calls) -> LayerStates:
    def one(name: str, side: str) -> np.ndarray:
        return calls.get(parts, index, name, side)

    mine = parts[index]
    x, attn_out, alpha = one("layer", "in"), one("attn_dense", "out"), one("attention", "alpha")
    attn_branch = attn_out if mine.attn_out_norm is None else one("attn_out_norm", "out")
    y = x + attn_branch
    if mine.placement not in ("parallel", "res_post"):
        y = one("ff_norm", "in")
    elif mine.placement == "res_post":
        y = one("ff_1", "in")
    ff_raw = one("ff_2", "out")
    ff_branch = ff_raw if mine.ff_out_norm is None else one("ff_out_norm", "out")
    z = one("ff_1", "out")
    up = None if mine.ff_up is None else one("ff_up", "out")
    w_1, b_1 = linear(mine.ff_1)
    w_up, b_up = (None, None) if mine.ff_up is None else linear(mine.ff_up)
    if mine.ff_1_is_fused:
        (z, up), (w_1, w_up), (b_1, b_up) = halves(z), halves(w_1), halves(b_1)
    w_o, b_o = linear(mine.attn_dense)
    w_2, b_2 = linear(mine.ff_2)
    w_v, b_v = value_weights(mine, n_head=len(alpha), width=len(w_o))
    return LayerStates(
        placement=mine.placement,
        causal=mine.causal,
        reach=mine.reach,
        x=x,
        v_input=one("value", "in"),
        alpha=alpha,
        attn_out=attn_out,
        attn_branch=attn_branch,
        y=y,
        ff_in=one("ff_1", "in"),
        z=z,
        up=up,
        hidden=one("ff_2", "in"),
        ff_raw=ff_raw,
        ff_out=ff_branch if mine.placement == "sandwich" else ff_raw,
        ff_branch=ff_branch,
        total=None if mine.total_norm is None else one("total_norm", "in"),
        output=one("layer", "out"),
        w_v=w_v,
        b_v=b_v,
        w_o=w_o,
        b_o=b_o,
        w_1=w_1,
        b_1=b_1,
        w_up=w_up,
        b_up=b_up,
        w_2=w_2,
        b_2=b_2,
        ln_y=norm(mine.ff_norm),
        ln_total=norm(mine.total_norm),
        ln_attn_out=norm(mine.attn_out_norm),
        ln_ff_out=norm(mine.ff_out_norm),
        act=mine.act,
    )
