"""Texts to token ids with character offsets, and the identities of tokenizers and tokenised corpora.

Offsets count Python characters (code points) of the sequence's own text: `text[char_start:char_end]` is what
a token was made from. Two things about such slices differ between tokenizers and are kept as the tokenizer
says: a token that starts a word may include the space before it (in GPT-2, not in RoBERTa or BERT), and tokens
that share a character (each is some of its bytes, or the mark before it) all point at that character.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from ingest.corpus.record import Record
from warehouse.contract import RUN_TABLES
from warehouse.errors import CorpusError, ModelError, UsageError, require_choice

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer
    from transformers import PreTrainedTokenizerFast

TooLong = Literal["truncate", "chunk", "error"]
"""What a text above max_tokens becomes: its beginning, several sequences, or an error."""

MOST_TOKENS: Final = np.iinfo(np.int16).max
"""Positions are stored as 16-bit integers."""

NO_TEXT: Final = -1
"""The offsets of a token that no text stands behind, such as [CLS]; NULL in frames."""

_BATCH_TEXTS: Final = 1_000


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """One sequence: what the model sees, and where each token came from. Arrays have one entry a token."""

    text: str
    label: str | None
    source_id: str
    """The record's; `ID#1`, `ID#2`, ... for the chunks of a text that was split."""
    ids: npt.NDArray[np.int32]
    char_start: npt.NDArray[np.int32]
    char_end: npt.NDArray[np.int32]
    is_special: npt.NDArray[np.bool_]
    """Tokens that the tokenizer's template added, and special tokens that the text spells out. A token for an
    unknown word stands for text, so it is not special unless the text spells it out too."""
    truncated: bool = False
    chunk: int | None = None
    """Which part of a split text this is, from 1."""
    text_start: int = 0
    """Where `text` begins in the record's text, in characters; not 0 for later chunks only."""


@dataclass(slots=True)
class Counts:
    """What became of the records; filled while `encode` is iterated."""

    n_read: int = 0
    n_skipped: int = 0
    """Texts that are empty, only whitespace, or give no token besides the template's."""
    n_truncated: int = 0
    n_chunked: int = 0
    """Texts that were split, not the chunks they became."""
    n_sequences: int = 0
    n_tokens: int = 0


