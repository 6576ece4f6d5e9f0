"""Effects by parts of speech against loops over stored rows, and their adjusted p against scipy's."""

import math
from pathlib import Path

import pytest
from scipy import stats

import warehouse
from tests.warehouse.analysis import oracle
from tests.warehouse.analysis.support import UPOS, annotate, execute, shape
from tests.warehouse.conftest import House
from warehouse import connect
from warehouse.analysis import parts_of_speech
from warehouse.analysis.standing import standing

BEFORE = {1: "atb", 2: "after_ln"}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    """A Post-LN, a Pre-LN and a parallel model; some words of two tokens, some tokens that attention does not see."""
    house = House(tmp_path_factory.mktemp("upos") / "lens.duckdb")
    for number, placement in enumerate(("post_ln", "pre_ln", "parallel"), 1):
        house.ingest(shape(name=placement, placement=placement, seed=number, model=placement))
    annotate(house)
    execute(
        house,
        "UPDATE token_pair SET attn = 0 WHERE abs(query - key) > 6",
        "UPDATE token SET word_id = 1 WHERE pos = 2 AND word_id IS NOT NULL",
    )
    found = warehouse.analyze(house.path, n_resamples=200, parts=[parts_of_speech.PART])
    assert len(found.computed) == 2 and not found.skipped
    return house


def upos_pairs(house: House, query: str, key: str) -> set[oracle.Pair]:
    """Pairs of tokens of two different words of these parts of speech."""
    rows = house.rows(
        "SELECT token.seq_id, pos, token.word_id, upos FROM token JOIN word USING (corpus_id, seq_id, word_id)"
    )
    return {
        (seq, i, j)
        for seq, i, word, upos in rows
        for other, j, word_j, upos_j in rows
        if seq == other and word != word_j and (upos, upos_j) == (query, key)
    }


@pytest.mark.parametrize("run", BEFORE)
def test_effects(house: House, run: int) -> None:
    content = set(house.rows("SELECT seq_id, pos FROM token WHERE NOT is_special"))
    rows = warehouse.open(house.path).sql(f"FROM v_upos_effect WHERE run_id = {run}").rows(named=True)
    assert len(rows) == 2 * len(UPOS) ** 2
    for layer in (1, 2):
        maps = {
            row[:3]: row[3:]
            for row in house.rows(
                f"SELECT seq_id, query, key, attn, {BEFORE[run]}, after_ff FROM token_pair "
                f"WHERE run_id = {run} AND layer = {layer}"
            )
        }
        amps = {p: a for p, a in oracle.ff_amps(maps).items() if {(p[0], p[1]), (p[0], p[2])} <= content}
        for row in rows:
            if row["layer"] == layer:
                wanted = oracle.pattern_numbers(amps, upos_pairs(house, row["query_upos"], row["key_upos"]))
                assert row["effect"] == pytest.approx(wanted["effect"], abs=1e-12, rel=1e-9)
                assert (row["n_pairs"], row["n_sequences"]) == (wanted["n_pairs"], wanted["n_sequences"])
                has_interval = row["effect_low"] is not None
                assert not (has_interval and row["n_sequences"] < 8)
                assert not has_interval or row["effect_low"] <= row["effect"] <= row["effect_high"]


def test_p_is_adjusted_within_a_run(house: House) -> None:
    for run in BEFORE:
        rows = house.rows(f"SELECT p_value, p_adjusted FROM v_upos_effect WHERE run_id = {run} AND p_value IS NOT NULL")
        p, adjusted = zip(*rows, strict=True)
        assert len(set(p)) > 5
        assert adjusted == pytest.approx(stats.false_discovery_control(p, method="bh"), abs=1e-12)


def test_equal_and_missing_p(house: House, tmp_path_factory: pytest.TempPathFactory) -> None:
    copy = House(tmp_path_factory.mktemp("ties") / "lens.duckdb")
    copy.path.write_bytes(house.path.read_bytes())
    execute(
        copy,
        "UPDATE estimate SET p_value = round(p_value * 4) / 4 WHERE measure = 'upos_effect'",
        "UPDATE estimate SET p_value = NULL WHERE measure = 'upos_effect' AND item LIKE 'NOUN/%'",
    )
    rows = copy.rows("SELECT p_value, p_adjusted FROM v_upos_effect WHERE run_id = 1")
    known = [(p, q) for p, q in rows if p is not None]
    assert len(known) == 12 and all(q is None for p, q in rows if p is None)
    wanted = stats.false_discovery_control([p for p, _ in known], method="bh")
    assert [q for _, q in known] == pytest.approx(list(wanted), abs=1e-12)


def test_where_there_is_none(house: House, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert house.rows("SELECT count(*) FROM v_upos_effect WHERE run_id = 3") == [(0,)]
    copy = House(tmp_path_factory.mktemp("none") / "lens.duckdb")
    copy.path.write_bytes(house.path.read_bytes())
    execute(copy, "UPDATE word SET upos = NULL")
    found = warehouse.analyze(copy.path, n_resamples=100, force=True, parts=[parts_of_speech.PART])
    assert len(found.computed) == 2
    assert copy.rows("SELECT count(*) FROM v_upos_effect") == [(0,)]


def test_it_goes_with_its_run(house: House, tmp_path_factory: pytest.TempPathFactory) -> None:
    copy = House(tmp_path_factory.mktemp("gone") / "lens.duckdb")
    copy.path.write_bytes(house.path.read_bytes())
    warehouse.remove_run(copy.path, 1)
    assert copy.rows("SELECT DISTINCT run_id FROM v_upos_effect") == [(2,)]
    assert ("upos_effect", "run 2 (pre_ln)") not in standing(copy.path, [2]).pending
    assert not math.isnan(copy.rows("SELECT max(effect) FROM v_upos_effect")[0][0])


def test_it_is_computed_when_asked_for_and_kept_up_to_date_from_then_on(house: House, tmp_path: Path) -> None:
    copy = House(tmp_path / "asked.duckdb")
    copy.path.write_bytes(house.path.read_bytes())
    with connect.write(copy.path) as con:
        con.execute("DELETE FROM analysis")
        con.execute("DELETE FROM estimate")
    assert "upos_effect" not in {part for part, _ in warehouse.analyze(copy.path, n_resamples=100).computed}
    assert "upos_effect" not in {part for part, _ in standing(copy.path, [1, 2]).pending}
    asked = warehouse.analyze(copy.path, n_resamples=100, by_parts_of_speech=True)
    assert "upos_effect" in {part for part, _ in asked.computed}
    with connect.write(copy.path) as con:
        con.execute("UPDATE annotation SET source = 'another'")
    assert "upos_effect" in {part for part, _ in standing(copy.path, [1, 2]).pending}
    again = warehouse.analyze(copy.path, n_resamples=100)
    assert "upos_effect" in {part for part, _ in again.computed}
