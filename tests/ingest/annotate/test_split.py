"""Words without a dictionary: written out by hand, and what must hold for any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.annotate.split import split


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I don't  like it... “really”?!", ["I", "don't", "like", "it", "...", "“", "really", "”", "?", "!"]),
        ("rock 'n' roll, dogs' l’été", ["rock", "'", "n", "'", "roll", ",", "dogs", "'", "l’été"]),
        ("cafe\u0301 nai\u0308ve", ["cafe\u0301", "nai\u0308ve"]),
        ("👨‍👩‍👧‍👦👍🏽 ❤️❤️ 🇩🇪🇫🇷x", ["👨‍👩‍👧‍👦", "👍🏽", "❤️❤️", "🇩🇪", "🇫🇷", "x"]),
        ("東京タワーは高い。", ["東", "京", "タワー", "は", "高", "い", "。"]),
        ("我爱北京", ["我", "爱", "北", "京"]),
        ("well-known $5, C++", ["well", "-", "known", "$", "5", ",", "C", "++"]),
        ("a\u00a0b\u3000c\td\n", ["a", "b", "c", "d"]),
        ("soft\u00adhyphen", ["soft\u00adhyphen"]),
        ("  ", []),
        ("", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert [word.form for word in split(text)] == words


@given(st.text(st.sampled_from([*"ab '’.,- $", "é", "\u0301", "\u200d", "京", "は", "😀", "🇩", "🏽", "\u00a0", "7"])))
def test_every_character_is_in_one_word_or_white_space(text: str) -> None:
    spans = [(word.char_start, word.char_end) for word in split(text)]
    covered = [at for start, end in spans for at in range(start, end)]
    assert covered == [at for at, character in enumerate(text) if not character.isspace()]
    assert all(word.form == text[word.char_start : word.char_end] != "" for word in split(text))
