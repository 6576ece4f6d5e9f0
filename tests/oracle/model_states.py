"""What a transformers model itself computes in each layer, caught by hooks, and the weights it used.

Read off the sources of transformers (modeling_bert, modeling_distilbert, modeling_gpt2). Arrays are float64
numpy, for one unpadded sequence of T tokens. Weights are given for row vectors: state @ weight + bias.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn


@dataclass
class Norm:
    """One LayerNorm: gamma (d,), beta (d,), eps."""

    gamma: np.ndarray
    beta: np.ndarray
    eps: float


@dataclass
class LayerStates:
    """One layer. Shapes: states (T, d), pre-activations (T, d_ff), alpha (H, T, T) as [head, query, key]."""

    placement: str
    """'post' (BERT and relatives) or 'pre' (GPT-2)."""
    causal: bool
    x: np.ndarray
    """The layer's input state."""
    v_input: np.ndarray
    """What W_V reads: x in Post-LN, LN1(x) in Pre-LN."""
    alpha: np.ndarray
    attn_out: np.ndarray
    """Output of the attention's last projection, with its bias, without the residual."""
    y: np.ndarray
    """attn_out + x."""
    ff_in: np.ndarray
    """What W_1 reads: LN1(y) in Post-LN, LN2(y) in Pre-LN."""
    z: np.ndarray
    """Pre-activations."""
    hidden: np.ndarray
    """act(z)."""
    ff_out: np.ndarray
    """Output of W_2 with its bias."""
    total: np.ndarray | None
    """Residual + ff_out as the last LN reads it (Post-LN); None in Pre-LN, where it is `output`."""
    output: np.ndarray
    """The layer's output state."""
    w_v: np.ndarray
    b_v: np.ndarray
    w_o: np.ndarray
    b_o: np.ndarray
    w_1: np.ndarray
    b_1: np.ndarray
    w_2: np.ndarray
    b_2: np.ndarray
    ln_y: Norm
    """The LayerNorm that reads y."""
    ln_total: Norm | None
    """The LayerNorm that reads `total` (Post-LN), or None."""
    act: Callable[[torch.Tensor], torch.Tensor]
    """The model's own activation module."""


@dataclass
class _Parts:
    """Where one layer keeps its modules."""

    placement: str
    layer: nn.Module
    attention: nn.Module  # returns (something, alpha)
    attn_dense: nn.Module
    ln_y: nn.Module
    ff_1: nn.Module
    act: nn.Module
    ff_2: nn.Module
    ln_v: nn.Module | None = None  # Pre-LN
    ln_total: nn.Module | None = None  # Post-LN


def _array(tensor: torch.Tensor) -> np.ndarray:
    if tensor.dtype != torch.float64:
        message = f"the oracle wants float64 throughout, found {tensor.dtype}; call model.double() first"
        raise TypeError(message)
    return tensor.detach().clone().numpy()


def _linear(module: nn.Module) -> tuple[np.ndarray, np.ndarray]:
    """nn.Linear keeps (out, in); transformers' Conv1D keeps (in, out). Returns ((in, out), (out,))."""
    weight, bias = _array(module.weight), _array(module.bias)
    return (weight.T if isinstance(module, nn.Linear) else weight), bias


def _norm(module: nn.Module) -> Norm:
    return Norm(_array(module.weight), _array(module.bias), float(module.eps))


def _layer_parts(base: nn.Module) -> list[_Parts]:
    model_type = base.config.model_type
    if model_type in ("bert", "roberta", "electra"):
        return [
            _Parts(
                placement="post",
                layer=layer,
                attention=layer.attention.self,
                attn_dense=layer.attention.output.dense,
                ln_y=layer.attention.output.LayerNorm,
                ff_1=layer.intermediate.dense,
                act=layer.intermediate.intermediate_act_fn,
                ff_2=layer.output.dense,
                ln_total=layer.output.LayerNorm,
            )
            for layer in base.encoder.layer
        ]
    if model_type == "distilbert":
        return [
            _Parts(
                placement="post",
                layer=layer,
                attention=layer.attention,
                attn_dense=layer.attention.out_lin,
                ln_y=layer.sa_layer_norm,
                ff_1=layer.ffn.lin1,
                act=layer.ffn.activation,
                ff_2=layer.ffn.lin2,
                ln_total=layer.output_layer_norm,
            )
            for layer in base.transformer.layer
        ]
    if model_type == "gpt2":
        return [
            _Parts(
                placement="pre",
                layer=layer,
                attention=layer.attn,
                attn_dense=layer.attn.c_proj,
                ln_y=layer.ln_2,
                ff_1=layer.mlp.c_fc,
                act=layer.mlp.act,
                ff_2=layer.mlp.c_proj,
                ln_v=layer.ln_1,
            )
            for layer in base.h
        ]
    message = f"the oracle has no reading of model type {model_type!r}"
    raise ValueError(message)


