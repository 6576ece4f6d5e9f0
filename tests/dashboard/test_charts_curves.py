"""Charts of the pages about change, correlations, seeds and patterns, by their spec."""

import polars as pl
import pytest

from dashboard import charts, seeds
from dashboard.charts.theme import legend_columns

LINES = pl.DataFrame(
    {
        "layer": [1, 2, 1, 2],
        "series": ["a", "a", "b", "b"],
        "value": [0.1, None, 0.3, 0.4],
        "low": [0.0, None, 0.2, 0.3],
        "high": [0.2, None, 0.4, 0.5],
        "is_significant": [True, False, False, True],
    }
)


def data_of(spec: dict, part: dict) -> list[dict]:
    return spec["datasets"][part["data"]["name"]]


def test_panels_have_a_field_each_and_one_scale() -> None:
    spec = charts.panels(LINES, ["b", "a"], "Effect", nothing=0).to_dict()
    assert spec["facet"]["sort"] == ["b", "a"] and "resolve" not in spec
    rule, interval, line, points = spec["spec"]["layer"]
    assert [part["mark"]["type"] for part in (rule, interval, line, points)] == ["rule", "rule", "line", "point"]
    assert points["encoding"]["fill"]["scale"] == {"domain": [True, False], "range": ["#0072B2", "transparent"]}
    assert len(data_of(spec, spec)) == 3, "an undefined value is no point"
    assert "<svg" in charts.svg(charts.panels(LINES, ["b", "a"], "Effect", nothing=0), "label")


def test_panels_are_filled_where_nothing_is_said_of_significance() -> None:
    spec = charts.panels(LINES.drop("is_significant"), ["a", "b"], "Effect", nothing=0).to_dict()
    assert spec["spec"]["layer"][3]["encoding"]["fill"] == {"value": "#0072B2"}


def test_dots_stand_in_the_order_of_their_values() -> None:
    frame = LINES.filter(layer=1)
    spec = charts.dots(frame, "Effect", nothing=0).to_dict()
    assert spec["layer"][1]["encoding"]["y"]["sort"] == ["b", "a"]
    assert spec["layer"][0]["encoding"]["x"] == {"datum": 0} and "<svg" in charts.svg(
        charts.dots(frame, "Effect", nothing=0), "label"
    )


def test_cells_have_a_scale_that_is_even_around_zero() -> None:
    frame = pl.DataFrame(
        {
            "query_upos": ["NOUN", "VERB"],
            "key_upos": ["VERB", "NOUN"],
            "value": [0.1, -0.4],
            "is_significant": [True, False],
        }
    )
    squares, marks = charts.cells(frame, "Effect").to_dict()["layer"]
    assert squares["encoding"]["color"]["scale"]["domain"] == [-0.4, 0.4]
    assert marks["transform"] == [{"filter": "datum.is_significant"}]


def test_a_cloud_is_of_points_or_of_bins() -> None:
    points = pl.DataFrame({"unit": [1, 2], "x": [0.1, 0.2], "y": [1.0, 2.0]})
    named = points.select(pl.col("unit").cast(pl.String).alias("label"), "x", "y").head(1)
    spec = charts.cloud(points, "X", "Y", named=named).to_dict()
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["circle", "point", "text"]
    assert [layer["encoding"]["x"]["title"] for layer in spec["layer"]] == ["X", "X", "X"]
    bins = pl.DataFrame({"x_from": [0.0], "x_to": [1.0], "y_from": [0.0], "y_to": [1.0], "n_points": [7]})
    [binned] = charts.cloud(bins, "X", "Y").to_dict()["layer"]
    assert binned["mark"]["type"] == "rect" and binned["encoding"]["color"]["scale"]["type"] == "log"


@pytest.mark.parametrize("is_binned", [False, True])
def test_spread_shows_quantiles_before_sentences(is_binned: bool) -> None:
    quantiles = pl.DataFrame(
        {"layer": [1], "n_sequences": [3], "least": [0.0], "q05": [0.1], "q25": [0.2], "median": [0.3], "q75": [0.4],
         "q95": [0.5], "greatest": [0.6]}
    )  # fmt: skip
    behind = (
        pl.DataFrame({"layer": [1], "change_from": [0.1], "change_to": [0.12], "n_sequences": [3]})
        if is_binned
        else pl.DataFrame({"layer": [1, 1], "seq_id": [0, 1], "change": [0.1, 0.1]})
    )
    chart = charts.spread(quantiles, behind, "Change")
    marks = [layer["mark"]["type"] for layer in chart.to_dict()["layer"]]
    assert marks == ["rect" if is_binned else "circle", "rule", "bar", "tick"]
    assert "<svg" in charts.svg(chart, "label")


@pytest.mark.parametrize(
    ("names", "columns"), [(["FF", "RES", "LN", "BLOCK"], 4), (["x" * 26] * 6, 2), (["x" * 80], 1)]
)
def test_legends_have_the_columns_that_there_is_room_for(names: list[str], columns: int) -> None:
    assert legend_columns(names) == columns


def test_an_agreement_of_which_a_layer_is_undefined_is_undefined() -> None:
    pairs = pl.DataFrame(
        {"run_a": [1, 1, 1], "model_a": ["a"] * 3, "run_b": [2, 2, 10], "model_b": ["b", "b", "c"],
         "value": [0.5, None, 0.25], "low": [0.1, None, 0.2], "high": [0.9, None, 0.3]}
    )  # fmt: skip
    cells, order = seeds.square(pairs)
    assert order == ["1 a", "2 b", "10 c"]
    found = {(a, b): (value, low) for a, b, value, low in cells.select("a", "b", "value", "low").rows()}
    assert found == {
        ("1 a", "2 b"): (None, None), ("2 b", "1 a"): (None, None),
        ("1 a", "10 c"): (0.25, 0.2), ("10 c", "1 a"): (0.25, 0.2),
    }  # fmt: skip
