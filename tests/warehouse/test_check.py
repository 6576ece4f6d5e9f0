"""What doctor finds in a warehouse: nothing in a sound one, and each kind of damage by name."""

import pytest

import warehouse
from tests.warehouse.conftest import House
from tests.warehouse.synthetic import Shape
from warehouse import connect, migrate
from warehouse.check import check


def test_a_sound_warehouse(house: House) -> None:
    house.ingest()
    findings = check(house.path)
    assert {finding.level for finding in findings} == {"ok"}
    assert any(f"schema {migrate.known_version()}" in finding.what for finding in findings)


@pytest.mark.parametrize(
    ("damage", "level", "words"),
    [
        ("DELETE FROM token_pair WHERE key = 0", "error", "has 76 token pairs, 100 were announced"),
        ("UPDATE token_pair SET atb = 'nan' WHERE key = 4", "error", "10 rows of token_pair in run 1"),
        ("UPDATE token_norm SET mix_atb = 'inf' WHERE pos = 4", "error", "2 rows of token_norm in run 1"),
        ("UPDATE map_change SET spearman = 'nan' WHERE spearman IS NOT NULL", "error", "rows of map_change in run 1"),
        ("UPDATE inlier_change SET spearman = 'nan' WHERE spearman < 0", "error", "rows of inlier_change in run 1"),
        ("DELETE FROM head_norm WHERE head = 1", "error", "has 24 rows of head_norm, 48 were announced"),
        ("DELETE FROM head_pair WHERE key = 0", "error", "has 152 rows of head_pair, 200 were announced"),
        ("DELETE FROM rollout WHERE layer = 0", "error", "has 200 rows of rollout, 300 were announced"),
        ("UPDATE head_norm SET value_norm = 'nan' WHERE pos = 4", "error", "4 rows of head_norm in run 1"),
        ("UPDATE head_pair SET alpha = 'inf' WHERE key = 4", "error", "20 rows of head_pair in run 1"),
        ("UPDATE rollout SET value = 'nan' WHERE key = 4", "error", "30 rows of rollout in run 1"),
        (
            "DELETE FROM neuron_activation WHERE rank = 2",
            "error",
            "has 12 rows of neuron_activation, 24 were",
        ),
        (
            "UPDATE neuron_activation SET activation = 'nan' WHERE unit = 1",
            "error",
            "8 rows of neuron_activation",
        ),
        ("DELETE FROM run", "error", "neuron_activation holds rows of 1 run ids that are not there"),
        ("DELETE FROM run", "error", "head_norm holds rows of 1 run ids that are not there"),
        ("DELETE FROM run", "error", "head_pair holds rows of 1 run ids that are not there"),
        ("DELETE FROM run", "error", "rollout holds rows of 1 run ids that are not there"),
        ("DELETE FROM run", "error", "inlier_change holds rows of 1 run ids that are not there"),
        ("DELETE FROM run", "error", "token_pair holds rows of 1 run ids that are not there"),
        ("DELETE FROM corpus", "error", "sequence holds rows of 1 corpus ids that are not there"),
        ("UPDATE run SET max_completeness_error = 0.01", "error", "by up to 1.0e-02"),
        ("UPDATE run SET status = 'running'", "warning", "run 1 first is not complete"),
    ],
)
def test_damage_is_found(house: House, damage: str, level: str, words: str) -> None:
    house.ingest()
    with connect.write(house.path) as con:
        con.execute(damage)
    found = [finding for finding in check(house.path) if words in finding.what]
    assert [finding.level for finding in found] == [level] and found[0].todo


def test_runs_from_before_heads_rollout_and_neurons_announce_none(house: House) -> None:
    house.ingest()
    with connect.write(house.path) as con:
        con.execute("UPDATE run SET options = '{}', n_neuron_rows = NULL")
        for table in ("head_norm", "head_pair", "rollout", "neuron_activation"):
            con.execute(f"DELETE FROM {table}")
    assert {finding.level for finding in check(house.path)} == {"ok"}


def test_low_precision_may_miss_by_more(house: House) -> None:
    house.ingest()
    with connect.write(house.path) as con:
        con.execute("UPDATE run SET max_completeness_error = 0.01, dtype = 'bfloat16'")
    assert {finding.level for finding in check(house.path)} == {"ok"}


def test_left_over_parts_are_found(house: House) -> None:
    folder = house.parts()
    warehouse.register_run(house.path, folder)
    assert [finding.what for finding in check(house.path) if finding.level == "warning"] == [
        "run 1 first is not complete"
    ]
    warehouse.load_shards(house.path, folder)
    warehouse.complete_run(house.path, folder, keep_parts=True)
    stray = house.parts(Shape(seed=9))
    found = {finding.where: finding.what for finding in check(house.path) if finding.level == "warning"}
    assert set(found) == {str(folder), str(stray)}
    assert "complete run" in found[str(folder)] and "no run" in found[str(stray)]


def test_what_cannot_be_opened_is_one_finding(house: House) -> None:
    [finding] = check(house.path)
    assert finding.level == "error" and "no warehouse" in finding.what