def fast_backend(tokenizer: "PreTrainedTokenizerFast") -> "Tokenizer":
    """The Rust tokenizer inside; ModelError for a slow one, which knows no character offsets."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if not getattr(tokenizer, "is_fast", False) or backend is None:
        msg = (
            f"{type(tokenizer).__name__} is a slow tokenizer and knows no character offsets: "
            "load the fast one (use_fast=True, a tokenizer.json beside the model)"
        )
        raise ModelError(msg)
    return backend


def backend_state(tokenizer: "PreTrainedTokenizerFast") -> dict[str, Any]:
    """Everything that decides how the tokenizer splits text. Left out: truncation and padding, which callers
    set."""
    state = json.loads(fast_backend(tokenizer).to_str())
    return {key: value for key, value in state.items() if key not in ("truncation", "padding")}


def special_ids(tokenizer: "PreTrainedTokenizerFast") -> frozenset[int]:
    """Ids of special tokens. One that serves only as padding because a caller said so is not among them."""
    to_id = fast_backend(tokenizer).token_to_id
    added = {token_id for token_id, token in tokenizer.added_tokens_decoder.items() if token.special}
    named = {token_id for token in _special_tokens(tokenizer) if (token_id := to_id(token)) is not None}
    return frozenset(added | named)


def tokenizer_fingerprint(tokenizer: "PreTrainedTokenizerFast") -> str:
    """SHA-256 (hex) of what the tokenizer does to text: equal fingerprints give equal tokens for every text.

    Padding and truncation do not change it, nor does the choice of a pad token, nor loading it again.
    """
    state = {
        "backend": backend_state(tokenizer),
        "special_tokens": sorted(_special_tokens(tokenizer)),
        "add_special_tokens": True,  # `encode` always does
        "split_special_tokens": tokenizer.split_special_tokens,
    }
    return hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()


def _special_tokens(tokenizer: "PreTrainedTokenizerFast") -> list[str]:
    tokens: list[str] = []
    for role, value in tokenizer.special_tokens_map.items():
        if role != "pad_token":
            tokens += [str(token) for token in (value if isinstance(value, list | tuple) else [value])]
    return tokens


def encode(
    records: Iterable[Record],
    tokenizer: "PreTrainedTokenizerFast",
    *,
    max_tokens: int,
    too_long: TooLong,
    counts: Counts | None = None,
) -> Iterator[Encoded]:
    """Tokenise a stream; sequences come out in the order of their texts.

    `max_tokens` counts special tokens too. `truncate` keeps the beginning, `chunk` makes consecutive windows
    that do not overlap, each with the template's special tokens. A cut text ends with the last character that
    a kept token has a part in; a cut inside a character's bytes leaves that character in both chunks. The
    tokenizer itself is not touched: a copy of its backend does the work.

    Raises at once UsageError for max_tokens that leaves no room for text or that positions cannot count and for
    another too_long, ModelError for a slow tokenizer; while iterating CorpusError for a long text under `error`,
    and when no text gave a token.
    """
    require_choice("too_long", too_long, TooLong)
    encoder = _Encoder(tokenizer, max_tokens, too_long, Counts() if counts is None else counts)
    return encoder.stream(iter(records))


class _Encoder:
    def __init__(
        self, tokenizer: "PreTrainedTokenizerFast", max_tokens: int, too_long: TooLong, counts: Counts
    ) -> None:
        original = fast_backend(tokenizer)
        room = max_tokens - original.num_special_tokens_to_add(is_pair=False)
        if room < 1 or max_tokens > MOST_TOKENS:
            least = max_tokens - room + 1
            msg = f"--max-tokens {max_tokens} cannot work with this tokenizer: give {least} to {MOST_TOKENS}"
            raise UsageError(msg)
        self.backend = type(original).from_str(original.to_str())
        self.backend.no_padding()
        self.backend.enable_truncation(max_tokens, stride=0, direction="right")
        self.backend.encode_special_tokens = tokenizer.split_special_tokens
        self.special_ids = np.array(sorted(special_ids(tokenizer)), np.int32)
        self.unknown: str | None = tokenizer.special_tokens_map.get("unk_token")
        self.unknown_id = None if self.unknown is None else original.token_to_id(self.unknown)
        self.max_tokens = max_tokens
        self.too_long = too_long
        self.counts = counts

    def stream(self, records: Iterator[Record]) -> Iterator[Encoded]:
        counts = self.counts
        while batch := list(islice(records, _BATCH_TEXTS)):
            encodings = self.backend.encode_batch([record.text for record in batch], add_special_tokens=True)
            for record, encoding in zip(batch, encodings, strict=True):
                counts.n_read += 1
                if not record.text.strip() or all(encoding.special_tokens_mask):
                    counts.n_skipped += 1
                    continue
                for sequence in self._sequences(record, encoding):
                    counts.n_sequences += 1
                    counts.n_tokens += len(sequence.ids)
                    yield sequence
        if counts.n_sequences == 0:
            msg = f"none of {counts.n_read} texts gave a token: give a corpus whose texts are not empty"
            raise CorpusError(msg)

    def _sequences(self, record: Record, encoding: "Encoding") -> Iterator[Encoded]:
        if not encoding.overflowing:
            yield self._sequence(record, encoding)
        elif self.too_long == "truncate":
            self.counts.n_truncated += 1
            yield self._sequence(record, encoding, truncated=True)
        elif self.too_long == "chunk":
            self.counts.n_chunked += 1
            for chunk, window in enumerate([encoding, *encoding.overflowing], start=1):
                yield self._sequence(record, window, chunk=chunk)
        else:
            windows = [encoding, *encoding.overflowing]
            n_content = sum(window.special_tokens_mask.count(0) for window in windows)
            n_tokens = n_content + encoding.special_tokens_mask.count(1)
            msg = (
                f"the text of {record.source_id} has {n_tokens} tokens, more than {self.max_tokens}: "
                "shorten it, raise --max-tokens, or choose --too-long truncate or chunk"
            )
            raise CorpusError(msg)

    def _sequence(
        self, record: Record, encoding: "Encoding", *, truncated: bool = False, chunk: int | None = None
    ) -> Encoded:
        ids = np.array(encoding.ids, np.int32)
        offsets = np.array(encoding.offsets, np.int32)  # (token, 2)
        added = np.array(encoding.special_tokens_mask, np.bool_)
        is_special = added | np.isin(ids, self.special_ids)
        for at in np.flatnonzero((ids == self.unknown_id) & ~added):
            is_special[at] = record.text[slice(*offsets[at])].strip() == self.unknown
        text_start = 0 if chunk is None else int(offsets[~added, 0].min())
        text_end = int(offsets[~added, 1].max()) if truncated or chunk is not None else len(record.text)
        offsets[~added] -= text_start
        offsets[added] = NO_TEXT
        return Encoded(
            text=record.text[text_start:text_end],
            label=record.label,
            source_id=record.source_id if chunk is None else f"{record.source_id}#{chunk}",
            ids=ids,
            char_start=offsets[:, 0],
            char_end=offsets[:, 1],
            is_special=is_special,
            truncated=truncated,
            chunk=chunk,
            text_start=text_start,
        )


class CorpusHash:
    """Digest of a corpus as models saw it: two runs share a corpus exactly when they saw the same sequences.

    It covers texts and labels in order. Where any sequence was cut, it covers what decided the cuts as well:
    the tokenizer, max_tokens and too_long.
    """

    def __init__(self, fingerprint: str, max_tokens: int, too_long: TooLong) -> None:
        self._sequences = hashlib.sha256()
        self._cutting = (fingerprint, max_tokens, too_long)
        self._any_cut = False

    def update(self, sequence: Encoded) -> None:
        # A JSON list a line is unambiguous: no text can be mistaken for the border between two.
        self._sequences.update(json.dumps([sequence.text, sequence.label]).encode() + b"\n")
        self._any_cut |= sequence.truncated or sequence.chunk is not None

    def hexdigest(self) -> str:
        """The digest of what was given so far."""
        whole = self._sequences.copy()
        if self._any_cut:
            whole.update(json.dumps(self._cutting).encode())
        return whole.hexdigest()


def sequence_frame(batch: Sequence[Encoded], first_seq_id: int = 0) -> pl.DataFrame:
    """One row per sequence, in the schema of the `sequence` table."""
    return pl.DataFrame(
        {
            "seq_id": range(first_seq_id, first_seq_id + len(batch)),
            "text": [sequence.text for sequence in batch],
            "label": [sequence.label for sequence in batch],
            "source_id": [sequence.source_id for sequence in batch],
        },
        schema=RUN_TABLES["sequence"],
    )


def token_frame(batch: Sequence[Encoded], first_seq_id: int = 0) -> pl.DataFrame:
    """One row per token of each sequence, in the schema of the `token` table; offsets are NULL without
    text."""
    schema = RUN_TABLES["token"]
    if not batch:
        return pl.DataFrame(schema=schema)
    lengths = [len(sequence.ids) for sequence in batch]
    frame = pl.DataFrame(
        {
            "seq_id": np.repeat(np.arange(first_seq_id, first_seq_id + len(batch), dtype=np.int32), lengths),
            "pos": np.concatenate([np.arange(length, dtype=np.int16) for length in lengths]),
            "token_id": np.concatenate([sequence.ids for sequence in batch]),
            "char_start": np.concatenate([sequence.char_start for sequence in batch]),
            "char_end": np.concatenate([sequence.char_end for sequence in batch]),
            "is_special": np.concatenate([sequence.is_special for sequence in batch]),
        },
        schema=schema,
    )
    return frame.with_columns(pl.col("char_start", "char_end").replace(NO_TEXT, None))
