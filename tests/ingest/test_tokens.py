"""Tokens, offsets and cuts, against expectations written by hand and against the tokenizers' own decoders."""

import json
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import decoders
from transformers import PreTrainedTokenizerFast

from ingest.corpus.record import Record
from ingest.tokens import (
    MOST_TOKENS,
    CorpusHash,
    Counts,
    Encoded,
    TooLong,
    encode,
    sequence_frame,
    token_frame,
    tokenizer_fingerprint,
)
from tests.ingest.corpus.tiny_tokenizers import FAMILIES, gpt2, minilm_folder, roberta, unigram, wordpiece
from warehouse.contract import RUN_TABLES
from warehouse.errors import CorpusError, ModelError, UsageError

TOKENIZERS = {name: build() for name, build in FAMILIES.items()}
every_family = pytest.mark.parametrize("family", FAMILIES)

storable_text = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=40)
known_text = st.text("abct he,éE東京😀\n", max_size=40)


def encode_one(text: str, tokenizer: PreTrainedTokenizerFast, max_tokens: int = 500) -> Encoded:
    (sequence,) = encode([Record(text, None, "7")], tokenizer, max_tokens=max_tokens, too_long="error")
    return sequence


def tokens_and_slices(sequence: Encoded, tokenizer: PreTrainedTokenizerFast) -> list[tuple[str, str | None]]:
    spans = zip(sequence.char_start, sequence.char_end, strict=True)
    slices = [None if start < 0 else sequence.text[start:end] for start, end in spans]
    return list(zip(tokenizer.convert_ids_to_tokens(sequence.ids.tolist()), slices, strict=True))


def is_text(text: str) -> bool:
    return bool(text.strip())


# --- offsets and special tokens -----------------------------------------------------------------------------------


def test_wordpiece_offsets_count_characters_and_specials_have_none() -> None:
    tokenizer = wordpiece()
    sequence = encode_one("The Unaffordable 東京 É [SEP] 😀", tokenizer)
    assert tokens_and_slices(sequence, tokenizer) == [
        ("[CLS]", None),
        ("the", "The"),
        ("un", "Un"),
        ("##afford", "afford"),
        ("##able", "able"),
        ("東", "東"),
        ("京", "京"),
        ("e", "É"),
        ("[SEP]", "[SEP]"),
        ("[UNK]", "😀"),
        ("[SEP]", None),
    ]
    # The [SEP] that was typed is special; the [UNK] stands for an emoji and is not.
    assert np.flatnonzero(sequence.is_special).tolist() == [0, 8, 10]


def test_a_typed_unknown_token_is_special() -> None:
    assert encode_one("the [UNK]", wordpiece()).is_special.tolist() == [True, False, True, True]


def test_gpt2_offsets_hold_the_space_and_bytes_share_their_character() -> None:
    tokenizer = gpt2()
    sequence = encode_one("é the</s>東", tokenizer)
    assert tokens_and_slices(sequence, tokenizer) == [
        ("Ã", "é"),
        ("©", "é"),
        ("Ġthe", " the"),
        ("</s>", "</s>"),
        ("æ", "東"),
        ("Ŀ", "東"),
        ("±", "東"),
    ]
    assert sequence.is_special.tolist() == [False, False, False, True, False, False, False]


def test_roberta_offsets_leave_the_space_out() -> None:
    tokenizer = roberta()
    found = tokens_and_slices(encode_one("the the", tokenizer), tokenizer)
    assert found == [("<s>", None), ("the", "the"), ("Ġthe", "the"), ("</s>", None)]


def test_sentencepiece_bytes_share_their_character() -> None:
    tokenizer = unigram()
    found = tokens_and_slices(encode_one("the é", tokenizer), tokenizer)
    assert found == [("<s>", None), ("▁the", "the"), ("▁", " "), ("<0xC3>", "é"), ("<0xA9>", "é")]


@every_family
@settings(max_examples=60, deadline=None)
@given(text=storable_text.filter(is_text))
def test_offsets_stay_inside_any_text_and_never_run_backwards(family: str, text: str) -> None:
    counts = Counts()
    stream = encode([Record(text, None, "1")], TOKENIZERS[family], max_tokens=500, too_long="error", counts=counts)
    try:
        (sequence,) = stream
    except CorpusError:  # control characters only: BERT drops them all
        assert (counts.n_read, counts.n_skipped, family) == (1, 1, "wordpiece")
        return
    placed = sequence.char_start >= 0
    starts, ends = sequence.char_start[placed].tolist(), sequence.char_end[placed].tolist()
    assert all(0 <= start <= end <= len(text) for start, end in zip(starts, ends, strict=True))
    assert all(first <= second for first, second in pairwise(starts))
    assert not sequence.is_special[placed].any()
    assert sequence.is_special[~placed].all()


