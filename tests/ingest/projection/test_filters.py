"""Which items a vocabulary filter keeps, for tokenizers that mark words in each of their ways."""

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from ingest.display import readable_vocab
from ingest.projection.filters import filter_of, item_texts
from tests.ingest.tiny import byte_level, wordpiece
from warehouse.errors import UsageError


def metaspace() -> PreTrainedTokenizerFast:
    items = ["<unk>", "<s>", "▁dog", "s", "▁", "▁naïve", "<0x0A>", "<0xE6>", "42", "▁a-b", "ж"]
    inner = Tokenizer(models.BPE({item: i for i, item in enumerate(items)}, [], unk_token="<unk>", byte_fallback=True))
    inner.pre_tokenizer = pre_tokenizers.Metaspace()
    inner.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    return PreTrainedTokenizerFast(tokenizer_object=inner, unk_token="<unk>", bos_token="<s>")


def kept(tokenizer, spec, counts=None):
    found, note = filter_of(spec, tokenizer, readable_vocab(tokenizer), lambda: counts or {})
    names = {i: token for token, i in tokenizer.get_vocab().items()}
    assert list(found.token_ids) == sorted(found.token_ids)
    return {names[i] for i in found.token_ids}, found, note


def test_wordpiece():
    items, found, note = kept(wordpiece(), "alphabetic")
    assert {"a", "##s", "##ing", "cat"} <= items
    assert not items & {"[CLS]", "[UNK]", "5", "##5", ".", "-"}
    assert (found.name, note) == ("alphabetic", None)
    ascii_items, _, _ = kept(wordpiece(), "ascii")
    assert {"5", "##5", ".", "cat"} <= ascii_items
    assert "[CLS]" not in ascii_items


def test_byte_level():
    items, _, _ = kept(byte_level(), "alphabetic")
    assert {"the", "Ġthe", "a", "on"} <= items
    assert not items & {"<|endoftext|>", "Ġ", "5", "æ", "!"}
    assert "!" in kept(byte_level(), "ascii")[0]
    assert not kept(byte_level(), "ascii")[0] & {"Ġ", "Ċ", "æ", "<|endoftext|>"}


def test_metaspace():
    assert kept(metaspace(), "alphabetic")[0] == {"▁dog", "s", "▁naïve", "ж"}
    assert kept(metaspace(), "ascii")[0] == {"▁dog", "s", "42", "▁a-b"}
    texts = item_texts(metaspace())
    assert texts[7] is None, "a byte that is no whole character"
    assert texts[0] is None, "a special token"


def test_all_has_special_tokens_and_no_holes():
    items, found, _ = kept(wordpiece(), "all")
    assert "[CLS]" in items
    assert len(found.token_ids) == len(items) == len(wordpiece().get_vocab())


def test_min_count():
    tokenizer = wordpiece()
    counts = {tokenizer.get_vocab()["cat"]: 3, tokenizer.get_vocab()["dog"]: 2, tokenizer.get_vocab()["on"]: 1}
    items, found, _ = kept(tokenizer, "min-count:2", counts)
    assert items == {"cat", "dog"}
    assert "at least 2 times among the 6 tokens" in found.definition
    with pytest.raises(UsageError, match="leaves no item"):
        kept(tokenizer, "min-count:4", counts)
    with pytest.raises(UsageError, match="ingest some first"):
        kept(tokenizer, "min-count:1")


def test_a_list(tmp_path):
    file = tmp_path / "animals.txt"
    file.write_text("cat\n\n…ing\n##s\nunicorn\nunicorn\n", encoding="utf-8")
    items, found, note = kept(wordpiece(), str(file))
    assert items == {"cat", "##ing", "##s"}
    assert found.name == "list:animals"
    assert note is not None and note.startswith("1 lines of")
    assert kept(byte_level(), str(file))[0] == {"cat", "Ġcat"}, "a text names its item with and without a space"
    file.write_text("unicorn\n")
    with pytest.raises(UsageError, match="leaves no item"):
        kept(wordpiece(), str(file))
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="UTF-8"):
        kept(wordpiece(), str(file))


def test_names_and_hashes_tell_filters_apart():
    first, second = (kept(wordpiece(), spec)[1] for spec in ("all", "ascii"))
    assert first.ids_sha256 == kept(wordpiece(), "all")[1].ids_sha256 != second.ids_sha256
    with pytest.raises(UsageError, match="use all, ascii, alphabetic, min-count:N or a file"):
        kept(wordpiece(), "min-count:many")
