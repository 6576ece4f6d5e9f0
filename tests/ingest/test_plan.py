"""Shards and batches: every sequence once, in bounds, and always the same."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from ingest import plan
from ingest.extra_rows import Extras
from ingest.plan import batches, pair_rows, shards

LENGTHS = st.lists(st.integers(1, 600), min_size=1, max_size=60)
CPU = torch.device("cpu")


@given(LENGTHS, st.booleans())
def test_pair_rows_count_the_pairs(lengths, is_causal) -> None:
    found = pair_rows(np.array(lengths, np.int32), is_causal=is_causal)
    for n, rows in zip(lengths[:3], found[:3].tolist(), strict=True):
        assert rows == (len(np.tril_indices(n)[0]) if is_causal else n * n)


def test_pair_rows_of_a_very_long_sequence() -> None:
    """32-bit lengths do not overflow: 100,000 squared is more than 2^31."""
    assert pair_rows(np.array([100_000], np.int32), is_causal=False).tolist() == [10**10]


@given(LENGTHS, st.integers(1, 24), st.booleans(), st.integers(1, 2_000_000))
def test_shards_partition_the_corpus(lengths, n_layer, is_causal, bound) -> None:
    """In corpus order, without gap or overlap; no shard is above the bound unless it is one sequence, and none could
    have taken the next sequence too."""
    array = np.array(lengths, np.int32)
    cut, again = (shards(array, n_layer=n_layer, is_causal=is_causal, most_rows=bound) for _ in range(2))
    assert [(s.first_seq, s.last_seq) for s in again] == [(s.first_seq, s.last_seq) for s in cut]
    assert [s.number for s in cut] == list(range(len(cut)))
    assert [i for s in cut for i in range(s.first_seq, s.last_seq + 1)] == list(range(len(lengths)))
    assert [n for s in cut for n in s.lengths.tolist()] == lengths
    rows = [int(pair_rows(s.lengths, is_causal=is_causal).sum()) * n_layer for s in cut]
    for shard, held in zip(cut, rows, strict=True):
        assert held <= bound or shard.first_seq == shard.last_seq
    for held, following in zip(rows, cut[1:], strict=False):
        first = int(pair_rows(following.lengths[:1], is_causal=is_causal)[0]) * n_layer
        assert held + first > bound


@given(LENGTHS, st.booleans(), st.integers(1, 200_000))
def test_extra_rows_count(lengths, is_causal, bound) -> None:
    """Three heads in four layers and two maps rolled out: 4 + 4 * 3 + 5 * 2 rows a pair are as many layers would be."""
    array = np.array(lengths, np.int32)
    extra = Extras("weights", ("attn", "atb")).rows_per_pair(n_layer=4, n_head=3)
    cut = shards(array, n_layer=4, is_causal=is_causal, most_rows=bound, extra_rows=extra)
    alike = shards(array, n_layer=4 + 4 * 3 + 5 * 2, is_causal=is_causal, most_rows=bound)
    assert [(s.first_seq, s.last_seq) for s in cut] == [(s.first_seq, s.last_seq) for s in alike]
    assert Extras("norms").rows_per_pair(4, 3) == Extras().rows_per_pair(4, 3) == 0


@given(LENGTHS, st.lists(st.integers(1, 600), max_size=20))
def test_what_follows_does_not_move_earlier_shards(lengths, more) -> None:
    """A longer corpus begins with the same shards, all but the last of the shorter one."""
    short, long = (
        shards(np.array(each, np.int32), n_layer=4, is_causal=False, most_rows=500_000)
        for each in (lengths, lengths + more)
    )
    assert [(s.first_seq, s.last_seq) for s in short[:-1]] == [
        (s.first_seq, s.last_seq) for s in long[: len(short) - 1]
    ]


@given(LENGTHS, st.integers(1, 32), st.sampled_from(["cpu", "cuda"]), st.integers(1, 3_000), st.integers(1, 2**22))
def test_batches_partition_a_shard(lengths, n_head, device, most_tokens, most_weights) -> None:
    """Every index once; in bounds, padding included, unless it is one sequence; neighbours in length."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "BATCH_TOKENS", {device: most_tokens})
        patch.setattr(plan, "BATCH_WEIGHTS", {device: most_weights})
        found = list(batches(lengths, n_head, torch.device(device)))
        assert found == list(batches(lengths, n_head, torch.device(device)))
    assert sorted(i for batch in found for i in batch) == list(range(len(lengths)))
    for batch in found:
        assert batch
        longest = max(lengths[i] for i in batch)
        if len(batch) > 1:
            assert len(batch) * longest <= most_tokens
            assert len(batch) * n_head * longest**2 <= most_weights
    for batch, following in pairwise(found):
        assert max(lengths[i] for i in batch) <= min(lengths[i] for i in following)


def test_batches_of_nothing() -> None:
    assert list(batches([], 12, CPU)) == []
