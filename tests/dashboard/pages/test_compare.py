"""Two runs, or two groups, side by side."""

from pathlib import Path

import numpy as np
import pytest

import warehouse
from dashboard import compared
from tests.dashboard.conftest import Show, drawn
from tests.warehouse.analysis.support import shape
from tests.warehouse.conftest import House


def test_two_runs_and_their_difference(studied: House, show: Show) -> None:
    tested = show("compare", studied.path, a="1 left0 on poem", b="3 right2 on poem")
    assert not tested.exception, [error.value for error in tested.exception]
    sides = drawn(tested, 0)
    expected = studied.rows(
        "SELECT run_id, layer, avg(1 - spearman) FROM map_change WHERE run_id IN (1, 3) AND component = 'FF' "
        "AND pair_filter = 'content' GROUP BY ALL ORDER BY ALL"
    )
    assert sides["layer"].to_list() == [layer for _, layer, _ in expected]
    assert sides["value"].to_list() == pytest.approx([value for *_, value in expected])
    assert sides["series"].to_list() == ["1 left0"] * 2 + ["3 right2"] * 2
    difference = drawn(tested, 1)
    pairs = studied.rows(
        "SELECT a.layer, b.spearman, a.spearman FROM map_change a JOIN map_change b USING (layer, seq_id, component, "
        "pair_filter) WHERE a.run_id = 1 AND b.run_id = 3 AND component = 'FF' AND pair_filter = 'content'"
    )
    for row in difference.rows(named=True):
        own = np.array([a - b for layer, b, a in pairs if layer == row["layer"] and None not in (a, b)])
        assert row["n_sequences"] == len(own) and row["value"] == pytest.approx(own.mean())
        half = 2.2 * own.std(ddof=1) / len(own) ** 0.5  # Student's t with 11 degrees of freedom, about
        assert row["low"] == pytest.approx(own.mean() - half, abs=half / 2)
        assert row["high"] == pytest.approx(own.mean() + half, abs=half / 2)


def test_every_measure_of_two_runs(studied: House, show: Show) -> None:
    tested = show("compare", studied.path)
    measures = next(box for box in tested.selectbox if box.label == "Measure")
    assert len(measures.options) == len(compared.MEASURES)
    for option in measures.options:
        measures = next(box for box in tested.selectbox if box.label == "Measure")
        tested = measures.select(option).run()
        assert not tested.exception and drawn(tested, 0).height > 0, option
        paired = option.startswith(("Change by", "Surviving"))
        assert len(tested.get("vega_lite_chart")) == (2 if paired else 1)
        assert paired or "No interval of the difference" in tested.info[0].value


def test_the_share_of_two_runs(studied: House, show: Show) -> None:
    tested = show("compare", studied.path, measure="Surviving share of FF's change", pairs="all")
    stored = studied.rows("SELECT run_id, layer, surviving_share FROM v_cancellation WHERE pair_filter = 'all'")
    shares = {(run_id, layer): share for run_id, layer, share in stored}
    found = drawn(tested, 1)
    assert found["n_sequences"].to_list() == [10, 12], "rho is undefined in a sequence of each shard, in layer 1"
    row = found.row(1, named=True)
    assert row["value"] == pytest.approx(shares[(2, 2)] - shares[(1, 2)]) and row["low"] < row["value"] < row["high"]


def test_two_groups_either_way_round(studied: House, show: Show) -> None:
    stored = studied.rows(
        "SELECT depth, difference, low, high FROM v_group_difference WHERE measure = 'change' AND item = 'FF' "
        "AND pair_filter = 'content' ORDER BY depth"
    )
    there = show("compare", studied.path, compare="groups", group_a="left on poem", group_b="right on poem")
    assert not there.exception
    assert drawn(there, 1).select("depth", "value", "low", "high").rows() == stored
    back = show("compare", studied.path, compare="groups", group_a="right on poem", group_b="left on poem")
    turned = [(depth, -value, -high, -low) for depth, value, low, high in stored]
    assert drawn(back, 1).select("depth", "value", "low", "high").rows() == turned
    assert drawn(back, 0)["series"].unique().sort().to_list() == ["left (2)", "right (2)"]


def test_only_settings_that_differ(studied: House, show: Show) -> None:
    tested = show("compare", studied.path, a="1 left0 on poem", b="3 right2 on poem")
    table = tested.dataframe[-1].value
    rows = {setting: (a, b) for setting, a, b in table.itertuples(index=False)}
    assert rows == {
        "model_name": ("left0", "right2"), "weights_sha256": ("wleft00", "wright22"), "family": ("left", "right"),
        "seed": ("0", "2"),
    }  # fmt: skip


def test_models_that_do_not_meet(tmp_path: Path, show: Show) -> None:
    house = House(tmp_path / "lens.duckdb")
    house.ingest(shape(name="two"))
    house.ingest(shape(name="three", model="deep", n_layer=3, seed=1))
    assert "no number yet" in show("compare", house.path).info[0].value
    warehouse.analyze(house.path, n_resamples=100)
    tested = show("compare", house.path)
    assert not tested.exception and "The models have 2 and 3 layers" in tested.info[0].value
    assert "n_layer" in tested.dataframe[-1].value["setting"].tolist()


def test_one_run_is_not_enough(tmp_path: Path, show: Show) -> None:
    house = House(tmp_path / "lens.duckdb")
    house.ingest(shape(name="alone"))
    assert "needs two complete runs" in show("compare", house.path).info[0].value
