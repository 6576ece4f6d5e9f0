"""What a sentence's page asks: cells are the warehouse's own values, words and blocks are what a loop gives."""

from itertools import product

import numpy as np
import polars as pl
import pytest
import streamlit as st

from dashboard import data, sentences
from dashboard.charts.maps import Frame
from dashboard.sentences import FF_AMP, Shown
from tests.warehouse.analysis.support import annotate, shape
from tests.warehouse.conftest import House
from warehouse import connect

MAPS = ("attn", "attn_norm", "atb", "after_ff", "after_res", "after_ln")
ALL = Frame((0, 999), (0, 999))
SEQ, N = 4, 12
LONG = 512


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Run 1 (Post-LN), 2 (causal, Pre-LN) and 3 (a window of 3 in layer 1; another tokenizer); words of two tokens."""
    made = House(tmp_path_factory.mktemp("sentence") / "lens.duckdb")
    made.ingest(shape(name="a", seed=1))
    made.ingest(shape(name="b", seed=2, model="pre", placement="pre_ln"))
    made.ingest(shape(name="c", seed=3, model="window", tokenizer="other"))
    annotate(made)
    with connect.write(made.path) as con:
        con.execute("UPDATE token SET word_id = CASE WHEN is_special THEN NULL ELSE 1 + (pos - 1) // 2 END")
        con.execute("UPDATE model SET is_causal = true WHERE name = 'pre'")
        con.execute("DELETE FROM token_pair WHERE run_id = 2 AND key > query")
        zeros = ", ".join(f"{name} = 0" for name in MAPS)
        con.execute(f"UPDATE token_pair SET {zeros} WHERE run_id = 3 AND layer = 1 AND abs(query - key) > 3")
        con.execute("UPDATE sequence SET label = 'odd' WHERE seq_id % 2 = 1")
        con.execute("UPDATE sequence SET text = 'It''s 100% <b>Bold</b>' WHERE seq_id = 3")
        con.execute("INSERT INTO sequence VALUES (1, 100, 'long', NULL, NULL)")
        con.execute(
            "INSERT INTO token (tokenizer_id, corpus_id, seq_id, pos, token_id, is_special) "
            f"SELECT 1, 1, 100, p, 2 + p % 6, p IN (0, {LONG - 1}) FROM range({LONG}) AS t(p)"
        )
        values = ", ".join(f"1 + (q * 31 + k * 17) % {90 + number}" for number in range(len(MAPS)))
        con.execute(
            f"INSERT INTO token_pair SELECT 1, 1, 100, q, k, {values} FROM range({LONG}) AS a(q), range({LONG}) AS b(k)"
        )
    return made


@pytest.fixture(autouse=True)
def asked(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LENSHOUSE_WAREHOUSE", str(house.path))
    st.cache_data.clear()


def shown(run_id: int = 1, seq_id: int = SEQ, layer: int = 2, unit: sentences.Unit = "token", **options) -> Shown:
    run = data.ask("runs").frame.filter(run_id=run_id).row(0, named=True)
    values = {"normalised": True, "special": True, "diagonal": True} | options
    return Shown(run, seq_id, layer, unit, **values)


def stored(house: House, run_id: int = 1, seq_id: int = SEQ, layer: int = 2) -> dict[str, np.ndarray]:
    """Maps of the table itself, (n, n) each; NaN where there is no row."""
    rows = house.rows(
        f"SELECT query, key, {', '.join(MAPS)} FROM token_pair "
        f"WHERE run_id = {run_id} AND seq_id = {seq_id} AND layer = {layer}"
    )
    n = max(row[0] for row in rows) + 1
    found = {name: np.full((n, n), np.nan) for name in MAPS}
    for query, key, *values in rows:
        for name, value in zip(MAPS, values, strict=True):
            found[name][query, key] = value
    return found


def shares(values: dict[str, np.ndarray], first: str = "atb") -> dict[str, np.ndarray]:
    """Row-normalised, attn as it is, and FF-amp; `first` is the map that FF reads."""
    found = {name: m / np.nansum(m, axis=1, keepdims=True) for name, m in values.items() if name != "attn"}
    return found | {"attn": values["attn"], "ff_amp": found["after_ff"] - found[first]}


def compare(frame: pl.DataFrame, wanted: dict[str, np.ndarray], places: set[tuple[int, int]]) -> None:
    assert [(row["query"], row["key"]) for row in frame.rows(named=True)] == sorted(places)
    for row in frame.rows(named=True):
        for name, values in wanted.items():
            assert row[name] == pytest.approx(values[row["query"], row["key"]], rel=1e-6, abs=1e-9), name


def test_raw_cells_are_those_of_the_table(house: House) -> None:
    found = sentences.cells(shown(normalised=False), ALL).frame
    compare(found, stored(house) | {"ff_amp": shares(stored(house))["ff_amp"]}, set(product(range(N), range(N))))


@pytest.mark.parametrize(("run_id", "first"), [(1, "atb"), (2, "after_ln")])
def test_normalised_cells_are_shares_of_the_whole_row(house: House, run_id: int, first: str) -> None:
    found = sentences.cells(shown(run_id, special=False, diagonal=False), ALL).frame
    content = range(1, N - 1)
    places = {(q, k) for q, k in product(content, content) if q != k and (run_id == 1 or k < q)}
    compare(found, shares(stored(house, run_id), first), places)


def test_a_window_changes_no_value(house: House) -> None:
    found = sentences.cells(shown(), Frame((2, 4), (7, 9))).frame
    compare(found, shares(stored(house)), set(product(range(2, 5), range(7, 10))))


def test_pairs_that_attention_does_not_see_have_no_cell(house: House) -> None:
    found = sentences.cells(shown(3, layer=1), ALL).frame
    assert {abs(q - k) for q, k in found.select("query", "key").rows()} == {0, 1, 2, 3}
    assert sentences.cells(shown(3, layer=2), ALL).frame.height == N * N
    causal = sentences.cells(shown(2), ALL).frame
    assert causal.height == N * (N + 1) // 2 and (causal["key"] <= causal["query"]).all()
    words = sentences.cells(shown(2, unit="word"), ALL).frame
    assert (words["key"] <= words["query"]).all() and words.height == 15


@pytest.mark.parametrize(("run_id", "first"), [(1, "atb"), (2, "after_ln")])
def test_words_sum_over_keys_and_average_over_queries(house: House, run_id: int, first: str) -> None:
    tokens = {1 + i: [1 + 2 * i, 2 + 2 * i] for i in range(5)}
    own = shares(stored(house, run_id), first)
    wanted = {}
    for name, values in own.items():
        wanted[name] = np.full((6, 6), np.nan)
        for a, b in product(tokens, tokens):
            received = [sum(np.nan_to_num(values[q, k]) for k in tokens[b]) for q in tokens[a]]
            wanted[name][a, b] = np.mean(received)
    found = sentences.cells(shown(run_id, unit="word"), ALL).frame
    compare(found, wanted, {(a, b) for a, b in product(tokens, tokens) if run_id == 1 or b <= a})
    assert found["query_text"].to_list() == [f"w{a}" for a in found["query"]]


def test_patterns_of_a_pair_are_listed(house: House) -> None:
    found = sentences.cells(shown(), ALL).frame
    rows = house.rows(
        f"SELECT query, key, pattern, relation FROM pair_pattern WHERE tokenizer_id = 1 AND seq_id = {SEQ}"
    )
    held: dict[tuple[int, int], set[str]] = {}
    for query, key, pattern, relation in rows:
        held.setdefault((query, key), set()).add(f"{pattern} {relation}" if relation else pattern)
    assert len(held) > 20
    for row in found.rows(named=True):
        assert set((row["patterns"] or "").split(", ")) - {""} == held.get((row["query"], row["key"]), set())


def test_a_difference_is_the_second_less_the_first(house: House) -> None:
    a, b = shown(1), shown(2, layer=1)
    found = sentences.difference(a, b, ALL).frame
    one, two = shares(stored(house, 1)), shares(stored(house, 2, layer=1), "after_ln")
    compare(found, {name: two[name] - one[name] for name in one}, {(q, k) for q in range(N) for k in range(q + 1)})


def test_runs_agree_where_a_position_is_the_same_thing(house: House) -> None:
    assert sentences.agree(shown(1), shown(2)) and sentences.agree(shown(1, unit="word"), shown(3, unit="word"))
    assert not sentences.agree(shown(1), shown(3)), "another tokenizer"
    assert not sentences.agree(shown(1), shown(2, seq_id=5)), "another text"


@pytest.mark.parametrize("name", ["ff_amp", "attn", "after_res"])
def test_the_strongest_come_first(house: House, name: str) -> None:
    measure = next(one for one in [FF_AMP, *shown().measures] if one.name == name)
    found = sentences.strongest(shown(special=False, diagonal=False), measure, 9).frame
    values = shares(stored(house))[name]
    size = np.abs(values) if name == "ff_amp" else values
    places = sorted(((q, k) for q, k in product(range(1, N - 1), repeat=2) if q != k), key=lambda at: -size[at])
    assert found.select("query", "key").rows() == places[:9]
    assert found[name].to_list() == pytest.approx([values[at] for at in places[:9]])


def test_a_sentence_of_512_tokens_is_read_in_blocks(house: House) -> None:
    one = shown(seq_id=100, layer=1, special=False, diagonal=False)
    size = sentences.block_size(sentences.positions(one))
    found = sentences.blocks(one, size).frame
    own = shares(stored(house, seq_id=100, layer=1))
    assert size == 16 and found.height == 32 * 32
    kept = ~np.eye(LONG, dtype=bool)
    kept[[0, -1]] = kept[:, [0, -1]] = False
    for row in found.rows(named=True):
        block = np.s_[row["query"] * size : (row["query"] + 1) * size, row["key"] * size : (row["key"] + 1) * size]
        assert row["n_pairs"] == kept[block].sum()
        for name in (*MAPS, "ff_amp"):
            assert row[name] == pytest.approx(own[name][block][kept[block]].mean(), rel=1e-5, abs=1e-9)
    assert found["n_pairs"].sum() == kept.sum(), "no pair is left out"
    axis = sentences.block_axis(sentences.positions(one), size)
    assert axis.positions == list(range(32)) and axis.labels[:3] == ["0", "16", "32"]


@pytest.mark.parametrize("n", [1, 32, 33, 64, 65, 512, 1000])
def test_there_are_few_blocks(n: int) -> None:
    places = pl.DataFrame({"position": list(range(n))})
    size = sentences.block_size(places)
    assert len(sentences.block_axis(places, size).positions) <= 32
    assert size == 1 or len(sentences.block_axis(places, size - 1).positions) > 32, "no larger than they need be"


def test_measures_follow_the_models_order() -> None:
    assert [one.name for one in shown(1).measures][3:] == ["after_ff", "after_res", "after_ln"]
    assert [one.name for one in shown(2).measures][3:] == ["after_ln", "after_ff", "after_res"]
    assert {one.unit for one in shown().measures} == {"share"}
    assert [one.unit for one in shown(normalised=False).measures] == ["weight"] + ["norm"] * 5


def test_sentences_are_found_by_text_and_label() -> None:
    def find(search: str, label: str | None = None, limit: int = 100) -> list[int]:
        values = {"corpus_id": 1, "tokenizer_id": 1, "search": search, "label": label, "limit": limit}
        return data.ask("sentence/find", **values).frame["seq_id"].to_list()

    assert find("") == [*range(12), 100] and find("", limit=3) == [0, 1, 2]
    assert find("it's 100% <B>bold") == [3] and find("%") == [3] and find("_") == []
    assert find("", "odd") == [1, 3, 5, 7, 9, 11] and find("text", "odd", 2) == [1, 5]


def test_a_second_run_is_asked_for_the_very_text() -> None:
    def same(text: str, seq_id: int) -> list[int]:
        return data.ask("sentence/same_text", corpus_id=1, text=text, seq_id=seq_id).frame["seq_id"].to_list()

    assert same("text 4", 4) == [4] and same("text 4", 9) == [4] and same("Text 4", 4) == []


def test_the_first_sentence_is_a_short_one(house: House) -> None:
    answer = data.ask("sentence/first", corpus_id=1, tokenizer_id=1, length=22).frame
    assert answer.row(0, named=True) == {"last_seq_id": 100, "seq_id": SEQ}


@pytest.mark.parametrize(
    ("text", "label"),
    [("the", "the"), ("", "␣"), ("  ", "␣␣"), ("a\nb", "a\\nb"), ("\u202ex", "\\u202ex"), (None, "␣")],
)
def test_labels_are_short_and_never_empty(text: str | None, label: str) -> None:
    assert sentences.label(text) == label
    assert len(sentences.label("x" * 5_000)) <= 18


def test_what_is_drawn_has_clean_texts_and_the_same_numbers() -> None:
    frame = sentences.cells(shown(), ALL).frame
    hostile = frame.with_columns(query_text=pl.lit("<b>\u202e\n" + "y" * 5_000), patterns=pl.lit(None, pl.String))
    drawn = sentences.told(hostile)
    assert "query_text" not in drawn.columns and drawn["query_label"][0].startswith("<b>\\u202e\\n")
    assert drawn["query_label"].str.len_chars().max() <= 60 and set(drawn["patterns"]) == {"none"}
    assert np.allclose(drawn["ff_amp"], frame["ff_amp"], rtol=1e-4)
