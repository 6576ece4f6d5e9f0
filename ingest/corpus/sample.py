"""A uniform sample of a stream, in memory that grows with the sample and not with the stream."""

import random
from collections.abc import Iterable, Iterator

from ingest.corpus.record import Record
from warehouse.errors import UsageError


def limit(records: Iterable[Record], n: int, seed: int) -> Iterator[Record]:
    """Draw n records with text, without replacement, every subset equally likely, and give them in order.

    The whole stream is read once. The same records, n and seed give the same sample; a stream of no more than
    n gives all of it. Raises UsageError for n below 1. Method: reservoir sampling, Vitter 1985, algorithm R.
    """
    if n < 1:
        msg = f"a sample of {n} sequences: ask for at least 1"
        raise UsageError(msg)
    random_index = random.Random(seed).randrange
    kept: list[tuple[int, Record]] = []
    with_text = (record for record in records if record.text.strip())
    for index, record in enumerate(with_text):
        if index < n:
            kept.append((index, record))
        elif (slot := random_index(index + 1)) < n:
            kept[slot] = (index, record)
    return (record for _, record in sorted(kept, key=lambda item: item[0]))