@settings(max_examples=100, deadline=None)
@given(text=storable_text.filter(is_text))
def test_gpt2_slices_hold_the_bytes_of_their_tokens(text: str) -> None:
    tokenizer = TOKENIZERS["gpt2"]
    sequence = encode_one(text, tokenizer)
    decode = decoders.ByteLevel().decode
    covered = set()
    for (token, piece), start, end in zip(
        tokens_and_slices(sequence, tokenizer), sequence.char_start, sequence.char_end, strict=True
    ):
        covered.update(range(start, end))
        decoded = decode([token])
        assert piece is not None
        if "\ufffd" not in decoded:
            assert piece == decoded
        else:
            assert len(piece) == 1
    assert covered == set(range(len(text)))


@settings(max_examples=100, deadline=None)
@given(text=known_text.filter(is_text))
def test_wordpiece_slices_are_the_words_they_came_from(text: str) -> None:
    tokenizer = TOKENIZERS["wordpiece"]
    found = tokens_and_slices(encode_one(text, tokenizer), tokenizer)
    slices = "".join(piece for _, piece in found if piece is not None)
    assert slices == "".join(text.split())
    for token, piece in found:
        if piece is not None and token != "[UNK]":
            assert token.removeprefix("##") == piece.lower().replace("é", "e")


# --- too long ------------------------------------------------------------------------------------------------------


def test_truncate_keeps_the_beginning_between_the_template_tokens() -> None:
    tokenizer, counts = wordpiece(), Counts()
    records = [Record(" the unaffordable the", "1", "9"), Record("the the", None, "10")]
    cut, whole = encode(records, tokenizer, max_tokens=4, too_long="truncate", counts=counts)
    assert tokens_and_slices(cut, tokenizer) == [("[CLS]", None), ("the", "the"), ("un", "un"), ("[SEP]", None)]
    assert (cut.text, cut.label, cut.source_id, cut.truncated) == (" the un", "1", "9", True)
    assert (whole.text, whole.truncated) == ("the the", False)
    assert counts == Counts(n_read=2, n_truncated=1, n_sequences=2, n_tokens=8)


def test_chunk_makes_sequences_with_their_own_text_and_offsets() -> None:
    tokenizer, counts = wordpiece(), Counts()
    records = [Record("the unaffordable the", "1", "9"), Record("the", None, "10")]
    chunks = list(encode(records, tokenizer, max_tokens=4, too_long="chunk", counts=counts))
    assert [(c.source_id, c.text, c.label, c.text_start, c.chunk) for c in chunks] == [
        ("9#1", "the un", "1", 0, 1),
        ("9#2", "affordable", "1", 6, 2),
        ("9#3", "the", "1", 17, 3),
        ("10", "the", None, 0, None),
    ]
    assert tokens_and_slices(chunks[1], tokenizer) == [
        ("[CLS]", None),
        ("##afford", "afford"),
        ("##able", "able"),
        ("[SEP]", None),
    ]
    assert counts == Counts(n_read=2, n_chunked=1, n_sequences=4, n_tokens=4 + 4 + 3 + 3)


def test_error_names_the_text_its_length_and_the_ways_out() -> None:
    stream = encode([Record("the " * 9, None, "s-3")], wordpiece(), max_tokens=4, too_long="error")
    with pytest.raises(CorpusError, match=r"s-3 has 11 tokens, more than 4: .*--max-tokens.*truncate or chunk"):
        next(stream)


@every_family
@settings(max_examples=60, deadline=None)
@given(text=known_text.filter(is_text), max_tokens=st.integers(3, 9))
def test_chunks_hold_every_content_token_once(family: str, text: str, max_tokens: int) -> None:
    tokenizer = TOKENIZERS[family]
    plain = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
    record = Record(text, None, "1")
    chunks = list(encode([record], tokenizer, max_tokens=max_tokens, too_long="chunk"))
    content = [id_ for chunk in chunks for id_ in chunk.ids[chunk.char_start >= 0].tolist()]
    assert content == plain
    for chunk in chunks:
        assert len(chunk.ids) <= max_tokens
        assert text[chunk.text_start : chunk.text_start + len(chunk.text)] == chunk.text
        assert chunk.char_end.max() <= len(chunk.text)
    (cut,) = encode([record], tokenizer, max_tokens=max_tokens, too_long="truncate")
    assert cut.ids.tolist() == chunks[0].ids.tolist()
    assert text.startswith(cut.text)
    assert cut.truncated == (len(chunks) > 1)


