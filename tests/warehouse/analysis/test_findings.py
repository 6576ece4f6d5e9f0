"""Verdicts for each branch of the rules, medians over layers, and queries that people can run."""

from pathlib import Path

import numpy as np
import pytest

import warehouse
from tests.warehouse.analysis.support import annotate, shape
from tests.warehouse.conftest import House
from warehouse import analysis, connect
from warehouse.analysis import findings, group_estimates
from warehouse.analysis.claims import CLAIMS, NOTICEABLE, Claim, Number, verdict
from warehouse.analysis.findings import last_layer, rendered
from warehouse.analysis.standing import standing

HOSTILE = 'it\'s "x"; DROP TABLE run; -- $run_id $corpus_id \u202e<script>'
OF_RUNS = {part.name for part in analysis.runner.PARTS} - {"shift_task", "parameter_finding"} - analysis.runner.OPTIONAL
"""Parts about runs and groups of them that are always computed; others are about parameters."""

F1, F2 = (next(claim for claim in CLAIMS if claim.claim == name) for name in ("F1", "F2"))
VERDICTS = next(claim for claim in CLAIMS if claim.aspect == "verdicts")


@pytest.mark.parametrize(
    ("claim", "number", "expected"),
    [
        (F1, Number(0.05, NOTICEABLE + 1e-9, 0.09, 20), "holds"),
        (F1, Number(0.05, NOTICEABLE, 0.09, 20), "not enough data"),
        (F1, Number(0.005, 0.001, NOTICEABLE - 1e-9, 20), "fails"),
        (F1, Number(0.05, None, None, 3), "not enough data"),
        (F1, Number(None, None, None, 0), "not enough data"),
        (F2, Number(0.1, 0.01, 0.2, 20), "holds"),
        (F2, Number(-0.1, -0.2, -0.01, 20), "fails"),
        (F2, Number(0.1, -0.01, 0.2, 20), "not enough data"),
        (VERDICTS, Number(1.0, None, None, 4), "holds"),
        (VERDICTS, Number(0.75, None, None, 4), "fails"),
        (VERDICTS, Number(None, None, None, 0), "not enough data"),
    ],
)
def test_verdict(claim: Claim, number: Number, expected: str) -> None:
    assert verdict(claim, number) == expected


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Three seeds of a family with a hostile name, analysed."""
    house = House(tmp_path_factory.mktemp("findings") / "lens.duckdb")
    for seed in range(3):
        house.ingest(shape(name=f"seed{seed}", seed=seed, model_seed=seed, family=HOSTILE, n_layer=3))
    annotate(house)
    warehouse.analyze(house.path, n_resamples=100)
    return house


@pytest.fixture
def house(analysed: House, tmp_path: Path) -> House:
    copy = House(tmp_path / "copy.duckdb")
    copy.path.write_bytes(analysed.path.read_bytes())
    return copy


def renew(house: House) -> None:
    parts = [findings.RUNS, findings.GROUPS]
    warehouse.analyze(house.path, n_resamples=100, parts=parts, force=True)


def test_the_stored_query_gives_the_stored_number(analysed: House) -> None:
    """As `lenshouse sql` asks it: read-only and fenced."""
    opened = warehouse.open(analysed.path)
    rows = opened.sql("FROM v_finding").rows(named=True)
    per_run = [claim for claim in CLAIMS if claim.of_run]
    assert len(rows) == 3 * len(per_run) + len(CLAIMS)
    for row in rows:
        found = opened.sql(row["query"])
        assert found.columns == ["value", "low", "high", "n"]
        assert found.row(0) == tuple(row[name] for name in ("value", "low", "high", "n"))
        assert (row["note"] is None) <= (row["verdict"] != "not enough data")
    assert sum(row["value"] is not None for row in rows) > 20
    assert {row["family"] for row in rows} == {None, HOSTILE}


def test_medians_over_layers_say_more_than_half(house: House) -> None:
    """Of 4 layers the middle two: the lower one's lower end above a bound means that 3 layers are above it."""
    with connect.write(house.path) as con:
        con.execute("DELETE FROM estimate")
        for layer, low in enumerate((0.4, 0.1, 0.3, 0.2), start=1):
            con.execute(
                "INSERT INTO estimate VALUES (1, 'change', ?, 'FF', 'content', ?, ?, ?, NULL, 12, 12, '1', 0)",
                [layer, low + 0.05, low, low + 0.2],
            )
    query = rendered("median_of_run", {"run_id": 1} | F1.values)
    assert house.rows(query) == [pytest.approx((0.3, 0.2, 0.5, 12))]
    with connect.write(house.path) as con:
        con.execute("UPDATE estimate SET low = NULL, high = NULL WHERE layer IN (1, 3)")
    assert house.rows(query) == [pytest.approx((0.2, 0.1, 0.4, 12))], "layers without an interval do not count"
    with connect.write(house.path) as con:
        con.execute("UPDATE estimate SET low = NULL, high = NULL")
    assert house.rows(query) == [(pytest.approx(0.3), None, None, 12)]


