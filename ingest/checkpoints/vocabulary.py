"""The one tokenizer of all checkpoints: cased byte-level BPE, with [CLS] before a text and [SEP] after it.

Seeds, sizes and both kinds share it, so their tokens are the same rows in a warehouse. Bytes are its alphabet, so it
has a token for every text; [UNK] stands there for programs that ask for one.
"""

from collections.abc import Sequence
from typing import Final

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from ingest.checkpoints.recipes import VOCAB_SIZE, WINDOW

PAD, UNK, CLS, SEP, MASK = range(5)
"""Ids of the special tokens."""

N_SPECIAL: Final = 5
_NAMES: Final = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def train_tokenizer(texts: Sequence[str], vocab_size: int = VOCAB_SIZE) -> PreTrainedTokenizerFast:
    """Learn the merges from texts; the same texts give the same tokenizer, byte for byte."""
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    backend.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=[AddedToken(name, special=True) for name in _NAMES],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    backend.train_from_iterator(texts, trainer)
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", CLS), ("[SEP]", SEP)],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        model_max_length=WINDOW,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )


def token_ids(tokenizer: PreTrainedTokenizerFast, texts: Sequence[str]) -> list[list[int]]:
    """The tokens of each text, without special ones."""
    encodings = tokenizer.backend_tokenizer.encode_batch(list(texts), add_special_tokens=False)
    return [encoding.ids for encoding in encodings]
