"""`lenshouse annotate`, and annotation as a part of ingest: what is stored, what is told, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import warehouse
from tests.ingest.annotate.test_gold import FRENCH, OK, file_of, row
from tests.ingest.tiny import Done, counts, die_at, leftovers, lenshouse, refused, slow, tables

ANNOTATED = ("annotation", "corpus", "pair_pattern", "token", "word")
"""Tables that an annotation changes."""


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    return file_of(tmp_path, OK, FRENCH)


def ingest(model: Path, corpus: Path, house: Path, *flags: object) -> Done:
    done = lenshouse("ingest", "--model", model, "--corpus", corpus, "--warehouse", house, *flags)
    assert (done.code, done.err) == (0, ""), done
    return done


def annotate(house: Path, *flags: object) -> Done:
    done = lenshouse("annotate", *flags, "--warehouse", house)
    assert (done.code, done.err) == (0, ""), done
    return done


def others(house: Path) -> dict[str, list[tuple]]:
    return {name: rows for name, rows in tables(house).items() if name not in ANNOTATED}


def ask(house: Path, query: str) -> list[tuple]:
    return warehouse.open(house).sql(query).rows()


def test_auto_is_gold_for_a_treebank_and_split_for_others(models, texts, bank, house) -> None:
    said = ingest(models["bert"], bank, house).out
    assert "annotated by gold (" in said and "): 11 words" in said
    assert ask(house, "SELECT form FROM word WHERE seq_id = 0 ORDER BY word_id") == [("the",), ("cat",)]
    said = ingest(models["bert"], texts, house).out
    assert "annotated by split (lenshouse " in said
    assert ask(house, "SELECT corpus_id, source, language FROM annotation ORDER BY ALL") == [
        (1, "gold", "en"), (2, "split", "en")
    ]  # fmt: skip
    assert ask(house, "SELECT zipf > 7 FROM word WHERE form = 'the'")[0] == (True,)
    assert leftovers(house) == []
    assert lenshouse("doctor", "--warehouse", house).code == 0


def test_another_model_finds_the_words_there(models, bank, house) -> None:
    ingest(models["bert"], bank, house)
    before = tables(house)["word"], tables(house)["annotation"]
    said = ingest(models["gpt2"], bank, house).out
    assert "annotated" not in said
    assert (tables(house)["word"], tables(house)["annotation"]) == before
    per_tokenizer = ask(house, "SELECT tokenizer_id FROM pair_pattern WHERE pattern = 'head_dependent' GROUP BY ALL")
    assert sorted(per_tokenizer) == [(1,), (2,)]


def test_none_and_words_later(models, texts, house) -> None:
    assert "annotated" not in ingest(models["bert"], texts, house, "--annotate", "none").out
    assert {row[0] for row in ask(house, "SELECT pattern FROM pair_pattern")} == {"adjacent", "same_token", "special"}
    assert counts(house)["word"] == 0 and ask(house, "SELECT corpus_annotation FROM v_run") == [("none",)]
    before = others(house)
    said = annotate(house, "--with", "split").out
    assert "corpus 1 (corpus) annotated by split" in said and "tiny-bert: " in said
    assert others(house) == before
    assert {"subword", "punct"} <= {row[0] for row in ask(house, "SELECT pattern FROM v_pair_pattern")}


def test_the_annotation_is_no_part_of_the_run(models, texts, house) -> None:
    ingest(models["bert"], texts, house, "--annotate", "none")
    said = ingest(models["bert"], texts, house).out
    assert "run 1 (tiny-bert on corpus) is complete" in said and "annotated by split" in said
    assert counts(house)["run"] == 1


def test_the_same_again_and_another(models, texts, bank, house, tmp_path) -> None:
    ingest(models["bert"], texts, house)
    before = tables(house)
    assert "nothing to do" in annotate(house, "--with", "split").out
    assert "nothing to do" in ingest(models["bert"], texts, house, "--annotate", "split").out
    assert tables(house) == before
    lexicon = tmp_path / "list.txt"
    lexicon.write_text("small cats\n")
    for command in (
        ("annotate", "--with", "split", "--lexicon", lexicon),
        ("ingest", "--model", models["bert"], "--corpus", texts, "--annotate", "split", "--lexicon", lexicon),
        ("ingest", "--model", models["gpt2"], "--corpus", texts, "--annotate", "split", "--lexicon", lexicon),
    ):
        refused(
            lenshouse(*command, "--warehouse", house), 2, "is annotated by split (", "not by split (",
            "lexicon list.txt", "`lenshouse annotate 1 --with split --replace`",
        )  # fmt: skip
    assert "annotated" not in ingest(models["seed_3"], texts, house, "--lexicon", lexicon).out, "auto leaves it"
    maps = ask(house, "FROM token_pair ORDER BY ALL")
    annotate(house, "--with", "split", "--lexicon", lexicon, "--replace")
    assert ask(house, "SELECT DISTINCT relation FROM v_pair_pattern WHERE pattern = 'mwe'") == [("lexicon",)]
    assert ask(house, "FROM token_pair ORDER BY ALL") == maps
    annotate(house, "--with", "split", "--replace")
    after = tables(house)
    assert after["word"] == before["word"] and after["pair_pattern"] == before["pair_pattern"]


def test_gold_of_another_file(models, bank, house, tmp_path) -> None:
    ingest(models["bert"], bank, house, "--annotate", "none")
    folder = tmp_path / "other"
    folder.mkdir()
    part = file_of(folder, OK)
    said = annotate(house, "bank", "--with", "gold", "--source", part).out
    assert "1 text not in the treebank, without words: f1" in said
    assert ask(house, "SELECT seq_id, count(*) FROM word GROUP BY ALL") == [(0, 2)]
    refused(
        lenshouse("annotate", "--with", "gold", "--source", bank, "--warehouse", house),
        2, "is annotated by gold (", "not by gold (", "--replace",
    )  # fmt: skip
    none = file_of(tmp_path, ["# sent_id = z", row(1, "z")], name="none.conllu")
    refused(
        lenshouse("annotate", "--with", "gold", "--source", none, "--replace", "--warehouse", house),
        1, "none of the texts of corpus bank is in the treebank", "--source",
    )  # fmt: skip
    assert ask(house, "SELECT count(*) FROM word") == [(2,)]


@pytest.mark.parametrize(
    ("too_long", "words"),
    [
        ("truncate", ["the", "cat", "Je", "vais", "au", "au", "ci"]),
        ("chunk", ["the", "cat", "Je", "vais", "au", "au", "ci", "ne\u0301ma", ",", "d'", "acc", "ord", "?"]),
    ],
)
def test_gold_words_of_cut_texts(too_long, words, models, bank, house) -> None:
    """Ten tokens are left of each text, or in each chunk; a word across the border is in both."""
    said = ingest(models["bert"], bank, house, "--max-tokens", 12, "--too-long", too_long).out
    assert "annotated by gold" in said and "not in the treebank" not in said
    spelled = ask(
        house,
        "SELECT text[char_start + 1:char_end] FROM word JOIN sequence USING (corpus_id, seq_id) "
        "ORDER BY seq_id, word_id",
    )
    assert [word for (word,) in spelled] == words


@pytest.mark.parametrize(
    ("flags", "code", "words"),
    [
        (("--with", "glod"), 2, ("--with glod", "did you mean gold?", "spacy:PIPELINE")),
        (("--with", "spacy:"), 2, ("no such annotation",)),
        (("--with", "spacy:en_core_web_lg"), 2, ("not installed", "python -m spacy download en_core_web_lg")),
        (("--with", "gold"), 2, ("corpus.txt is no treebank", ".conllu")),
        (("--with", "gold", "--source", "gone.conllu"), 1, ("gone.conllu is not there",)),
        (("--with", "split", "--source", "x.conllu"), 2, ("--source names a treebank", "--with gold")),
        (("--with", "split", "--lexicon", "gone"), 2, ("--lexicon gone cannot be read",)),
        (("--with", "split", "--language", "xx"), 2, ("--language xx", "use one of")),
        (("nothing", "--with", "split"), 1, ("has the name or id nothing", "1 corpus")),
        ((), 2, ("--with",)),
    ],
    ids=str,
)
def test_what_is_refused(flags, code, words, models, texts, house) -> None:
    ingest(models["bert"], texts, house, "--annotate", "none")
    before = tables(house)
    refused(lenshouse("annotate", *flags, "--warehouse", house), code, *words)
    assert tables(house) == before


def test_no_warehouse(house) -> None:
    refused(lenshouse("annotate", "--with", "split", "--warehouse", house), 1, "there is no warehouse at")
    assert not house.exists()


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--annotate", "gold"), ("corpus.txt is no treebank",)),
        (
            ("--annotate", "silver"),
            ("annotate silver: no such annotation", "auto, none, gold, split or spacy:PIPELINE"),
        ),
        (("--annotate", "spacy:en_core_web_lg"), ("python -m spacy download en_core_web_lg",)),
        (("--language", "xx"), ("--language xx",)),
        (("--lexicon", "gone"), ("--lexicon gone cannot be read",)),
    ],
    ids=str,
)
def test_ingest_refuses_before_it_computes(flags, words, models, texts, house) -> None:
    job = ("ingest", "--model", models["bert"], "--corpus", texts, "--warehouse", house, *flags)
    refused(lenshouse(*job), 2, *words)
    assert not house.exists()


def test_a_broken_treebank_is_refused_before_it_is_computed(models, house, tmp_path) -> None:
    broken = file_of(tmp_path, OK, ["# text = a", row(1, "a", 7)])
    job = ("ingest", "--model", models["bert"], "--corpus", broken, "--warehouse", house)
    refused(lenshouse(*job), 1, f"{broken}, line 7: the head '7'", "--annotate none")
    assert not house.exists()
    assert lenshouse(*job, "--annotate", "none").code == 0


def test_options_in_a_config_file(models, texts, house, tmp_path) -> None:
    config = tmp_path / "study.toml"
    config.write_text(
        f'model = "{models["bert"]}"\ncorpus = "{texts}"\nwarehouse = "{house}"\nannotate = "none"\nlanguage = "de"\n'
    )
    assert lenshouse("ingest", "--config", config).code == 0
    assert counts(house)["word"] == 0
    assert lenshouse("ingest", "--config", config, "--annotate", "split").code == 0
    assert ask(house, "SELECT source, language FROM annotation") == [("split", "de")]


def test_a_span_that_no_token_covers_is_counted(models, house, tmp_path) -> None:
    """A tokenizer that drops control characters leaves their word without a token."""
    bank = file_of(tmp_path, ["# sent_id = a", row(1, "the"), row(2, "\u200b\u200b"), row(3, "cat")])
    said = ingest(models["bert"], bank, house).out
    assert "1 word without a token" in said
    assert ask(house, "SELECT n_words FROM annotation") == [(3,)]
    assert "1 word without a token" in annotate(house, "--with", "gold").out, "and told when it is asked for again"


def test_killed_while_it_stores(models, texts, house, nursery) -> None:
    ingest(models["bert"], texts, house)
    before = tables(house)
    for target, when in (
        ("warehouse.patterns.renew", "after"),
        ("ingest.annotate.job.word_frame", "after"),
    ):
        child = nursery.start(
            "annotate", "--with", "split", "--language", "de", "--replace", "--warehouse", house,
            setup=die_at, options=(1000, target, when, 1),
        )  # fmt: skip
        assert child.wait() == -9
        warehouse.make_usable(house)
        assert tables(house) == before
    annotate(house, "--with", "split", "--language", "de", "--replace")
    assert ask(house, "SELECT language FROM annotation") == [("de",)]
    assert leftovers(house) == []


def test_ingest_killed_before_its_words_are_stored(models, texts, house, nursery) -> None:
    job = ("ingest", "--model", models["bert"], "--corpus", texts, "--warehouse", house)
    child = nursery.start(*job, setup=die_at, options=(1000, "warehouse.annotation.store_annotation", "before", 1))
    assert child.wait() == -9
    assert counts(house)["word"] == 0 and counts(house)["run"] == 1
    assert lenshouse(*job).code == 0
    assert counts(house)["annotation"] == 1 and ask(house, "SELECT count(*) FROM v_run") == [(1,)]


def test_two_at_once(models, texts, house, nursery) -> None:
    """Two that annotate alike both end well; of two that do not, one is refused."""
    ingest(models["bert"], texts, house, "--annotate", "none")
    late = {"setup": slow, "options": (1000, "ingest.annotate.job.word_frame", 0.5)}
    job = ("annotate", "--with", "split", "--warehouse", house)
    alike = [nursery.start(*job, **late) for _ in range(2)]
    assert [child.wait() for child in alike] == [0, 0]
    before = tables(house)
    assert counts(house)["annotation"] == 1
    assert lenshouse(*job).code == 0 and tables(house) == before
    annotate(house, "--with", "split", "--language", "de", "--replace")
    ours = tables(house)
    other = nursery.start(*job, **late)
    assert other.wait() == 2 and "--replace" in other.output()
    assert tables(house) == ours