def test_cuts_are_the_same_whichever_side_the_tokenizer_would_cut() -> None:
    tokenizer = wordpiece()
    tokenizer.truncation_side = "left"
    (cut,) = encode([Record("the a b c", None, "1")], tokenizer, max_tokens=4, too_long="truncate")
    assert cut.text == "the a"


@pytest.mark.parametrize("max_tokens", [0, 2, MOST_TOKENS + 1])
def test_a_limit_without_room_for_text_is_refused_at_once(max_tokens: int) -> None:
    with pytest.raises(UsageError, match=rf"--max-tokens {max_tokens} .* give 3 to 32767"):
        encode([], wordpiece(), max_tokens=max_tokens, too_long="truncate")


# --- streams, counts, state ------------------------------------------------------------------------------------


def test_texts_without_tokens_are_skipped_and_counted() -> None:
    texts = ["", " \t", "\u200b", "a"]  # BERT drops the zero-width space
    counts = Counts()
    records = [Record(text, None, str(at)) for at, text in enumerate(texts)]
    (sequence,) = encode(records, wordpiece(), max_tokens=9, too_long="error", counts=counts)
    assert sequence.source_id == "3"
    assert (counts.n_read, counts.n_skipped) == (4, 3)


def test_white_space_is_no_sequence_for_any_tokenizer() -> None:
    with pytest.raises(CorpusError, match="none of 2 texts gave a token"):
        list(encode([Record("", None, "1"), Record("  ", None, "2")], gpt2(), max_tokens=9, too_long="error"))


def test_one_token_is_a_sequence() -> None:
    assert encode_one("a", gpt2()).ids.shape == (1,)


def test_texts_are_read_as_they_are_needed() -> None:
    read = 0

    def endless():
        nonlocal read
        while True:
            read += 1
            yield Record("the", None, str(read))

    next(encode(endless(), gpt2(), max_tokens=9, too_long="error"))
    assert read <= 1_000


def test_more_than_one_batch_keeps_the_order() -> None:
    records = [Record("a" * (1 + at % 3), None, str(at)) for at in range(1_001)]
    found = [(s.source_id, len(s.ids)) for s in encode(records, gpt2(), max_tokens=9, too_long="error")]
    assert found == [(str(at), 1 + at % 3) for at in range(1_001)]


@pytest.mark.parametrize("too_long", ["truncate", "chunk", "error"])
def test_the_tokenizer_is_left_as_it_was_and_says_nothing(too_long: TooLong, capfd: pytest.CaptureFixture[str]) -> None:
    tokenizer = gpt2()  # its model_max_length is 16
    tokenizer.backend_tokenizer.enable_padding(length=20, pad_id=0, pad_token="<s>")
    tokenizer.backend_tokenizer.enable_truncation(5, direction="left")
    before = tokenizer.backend_tokenizer.to_str()
    (sequence,) = encode([Record("the" * 18, None, "1")], tokenizer, max_tokens=18, too_long=too_long)
    assert len(sequence.ids) == 18
    assert tokenizer.backend_tokenizer.to_str() == before
    assert capfd.readouterr() == ("", "")


class SlowTokenizer:
    is_fast = False


def test_a_slow_tokenizer_is_refused() -> None:
    with pytest.raises(ModelError, match="SlowTokenizer is a slow tokenizer"):
        encode([], SlowTokenizer(), max_tokens=9, too_long="error")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="SlowTokenizer is a slow tokenizer"):
        tokenizer_fingerprint(SlowTokenizer())  # type: ignore[arg-type]


# --- identities ------------------------------------------------------------------------------------------------


@every_family
def test_fingerprint_survives_use_and_reloading(family: str, tmp_path) -> None:
    tokenizer = FAMILIES[family]()
    fresh = tokenizer_fingerprint(tokenizer)
    assert len(fresh) == 64
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    tokenizer(["a b c d e", "a"], padding="max_length", max_length=6, truncation=True)
    assert tokenizer_fingerprint(tokenizer) == fresh
    FAMILIES[family]().save_pretrained(tmp_path)
    assert tokenizer_fingerprint(PreTrainedTokenizerFast.from_pretrained(tmp_path)) == fresh


