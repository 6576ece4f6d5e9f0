"""What people see of a vocabulary, written out by hand for every family."""

import polars as pl
import pytest
from tokenizers import AddedToken, Tokenizer, models
from transformers import PreTrainedTokenizerFast

from ingest.display import readable_vocab, show_text
from tests.ingest.corpus.tiny_tokenizers import FAMILIES, gpt2, minilm_folder, unigram, wordpiece
from warehouse.contract import RUN_TABLES


def displays(tokenizer: PreTrainedTokenizerFast) -> dict[str, str]:
    frame = readable_vocab(tokenizer)
    return dict(zip(frame["token"], frame["display"], strict=True))


def test_wordpiece_shows_words_bare_and_continuations_joined() -> None:
    shown = displays(wordpiece())
    expected = {"the": "the", "##able": "…able", "##a": "…a", ",": ",", "東": "東", "[CLS]": "[CLS]"}
    assert expected.items() <= shown.items()


def test_byte_level_shows_text_and_whole_characters_only() -> None:
    tokenizer = gpt2("Ã©t", "Ġ(", "Ġæ", "æĿ", "æĿ±", "ĠæĿ±", "âĢı")
    tokenizer.add_tokens(["    ", AddedToken("<|im_start|>", special=True), "é!"])  # kept as text, not as bytes
    shown = displays(tokenizer)
    expected = {
        "the": "…the",
        "Ġthe": "the",
        "ĠĠ": "␣␣",
        "Ġ": "␣",
        "Ċ": "⏎",
        "ĉ": "⇥",
        "Ā": r"\u0000",
        ",": ",",
        "é": "<E9>",  # one byte's stand-in in the alphabet
        "Ã©t": "…ét",
        "Ġ(": "␣(",
        "Ġæ": "␣<E6>",
        "æĿ": "<E6 9D>",
        "æĿ±": "東",
        "ĠæĿ±": "␣東",
        "âĢı": r"\u200f",
        "é!": "…é!",
        "    ": "␣␣␣␣",
        "<|im_start|>": "<|im_start|>",
        "</s>": "</s>",
    }
    assert expected.items() <= shown.items()


def test_sentencepiece_shows_bytes_and_spaces() -> None:
    expected = {
        "▁the": "the",
        "the": "…the",
        "▁": "␣",
        "▁▁": "␣␣",
        "▁(": "␣(",
        ",": ",",
        "<0x0A>": "⏎",
        "<0x09>": "⇥",
        "<0x00>": "<00>",
        "<0xE6>": "<E6>",
        "<unk>": "<unk>",
    }
    assert expected.items() <= displays(unigram()).items()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (" the", "the"),
        ("ing", "…ing"),
        ("  the", "␣␣the"),
        (" of the ", "of␣the␣"),
        (",", ","),
        (" (", "␣("),
        (" 2", "2"),
        ("2", "…2"),
        ("東京", "東京"),
        (" 東京", "␣東京"),
        ("สวัส", "สวัส"),
        ("한국", "…한국"),
        ("été", "…été"),
        ("\n\n\t", "⏎⏎⇥"),
        ("\r", r"\u000d"),
        ("\0", r"\u0000"),
        ("\u200f", r"\u200f"),
        ("\u202e,", r"\u202e,"),
        ("\u200b", r"\u200b"),
        ("\ufeff", r"\ufeff"),
        ("\u00a0", r"\u00a0"),
        ("\ufe0f", r"\ufe0f"),
        ("\U000e0100", r"\U000e0100"),
        ("😀", "😀"),
        (b"\xe6\x9d".decode(errors="surrogateescape"), "<E6 9D>"),
        (b" \xe6".decode(errors="surrogateescape"), "␣<E6>"),
        (b"\x9d, \xf0\x9f".decode(errors="surrogateescape"), "<9D>,␣<F0 9F>"),
        ("", ""),
    ],
)
def test_show_text(text: str, shown: str) -> None:
    assert show_text(text) == shown


@pytest.mark.parametrize("family", FAMILIES)
def test_every_id_has_a_row_that_any_store_can_hold(family: str) -> None:
    tokenizer = FAMILIES[family]()
    frame = readable_vocab(tokenizer)
    assert frame.schema == RUN_TABLES["vocab"]
    assert frame["token_id"].to_list() == list(range(len(tokenizer)))
    assert frame["token"].to_list() == tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
    for display in frame["display"]:
        assert display.encode()
        assert display.isprintable()
    plain = frame.filter(~pl.col("is_special"))["display"]
    assert not plain.str.contains("##|Ġ|▁").any()


def test_special_tokens_are_marked() -> None:
    special = readable_vocab(wordpiece()).filter(pl.col("is_special"))
    assert special["token"].to_list() == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def test_a_token_that_only_pads_is_not_special() -> None:
    tokenizer = gpt2()
    tokenizer.pad_token = "the"
    assert not readable_vocab(tokenizer).filter(pl.col("token") == "the")["is_special"].item()


def words_with_a_hole() -> PreTrainedTokenizerFast:
    backend = Tokenizer(models.WordLevel({"a": 0, "[UNK]": 2}, unk_token="[UNK]"))
    return PreTrainedTokenizerFast(tokenizer_object=backend, unk_token="[UNK]")


def test_holes_are_rows_too() -> None:
    tokenizer = words_with_a_hole()
    rows = readable_vocab(tokenizer).rows()
    assert rows == [(0, "a", "a", False), (1, "<unused 1>", "<unused 1>", False), (2, "[UNK]", "[UNK]", True)]


def test_minilm_vocabulary() -> None:
    frame = readable_vocab(PreTrainedTokenizerFast.from_pretrained(minilm_folder()))
    lines = (minilm_folder() / "vocab.txt").read_text(encoding="utf-8").split("\n")[:-1]
    assert frame["token"].to_list() == lines
    assert frame["display"].n_unique() == len(lines)
    assert frame.filter(pl.col("token") == "##ing")["display"].item() == "…ing"
