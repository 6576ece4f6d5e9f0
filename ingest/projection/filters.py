"""Vocabulary filters: which items take part in projections."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import polars as pl

from ingest.tokens import backend_state, special_ids
from warehouse.errors import UsageError
from warehouse.paths import expanded
from warehouse.projections import VocabFilter

_MIN_COUNT: Final = re.compile(r"min-count:(\d+)")
_UNREADABLE: Final = "�"


def require_filter(spec: str) -> None:
    """Raise UsageError for what is neither a filter's name nor a file, before anything is loaded."""
    if spec not in ("all", "ascii", "alphabetic") and not _MIN_COUNT.fullmatch(spec) and not expanded(spec).is_file():
        msg = f"vocabulary filter '{spec}': use all, ascii, alphabetic, min-count:N or a file with an item a line"
        raise UsageError(msg)


def filter_of(
    spec: str, tokenizer: Any, vocab: pl.DataFrame, count: Callable[[], dict[int, int]]
) -> tuple[VocabFilter, str | None]:
    """The items that a filter keeps, and what is to be told of it.

    Args: vocab, the `vocab` table; count, how often each item occurs in the warehouse's texts, for min-count.
    Raises UsageError for an unknown filter and for one that keeps nothing.
    """
    require_filter(spec)
    items = sorted(set(tokenizer.get_vocab().values()))
    note = None
    if spec == "all":
        kept, name, definition = items, spec, "every item of the tokenizer, special tokens included"
    elif spec in ("ascii", "alphabetic"):
        texts = item_texts(tokenizer)
        fits = _is_ascii if spec == "ascii" else str.isalpha
        kept, name = [i for i in items if (text := texts[i]) is not None and fits(text.strip())], spec
        what = "printable ASCII characters only" if spec == "ascii" else "letters only, of any script"
        definition = f"items whose text, spaces around it apart, is {what}; no special tokens"
    elif found := _MIN_COUNT.fullmatch(spec):
        least, counts = int(found[1]), count()
        if not counts:
            msg = f"{spec}: the warehouse has no texts under this tokenizer to count items in; ingest some first"
            raise UsageError(msg)
        kept, name = [i for i in items if counts.get(i, 0) >= least], spec
        n_tokens = sum(counts.values())
        definition = f"items that occur at least {least} times among the {n_tokens:,} tokens of the warehouse's texts"
    else:
        path = expanded(spec)
        kept, n_unknown = _listed(path, tokenizer, vocab)
        name, definition = f"list:{path.stem}", f"items listed in {path.name}"
        note = f"{n_unknown:,} lines of {spec} name no item of this tokenizer" if n_unknown else None
    if not kept:
        msg = f"vocabulary filter {spec} leaves no item of this tokenizer: choose another"
        raise UsageError(msg)
    return VocabFilter(name, definition, tuple(kept)), note


def item_texts(tokenizer: Any) -> dict[int, str | None]:
    """The text that each item stands for, its space included; None for special tokens and parts of characters."""
    model = backend_state(tokenizer)["model"]
    prefix = model["continuing_subword_prefix"] if model["type"] == "WordPiece" else None
    special, vocab = special_ids(tokenizer), tokenizer.get_vocab()
    ids = list(vocab.values())
    if prefix:
        texts = [token.removeprefix(prefix) for token in vocab]
    else:
        texts = tokenizer.backend_tokenizer.decode_batch([[i] for i in ids], skip_special_tokens=False)
    return {i: None if i in special or _UNREADABLE in text else text for i, text in zip(ids, texts, strict=True)}


def _is_ascii(text: str) -> bool:
    return bool(text) and text.isascii() and text.isprintable()


def _listed(path: Path, tokenizer: Any, vocab: pl.DataFrame) -> tuple[list[int], int]:
    """Items that a line names by their text, their display or their tokenizer's spelling; lines that name none."""
    try:
        lines = {line.strip() for line in path.read_text(encoding="utf-8").splitlines()} - {""}
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{path}: cannot be read as a list of items ({error}); it must be UTF-8 text with an item a line"
        raise UsageError(msg) from error
    texts, known = item_texts(tokenizer), set(tokenizer.get_vocab().values())
    kept, used = [], Counter[str]()
    for token_id, token, display in vocab.select("token_id", "token", "display").iter_rows():
        if token_id in known:
            names = {token, display, (texts.get(token_id) or "").strip()} & lines
            used.update(names)
            if names:
                kept.append(token_id)
    return kept, len(lines) - len(used)