def test_fingerprint_tells_tokenizers_apart() -> None:
    no_template = roberta()
    no_template.backend_tokenizer.post_processor = gpt2().backend_tokenizer.post_processor
    more_special = gpt2()
    more_special.add_special_tokens({"mask_token": "<mask>"})
    kinds = [wordpiece(), wordpiece(lowercase=False), gpt2(), roberta(), unigram(), no_template, more_special]
    assert len({tokenizer_fingerprint(tokenizer) for tokenizer in kinds}) == len(kinds)


def digest(
    records: list[Record], tokenizer: PreTrainedTokenizerFast, max_tokens: int, too_long: TooLong = "truncate"
) -> str:
    corpus = CorpusHash(tokenizer_fingerprint(tokenizer), max_tokens, too_long)
    for sequence in encode(records, tokenizer, max_tokens=max_tokens, too_long=too_long):
        corpus.update(sequence)
    return corpus.hexdigest()


def test_runs_share_a_corpus_exactly_when_they_saw_the_same_sequences() -> None:
    records = [Record("the movie", "1", "1"), Record("a", None, "2")]
    whole = digest(records, wordpiece(), 50)
    assert digest(records, gpt2(), 40, "chunk") == whole
    assert digest(records[::-1], wordpiece(), 50) != whole
    assert digest([records[0]._replace(label="0"), records[1]], wordpiece(), 50) != whole
    assert digest([records[0], records[1]._replace(label="")], wordpiece(), 50) != whole

    cuts = [digest(records, wordpiece(), n, how) for n in (3, 4) for how in ("truncate", "chunk")]  # type: ignore[arg-type]
    cuts.append(digest(records, gpt2(), 4))
    assert len({whole, *cuts}) == 6


def test_borders_between_texts_count() -> None:
    one, two = Record('a", null]\n["b', None, "1"), [Record("a", None, "1"), Record("b", None, "2")]
    assert digest([one], gpt2(), 50) != digest(two, gpt2(), 50)


# --- frames ----------------------------------------------------------------------------------------------------


def test_frames_have_the_contract_schemas_and_null_where_no_text_stands() -> None:
    records = [Record("the", "1", "a"), Record("é", None, "b")]
    batch = list(encode(records, wordpiece(), max_tokens=9, too_long="error"))
    sequences, tokens = sequence_frame(batch, 40), token_frame(batch, 40)
    assert sequences.schema == RUN_TABLES["sequence"]
    assert sequences.rows() == [(40, "the", "1", "a"), (41, "é", None, "b")]
    assert tokens.schema == RUN_TABLES["token"]
    assert tokens.rows() == [
        (40, 0, 2, None, None, True),
        (40, 1, 8, 0, 3, False),
        (40, 2, 3, None, None, True),
        (41, 0, 2, None, None, True),
        (41, 1, 17, 0, 1, False),
        (41, 2, 3, None, None, True),
    ]


def test_an_empty_batch_gives_empty_frames() -> None:
    assert sequence_frame([]).schema == RUN_TABLES["sequence"]
    assert token_frame([]).schema == RUN_TABLES["token"]


# --- a real tokenizer ------------------------------------------------------------------------------------------


def test_minilm_tokenizer() -> None:
    tokenizer = PreTrainedTokenizerFast.from_pretrained(minilm_folder())  # its file asks for padding to 128
    text = "Tokyo (東京) isn't unaffordable 😀!"
    sequence = encode_one(text, tokenizer)
    vocab = json.loads((minilm_folder() / "tokenizer.json").read_text())["model"]["vocab"]
    names = {token_id: token for token, token_id in vocab.items()}
    assert [
        (names[token_id], sequence.text[s:e])
        for token_id, s, e in token_frame([sequence]).drop_nulls()["token_id", "char_start", "char_end"].rows()
    ] == [
        ("tokyo", "Tokyo"),
        ("(", "("),
        ("東", "東"),
        ("京", "京"),
        (")", ")"),
        ("isn", "isn"),
        ("'", "'"),
        ("t", "t"),
        ("una", "una"),
        ("##ff", "ff"),
        ("##ord", "ord"),
        ("##able", "able"),
        ("[UNK]", "😀"),
        ("!", "!"),
    ]
    assert token_frame([sequence]).filter(pl.col("is_special"))["token_id"].to_list() == [101, 102]
