"""Pair patterns against a plain double loop over the definitions of DESIGN.md section 3; no SQL in common."""

import random
import unicodedata
from pathlib import Path

import pytest

from tests.warehouse.annotated import Token, add_texts, add_tokens, add_words, word_ids
from warehouse import connect, patterns
from warehouse.annotation import Annotation

LEMMAS = ("be", "go", None, ".")
UPOS = ("NOUN", "VERB", "PUNCT", None)
DEPRELS = ("compound", "compound:prt", "nsubj", "punct", "compounded", None)


def invented(draw: random.Random) -> tuple[str, list[dict], list[Token]]:
    """A text with words of every kind, and tokens: pieces of words, across words, of white space, special."""
    forms = [draw.choice(["ab", "abc", ".", "…!", "don't", "京", "-x"]) for _ in range(draw.randint(1, 7))]
    text, words = "", []
    for number, form in enumerate(forms):
        text += draw.choice(["", " ", "  "])
        words.append({"word_id": number, "form": form, "char_start": len(text), "char_end": len(text) + len(form)})
        text += form
    for word in words:
        others = [other["word_id"] for other in words if other is not word]
        word |= {
            "lemma": draw.choice(LEMMAS),
            "upos": draw.choice(UPOS),
            "deprel": draw.choice(DEPRELS),
            "head_word_id": draw.choice([None, *(other for other in others if other < word["word_id"])]),
        }
        for name, kinds in (("entity", ("PER", "ORG")), ("mwe", ("V.VID", "N"))):
            number = draw.choice([None, 0, 1])
            word |= {f"{name}_id": number, name: None if number is None else kinds[number]}
    starts = [0, *sorted(draw.sample(range(1, len(text)), k=draw.randint(0, len(text) - 1)))]
    tokens = [
        Token(draw.randint(3, 6), start, end, is_special=draw.random() < 0.05)
        for start, end in zip(starts, [*starts[1:], len(text)], strict=True)
    ]
    return text, words, [Token(1, None, None, True), *tokens, Token(2, None, None, True)]


def wanted(words: list[dict], tokens: list[Token], owners: list[int | None]) -> list[tuple]:
    """(query, key, pattern, relation, query_is_head) of one sequence."""

    def is_punct(word: dict | None) -> bool:
        if word is None:
            return False
        if word["upos"] is not None:
            return word["upos"] == "PUNCT"
        return all(unicodedata.category(c).startswith("P") for c in word["form"])

    rows: list[tuple] = []
    for q, query in enumerate(tokens):
        for k, key in enumerate(tokens):
            if q == k:
                continue
            a = None if owners[q] is None else words[owners[q]]
            b = None if owners[k] is None else words[owners[k]]
            content = not query.is_special and not key.is_special
            if not content:
                rows.append((q, k, "special", None, None))
            if content and abs(q - k) == 1:
                rows.append((q, k, "adjacent", None, None))
            if content and query.token_id == key.token_id:
                rows.append((q, k, "same_token", None, None))
            if content and (is_punct(a) or is_punct(b)):
                rows.append((q, k, "punct", None, None))
            if a is None or b is None:
                continue
            if a is b:
                rows.append((q, k, "subword", None, None))
                continue
            if a["lemma"] is not None and a["lemma"] == b["lemma"] and not is_punct(a) and not is_punct(b):
                rows.append((q, k, "same_lemma", None, None))
            for kind in ("mwe", "entity"):
                if a[f"{kind}_id"] is not None and a[f"{kind}_id"] == b[f"{kind}_id"]:
                    rows.append((q, k, kind, a[kind], None))
            for dependent, head, query_is_head in ((a, b, False), (b, a, True)):
                if dependent["head_word_id"] == head["word_id"]:
                    rows.append((q, k, "head_dependent", dependent["deprel"], query_is_head))
                    if dependent["deprel"] is not None and dependent["deprel"].split(":")[0] == "compound":
                        rows.append((q, k, "compound", dependent["deprel"], query_is_head))
    return rows


def stored(path: Path, tokenizer_id: int) -> dict[int, list[tuple]]:
    with connect.read(path) as con:
        rows = con.execute(
            "SELECT seq_id, query, key, pattern, relation, query_is_head FROM pair_pattern WHERE tokenizer_id = ?",
            [tokenizer_id],
        ).fetchall()
    found: dict[int, list[tuple]] = {}
    for seq_id, *row in rows:
        found.setdefault(seq_id, []).append(tuple(row))
    return found


def in_order(rows: list[tuple]) -> list[tuple]:
    return sorted(rows, key=repr)


@pytest.fixture
def invention() -> list[tuple[str, list[dict], list[Token]]]:
    draw = random.Random(20)
    return [invented(draw) for _ in range(250)]


@pytest.fixture
def path(tmp_path: Path, invention) -> Path:
    """Texts, and the tokens of two tokenizers, the second of which has but whole texts."""
    path = tmp_path / "lens.duckdb"
    add_texts(path, [text for text, *_ in invention])
    add_tokens(path, 1, [tokens for *_, tokens in invention])
    add_tokens(path, 2, [[Token(9, 0, len(text))] * 2 for text, *_ in invention])
    return path


def add_all_words(path: Path, invention) -> None:
    add_words(path, [{"seq_id": seq, **word} for seq, (_, words, _) in enumerate(invention) for word in words])


def test_every_pattern(path: Path, invention, monkeypatch) -> None:
    monkeypatch.setattr(patterns, "_BLOCK", 60)  # several blocks
    add_all_words(path, invention)
    found = stored(path, 1)
    seen: set[str] = set()
    for seq, ((_, words, tokens), owners) in enumerate(zip(invention, word_ids(path, 1), strict=True)):
        rows = wanted(words, tokens, owners)
        assert in_order(found.get(seq, [])) == in_order(rows)
        seen |= {row[2] for row in rows}
    assert seen == {
        *("subword", "compound", "mwe", "entity", "same_token", "same_lemma", "head_dependent", "adjacent"),
        *("punct", "special"),
    }
    one_word = {seq for seq, (text, words, _) in enumerate(invention) if len(words) == 1}
    assert {seq for seq, rows in stored(path, 2).items() if any(row[2] == "subword" for row in rows)} == one_word


def test_without_words_what_needs_none(path: Path, invention) -> None:
    with connect.write(path) as con:
        patterns.complete(con, 1, 1)
    found = stored(path, 1)
    for seq, (_, words, tokens) in enumerate(invention):
        assert in_order(found[seq]) == in_order(wanted(words, tokens, [None] * len(tokens)))
    with connect.write(path) as con:
        patterns.complete(con, 1, 1)  # they are there
    assert stored(path, 1) == found and stored(path, 2) == {}


def test_other_words_replace_all_of_them(path: Path, invention) -> None:
    add_all_words(path, invention)
    before = stored(path, 1), word_ids(path, 1)
    one = {"seq_id": 0, "word_id": 0, "form": "x", "char_start": 0, "char_end": 1}
    add_words(path, [one], Annotation("split", "1", None, None))
    assert sum(word is not None for row in word_ids(path, 1) for word in row) <= 1
    assert not any(row[2] in ("mwe", "entity", "head_dependent") for rows in stored(path, 1).values() for row in rows)
    add_all_words(path, invention)
    assert ({seq: in_order(rows) for seq, rows in stored(path, 1).items()}, word_ids(path, 1)) == (
        {seq: in_order(rows) for seq, rows in before[0].items()},
        before[1],
    )
