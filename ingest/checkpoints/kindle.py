"""A start for masked models. From random weights they stay at unigram probabilities for thousands of steps.

A [MASK] must look at its neighbours before they can tell it anything, and they must tell something before looking pays:
with so few steps neither begins. So both are there at the beginning, weakly, and trained on like all other weights.
"""

import math
from typing import Any, Final

import torch
from torch import Tensor

from ingest.checkpoints.counts import Counts

_SHARPNESS: Final = 2.0
"""Of the two heads' first view: about half of their weight lies on the neighbour."""

_QUIET: Final = 0.1
"""What the branches of later layers are scaled by, so that they do not drown the first layer's attention in noise."""

_FIRST_ATTENTION: Final = 1.4


def kindle(model: Any, counts: Counts) -> None:
    """Change the initial weights of a BertForMaskedLM, in place; random numbers are torch's own.

    The output bias is the log of unigram probabilities, word embeddings tell which tokens follow which, two heads of
    the first layer look at the tokens to the left and right, and later branches are quiet.
    """
    embeddings, layers = model.bert.embeddings, model.bert.encoder.layer
    words = embeddings.word_embeddings.weight
    words.copy_(neighbour_vectors(counts, words.shape[1]) * model.config.initializer_range)
    embeddings.token_type_embeddings.weight.zero_()
    model.cls.predictions.bias.copy_(torch.from_numpy(counts.unigram).log())
    for head, offset in enumerate((-1, 1)):
        look_beside(layers[0].attention.self, head, offset, model.config)
    for number, layer in enumerate(layers):
        layer.attention.output.dense.weight.mul_(_QUIET if number else _FIRST_ATTENTION)
        layer.output.dense.weight.mul_(_QUIET)


def neighbour_vectors(counts: Counts, d_model: int) -> Tensor:
    """(vocabulary, d_model), deviation 1: both sides of the association's singular vectors, turned at random.

    A token's vector holds what it is like as the first of a pair, and as the second.
    """
    left, values, right = torch.linalg.svd(torch.from_numpy(counts.association()))
    kept = d_model // 2
    vectors = torch.cat([left[:, :kept], right[:kept].T], dim=1) * values[:kept].sqrt().repeat(2)
    turn, _ = torch.linalg.qr(torch.randn(d_model, d_model, dtype=vectors.dtype))
    return (vectors / vectors.std() @ turn).float()


def look_beside(attention: Any, head: int, offset: int, config: Any) -> None:
    """Let a head's queries ask for the position `offset` tokens further, in the shorter waves of the sinusoids.

    Keys take the sine and cosine of their position as they are, queries turn theirs by `offset`:
    sin(a + b) = sin a cos b + cos a sin b, cos(a + b) = cos a cos b - sin a sin b.
    """
    width, d_model = config.hidden_size // config.num_attention_heads, config.hidden_size
    waves = torch.arange(width // 2) * max(1, d_model // (2 * width))
    turns = rates(config.max_position_embeddings, d_model)[waves] * offset
    query, key = (torch.zeros(width, d_model) for _ in range(2))
    even, odd = torch.arange(0, width, 2), torch.arange(1, width, 2)
    sine, cosine = 2 * waves, 2 * waves + 1
    key[even, sine] = key[odd, cosine] = 1.0
    query[even, sine] = query[odd, cosine] = turns.cos()
    query[even, cosine], query[odd, sine] = turns.sin(), -turns.sin()
    rows = slice(head * width, (head + 1) * width)
    attention.query.weight[rows] = query * _SHARPNESS
    attention.key.weight[rows] = key * _SHARPNESS


def sinusoids(n_positions: int, d_model: int) -> Tensor:
    """(n_positions, d_model): sines and cosines as in Vaswani et al. 2017, with waves for short windows.

    The shortest takes two tokens, so that neighbours differ; the longest about twice the window.
    """
    angles = torch.arange(n_positions)[:, None] * rates(n_positions, d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).reshape(n_positions, d_model)


def rates(n_positions: int, d_model: int) -> Tensor:
    """(d_model / 2,): radians a token, from the shortest wave to the longest."""
    return math.pi * n_positions ** -(torch.arange(0, d_model, 2) / d_model)
