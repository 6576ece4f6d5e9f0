"""Two models can be compared item by item only where each item has the same id in both."""

from itertools import zip_longest

from ingest.projection.vocabulary import Vocabulary
from warehouse.errors import ModelError


def require_same_vocabulary(a: Vocabulary, b: Vocabulary, name_a: str, name_b: str) -> None:
    """Raise ModelError where an id means another item, with the first such id; rows without an item do not count."""
    items = zip_longest(_items(a), _items(b))
    for token_id, (item_a, item_b) in enumerate(items):
        if item_a != item_b:
            msg = (
                f"{name_a} and {name_b} do not share a vocabulary: token id {token_id} is {_shown(item_a)} in the one "
                f"and {_shown(item_b)} in the other; give models with one tokenizer, such as seeds of one family"
            )
            raise ModelError(msg)


def require_same_kind(a: Vocabulary, b: Vocabulary, name_a: str, name_b: str) -> None:
    """Raise ModelError where the one's embeddings are output ones of its own, and the other has its input ones alone:
    those are two different matrices of one model, and no translation leads from the one to the other."""
    if (a.source == "output") != (b.source == "output"):
        msg = (
            f"{_which(a, name_a)} and {_which(b, name_b)}: these are not of one kind, so neither reads the other's "
            "states; give models that both hold output embeddings, or that have none apart from their input ones"
        )
        raise ModelError(msg)


def _which(vocabulary: Vocabulary, name: str) -> str:
    kind = "output" if vocabulary.source == "output" else "input"
    return f"{name} is read with its {kind} embeddings"


def _items(vocabulary: Vocabulary) -> list[str | None]:
    """The item of each id; None for a row without one, and nothing for such rows at the end."""
    keep = vocabulary.keep.tolist()
    items = [token if kept else None for token, kept in zip(vocabulary.tokens, keep, strict=True)]
    while items and items[-1] is None:
        items.pop()
    return items


def _shown(item: str | None) -> str:
    return "no item" if item is None else repr(item)