def _value_weights(parts: _Parts) -> tuple[np.ndarray, np.ndarray]:
    attention = parts.attention
    if hasattr(attention, "c_attn"):  # GPT-2: columns are q, k, v in turn
        weight, bias = _linear(attention.c_attn)
        d = weight.shape[0]
        return weight[:, 2 * d : 3 * d], bias[2 * d : 3 * d]
    return _linear(attention.v_lin if hasattr(attention, "v_lin") else attention.value)


def collect_states(model: nn.Module, input_ids: torch.Tensor) -> list[LayerStates]:
    """Run `model` (float64, eager attention) on (1, T) ids, plainly, without a mask; report every layer."""
    base = model.base_model
    if base.training:
        message = "the oracle wants model.eval()"
        raise ValueError(message)
    if input_ids.dim() != 2 or input_ids.shape[0] != 1:
        message = f"the oracle takes one sequence, (1, T); got {tuple(input_ids.shape)}"
        raise ValueError(message)
    all_parts = _layer_parts(base)
    caught: dict[tuple[int, str, str], list[np.ndarray]] = {}
    handles = []

    def watch(index: int, name: str, module: nn.Module) -> None:
        def hook(_module: nn.Module, args: tuple, output: object) -> None:
            caught.setdefault((index, name, "in"), []).append(_array(args[0][0]))
            if name == "attention":
                if output[1] is None:
                    message = "no attention weights: load the model with attn_implementation='eager'"
                    raise ValueError(message)
                caught.setdefault((index, name, "alpha"), []).append(_array(output[1][0]))
            else:
                state = output[0] if isinstance(output, tuple) else output
                caught.setdefault((index, name, "out"), []).append(_array(state[0]))

        handles.append(module.register_forward_hook(hook))

    try:
        for index, parts in enumerate(all_parts):
            for name, module in vars(parts).items():
                if isinstance(module, nn.Module):
                    watch(index, name, module)
        with torch.no_grad():
            base(input_ids=input_ids)
    finally:
        for handle in handles:
            handle.remove()

    def one(index: int, name: str, side: str) -> np.ndarray:
        values = caught[index, name, side]
        if len(values) != 1:
            message = f"layer {index}: {name} ran {len(values)} times (a shared module, or chunked FF?)"
            raise ValueError(message)
        return values[0]

    layers = []
    for index, parts in enumerate(all_parts):
        post = parts.ln_total is not None
        w_v, b_v = _value_weights(parts)
        w_o, b_o = _linear(parts.attn_dense)
        w_1, b_1 = _linear(parts.ff_1)
        w_2, b_2 = _linear(parts.ff_2)
        layers.append(
            LayerStates(
                placement=parts.placement,
                causal=parts.placement == "pre" or bool(getattr(base.config, "is_decoder", False)),
                x=one(index, "layer", "in"),
                v_input=one(index, "attention", "in"),
                alpha=one(index, "attention", "alpha"),
                attn_out=one(index, "attn_dense", "out"),
                y=one(index, "ln_y", "in"),
                ff_in=one(index, "ff_1", "in"),
                z=one(index, "ff_1", "out"),
                hidden=one(index, "act", "out"),
                ff_out=one(index, "ff_2", "out"),
                total=one(index, "ln_total", "in") if post else None,
                output=one(index, "layer", "out"),
                w_v=w_v,
                b_v=b_v,
                w_o=w_o,
                b_o=b_o,
                w_1=w_1,
                b_1=b_1,
                w_2=w_2,
                b_2=b_2,
                ln_y=_norm(parts.ln_y),
                ln_total=_norm(parts.ln_total) if post else None,
                act=parts.act,
            )
        )
    return layers
