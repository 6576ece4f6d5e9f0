"""Vectors of a model in float64 numpy, read off its weight file by the names that are written there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors.torch import load_file


def named_vectors(folder: Path, name: str, n_layer: int = 3) -> dict[tuple[int, str], np.ndarray]:
    """(layer, component) -> (n_units, d); layers from 1."""
    weights = {key: tensor.double().numpy() for key, tensor in load_file(folder / "model.safetensors").items()}
    prefix = {"bert": "bert.", "gpt2": "transformer.", "gpt_neox": "gpt_neox."}.get(name, "model.")
    read = {"bert": _bert, "gpt2": _gpt2, "gpt_neox": _gpt_neox}.get(name, _llama)
    found = {}
    for i in range(n_layer):
        for component, rows in read({k.removeprefix(prefix): v for k, v in weights.items()}, i).items():
            found[i + 1, component] = np.atleast_2d(rows)
    return found


def _bert(w: dict[str, np.ndarray], i: int) -> dict[str, np.ndarray]:
    at = f"encoder.layer.{i}."
    return {
        "ff_key": w[f"{at}intermediate.dense.weight"],
        "ff_value": w[f"{at}output.dense.weight"].T,
        "ff_bias": w[f"{at}output.dense.bias"],
        "w_q": w[f"{at}attention.self.query.weight"],
        "w_k": w[f"{at}attention.self.key.weight"],
        "w_v": w[f"{at}attention.self.value.weight"],
        "w_o": w[f"{at}attention.output.dense.weight"].T,
        "attn_bias": w[f"{at}attention.output.dense.bias"],
    }


def _gpt2(w: dict[str, np.ndarray], i: int) -> dict[str, np.ndarray]:
    """Matrices are stored input-first."""
    at = f"h.{i}."
    w_q, w_k, w_v = np.split(w[f"{at}attn.c_attn.weight"].T, 3)
    return {
        "ff_key": w[f"{at}mlp.c_fc.weight"].T,
        "ff_value": w[f"{at}mlp.c_proj.weight"],
        "ff_bias": w[f"{at}mlp.c_proj.bias"],
        "w_q": w_q,
        "w_k": w_k,
        "w_v": w_v,
        "w_o": w[f"{at}attn.c_proj.weight"],
        "attn_bias": w[f"{at}attn.c_proj.bias"],
    }


def _gpt_neox(w: dict[str, np.ndarray], i: int) -> dict[str, np.ndarray]:
    """Each of the three heads has the rows of its q, its k, its v in turn."""
    at = f"layers.{i}."
    qkv = w[f"{at}attention.query_key_value.weight"]
    d_head = len(qkv) // 9
    pieces = {"w_q": [], "w_k": [], "w_v": []}
    for head in range(3):
        for nth, component in enumerate(pieces):
            start = (3 * head + nth) * d_head
            pieces[component].append(qkv[start : start + d_head])
    return {component: np.vstack(rows) for component, rows in pieces.items()} | {
        "ff_key": w[f"{at}mlp.dense_h_to_4h.weight"],
        "ff_value": w[f"{at}mlp.dense_4h_to_h.weight"].T,
        "ff_bias": w[f"{at}mlp.dense_4h_to_h.bias"],
        "w_o": w[f"{at}attention.dense.weight"].T,
        "attn_bias": w[f"{at}attention.dense.bias"],
    }


def _llama(w: dict[str, np.ndarray], i: int) -> dict[str, np.ndarray]:
    """And OLMo 2's and Gemma 2's, which have the same names."""
    at = f"layers.{i}."
    return {
        "ff_key": w[f"{at}mlp.up_proj.weight"],
        "ff_gate": w[f"{at}mlp.gate_proj.weight"],
        "ff_value": w[f"{at}mlp.down_proj.weight"].T,
        "w_q": w[f"{at}self_attn.q_proj.weight"],
        "w_k": w[f"{at}self_attn.k_proj.weight"],
        "w_v": w[f"{at}self_attn.v_proj.weight"],
        "w_o": w[f"{at}self_attn.o_proj.weight"].T,
    }
