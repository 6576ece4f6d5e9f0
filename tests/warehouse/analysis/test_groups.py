"""Groups and their differences against the numbers of their runs, and what makes a group."""

from pathlib import Path

import numpy as np
import pytest

import warehouse
from tests.warehouse.analysis.support import annotate, shape
from tests.warehouse.conftest import House
from warehouse import connect
from warehouse.analysis import agreement, changes, dimensions, group_estimates, norms, patterns

PARTS = (
    *(patterns.PART, changes.PART, norms.PART, dimensions.CORRELATIONS, agreement.PART),
    *(group_estimates.ESTIMATES, group_estimates.DIFFERENCES),
)
ABOUT = ("measure", "layer", "item", "pair_filter")


@pytest.fixture(scope="module")
def grouped(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Runs 1 to 3 of one family, 4 and 5 of a deeper one, 6 of a third; 7 has the weights of 1 and no analysis."""
    house = House(tmp_path_factory.mktemp("groups") / "lens.duckdb")
    for seed in range(3):
        house.ingest(shape(name=f"small{seed}", seed=seed, model_seed=seed, family="small"))
    for seed in (3, 4):
        house.ingest(shape(name=f"large{seed}", seed=seed, model_seed=seed, family="large", n_layer=4, model="large"))
    house.ingest(shape(name="alone", seed=5, model_seed=5, family="alone", model="alone"))
    annotate(house)
    outcome = warehouse.analyze(house.path, n_resamples=100, parts=PARTS)
    assert [note for note in outcome.notes if "alone" in note] == [
        "group alone over poem has one run: its means have no interval; ingest other seeds with the same --family"
    ]
    house.ingest(shape(name="again", seed=6, model_seed=0, family="small"))
    return house


def estimates(house: House, run_ids: tuple[int, ...]) -> dict[tuple, list[float]]:
    """What `estimate` and `pattern_effect` hold of some runs: (measure, layer, item, pair_filter) -> values."""
    found: dict[tuple, list[float]] = {}
    rows = house.rows(
        f"""SELECT measure, layer, item, pair_filter, value FROM estimate WHERE run_id IN {run_ids}
        AND measure IN ('change', 'surviving_share', 'norm_change', 'ln_weight') AND item <> 'sequence'
        UNION ALL
        SELECT 'pattern_effect', layer, pattern, NULL, effect FROM pattern_effect
        WHERE run_id IN {run_ids} AND relation IS NULL"""
    )
    for *about, value in rows:
        found.setdefault(tuple(about), []).append(np.nan if value is None else value)
    return found


def test_a_group_has_the_mean_of_its_runs(grouped: House) -> None:
    wanted = estimates(grouped, (1, 2, 3))
    rows = warehouse.open(grouped.path).sql(
        "FROM group_estimate WHERE family = 'small' AND measure <> 'agreement'"
    )  # fmt: skip
    assert {tuple(row[name] for name in ABOUT) for row in rows.rows(named=True)} == set(wanted)
    for row in rows.rows(named=True):
        values = wanted[tuple(row[name] for name in ABOUT)]
        assert row["n_runs"] == len(values) == 3 and row["n_sequences"] == 12
        if np.isnan(values).any():
            assert row["mean"] is None
            continue
        assert row["mean"] == pytest.approx(np.mean(values)) and row["sd"] == pytest.approx(np.std(values, ddof=1))
        if row["low"] is not None:
            assert row["low"] <= row["mean"] <= row["high"]
    assert rows.filter(measure="change")["low"].null_count() == 0


def test_agreement_of_a_group_is_the_mean_over_its_pairs(grouped: House) -> None:
    for layer, mean, sd, low, high in grouped.rows(
        """SELECT layer, mean, sd, low, high FROM group_estimate
        WHERE family = 'small' AND measure = 'agreement' AND item = 'ff_amp' ORDER BY layer"""
    ):
        pairs = "SELECT value FROM seed_agreement WHERE measure = 'ff_amp' AND run_a <= 2 AND run_b <= 3 AND layer_a = "
        values = [value for (value,) in grouped.rows(f"{pairs}{layer}")]
        assert (
            len(values) == 3 and mean == pytest.approx(np.mean(values)) and sd == pytest.approx(np.std(values, ddof=1))
        )
        assert low < mean < high
    two = grouped.rows("SELECT mean, sd, low FROM group_estimate WHERE family = 'large' AND item = 'ff_amp'")
    assert len(two) == 4 and all(row[0] is not None and row[1:] == (None, None) for row in two)


def test_one_run_has_a_mean_and_no_more(grouped: House) -> None:
    wanted = estimates(grouped, (6, 6))
    rows = grouped.rows(f"SELECT {', '.join(ABOUT)}, mean, sd, low, high FROM group_estimate WHERE family = 'alone'")
    assert {tuple(row[:4]) for row in rows} == set(wanted)
    for *about, mean, sd, low, high in rows:
        assert (sd, low, high) == (None, None, None)
        value = wanted[tuple(about)][0]
        assert mean is None if np.isnan(value) else mean == pytest.approx(value)


def test_groups_meet_at_the_same_depth(grouped: House) -> None:
    """Of 4 layers and 2: at depth 0.5 layer 2 meets 1, at depth 1 layer 4 meets 2."""
    large, small = estimates(grouped, (4, 5)), estimates(grouped, (1, 2, 3))
    rows = grouped.rows(
        """SELECT measure, item, pair_filter, depth, difference, low, high, p_value, n_runs_a, n_runs_b
        FROM group_difference WHERE family_a = 'large' AND family_b = 'small'"""
    )
    assert {row[3] for row in rows} == {0.5, 1.0} and {row[8:] for row in rows} == {(2, 3)}
    for measure, item, pair_filter, depth, difference, low, high, p, *_ in rows:
        a = large[measure, int(4 * depth), item, pair_filter]
        b = small[measure, int(2 * depth), item, pair_filter]
        if difference is None:
            assert np.isnan([*a, *b]).any()
            continue
        assert difference == pytest.approx(np.mean(b) - np.mean(a))
        if low is not None:
            assert low <= high and 0 < p <= 1 and (p < 0.04) <= (not low <= 0 <= high)
    alone = grouped.rows("SELECT low, high, p_value FROM group_difference WHERE 'alone' IN (family_a, family_b)")
    assert set(alone) == {(None, None, None)}


def test_the_same_weights_count_once_and_settings_are_shared(grouped: House, tmp_path: Path) -> None:
    members = "SELECT run_id FROM v_group_run WHERE family = 'small' ORDER BY run_id"
    assert grouped.rows(members) == [(1,), (2,), (3,)]
    house = House(tmp_path / "copy.duckdb")
    house.path.write_bytes(grouped.path.read_bytes())
    with connect.write(house.path) as con:
        con.execute("UPDATE run SET dtype = 'bfloat16' WHERE run_id = 2")
    assert house.rows(members) == [(1,), (3,)]
    with connect.write(house.path) as con:
        con.execute('UPDATE run SET options = \'{"ff_bias": "constant"}\' WHERE run_id IN (1, 2, 3)')
        con.execute("UPDATE run SET dtype = 'bfloat16' WHERE run_id IN (1, 2, 3)")
    assert house.rows(members) == [(1,), (2,), (3,)], "three models of other settings outnumber one"


def test_removing_a_run_takes_what_its_pairs_and_group_are_owed(grouped: House, tmp_path: Path) -> None:
    house = House(tmp_path / "copy.duckdb")
    house.path.write_bytes(grouped.path.read_bytes())
    others = house.rows("SELECT count(*) FROM group_estimate WHERE family <> 'small'")
    warehouse.remove_run(house.path, 2)
    assert house.rows("SELECT count(*) FROM group_estimate") == others != [(0,)]
    assert house.rows("SELECT count(*) FROM seed_agreement WHERE 2 IN (run_a, run_b)") == [(0,)]
    assert house.rows("SELECT DISTINCT family_a, family_b FROM group_difference") == [("alone", "large")]
    assert house.rows("SELECT count(*) FROM analysis WHERE subject LIKE '%small%'") == [(0,)]
