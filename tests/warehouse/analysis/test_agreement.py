"""Agreement of two runs against numpy on the rows that went in: pairs, profiles and curves."""

import numpy as np
import polars as pl
import pytest

import warehouse
from tests.warehouse.analysis.oracle import ff_amps
from tests.warehouse.analysis.support import LENGTHS, annotate, shape
from tests.warehouse.conftest import House
from tests.warehouse.synthetic import Shape, shard_frames
from warehouse import connect
from warehouse.analysis import agreement, patterns
from warehouse.analysis.agreement import layer_at
from warehouse.analysis.part import Options
from warehouse.analysis.resample import resample_counts

OPTIONS = Options(seed=3, n_resamples=200)
DEEP = shape(name="deep", seed=1, model_seed=1, n_layer=4)
OTHER = shape(name="other", seed=2, model_seed=2, n_layer=4)
SHALLOW = shape(name="shallow", seed=3, model_seed=3, n_layer=3)
SHAPES = {1: DEEP, 2: OTHER, 3: SHALLOW}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    house = House(tmp_path_factory.mktemp("agreement") / "lens.duckdb")
    assert [house.ingest(shape) for shape in SHAPES.values()] == list(SHAPES)
    annotate(house)
    analyze(house, seed=OPTIONS.seed, n_resamples=OPTIONS.n_resamples)
    return house


def analyze(house: House, **options) -> warehouse.Analysis:
    """What agreement needs, and itself."""
    return warehouse.analyze(house.path, parts=[patterns.PART, agreement.PART], **{"n_resamples": 100} | options)


def stored(house: House, run_a: int, run_b: int, measure: str) -> list[dict]:
    query = "FROM seed_agreement WHERE run_a = $a AND run_b = $b AND measure = $m ORDER BY layer_a"
    return warehouse.open(house.path).sql(query, {"a": run_a, "b": run_b, "m": measure}).rows(named=True)


def rows(run: Shape, table: str) -> pl.DataFrame:
    n = run.shards[0]
    frames = (shard_frames(run, 0, range(n)), shard_frames(run, 1, range(n, n + run.shards[1])))
    return pl.concat(frame[table] for frame in frames).cast({pl.Float32: pl.Float64})


def amps(run: Shape, layer: int) -> dict[tuple[int, int, int], float]:
    columns = ("seq_id", "query", "key", "attn", "atb", "after_ff")
    pairs = rows(run, "token_pair").filter(layer=layer).select(columns).rows()
    special = {(seq, pos) for seq, n in enumerate(LENGTHS) for pos in (0, n - 1)}
    found = ff_amps({pair[:3]: pair[3:] for pair in pairs})
    return {pair: amp for pair, amp in found.items() if not {pair[:2], (pair[0], pair[2])} & special}


@pytest.mark.parametrize(("run_a", "run_b"), [(1, 2), (1, 3), (2, 3)])
def test_pairs_are_correlated_as_numpy_does(house: House, run_a: int, run_b: int) -> None:
    found = stored(house, run_a, run_b, "ff_amp")
    assert [row["layer_a"] for row in found] == [1, 2, 3, 4]
    assert [row["layer_b"] for row in found] == ([1, 2, 3, 4] if run_b == 2 else [1, 2, 2, 3])
    for row in found:
        a, b = amps(SHAPES[run_a], row["layer_a"]), amps(SHAPES[run_b], row["layer_b"])
        x, y = np.array([a[pair] for pair in a]), np.array([b[pair] for pair in a])
        assert row["value"] == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-9)
        assert row["n"] == len(a) == len(b) and row["n_sequences"] == len({pair[0] for pair in a})
        assert row["low"] < row["value"] < row["high"]


def test_the_interval_is_of_resampled_sequences(house: House) -> None:
    """Its ends lie among correlations over the pairs of drawn sequences, in the tails of a loop over the same draws."""
    [row] = [row for row in stored(house, 1, 2, "ff_amp") if row["layer_a"] == 2]
    a, b = amps(DEEP, 2), amps(OTHER, 2)
    sequences = sorted({pair[0] for pair in a})
    of = {seq: [(a[pair], b[pair]) for pair in a if pair[0] == seq] for seq in sequences}
    drawn = [counts for block in resample_counts(len(sequences), OPTIONS) for counts in block]
    values = []
    for counts in drawn:
        points = [point for seq, n in zip(sequences, counts, strict=True) for point in of[seq] * n]
        values.append(np.corrcoef(np.array(points).T)[0, 1])
    below, above = (np.mean(np.array(values) <= end) for end in (row["low"], row["high"]))
    assert 0 < below < 0.025 and 0.975 < above <= 1


