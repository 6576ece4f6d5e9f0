"""Storing words: one transaction, one annotation at a time, and what goes with its corpus."""

from pathlib import Path

import polars as pl
import pytest

import warehouse
from tests.warehouse.annotated import BY_TEST, Token, add_texts, add_tokens, add_words, word_ids
from tests.warehouse.conftest import House
from tests.warehouse.synthetic import Shape
from warehouse import annotation, connect, patterns
from warehouse.annotation import Annotation, choose_corpus, find_corpus, store_annotation, texts
from warehouse.contract import WORD_TABLE
from warehouse.errors import PartsError, UsageError, WarehouseError

OTHER = Annotation("split", "2", "en", "index.noun 00ff")


def words_of(n_sequences: int) -> pl.DataFrame:
    """In each synthetic text, `text N`: a word, `t`, and one over two characters of two tokens."""
    rows = [
        {"seq_id": seq, "word_id": number, "form": form, "char_start": start, "char_end": end}
        for seq in range(n_sequences)
        for number, (form, start, end) in enumerate((("t", 0, 1), ("ex", 1, 3)))
    ]
    return pl.DataFrame([{name: row.get(name) for name in WORD_TABLE} for row in rows], schema=WORD_TABLE)


def put(house: House, by: Annotation = BY_TEST, *, replace: bool = False, name: str | None = None) -> int:
    corpus = choose_corpus(house.path, name)
    file = house.path.with_name("word.parquet")
    words_of(corpus.n_sequences).write_parquet(file)
    return store_annotation(house.path, corpus, by, file, replace=replace)


def test_stored_once_replaced_when_asked(house: House) -> None:
    house.ingest()
    pairs = house.rows("FROM token_pair ORDER BY ALL")
    assert put(house) == 6
    first = house.rows("FROM word ORDER BY ALL"), house.rows("FROM annotation"), house.rows("FROM pair_pattern")
    assert put(house) == 6  # the same again
    assert (
        house.rows("FROM word ORDER BY ALL"),
        house.rows("FROM annotation"),
        house.rows("FROM pair_pattern"),
    ) == first
    with pytest.raises(UsageError, match=r"poem is annotated by gold \(by the test\), not by split \(2, language en, "):
        put(house, OTHER)
    assert house.rows("FROM annotation") == first[1]
    assert put(house, OTHER, replace=True) == 6
    assert house.rows("SELECT source, version, language, lexicon, n_words FROM annotation") == [
        ("split", "2", "en", "index.noun 00ff", 6)
    ]
    assert house.rows("SELECT corpus_annotation FROM v_run") == [("split",)]
    assert house.rows("FROM token_pair ORDER BY ALL") == pairs
    corpus = find_corpus(house.path, choose_corpus(house.path, None).sha256)
    assert corpus and (corpus.annotation, corpus.n_words) == (OTHER, 6)


def test_a_failure_on_the_way_leaves_everything_as_it_was(house: House, monkeypatch) -> None:
    house.ingest()
    put(house)
    before = house.counts(), word_ids(house.path, 1), house.rows("FROM annotation")

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(patterns, "renew", fail)
    with pytest.raises(KeyboardInterrupt):
        put(house, OTHER, replace=True)
    assert (house.counts(), word_ids(house.path, 1), house.rows("FROM annotation")) == before


def test_a_run_with_another_tokenizer_gets_words_and_patterns(house: House) -> None:
    house.ingest()
    put(house)
    first = house.rows("SELECT pattern, count(*) FROM pair_pattern GROUP BY ALL ORDER BY ALL")
    house.ingest(Shape(name="second", model="other", tokenizer="letters"))
    assert word_ids(house.path, 2) == word_ids(house.path, 1)
    by_tokenizer = "SELECT pattern, count(*) FROM pair_pattern WHERE tokenizer_id = 2 GROUP BY ALL ORDER BY ALL"
    assert house.rows(by_tokenizer) == first
    told = annotation.alignments(house.path, 1)
    assert [one.tokenizer_name for one in told] == ["words", "letters"] and told[0].n_tokens == told[1].n_tokens == 6


