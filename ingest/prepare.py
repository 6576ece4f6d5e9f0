"""A corpus becomes token ids on disk, in one pass and in bounded memory, before any model runs over it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from ingest.corpus.record import Record
from ingest.rows import TokenSequence
from ingest.tables import GrowingTable
from ingest.tokens import CorpusHash, Counts, TooLong, encode, sequence_frame, token_frame, tokenizer_fingerprint
from warehouse.contract import RUN_TABLES

_FRAME_SEQUENCES = 2_000


@dataclass(frozen=True)
class Prepared:
    """A tokenised corpus: `sequence.parquet` and `token.parquet` in `folder`."""

    folder: Path
    corpus_sha256: str
    tokenizer_fingerprint: str
    lengths: npt.NDArray[np.int32]
    counts: Counts

    def sequences(self, first_seq: int, last_seq: int) -> list[TokenSequence]:
        """The tokens of sequences first_seq .. last_seq, both included."""
        frame = (
            pl.scan_parquet(self.folder / "token.parquet", glob=False)
            .filter(pl.col("seq_id").is_between(first_seq, last_seq))
            .select("seq_id", "token_id", "is_special")
            .collect()
        )
        ids, special = frame["token_id"].to_numpy(), frame["is_special"].to_numpy()
        ends = self.lengths[first_seq : last_seq + 1].cumsum()
        starts = ends - self.lengths[first_seq : last_seq + 1]
        return [
            TokenSequence(seq_id, ids[a:b].copy(), special[a:b].copy())
            for seq_id, a, b in zip(range(first_seq, last_seq + 1), starts, ends, strict=True)
        ]

    def first(self, n: int) -> list[TokenSequence]:
        """The tokens of the first n sequences, or of all where there are fewer."""
        return self.sequences(0, min(n, len(self.lengths)) - 1)


def prepare(records: Iterable[Record], tokenizer: Any, folder: Path, *, max_tokens: int, too_long: TooLong) -> Prepared:
    """Tokenise a corpus into `folder`. Errors as `ingest.tokens.encode`."""
    fingerprint = tokenizer_fingerprint(tokenizer)
    digest = CorpusHash(fingerprint, max_tokens, too_long)
    counts = Counts()
    lengths: list[int] = []
    stream = encode(records, tokenizer, max_tokens=max_tokens, too_long=too_long, counts=counts)
    with (
        GrowingTable(folder / "sequence.parquet", RUN_TABLES["sequence"]) as texts,
        GrowingTable(folder / "token.parquet", RUN_TABLES["token"]) as ids,
    ):
        for batch in _in_batches(stream):
            texts.append(sequence_frame(batch, len(lengths)))
            ids.append(token_frame(batch, len(lengths)))
            for sequence in batch:
                digest.update(sequence)
                lengths.append(len(sequence.ids))
    return Prepared(folder, digest.hexdigest(), fingerprint, np.array(lengths, np.int32), counts)


def _in_batches(stream: Iterator[Any]) -> Iterator[list[Any]]:
    while batch := list(islice(stream, _FRAME_SEQUENCES)):
        yield batch
