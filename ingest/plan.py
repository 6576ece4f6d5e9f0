"""How much is computed at once: sequences into shards (what is written together), shards into batches.

All bounds are fixed numbers, so memory does not grow with the corpus. A run records the size of its shards: resumed by
a version that cuts otherwise, it still finds its place.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import torch

SHARD_ROWS = 1_000_000
"""Rows of pairs (token_pair, head_pair, rollout) a shard holds at most (one long sequence may hold more); about 30 MB
in memory."""

BATCH_TOKENS = {"cpu": 1_024, "cuda": 16_384}
"""Tokens, padding included, that a forward pass takes at most (one long sequence may have more)."""

BATCH_WEIGHTS = {"cpu": 2**24, "cuda": 2**29}
"""Attention weights (sequences x heads x T x T) of one layer that a forward pass holds at most."""


@dataclass(frozen=True)
class Shard:
    """Sequences first_seq .. last_seq, both included, and their lengths in order."""

    number: int
    first_seq: int
    last_seq: int
    lengths: npt.NDArray[np.int32]


def pair_rows(lengths: npt.NDArray[np.int32], *, is_causal: bool) -> npt.NDArray[np.int64]:
    """token_pair rows per sequence and layer: every pair, or those with key <= query."""
    n = lengths.astype(np.int64)
    return n * (n + 1) // 2 if is_causal else n * n


def pair_index(n_pos: int, *, is_causal: bool) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int16]]:
    """(query, key) of the pairs of one sequence, in table order."""
    query, key = np.tril_indices(n_pos) if is_causal else np.indices((n_pos, n_pos)).reshape(2, -1)
    return query.astype(np.int16), key.astype(np.int16)


def shards(
    lengths: npt.NDArray[np.int32], *, n_layer: int, is_causal: bool, most_rows: int, extra_rows: int = 0
) -> list[Shard]:
    """Cut a corpus, in its own order, into shards of at most `most_rows` rows, or of one sequence.

    Args: extra_rows, rows of other tables that a pair of positions has, over all layers.
    """
    rows = pair_rows(lengths, is_causal=is_causal) * (n_layer + extra_rows)
    starts, held = [0], 0
    for seq_id, n in enumerate(rows.tolist()):
        if held and held + n > most_rows:
            starts.append(seq_id)
            held = 0
        held += n
    borders = pairwise([*starts, len(lengths)])
    return [Shard(number, a, b - 1, lengths[a:b]) for number, (a, b) in enumerate(borders)]


def batches(lengths: Sequence[int], n_head: int, device: torch.device) -> Iterator[list[int]]:
    """Indices of sequences that go through the model together: neighbours in length, so that padding wastes little."""
    most_tokens, most_weights = BATCH_TOKENS[device.type], BATCH_WEIGHTS[device.type]
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda i: (lengths[i], i)):
        longest = lengths[index]  # sorted: the newest is the longest
        n = len(batch) + 1
        if batch and (n * longest > most_tokens or n * n_head * longest * longest > most_weights):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
