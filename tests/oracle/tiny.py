"""Tiny random models, in double precision, in which nothing cancels by accident."""

from __future__ import annotations

from types import MethodType

import torch
from torch import nn
from transformers import (
    BertConfig,
    BertModel,
    DistilBertConfig,
    DistilBertModel,
    ElectraConfig,
    ElectraModel,
    GPT2Config,
    GPT2Model,
    PreTrainedModel,
    RobertaConfig,
    RobertaModel,
)
from transformers.pytorch_utils import Conv1D

FAMILIES = ("bert", "roberta", "electra", "distilbert", "gpt2")
VOCAB_SIZE = 40


def randomise(model: nn.Module, seed: int) -> nn.Module:
    """Overwrite every parameter of `model` in place, reproducibly for a given architecture; returns `model`.

    Normalisation weights, as they are applied (Gemma stores them less 1): standard normal, so about half are
    negative, a few of them within 0.002 of zero.
    Biases: sd 0.3. Matrices: sd 1.4 / sqrt(fan-in), which keeps pre-activations of order one or two and
    attention clearly uneven. Embeddings: sd 0.7. The padding row is random as well.
    """
    generator = torch.Generator().manual_seed(seed)

    def normal(shape: torch.Size, sd: float) -> torch.Tensor:
        return sd * torch.randn(shape, generator=generator, dtype=torch.float64)

    done: set[int] = set()
    with torch.no_grad():
        for module in model.modules():
            for name, parameter in module.named_parameters(recurse=False):
                if id(parameter) in done:  # tied weights
                    continue
                done.add(id(parameter))
                shape = parameter.shape
                if type(module).__name__.endswith(("LayerNorm", "RMSNorm")) and name == "weight":
                    value = normal(shape, 1.0)
                    small = torch.randperm(value.numel(), generator=generator)[: max(1, value.numel() // 8)]
                    value[small] = 0.002 * torch.tanh(normal(small.shape, 1.0))
                    value -= float(type(module).__name__.startswith("Gemma"))
                elif isinstance(module, nn.Embedding):
                    value = normal(shape, 0.7)
                elif parameter.dim() < 2:
                    value = normal(shape, 0.3)
                else:
                    fan_in = shape[0] if isinstance(module, Conv1D) else shape[1]
                    value = normal(shape, 1.4 / fan_in**0.5)
                parameter.copy_(value)
    return model


def in_double(model: nn.Module) -> nn.Module:
    """Make the RMSNorm modules of `model` exact in double precision, in place; returns `model`.

    transformers' RMSNorm modules (T5's is called T5LayerNorm) compute in float32 whatever the model's type, which
    leaves errors of 1e-7 in the states of a model in double. Their forward is replaced, module by module, by the
    same function computed in float64 and returned in the input's type. Parameters, types and hooks stay as they
    are. What else transformers computes in float32 (rotary tables, the softmax of attention) is cast back before
    it is used, and ends up in the attention weights, which the oracle takes as they are.
    """
    for module in model.modules():
        if type(module).__name__.endswith("RMSNorm") or type(module).__name__ == "T5LayerNorm":
            module.forward = MethodType(_exact_rms_norm, module)
    return model


def _exact_rms_norm(norm: nn.Module, hidden_states: torch.Tensor) -> torch.Tensor:
    """(..., d): weight * x / sqrt(mean(x^2) + eps); Gemma multiplies by 1 + weight and calls its epsilon eps."""
    is_gemma = type(norm).__name__.startswith("Gemma")
    weight = norm.weight.double() + (1 if is_gemma else 0)
    x = hidden_states.double()
    mean_square = x.square().mean(dim=-1, keepdim=True) + (norm.eps if is_gemma else norm.variance_epsilon)
    return (weight * (x / mean_square.sqrt())).to(hidden_states.dtype)


def tiny_model(
    family: str,
    *,
    activation: str = "gelu",
    n_layer: int = 2,
    n_head: int = 3,
    d_model: int = 12,
    d_ff: int = 20,
    seed: int = 0,
) -> PreTrainedModel:
    """A base model of one of FAMILIES: random weights, float64, evaluation mode, eager attention."""
    shared = {
        "vocab_size": VOCAB_SIZE,
        "max_position_embeddings": 32,
        "hidden_size": d_model,
        "num_hidden_layers": n_layer,
        "num_attention_heads": n_head,
        "intermediate_size": d_ff,
        "hidden_act": activation,
    }
    model: PreTrainedModel
    if family == "bert":
        model = BertModel(BertConfig(**shared, attn_implementation="eager"))
    elif family == "roberta":
        model = RobertaModel(RobertaConfig(**shared, attn_implementation="eager"))
    elif family == "electra":
        model = ElectraModel(ElectraConfig(**shared, embedding_size=d_model - 4, attn_implementation="eager"))
    elif family == "distilbert":
        model = DistilBertModel(
            DistilBertConfig(
                vocab_size=VOCAB_SIZE,
                max_position_embeddings=32,
                dim=d_model,
                n_layers=n_layer,
                n_heads=n_head,
                hidden_dim=d_ff,
                activation=activation,
                attn_implementation="eager",
            )
        )
    elif family == "gpt2":
        model = GPT2Model(
            GPT2Config(
                vocab_size=VOCAB_SIZE,
                n_positions=32,
                n_embd=d_model,
                n_layer=n_layer,
                n_head=n_head,
                n_inner=d_ff,
                activation_function=activation,
                bos_token_id=0,
                eos_token_id=0,
                attn_implementation="eager",
            )
        )
    else:
        message = f"no tiny model for family {family!r}; known: {', '.join(FAMILIES)}"
        raise ValueError(message)
    return randomise(model.double().eval(), seed)


def tiny_ids(length: int, seed: int = 0, vocab_size: int = VOCAB_SIZE) -> torch.Tensor:
    """(1, length) token ids, none of them a padding id of any family."""
    generator = torch.Generator().manual_seed(1000 + seed)
    return torch.randint(3, vocab_size, (1, length), generator=generator)
