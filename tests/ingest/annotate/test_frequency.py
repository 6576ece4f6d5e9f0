"""Zipf frequencies: of what wordfreq knows, and none where it does not."""

import math

import pytest

from ingest.annotate import frequency
from ingest.annotate.frequency import frequencies
from warehouse.errors import UsageError


def test_zipf_is_log10_per_billion() -> None:
    wordfreq = pytest.importorskip("wordfreq")
    known, note = frequencies("en")
    assert known and note is None
    for form in ("the", "house", "The"):
        assert known.zipf(form) == pytest.approx(math.log10(wordfreq.word_frequency(form, "en") * 1e9), abs=0.01)
    assert known.zipf("the") > known.zipf("house") > known.zipf("qzxqzx") == 0


def test_an_unknown_language() -> None:
    pytest.importorskip("wordfreq")
    with pytest.raises(UsageError, match=r"--language xx: wordfreq knows no such language: use one of ar, .*, zh"):
        frequencies("xx")


def test_without_wordfreq_there_are_none_and_that_is_told(monkeypatch) -> None:
    monkeypatch.setattr(frequency, "find_spec", lambda name: None)
    known, note = frequencies("en")
    assert known is None and note and "pip install 'lenshouse[annotate]'" in note


def test_a_language_that_needs_more(monkeypatch) -> None:
    wordfreq = pytest.importorskip("wordfreq")

    def needs_jieba(form: str, language: str) -> float:
        raise ModuleNotFoundError("No module named 'jieba'", name="jieba")  # noqa: EM101

    monkeypatch.setattr(wordfreq, "zipf_frequency", needs_jieba)
    known, note = frequencies("zh")
    assert known is None and note and "jieba" in note and "wordfreq[cjk]" in note
