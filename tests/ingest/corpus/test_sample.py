"""Sampling: what comes out, that it is uniform, and that it needs no more memory than the sample."""

from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.corpus import Record, limit
from warehouse.errors import UsageError


def stream(n: int) -> Iterator[Record]:
    return (Record(f"text {at}", None, str(at)) for at in range(n))


@given(size=st.integers(0, 60), n=st.integers(1, 60), seed=st.integers(0, 2**32))
def test_a_sample_is_ordered_without_repeats_and_repeatable(size: int, n: int, seed: int) -> None:
    sample = [int(record.source_id) for record in limit(stream(size), n, seed)]
    assert len(sample) == min(n, size)
    assert sample == sorted(set(sample))
    assert sample == [int(record.source_id) for record in limit(stream(size), n, seed)]


def test_empty_texts_are_never_drawn() -> None:
    records = [Record(text, None, str(at)) for at, text in enumerate(["", "a", " \n", "b"])]
    assert [record.text for record in limit(records, 3, seed=0)] == ["a", "b"]


def test_every_record_is_as_likely() -> None:
    drawn = Counter(record.source_id for seed in range(4_000) for record in limit(stream(10), 3, seed))
    # Each is drawn 1,200 times in the mean with a standard deviation of 29: five of them on either side.
    assert len(drawn) == 10
    assert all(1_055 <= times <= 1_345 for times in drawn.values())


@pytest.mark.parametrize("n", [0, -1])
def test_a_sample_of_nothing_is_refused(n: int) -> None:
    with pytest.raises(UsageError, match=f"a sample of {n} sequences"):
        limit(stream(3), n, seed=0)
