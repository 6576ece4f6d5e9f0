"""The page about seeds and sizes: agreement, groups, differences, and what it says when there is nothing."""

from pathlib import Path

import pytest

from tests.dashboard.pages.support import charts, commands, keyed, settled, visit
from tests.warehouse.analysis.support import execute
from tests.warehouse.conftest import House


def test_agreement_of_all_runs(pages: House) -> None:
    app = visit("seeds")
    found = charts(app)["Agreement of runs, mean of layers"].frame("a", "b", "value")
    wanted = pages.rows(
        "SELECT run_a, run_b, avg(value) FROM seed_agreement WHERE measure = 'ff_amp' GROUP BY run_a, run_b"
    )
    assert found.height == 2 * len(wanted) == 2 * 10, "five runs over the corpus with words"
    cells = {(int(a.split()[0]), int(b.split()[0])): value for a, b, value in found.select("a", "b", "value").rows()}
    for a, b, value in wanted:
        assert cells[a, b] == cells[b, a] == pytest.approx(value)
    lines = charts(app)["Agreement by layer"].frame("pair", "layer", "series")
    kinds = dict(lines.select("pair", "series").rows())
    assert kinds["1-2"] == "within one" and kinds["1-3"] == "across groups" and kinds["1-5"] == "without a group"


def test_agreement_in_a_layer_has_intervals(pages: House) -> None:
    found = charts(visit("seeds", layer="2"))["Agreement of runs, layer 2"].frame("a", "b", "value", "low", "high")
    wanted = keyed(pages, "SELECT run_a, run_b, value FROM seed_agreement WHERE measure = 'ff_amp' AND layer_a = 2")
    for a, b, value, low, high in found.select("a", "b", "value", "low", "high").rows():
        ends = sorted((int(a.split()[0]), int(b.split()[0])))
        assert value == wanted[tuple(ends)] and low <= value <= high


def test_a_profile_has_no_layers(pages: House) -> None:
    app = visit("seeds", agreement="change_curve")
    assert "all layers count together" in app.info[0].value
    assert charts(app)["Agreement of runs"].frame("a", "b").height == 20


def test_a_group_with_its_runs_behind_it(pages: House) -> None:
    found = charts(visit("seeds", measure="surviving_share", pairs="offdiag"))
    mean = found["Mean of the group, its runs behind it"]
    means, runs = mean.frame("layer", "value", "sd"), mean.frame("run_id", "layer", "value")
    assert set(runs["run_id"]) == {1, 2}
    for layer, value in means.select("layer", "value").rows():
        assert value == pytest.approx(runs.filter(layer=layer)["value"].mean())
    own = keyed(pages, "SELECT run_id, layer, surviving_share FROM v_cancellation WHERE pair_filter = 'offdiag'")
    for run_id, layer, value in runs.select("run_id", "layer", "value").rows():
        assert value == pytest.approx(own[run_id, layer])


def test_groups_against_groups(pages: House) -> None:
    found = charts(visit("seeds"))["One group less the other"].frame("depth", "value", "low", "high")
    means = keyed(
        pages,
        "SELECT family = 'one', layer, avg(mean_change) FROM v_change_by_layer "
        "WHERE component = 'FF' AND pair_filter = 'content' AND family IS NOT NULL GROUP BY ALL",
    )
    for depth, value in found.select("depth", "value").rows():
        layer = round(depth * 2)
        assert value == pytest.approx(means[False, layer] - means[True, layer]), (
            "the name that comes later less the other"
        )


@pytest.mark.parametrize("measure", ["norm_change", "ln_weight", "pattern_effect", "agreement"])
def test_every_measure_of_groups(measure: str, pages: House) -> None:
    app = visit("seeds", measure=measure)
    assert "Mean of the group, its runs behind it" in charts(app)
    assert ("One group less the other" in charts(app)) == (measure != "agreement")


def test_another_measure_lets_go_of_an_item_that_it_has_not(pages: House) -> None:
    app = visit("seeds", item="BLOCK")
    app.selectbox(key="measure").set_value("ln_weight").run()
    assert settled(app).selectbox(key="item").value in ("ff_in", "ff_out")


def test_what_is_missing_is_said(bare: House) -> None:
    app = visit("seeds")
    assert "not been compared yet" in app.info[0].value and "lenshouse analyze" in commands(app)[0]


def test_words_where_tokenizers_differ(pages: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = House(tmp_path / "words.duckdb")
    copy.path.write_bytes(pages.path.read_bytes())
    execute(copy, "UPDATE seed_agreement SET measure = 'ff_amp_words' WHERE measure = 'ff_amp' AND run_b = 5")
    monkeypatch.setenv("LENSHOUSE_WAREHOUSE", str(copy.path))
    found = charts(visit("seeds", agreement="ff_amp_words"))
    assert found["Agreement of runs, mean of layers"].frame("a", "b").height == 2 * 4
    assert found["Agreement by layer"].spec["layer"][1]["encoding"]["y"]["title"] == "Pearson's r of FF-amp of words"
