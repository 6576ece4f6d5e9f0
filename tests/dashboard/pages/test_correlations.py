"""The page about correlations: stored ones and those of any two measures, and the clouds behind."""

import numpy as np
import pytest
from scipy import stats

from dashboard import correlate
from dashboard.data import ask_text
from dashboard.grains import GRAINS
from tests.dashboard.pages.support import charts, commands, visit
from tests.dashboard.pages.test_change import one
from tests.warehouse.conftest import House
from warehouse.analysis.correlation import spearman
from warehouse.analysis.part import Options

ALL = "any two measures"


def test_the_cloud_is_what_the_correlation_is_of(pages: House) -> None:
    """Spearman's rho of the points that are drawn is the number that is drawn beside them."""
    found = charts(visit("correlations", run=one(pages, 4), layer="2"))
    points = found["Sentences of layer 2"].frame("x", "y")
    rho = stats.spearmanr(points["x"], points["y"]).statistic
    line = found["FF's output norm and its change"].frame("layer", "series", "value")
    assert line.filter(layer=2, series="plain")["value"].item() == pytest.approx(rho)
    assert set(line["series"]) == {"plain", "attention's norm held"} and line["p"].null_count() == 0


def test_ln_weights_and_their_outliers(pages: House) -> None:
    found = charts(visit("correlations", look="LN weights", layer="1", side="FF output"))
    points = found["Dimensions of layer 1"].frame("unit", "x", "y")
    wanted = pages.rows("SELECT abs(ln_ff_gamma), ff_out_mean_abs FROM layer_dim WHERE run_id = 1 AND layer = 1")
    assert sorted(points.select("x", "y").rows()) == sorted(wanted)
    line = found["|LN weight| and FF's size"].frame("layer", "series", "value")
    rho = stats.spearmanr(*zip(*wanted, strict=True)).statistic
    assert line.filter(layer=1, series="FF output")["value"].item() == pytest.approx(rho)


QUERIES = {
    "token": "SELECT layer, norm_ff_out, mix_after_ff FROM token_norm JOIN token USING (seq_id, pos) "
    "WHERE run_id = 2 AND corpus_id = 1 AND NOT is_special",
    "sentence": "SELECT layer, mean_norm_ff_out, change_ff FROM v_sequence_measure "
    "WHERE run_id = 2 AND pair_filter = 'content' AND change_ff IS NOT NULL",
    "dimension": "SELECT layer, abs(ln_ff_gamma), ff_out_mean_abs FROM layer_dim WHERE run_id = 2",
}


@pytest.mark.parametrize("grain", QUERIES)
def test_any_two_measures(grain: str, pages: House) -> None:
    found = charts(visit("correlations", run=one_short(pages), look=ALL, grain=grain, layer="2"))
    line = found["Correlation by layer"].frame("layer", "value")
    for layer in (1, 2):
        x, y = zip(*[row[1:] for row in pages.rows(QUERIES[grain]) if row[0] == layer], strict=True)
        row = line.filter(layer=layer).row(0, named=True)
        assert row["value"] == pytest.approx(stats.spearmanr(x, y).statistic)
        assert row["n_points"] == len(x) and row["low"] <= row["value"] <= row["high"]


def one_short(house: House) -> str:
    """The title of run 2, whose model has a hostile name: cut in the middle as filters cut it."""
    from dashboard.filters import plain

    return plain(one(house, 2))


def test_sequence_measures_are_those_of_other_views(pages: House) -> None:
    [(apart,)] = pages.rows(
        "SELECT max(abs(a.mean_norm_ff_out - b.mean_norm_ff_out) + abs(a.change_ff - b.change_ff) "
        "+ abs(a.n_tokens - b.n_tokens)) FROM v_sequence_measure AS a JOIN v_norm_vs_change AS b "
        "USING (run_id, layer, seq_id) WHERE a.pair_filter = 'all'"
    )
    assert apart == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("name", GRAINS)
def test_every_measure_can_be_asked_for(name: str, pages: House) -> None:
    grain = GRAINS[name]
    values = {"run_id": 1, "layer": 1, "special": True, "pair_filter": "all", "bins": 8}
    first = next(iter(grain.measures))
    for other in grain.measures:
        points = ask_text(grain.cloud(first, other), values).frame
        bins = ask_text(grain.bins(first, other), values).frame
        assert points.height == bins["n_points"].sum() > 0, other
        assert bins["x_from"].min() == points["x"].min()
        assert ask_text(grain.by_layer(first, other), values).frame["layer"].to_list() == [1, 2]


def test_bins_count_what_numpy_counts(pages: House) -> None:
    grain, values = GRAINS["token"], {"run_id": 1, "layer": 1, "special": True, "bins": 6}
    points = ask_text(grain.cloud("norm_input", "norm_output"), values).frame
    wanted, *_ = np.histogram2d(points["x"], points["y"], bins=6)
    found = ask_text(grain.bins("norm_input", "norm_output"), values).frame
    assert sorted(found["n_points"]) == sorted(int(n) for n in wanted.ravel() if n)


def test_a_large_cloud_is_counted_in_bins(pages: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(correlate, "MOST_POINTS", 20)
    app = visit("correlations", look=ALL)
    frame = charts(app)["Tokens of layer 1"].frame("x_from", "n_points")
    [(n,)] = pages.rows(
        "SELECT count(*) FROM token_norm JOIN token USING (seq_id, pos) "
        "WHERE run_id = 1 AND layer = 1 AND corpus_id = 1 AND NOT is_special"
    )
    assert frame["n_points"].sum() == n and any(f"{n} tokens, counted in bins" in each.value for each in app.caption)


def test_intervals_are_of_one_layer_where_points_are_many(pages: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(correlate, "MOST_RESAMPLED", 100)
    app = visit("correlations", look=ALL, layer="2")
    line = charts(app)["Correlation by layer"].frame("layer", "low")
    assert dict(line.select("layer", "low").rows())[1] is None and line.filter(layer=2)["low"].item() is not None
    assert any("the chosen layer alone" in each.value for each in app.caption)
    rows = pages.rows(
        "SELECT norm_ff_out, mix_after_ff, seq_id FROM token_norm JOIN token USING (seq_id, pos) "
        "WHERE run_id = 1 AND layer = 2 AND corpus_id = 1 AND NOT is_special ORDER BY seq_id, norm_ff_out, mix_after_ff"
    )
    points = np.array(rows, float)
    [wanted] = spearman(points[:, :2], points[:, 2].astype(np.int64), Options())
    assert line.filter(layer=2)["low"].item() == pytest.approx(wanted.low)


def test_before_the_analysis(bare: House) -> None:
    app = visit("correlations")
    assert "not computed yet" in app.info[0].value and "lenshouse analyze" in commands(app)[0]
    assert "Correlation by layer" in charts(visit("correlations", look=ALL)), "this needs no analysis"
