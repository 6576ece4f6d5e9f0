"""The page about change: numbers of one run and of many, sentences, and what it says when there is nothing."""

import urllib.parse
from pathlib import Path

import pytest

import warehouse
from tests.dashboard.pages.support import charts, commands, keyed, settled, visit
from tests.warehouse.conftest import House
from warehouse import connect


def one(house: House, run_id: int) -> str:
    """The title of a run, as a filter shows it."""
    [(model,)] = house.rows(f"SELECT model_name FROM v_run WHERE run_id = {run_id}")
    [(corpus,)] = house.rows(f"SELECT corpus_name FROM v_run WHERE run_id = {run_id}")
    return f"{run_id} {model} on {corpus}"


def test_many_runs_have_a_curve_each(pages: House) -> None:
    app = visit("change")
    found = charts(app)["Change of the map by FF"]
    wanted = keyed(
        pages,
        "SELECT run_id, layer, avg(1 - spearman) FROM map_change "
        "WHERE component = 'FF' AND pair_filter = 'content' GROUP BY ALL",
    )
    frame = found.frame("layer", "series", "value")
    assert frame.height == 12 and frame["series"].n_unique() == 6
    for series, layer, value in frame.select("series", "layer", "value").rows():
        assert value == pytest.approx(wanted[(int(series.split()[0]), layer)], rel=1e-9)
    assert any("long" in name and len(name) <= 26 for name in frame["series"]), "a long name is cut"


def test_one_run_shows_all_components(pages: House) -> None:
    app = visit("change", runs=one(pages, 3))
    frame = charts(app)["Change of the map by component"].frame("layer", "series", "value")
    assert set(frame["series"]) == {"FF", "RES", "LN", "BLOCK"} and frame.height == 8
    assert frame.select("low", "high").null_count().row(0) == (0, 0)


def test_runs_apart_are_panels(pages: House) -> None:
    spec = charts(visit("change", layout="apart"))["Change of the map by FF"].spec
    assert spec["columns"] == 4 and len(spec["facet"]["sort"]) == 6


def test_the_share_that_survives(pages: House) -> None:
    frame = charts(visit("change", pairs="all"))["What survives of FF's change"].frame("layer", "value")
    wanted = keyed(pages, "SELECT run_id, layer, surviving_share FROM v_cancellation WHERE pair_filter = 'all'")
    for series, layer, value in frame.select("series", "layer", "value").rows():
        assert value == pytest.approx(wanted[(int(series.split()[0]), layer)], rel=1e-9)


def test_sentences_and_their_outliers(pages: House) -> None:
    app = visit("change", component="LN", of=one(pages, 4), layer="2")
    points = charts(app)["Change by LN over sentences"].frame("seq_id", "change")
    raw = pages.rows(
        "SELECT seq_id, 1 - spearman FROM map_change WHERE run_id = 4 AND layer = 2 AND component = 'LN' "
        "AND pair_filter = 'content'"
    )
    assert dict(points.filter(layer=2).select("seq_id", "change").rows()) == pytest.approx(dict(raw))
    table = app.dataframe[0].value
    values = sorted(value for _, value in raw)
    median = (values[5] + values[6]) / 2
    quartiles = [values[2] + 0.75 * (values[3] - values[2]), values[8] + 0.25 * (values[9] - values[8])]
    wanted = sorted(((v - median) / (quartiles[1] - quartiles[0]) for _, v in raw), key=abs, reverse=True)
    assert list(table["distance"]) == pytest.approx(wanted)
    address = urllib.parse.urlsplit(table["sentence"].iloc[0])
    query = urllib.parse.parse_qs(address.query)
    assert address.path == "/sentence" and query["run"] == [one(pages, 4)]
    assert query["layer"] == ["2"] and query["sentence"] == [str(table["seq_id"].iloc[0])]
    assert all(len(text) <= 300 and text.isprintable() for text in table["text"])


def test_many_sentences_are_counted_in_bins(pages: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.charts.MOST_POINTS", 10)
    app = visit("change", of=one(pages, 1))
    bins = charts(app)["Change by FF over sentences"].frame("change_from", "n_sequences")
    [(n,)] = pages.rows(
        "SELECT count(spearman) FROM map_change WHERE run_id = 1 AND component = 'FF' AND pair_filter = 'content'"
    )
    assert bins["n_sequences"].sum() == n and any("counted in bins" in each.value for each in app.caption)


def test_without_outlier_dimensions(pages: House) -> None:
    frame = charts(visit("change", of=one(pages, 1)))["Change without outlier dimensions"].frame("series", "value")
    wanted = pages.rows(
        "SELECT layer, avg(1 - spearman) FROM inlier_change "
        "WHERE run_id = 1 AND component = 'FF' AND pair_filter = 'content' GROUP BY layer"
    )
    found = frame.filter(series="without outliers").select("layer", "value").rows()
    assert dict(found) == pytest.approx(dict(wanted))


def test_what_is_missing_is_said(bare: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = visit("change")
    assert "no intervals yet" in app.info[0].value and "lenshouse analyze" in commands(app)[0]
    empty = tmp_path / "empty.duckdb"
    with connect.write(empty):
        pass
    monkeypatch.setenv("LENSHOUSE_WAREHOUSE", str(empty))
    assert "no complete run" in visit("change").info[0].value
    assert warehouse.open(empty).sql("SELECT count(*) FROM v_change_by_sequence").item() == 0


def test_no_run_is_chosen(pages: House) -> None:
    app = visit("change")
    app.multiselect[0].set_value([]).run()
    assert "at least one run" in settled(app).info[0].value