def test_suppression_and_depth(house: House) -> None:
    rows = [(layer, value, value - 0.1, value + 0.2) for layer, value in enumerate((0.1, 0.5, 0.2, 0.7, 0.9), start=1)]
    with connect.write(house.path) as con:
        con.execute("DELETE FROM estimate")
        for measure, item in (("surviving_share", "BLOCK/FF"), ("norm_change", "row")):
            for layer, *numbers in rows:
                about = f"1, '{measure}', {layer}, '{item}', 'content'"
                con.execute(f"INSERT INTO estimate VALUES ({about}, ?, ?, ?, NULL, 9, 9, '1', 0)", numbers)
    assert house.rows(rendered("suppressed_of_run", {"run_id": 1})) == [pytest.approx((0.5, 0.3, 0.6, 9))]
    values = {"run_id": 1, "measure": "norm_change", "item": "row", "pair_filter": "content"}
    deep, shallow = np.mean([0.7, 0.9]), np.mean([0.1, 0.5])
    wanted = (deep - shallow, deep - shallow - 0.3, deep - shallow + 0.3, 9)
    assert house.rows(rendered("depth_of_run", values)) == [pytest.approx(wanted)], "the middle layer is in no half"


def test_subwords_are_asked_of_the_first_half() -> None:
    subword = next(claim for claim in CLAIMS if claim.aspect == "subword")
    mwe = next(claim for claim in CLAIMS if claim.aspect == "mwe")
    assert [last_layer(subword, n) for n in (1, 2, 5, 12)] == [1, 1, 3, 6] and last_layer(mwe, 12) == 12


def test_a_group_holds_only_where_its_runs_agree(house: House) -> None:
    def share() -> tuple:
        return house.rows("SELECT value, n, verdict FROM finding WHERE aspect = 'verdicts'")[0]

    with connect.write(house.path) as con:
        con.execute("UPDATE finding SET verdict = 'not enough data' WHERE run_id IS NOT NULL")
        con.execute("UPDATE finding SET verdict = 'holds' WHERE aspect IN ('map', 'block') AND run_id IS NOT NULL")
    warehouse.analyze(house.path, parts=[findings.GROUPS], force=True, n_resamples=100)
    assert share() == (1.0, 2, "holds")
    with connect.write(house.path) as con:
        con.execute("UPDATE finding SET verdict = 'fails' WHERE aspect = 'block' AND run_id = 2")
    warehouse.analyze(house.path, parts=[findings.GROUPS], force=True, n_resamples=100)
    assert share() == (0.5, 2, "fails")


def test_what_is_missing_is_said(house: House) -> None:
    def notes(aspect: str) -> set[str]:
        return {note for (note,) in house.rows(f"SELECT note FROM finding WHERE aspect = '{aspect}' AND run_id = 1")}

    assert notes("mwe") == {"no such pair in the words of poem (from gold)"}
    with connect.write(house.path) as con:
        con.execute("DELETE FROM annotation")
        con.execute("DELETE FROM pattern_effect")
        con.execute("UPDATE estimate SET low = NULL, high = NULL, n = 3 WHERE measure = 'change'")
    renew(house)
    assert notes("mwe") == {"poem has no words: run `lenshouse annotate`, then `lenshouse analyze`"}
    assert notes("map") == {"no interval: n is 3, at least 8 sequences are needed"}


def test_a_group_of_one_says_so(tmp_path: Path) -> None:
    house = House(tmp_path / "one.duckdb")
    house.ingest(shape(family="alone"))
    parts = [analysis.runner.PARTS[1], group_estimates.ESTIMATES, findings.RUNS, findings.GROUPS]
    warehouse.analyze(house.path, n_resamples=100, parts=parts)
    rows = house.rows("SELECT aspect, value, low, verdict, note FROM v_finding WHERE family = 'alone'")
    assert {row[3] for row in rows} == {"not enough data"} and {row[2] for row in rows} == {None}
    assert {row[4] for row in rows} == {"a group of one run: ingest other seeds with the same --family"}
    assert dict(row[:2] for row in rows)["map"] is not None


def test_standing_tells_what_is_stale(house: House) -> None:
    assert standing(house.path, [1, 2, 3]).pending == []
    house.ingest(shape(name="new", seed=9, model_seed=9, family=HOSTILE, n_layer=3))
    every, few = standing(house.path, [1, 2, 3, 4]), standing(house.path, [1, 2, 3])
    assert few.pending == [], "the group is another now, with a run that was not asked for"
    assert {part for part, _ in every.pending} == OF_RUNS - {"group_difference"}
    assert standing(house.path, [1]).pending == []
    with connect.write(house.path) as con:
        con.execute("DELETE FROM analysis WHERE part = 'change'")
    assert ("change", "run 1 (seed0)") in standing(house.path, [1]).pending
