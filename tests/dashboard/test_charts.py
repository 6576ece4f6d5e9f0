"""Charts by their spec: what is drawn where, and what an SVG for a page may hold."""

import polars as pl
import pytest

from dashboard import charts

ROWS = pl.DataFrame(
    {
        "layer": [1, 2, 3, 1, 2, 3],
        "series": ["FF", "FF", "FF", "LN", "LN", "LN"],
        "value": [0.1, 0.2, None, 0.3, 0.1, 0.2],
        "low": [0.05, None, None, 0.2, 0.0, 0.1],
        "high": [0.2, None, None, 0.4, 0.2, 0.3],
    }
)


def marks(spec: dict) -> list[str]:
    return [layer["mark"]["type"] for layer in spec["layer"]]


def test_by_layer_draws_values_and_intervals() -> None:
    spec = charts.by_layer(ROWS, ["FF", "LN"], "Change, 1 - rho", nothing=0).to_dict()
    assert marks(spec) == ["rule", "area", "rule", "line", "point"]
    for layer in spec["layer"][1:]:
        assert layer["encoding"]["x"]["axis"]["values"] == [1, 2, 3]
        assert layer["encoding"]["y"]["title"] == "Change, 1 - rho"
        assert layer["encoding"]["color"]["scale"]["domain"] == ["FF", "LN"]
    [values] = [rows for rows in spec["datasets"].values() if len(rows) > 1]
    assert len(values) == 5, "an undefined value is no point"


def test_a_single_series_needs_no_legend() -> None:
    spec = charts.by_layer(ROWS.filter(series="LN"), ["LN"], "Share", nothing=1).to_dict()
    assert all(layer["encoding"]["color"]["legend"] is None for layer in spec["layer"][1:])


def test_many_layers_are_labelled_sparsely() -> None:
    rows = pl.DataFrame({"layer": range(1, 49), "series": "FF", "value": 0.1, "low": 0.0, "high": 0.2})
    spec = charts.by_layer(rows, ["FF"], "Change").to_dict()
    assert spec["layer"][0]["encoding"]["x"]["axis"]["values"] == [1, 5, 10, 15, 20, 25, 30, 35, 40, 45]


def test_small_multiples_share_a_scale_that_holds_everything() -> None:
    spec = charts.small_multiples(ROWS, ["FF", "LN"], "Effect", nothing=0).to_dict()
    fields = [field for row in spec["vconcat"] for field in row["hconcat"]]
    domains = {
        tuple(layer["encoding"]["y"]["scale"]["domain"])
        for field in fields
        for layer in field["layer"]
        if layer["mark"]["type"] in ("line", "point")
    }
    assert domains == {(0.0, 0.4)} and [field["title"]["text"] for field in fields] == ["FF", "LN"]


def test_an_interval_that_is_missing_everywhere_is_no_error() -> None:
    rows = ROWS.with_columns(low=pl.lit(None, pl.Float64), high=pl.lit(None, pl.Float64))
    for chart in (charts.by_layer(rows, ["FF", "LN"], "y"), charts.small_multiples(rows, ["FF"], "y", nothing=0)):
        assert "<svg" in charts.svg(chart, "label")


HOSTILE = '<script>alert("x")</script>&\u202e'


@pytest.mark.parametrize("where", ["series", "label", "title"])
def test_an_svg_escapes_what_it_is_given(where: str) -> None:
    names = {name: HOSTILE if name == where else name for name in ("series", "label", "title")}
    rows = pl.concat([ROWS.filter(series="LN").with_columns(series=pl.lit(name)) for name in (names["series"], "b")])
    text = charts.svg(charts.by_layer(rows, [names["series"], "b"], names["title"]), names["label"])
    assert text.startswith('<svg class="chart" role="img"') and "<script" not in text
    assert "&lt;script&gt;" in text and "xlink" not in text and "http" not in text
