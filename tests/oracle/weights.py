"""A module's weights as float64 numpy, for row vectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from tests.oracle.parts import Module, Parts


@dataclass
class Norm:
    """One normalisation: gamma (d,) and beta (d,) as they are applied, eps, and whether the mean is taken off."""

    gamma: np.ndarray
    beta: np.ndarray
    eps: float
    centred: bool
    """True: LayerNorm. False: RMSNorm, whose deviation is the root of the mean square."""


def array(tensor: torch.Tensor) -> np.ndarray:
    """A copy of a float64 tensor; TypeError for any other type."""
    if tensor.dtype != torch.float64:
        message = f"the oracle wants float64 throughout, found {tensor.dtype}; call model.double() first"
        raise TypeError(message)
    return tensor.detach().clone().numpy()


def linear(module: Module) -> tuple[np.ndarray, np.ndarray]:
    """((in, out), (out,)): nn.Linear keeps (out, in), transformers' Conv1D (in, out). No bias is a zero bias."""
    weight = array(module.weight)
    weight = weight.T if isinstance(module, nn.Linear) else weight
    return weight, np.zeros(weight.shape[1]) if module.bias is None else array(module.bias)


def halves(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first and the second half of the last axis."""
    half = columns.shape[-1] // 2
    return columns[..., :half], columns[..., half:]


def norm(module: Module | None) -> Norm | None:
    """nn.LayerNorm, Llama's RMSNorm (T5's is called LayerNorm), or Gemma's, which multiplies by 1 + weight."""
    if module is None:
        return None
    if isinstance(module, nn.LayerNorm):
        zeros = np.zeros(module.normalized_shape)
        gamma = zeros + 1 if module.weight is None else array(module.weight)
        return Norm(gamma, zeros if module.bias is None else array(module.bias), float(module.eps), centred=True)
    gamma = array(module.weight)
    if hasattr(module, "variance_epsilon"):
        return Norm(gamma, np.zeros_like(gamma), float(module.variance_epsilon), centred=False)
    if type(module).__name__.startswith("Gemma"):
        return Norm(1 + gamma, np.zeros_like(gamma), float(module.eps), centred=False)
    message = f"the oracle has no reading of {type(module).__name__}"
    raise ValueError(message)


def value_weights(parts: Parts, n_head: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """W_V (d, width) and b_V (width,), width = n_head * d_head: query head h's columns are the h-th block.

    Under grouped-query attention query head h uses key/value head h // (H / H_kv), whose block is repeated.
    """
    weight, bias = linear(parts.value)
    columns = np.vstack([weight, bias])  # (d + 1, ...)
    d_head = width // n_head
    if parts.value_layout == "thirds":
        columns = columns[:, 2 * width :]
    elif parts.value_layout == "by_head":  # each head has its q, its k, its v
        columns = np.hstack([columns[:, (3 * h + 2) * d_head : (3 * h + 3) * d_head] for h in range(n_head)])
    heads = columns.reshape(len(columns), -1, d_head)
    of_query_head = np.arange(n_head) // (n_head // heads.shape[1])
    columns = heads[:, of_query_head].reshape(len(columns), width)
    return columns[:-1], columns[-1]
