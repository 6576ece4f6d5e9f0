"""Activations of the feed-forward neurons, and the strongest of each over many tokens.

The strongest are held as keys, one int64 each: the bits of the activation's size above, the token's number, counted
from the back, below. Bits of positive floats are in the order of the floats, so a larger key is a stronger activation,
or an equal one of an earlier token. No two keys are equal, and what is kept does not depend on the order in which
tokens come. (Ours.)
"""

import torch
from torch import Tensor

from ingest.attribution.weights import LayerWeights

SIGNS = (1, -1)
"""Which activations a row of keys holds: the first those above zero, the second those below."""

_LAST_TOKEN = 2**31 - 1

_PART = 2**18
"""Activations whose keys are held at once, so that they stay in cache."""


def neuron_activations(ff_in: Tensor, w: LayerWeights) -> Tensor:
    """What multiplies each neuron's value vector, a row of w_out: act(z), gated act(gate) * up. (..., d) -> (..., dff).

    FF's output is activations @ w_out + b_out, before any norm (Geva et al. 2021, eq. 2). Args: ff_in, what FF reads.
    """
    hidden = w.act(ff_in @ w.w_in + w.b_in)
    return hidden if w.w_up is None or w.b_up is None else hidden * (ff_in @ w.w_up + w.b_up)


def strongest(activations: Tensor, tokens: Tensor, n_most: int) -> Tensor:
    """Keys of each neuron's strongest activations: (T, dff) float32, (T,) int64 -> (2, dff, min(T, n_most)) int64.

    In the order of SIGNS along the first axis, in none along the last. Args: tokens, their numbers, 0 to 2^31 - 1.
    """
    below = _LAST_TOKEN - tokens
    n_most = min(n_most, len(tokens))
    parts = []
    for part in activations.T.split(max(1, _PART // len(tokens))):
        of_part = part.contiguous()
        signs = [_keys(of_part, below), _keys(-of_part, below)]
        parts.append(torch.stack([keys.topk(n_most, sorted=False).values for keys in signs]))
    return torch.cat(parts, 1)


def _keys(values: Tensor, below: Tensor) -> Tensor:
    keys = values.clamp_min(0).view(torch.int32).long()
    keys <<= 32
    keys |= below
    return keys


def merged(one: Tensor, other: Tensor, n_most: int) -> Tensor:
    """The strongest of the keys of different tokens: (2, dff, n), (2, dff, m) -> (2, dff, min(n + m, n_most))."""
    both = torch.cat([one, other], -1)
    return both.topk(min(n_most, both.shape[-1]), sorted=False).values


def read_keys(keys: Tensor) -> tuple[Tensor, Tensor]:
    """Sizes (float32; not above zero: no activation of the sign) and token numbers of keys: (...) -> (...), (...)."""
    sizes = (keys >> 32).to(torch.int32).view(torch.float32)
    return sizes, _LAST_TOKEN - (keys & (2**32 - 1))
