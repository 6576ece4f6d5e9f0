r"""Vocabularies as people read them.

Tokenizers mark words in three ways: WordPiece marks what continues a word (`##ing`), byte-level BPE and
SentencePiece mark the space before one (`Ġthe`, `▁the`). Here all three read alike, and only what is
unexpected is marked:

| display | means | WordPiece | byte-level BPE | SentencePiece |
|---|---|---|---|---|
| `the` | begins a word | `the` | `Ġthe` | `▁the` |
| `…ing` | joined to what stands before | `##ing` | `ing` | `ing` |
| `,` | punctuation, joined as usual | `,` | `,` | `,` |
| `␣(` | punctuation after a space | | `Ġ(` | `▁(` |
| `␣␣` | nothing but spaces | | `ĠĠ` | `▁▁` |
| `⏎` `⇥` | newline, tab | | `Ċ` `ĉ` | `<0x0A>` `<0x09>` |
| `<E6 9D>` | bytes that are no whole character | | `æĿ` | `<0xE6>` (one byte) |
| `\u200f` | a character that would be invisible or reorder the line | same | same | same |

Scripts written without spaces (Han, kana, Thai, Lao, Khmer, Burmese) count as punctuation does: joined is
expected, `␣` shows a space before. Special tokens stay as they are. The raw token is kept beside the display.
"""

import json
import re
import unicodedata
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from ingest.tokens import backend_state, special_ids
from warehouse.contract import RUN_TABLES

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

JOINED: Final = "…"
SPACE: Final = "␣"
_VISIBLE: Final = {" ": SPACE, "\n": "⏎", "\t": "⇥"}

_METASPACE: Final = "▁"
_BYTE_TOKEN: Final = re.compile(r"<0x([0-9A-F]{2})>")
_BAD_BYTES: Final = re.compile("[\udc80-\udcff]+")  # what errors="surrogateescape" makes of them
_UNSPACED_SCRIPTS: Final = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")
_HIDDEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})
_HIDDEN: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Fillers and variation selectors: blank, though their categories are those of letters and marks."""


def readable_vocab(tokenizer: "PreTrainedTokenizerFast") -> pl.DataFrame:
    """One row per token id from 0 to the highest, in the schema of the `vocab` table.

    An id that no token has gets `<unused ID>` as token and display. `is_special` says that the token is one
    of the tokenizer's special tokens, the unknown token included. Raises ModelError for a slow tokenizer.
    """
    show = _token_display(backend_state(tokenizer))
    special = special_ids(tokenizer)
    added = tokenizer.added_tokens_decoder
    tokens = {token_id: token for token, token_id in tokenizer.get_vocab().items()}
    rows = []
    for token_id in range(max(tokens) + 1):
        token = tokens.get(token_id)
        if token is None:
            token = display = f"<unused {token_id}>"
        elif token_id in special:
            display = token
        elif token_id in added:  # kept as the text it stands for, outside the vocabulary's own spelling
            display = show_text(token)
        else:
            display = show(token)
        rows.append((token_id, token, display, token_id in special))
    return pl.DataFrame(rows, schema=RUN_TABLES["vocab"], orient="row")


def show_text(text: str) -> str:
    """Display what a token adds to a text: its space or want of one, and nothing invisible."""
    if text[:1] == " " and _expects_space(text[1:2]):
        return _escape(text[1:])
    if _expects_space(text[:1]):
        return JOINED + _escape(text)
    return _escape(text)


def _token_display(state: dict[str, Any]) -> Callable[[str], str]:
    """Choose the reading of raw tokens by what the tokenizer's parts say about its vocabulary's spelling."""
    parts = json.dumps([state["normalizer"], state["pre_tokenizer"], state["decoder"]], ensure_ascii=False)
    model = state["model"]
    if model["type"] == "WordPiece":
        return partial(_show_wordpiece, model["continuing_subword_prefix"])
    if '"ByteLevel"' in parts:
        return _show_byte_level
    if _METASPACE in parts:
        return _show_metaspace
    return _escape


def _show_wordpiece(prefix: str, token: str) -> str:
    if token.startswith(prefix) and token != prefix:
        return JOINED + _escape(token.removeprefix(prefix))
    return _escape(token)


def _show_byte_level(token: str) -> str:
    if any(char not in _BYTE_OF for char in token):
        return show_text(token)  # not spelled in bytes
    text = bytes(_BYTE_OF[char] for char in token).decode(errors="surrogateescape")
    return show_text(text)


def _show_metaspace(token: str) -> str:
    if byte := _BYTE_TOKEN.fullmatch(token):
        char = chr(int(byte[1], 16))
        return _VISIBLE[char] if char in "\n\t" else f"<{byte[1]}>"
    return show_text(token.replace(_METASPACE, " "))


def _expects_space(char: str) -> bool:
    """Whether a word may begin with this character in a script that parts its words by spaces."""
    return char.isalnum() and not unicodedata.name(char, "").startswith(_UNSPACED_SCRIPTS)


def _escape(text: str) -> str:
    parts = _BAD_BYTES.split(text)
    runs = [" ".join(f"{ord(char) - 0xDC00:02X}" for char in run) for run in _BAD_BYTES.findall(text)]
    shown = ["".join(map(_show_char, part)) for part in parts]
    return shown[0] + "".join(f"<{run}>{part}" for run, part in zip(runs, shown[1:], strict=True))


def _show_char(char: str) -> str:
    if char in _VISIBLE:
        return _VISIBLE[char]
    if unicodedata.category(char) in _HIDDEN_CATEGORIES or _HIDDEN.match(char):
        return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
    return char


def _byte_alphabet() -> dict[str, int]:
    """The bytes that GPT-2's printable stand-ins mean: printable Latin-1 is itself, the rest counts on from
    U+0100."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    rest = [byte for byte in range(0x100) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(0x100 + at): byte for at, byte in enumerate(rest)}


_BYTE_OF: Final = _byte_alphabet()
