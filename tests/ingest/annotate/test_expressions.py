"""Particle verbs and lexicon matches, and what a lexicon's file may be."""

from pathlib import Path

import pytest

from ingest.annotate.expressions import with_expressions
from ingest.annotate.lexicon import Lexicon
from ingest.annotate.words import Word
from warehouse.errors import CorpusError, UsageError

WORDNET = """\
  1 This software and database is being provided to you, the LICENSEE, by
  2 Princeton University under the following license.
a_cappella_singing n 1 1 @ 1 0 07050177
hot-water_bottle n 1 2 @ ~ 1 0 03540267
spare_part n 1 1 @ 1 0 04266486
spare_part_shop n 1 1 @ 1 0 04266487
bottle n 3 4 @ ~ #p + 3 2 02876657 13767879 02877136
"""


def text(*forms: str, **more: dict[int, object]) -> list[Word]:
    words, at = [], 0
    for number, form in enumerate(forms):
        values = {name: column[number] for name, column in more.items() if number in column}
        words.append(Word(form, at, at + len(form), **values))  # type: ignore[arg-type]
        at += len(form) + 1
    return words


def marked(words: list[Word], lexicon: Lexicon | None = None) -> list[tuple[str, list[str]]]:
    groups: dict[int, tuple[str, list[str]]] = {}
    for word in with_expressions(words, lexicon):
        assert (word.mwe is None) == (word.mwe_id is None)
        if word.mwe_id is not None and word.mwe is not None:
            groups.setdefault(word.mwe_id, (word.mwe, []))[1].append(word.form)
    assert sorted(groups) == list(range(len(groups)))
    return [groups[number] for number in sorted(groups)]


def lexicon(folder: Path, content: str) -> Lexicon:
    path = folder / "index.noun"
    path.write_text(content, encoding="utf-8")
    return Lexicon(path)


@pytest.mark.parametrize("label", ["prt", "compound:prt"])
def test_particle_verbs(label: str) -> None:
    words = text("She", "gave", "it", "all", "up", deprel={4: label, 2: "obj"}, head={4: 1, 2: 1})
    assert marked(words) == [("particle_verb", ["gave", "up"])]
    assert marked(text("up", deprel={0: label})) == []  # the verb was cut off


def test_the_longest_match_of_lemmas_or_forms(tmp_path: Path) -> None:
    entries = lexicon(tmp_path, WORDNET)
    assert entries.n_expressions == 4 and entries.name.startswith("index.noun ")
    words = text("Spare", "parts", "and", "a", "spare", "part", "shop", lemma={1: "part"})
    assert marked(words, entries) == [("lexicon", ["Spare", "parts"]), ("lexicon", ["spare", "part", "shop"])]
    assert marked(text("hot", "-", "water", "bottle"), entries) == [("lexicon", ["hot", "-", "water", "bottle"])]
    assert marked(text("hot-water", "bottle"), entries) == [("lexicon", ["hot-water", "bottle"])]
    assert marked(text("bottle", "spare"), entries) == []


def test_particle_verbs_come_first_and_a_word_is_in_one_expression(tmp_path: Path) -> None:
    entries = lexicon(tmp_path, "give up the ghost\nthe ghost\nup the\n")
    words = text("give", "up", "the", "ghost", deprel={1: "prt"}, head={1: 0})
    assert marked(words, entries) == [("particle_verb", ["give", "up"]), ("lexicon", ["the", "ghost"])]
    assert marked(text("give", "up", "the", "ghost"), entries) == [("lexicon", ["give", "up", "the", "ghost"])]


def test_files_that_are_no_lexicon(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        Lexicon(tmp_path / "gone")
    with pytest.raises(CorpusError, match="holds no expression of several words"):
        lexicon(tmp_path, "one\n\ntwo\n")
