"""Tokens and words of every kind of tokenizer and text, against a brute force over characters."""

import random
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from ingest.annotate.split import split
from ingest.annotate.words import Word, word_frame
from ingest.corpus.record import Record
from ingest.tokens import encode
from tests.warehouse.annotated import Token, add_texts, add_tokens, add_words, word_ids
from warehouse.annotation import alignments

TEXTS = (
    "The cat's toys didn't move, and we'll see!",
    "Double  spaces \t and\u00a0odd\u2003ones   ",
    " A café, a cafe\u0301, naïve nai\u0308ve Ångström A\u030angstro\u0308m",
    "Family 👨‍👩‍👧‍👦 waves 👋🏽 at 🇯🇵🇩🇪 ❤️!!",
    "東京タワーは高いです。私は学生です",
    "我爱北京天安门，你呢？",
    "emoji😀inside words😀😀 and ... -- (brackets) “quotes”",
    "Straße ﬁne ½ x² ıİ ΑΒΓ привет мир",
    "สวัสดีครับ and ข้าวผัด",
    "soft\u00adhyphen zero\u200bwidth tab\u0009end",
)


def _fast(inner: Tokenizer, **special: str) -> PreTrainedTokenizerFast:
    return PreTrainedTokenizerFast(tokenizer_object=inner, **special)


@cache
def wordpiece() -> PreTrainedTokenizerFast:
    inner = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    inner.normalizer = normalizers.BertNormalizer(lowercase=True)
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=170, special_tokens=["[UNK]", "[CLS]", "[SEP]"], show_progress=False)
    inner.train_from_iterator(TEXTS[:3], trainer)
    inner.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return _fast(inner, unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]")


@cache
def byte_bpe() -> PreTrainedTokenizerFast:
    """GPT-2's kind: the space before a word is in its first token, and in that token's offsets."""
    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<|end|>"], initial_alphabet=alphabet, show_progress=False
    )
    inner.train_from_iterator(TEXTS, trainer)
    inner.post_processor = processors.ByteLevel(trim_offsets=False)
    return _fast(inner, eos_token="<|end|>")


@cache
def sentencepiece() -> PreTrainedTokenizerFast:
    inner = Tokenizer(models.Unigram())
    inner.normalizer = normalizers.NFKC()
    inner.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=220, special_tokens=["<unk>", "<s>", "</s>"], unk_token="<unk>", show_progress=False
    )
    inner.train_from_iterator(TEXTS, trainer)
    inner.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)])
    return _fast(inner, unk_token="<unk>", bos_token="<s>", eos_token="</s>")


TOKENIZERS = {"wordpiece": wordpiece, "byte_bpe": byte_bpe, "sentencepiece": sentencepiece}


def tokens_of(tokenizer: PreTrainedTokenizerFast, texts: list[str]) -> list[list[Token]]:
    encoded = encode((Record(text, None, "1") for text in texts), tokenizer, max_tokens=500, too_long="error")
    return [
        [
            Token(int(token_id), *((None, None) if start < 0 else (int(start), int(end))), bool(special))
            for token_id, start, end, special in zip(one.ids, one.char_start, one.char_end, one.is_special, strict=True)
        ]
        for one in encoded
    ]


def brute_force(text: str, tokens: list[Token], spans: list[tuple[int, int]]) -> list[int | None]:
    """The first word whose characters hold every character of the token that is no white space."""
    owners: list[int | None] = []
    for token in tokens:
        own = set() if token.start is None else {at for at in range(token.start, token.end) if not text[at].isspace()}
        holding = [number for number, (a, b) in enumerate(spans) if own and own <= set(range(a, b))]
        owners.append(holding[0] if holding and not token.is_special else None)
    return owners


def assert_aligned(path: Path, kind: str, texts: list[str], words: list[list[tuple[int, int]]]) -> list[list]:
    """Align in a new warehouse and compare with the brute force; returns the words of the tokens."""
    tokens = tokens_of(TOKENIZERS[kind](), texts)
    path.unlink(missing_ok=True)
    add_texts(path, texts)
    add_tokens(path, 1, tokens)
    rows = [
        (seq, [Word(text[a:b], a, b) for a, b in spans])
        for seq, (text, spans) in enumerate(zip(texts, words, strict=True))
    ]
    add_words(path, word_frame(rows, None))
    found = word_ids(path, 1)
    wanted = [brute_force(*one) for one in zip(texts, tokens, words, strict=True)]
    assert found == wanted
    content = [
        (token, text, spans, word)
        for text, row, spans, ids in zip(texts, tokens, words, wanted, strict=True)
        for token, word in zip(row, ids, strict=True)
        if not token.is_special
    ]
    homeless = [(token, spans) for token, _, spans, word in content if word is None]
    n_across = sum(
        any(set(range(a, b)) & set(range(token.start, token.end)) for a, b in spans) for token, spans in homeless
    )
    n_words = sum(map(len, words))
    n_met = sum(len({word for word in ids if word is not None}) for ids in wanted)
    [told] = alignments(path, 1)
    assert (told.n_tokens, told.n_across, told.n_on_none) == (len(content), n_across, len(homeless) - n_across)
    assert told.n_words_without_token == n_words - n_met
    return found


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_words_by_splitting(kind: str, tmp_path: Path) -> None:
    spans = [[(word.char_start, word.char_end) for word in split(text)] for text in TEXTS]
    found = assert_aligned(tmp_path / "lens.duckdb", kind, list(TEXTS), spans)
    assert sum(word is not None for row in found for word in row) > 100


GOLD = (
    ("The cat's toys didn't move.", ("The", "cat", "'s", "toys", "did", "n't", "move", ".")),
    ("Go  to Nai\u0308ve 東京大学 now!!", ("Go", "to", "Nai\u0308ve", "東京", "大学", "now", "!!")),
    ("I ❤️ the 👨‍👩‍👧 family", ("I", "❤️", "the", "👨‍👩‍👧", "family")),
)


def _located(text: str, forms: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    at = 0
    for form in forms:
        at = text.index(form, at)
        yield at, at + len(form)
        at += len(form)


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_words_of_a_treebank(kind: str, tmp_path: Path) -> None:
    texts = [text for text, _ in GOLD]
    spans = [list(_located(text, forms)) for text, forms in GOLD]
    found = assert_aligned(tmp_path / "lens.duckdb", kind, texts, spans)
    joined, single = found[2], [word for word in found[2] if word == 3]
    assert single or kind == "wordpiece", "the family of three code points and two joiners is one word"
    assert len(single) > 3 or kind != "byte_bpe", "its bytes are pieces of one word"
    assert [word for word in joined if word is not None] == sorted(word for word in joined if word is not None)


ALPHABET = (*"abcdet  '.,", "é", "e\u0301", "京", "は", "😀", "👨‍👩‍👧", "\u00a0", "\t", "ß")


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_any_text_and_any_words(kind: str, tmp_path: Path) -> None:
    """Words anywhere, with gaps, and some that share a span."""
    draw = random.Random(f"alignment {kind}")
    texts = ["a" + "".join(draw.choices(ALPHABET, k=draw.randint(1, 14))) for _ in range(300)]
    words = []
    for text in texts:
        borders = sorted(draw.sample(range(len(text) + 1), k=draw.randint(0, min(8, len(text)))))
        spans = [span for span in pairwise(borders) if draw.random() < 0.8]
        words.append([span for span in spans for _ in range(draw.choice([1, 1, 1, 2]))])
    found = assert_aligned(tmp_path / "lens.duckdb", kind, texts, words)
    assert {word is None for row in found for word in row} == {True, False}