def test_curves_and_profiles_are_correlated_over_their_points(house: House) -> None:
    curves = []
    for run in (DEEP, OTHER):
        changes = rows(run, "map_change").filter(component="FF", pair_filter="content")
        curves.append([1 - changes.filter(layer=layer)["spearman"].mean() for layer in range(1, 5)])
    [curve] = stored(house, 1, 2, "change_curve")
    assert curve["value"] == pytest.approx(np.corrcoef(*curves)[0, 1]) and curve["n"] == 4
    [profile] = stored(house, 1, 2, "pattern_profile")
    query = """SELECT a.effect, b.effect FROM pattern_effect AS a JOIN pattern_effect AS b USING (layer, pattern)
    WHERE a.run_id = 1 AND b.run_id = 2 AND a.relation IS NULL AND b.relation IS NULL AND pattern <> 'special'"""
    effects = np.array(house.rows(query))
    assert profile["value"] == pytest.approx(np.corrcoef(effects.T)[0, 1]) and profile["n"] == len(effects) == 16


def test_layers_meet_at_the_same_depth() -> None:
    assert [layer_at(layer, 12, 6) for layer in range(1, 13)] == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]
    assert [layer_at(layer, 6, 12) for layer in range(1, 7)] == [2, 4, 6, 8, 10, 12]
    assert [layer_at(layer, 6, 4) for layer in range(1, 7)] == [1, 1, 2, 3, 3, 4]
    assert {layer_at(1, n, 1) for n in range(1, 40)} == {1}


def test_words_are_where_other_tokenizers_meet(house_of_words: House) -> None:
    found = stored(house_of_words, 1, 2, "ff_amp_words")
    assert len(found) == 2 and not stored(house_of_words, 1, 2, "ff_amp")
    query = """SELECT a.ff_amp, b.ff_amp FROM v_word_pair AS a JOIN v_word_pair AS b
    USING (seq_id, query_word_id, key_word_id, layer)
    WHERE a.run_id = 1 AND b.run_id = 2 AND layer = 2 AND query_word_id <> key_word_id"""
    x, y = np.array(house_of_words.rows(query)).T
    assert found[1]["value"] == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-9) and found[1]["n"] == len(x) > 50


@pytest.fixture
def house_of_words(tmp_path) -> House:
    house = House(tmp_path / "words.duckdb")
    house.ingest(shape())
    house.ingest(shape(seed=1, model_seed=1, tokenizer="letters", name="letters"))
    annotate(house)
    with connect.write(house.path) as con:
        con.execute("UPDATE token SET word_id = pos // 2 WHERE NOT is_special")
    analyze(house)
    return house


def test_why_runs_are_not_compared(tmp_path) -> None:
    house = House(tmp_path / "apart.duckdb")
    for number, changes in enumerate(({}, {"seed": 1}, {"seed": 2, "model_seed": 1, "tokenizer": "letters"})):
        house.ingest(shape(name=f"run{number}", **changes))
    outcome = analyze(house)
    skipped = {title: reason for part, title, reason in outcome.skipped if part == "seed_agreement"}
    assert list(skipped) == ["runs 1 (run0) and 2 (run1)"] and "same weights" in skipped[next(iter(skipped))]
    assert any("other tokenizers and no words to meet at" in note for note in outcome.notes)
    assert house.rows("SELECT DISTINCT measure FROM seed_agreement WHERE run_b = 3") == [("change_curve",)]
    with connect.write(house.path) as con:
        con.execute("""UPDATE run SET options = '{"ff_bias": "constant"}' WHERE run_id = 3""")
    outcome = analyze(house)
    assert sum("--ff-bias is path in one, constant in the other" in reason for _, _, reason in outcome.skipped) == 2
    assert house.rows("SELECT count(*) FROM seed_agreement") == [(0,)]