def test_removal_takes_what_only_the_run_used(house: House) -> None:
    house.ingest(Shape(name="stays"))
    put(house)
    before = house.counts()
    house.ingest(Shape(name="same text", model="other", tokenizer="letters"))
    house.ingest(Shape(name="other text", seed=3, corpus="novel"))
    put(house, OTHER, name="novel")
    assert house.counts()["annotation"] == 2
    warehouse.remove_run(house.path, "same text")
    warehouse.remove_run(house.path, "other text")
    assert house.counts() == before
    warehouse.remove_run(house.path, "stays")
    assert set(house.counts().values()) == {0}


def test_a_corpus_that_is_gone_or_another_by_now(house: House) -> None:
    house.ingest()
    corpus = choose_corpus(house.path, None)
    file = house.path.with_name("word.parquet")
    words_of(3).write_parquet(file)
    warehouse.remove_run(house.path, 1)
    house.ingest(Shape(name="later", corpus="novel"))
    assert choose_corpus(house.path, None).corpus_id == corpus.corpus_id
    with pytest.raises(WarehouseError, match=r"corpus poem was removed from .* just now"):
        store_annotation(house.path, corpus, BY_TEST, file)
    assert house.counts()["word"] == 0


def test_a_damaged_file_is_refused(house: House) -> None:
    house.ingest()
    file = house.path.with_name("word.parquet")
    words_of(3).drop("zipf").write_parquet(file)
    with pytest.raises(PartsError, match="zipf"):
        store_annotation(house.path, choose_corpus(house.path, None), BY_TEST, file)
    words_of(3).with_columns(form=pl.lit(None, pl.String)).write_parquet(file)
    with pytest.raises(PartsError, match="form is NULL"):
        store_annotation(house.path, choose_corpus(house.path, None), BY_TEST, file)


def test_which_corpus(house: House) -> None:
    house.ingest()
    house.ingest(Shape(name="b", corpus="novel"))
    assert choose_corpus(house.path, "novel").corpus_id == choose_corpus(house.path, "2").corpus_id == 2
    with pytest.raises(UsageError, match="several corpora: name one of 1 poem, 2 novel"):
        choose_corpus(house.path, None)
    with pytest.raises(WarehouseError, match=r"no corpus in .* has the name or id 3: it holds 1 poem, 2 novel"):
        choose_corpus(house.path, "3")


def test_texts_are_streamed_in_order(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "lens.duckdb"
    add_texts(path, [f"text {number}" for number in range(7)])
    for block in (1, 3, 7, 100):
        monkeypatch.setattr(annotation, "_BLOCK", block)
        assert [text.text for text in texts(path, 1)] == [f"text {number}" for number in range(7)]


def test_doctor_finds_what_does_not_fit(house: House) -> None:
    from warehouse.check import check

    house.ingest()
    put(house)
    assert {finding.level for finding in check(house.path)} == {"ok"}
    for damage, words in (
        ("DELETE FROM word WHERE word_id = 1", ("tokens of words that are not there", "words missing or too many")),
        ("UPDATE pair_pattern SET key = 50 WHERE key = 0", ("pair patterns beyond the tokens",)),
        ("DELETE FROM annotation", ("word holds rows of 1 annotation ids",)),
        ("UPDATE pair_pattern SET tokenizer_id = 9", ("pair_pattern holds rows of 1 tokenizer ids", "no patterns")),
    ):
        with connect.write(house.path) as con:
            con.execute(damage)
        found = [finding.what for finding in check(house.path) if finding.level != "ok"]
        for word in words:
            assert any(word in what for what in found), (damage, found)


def test_shared_spans_go_to_the_first_word(tmp_path: Path) -> None:
    path = tmp_path / "lens.duckdb"
    add_texts(path, ["au lait"])
    add_tokens(path, 1, [[Token(1, 0, 1), Token(2, 1, 2), Token(3, 2, 7)]])
    rows = [("à", 0, 2), ("le", 0, 2), ("lait", 3, 7)]
    add_words(
        path,
        [
            {"seq_id": 0, "word_id": number, "form": form, "char_start": start, "char_end": end}
            for number, (form, start, end) in enumerate(rows)
        ],
    )
    assert word_ids(path, 1) == [[0, 0, 2]]
    [told] = annotation.alignments(path, 1)
    assert (told.n_across, told.n_on_none, told.n_words_without_token) == (0, 0, 1)
