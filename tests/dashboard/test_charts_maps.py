"""Maps and lines by their spec: a position is one, a scale is shared, and texts are data wherever they stand."""

import json

import polars as pl
import pytest
import vl_convert

from dashboard import charts
from dashboard.charts import flow, maps
from dashboard.charts.maps import SIGNED, Axis, Frame, Measure

HOSTILE = "</script><script>alert('x')</script>'];datum\u2028\\"
MEASURES = [Measure("attn", "attn", "share"), Measure("atb", "atb", "share"), Measure("ff_amp", "FF-amp", SIGNED)]


def frame(n: int, *, causal: bool = False) -> pl.DataFrame:
    cells = [(q, k) for q in range(n) for k in range(n) if not causal or k <= q]
    return pl.DataFrame(
        {
            "query": [q for q, _ in cells],
            "key": [k for _, k in cells],
            "query_label": [f"t{q}" for q, _ in cells],
            "key_label": [f"t{k}" for _, k in cells],
            "attn": [(q + k) / (2 * n) for q, k in cells],
            "atb": [0.25 * k / n for _, k in cells],
            "ff_amp": [(q - k) / n for q, k in cells],
            "patterns": ["none" for _ in cells],
        }
    )


def axis(n: int) -> Axis:
    return Axis(list(range(n)), ["the"] * n)


TOPS = {"share": 0.5, SIGNED: 0.25}


def test_largest_is_one_for_each_unit() -> None:
    tops = maps.largest([frame(4), frame(8)], MEASURES)
    assert tops == {"share": pytest.approx(14 / 16), SIGNED: pytest.approx(7 / 8)}
    zeros = frame(3).with_columns(attn=pl.lit(0.0), ff_amp=pl.lit(None, pl.Float64))
    assert maps.largest([zeros], [MEASURES[0], MEASURES[2]]) == {"share": 1.0, SIGNED: 1.0}


def test_maps_of_a_unit_share_their_colours_and_one_legend() -> None:
    spec = maps.strip(frame(5), MEASURES, axis(5), axis(5), tops=TOPS, told=MEASURES).to_dict()
    colours = [panel["layer"][0]["encoding"]["color"] for panel in spec["hconcat"]]
    assert [panel["title"]["text"] for panel in spec["hconcat"]] == ["attn", "atb", "FF-amp"]
    assert [colour["field"] for colour in colours] == ["attn", "atb", "ff_amp"]
    assert colours[0]["scale"] == colours[1]["scale"] == {"domain": [0, 0.5], "scheme": "cividis"}
    assert colours[2]["scale"]["domain"] == [-0.25, 0, 0.25], "0 is in the middle, whatever the values"
    assert [colour["legend"] is None for colour in colours] == [True, False, False]
    assert [panel["layer"][0]["encoding"]["y"]["axis"] is None for panel in spec["hconcat"]] == [False, True, True]
    assert spec["resolve"] == {"scale": {"color": "independent"}}
    assert len(spec["datasets"]) == 1, "the values are there once"


def test_queries_are_rows_keys_are_columns_and_equal_tokens_are_two() -> None:
    spec = maps.one(frame(5), MEASURES[2], axis(5), axis(5), tops=TOPS, told=MEASURES).to_dict()["hconcat"][0]
    x, y = spec["encoding"]["x"], spec["encoding"]["y"]
    assert (x["field"], y["field"]) == ("key", "query")
    assert x["scale"]["domain"] == y["scale"]["domain"] == [0, 1, 2, 3, 4]
    labels = json.loads(y["axis"]["labelExpr"].removesuffix("[datum.value]"))
    assert labels == {str(number): "the" for number in range(5)}
    assert spec["width"] == spec["height"] == 5 * 24
    told = {entry["title"]: entry["field"] for entry in spec["encoding"]["tooltip"]}
    assert list(told) == [
        *("query token", "query position", "key token", "key position"), *("attn", "atb", "FF-amp", "patterns"),
    ]  # fmt: skip


def test_pairs_without_a_value_have_no_cell_and_keep_their_place() -> None:
    spec = maps.one(frame(4, causal=True), MEASURES[0], axis(4), axis(4), tops=TOPS, told=MEASURES).to_dict()
    [rows] = spec["datasets"].values()
    assert len(rows) == 10 and spec["hconcat"][0]["encoding"]["x"]["scale"]["domain"] == [0, 1, 2, 3]
    assert spec["hconcat"][0]["transform"] == [{"filter": "isValid(datum.attn)"}]


@pytest.mark.parametrize(
    ("n", "room", "labelled"), [(24, 300, True), (40, 640, True), (48, 640, True), (40, 300, False)]
)
def test_labels_are_drawn_where_they_can_be_read(n: int, room: int, labelled: bool) -> None:
    spec = maps.one(frame(n), MEASURES[0], axis(n), axis(n), tops=TOPS, told=MEASURES, room=room).to_dict()
    encoding = spec["hconcat"][0]["encoding"]
    assert encoding["y"]["axis"].get("labels", True) is labelled
    if labelled:
        assert encoding["y"]["axis"]["labelOverlap"] is False, "every token has its label"
        assert encoding["y"]["axis"]["labelFontSize"] >= 8


def test_seven_small_maps_fit_into_a_window() -> None:
    for n in (1, 5, 17, 32, 48):
        spec = maps.strip(frame(n), MEASURES, axis(n), axis(n), tops=TOPS, told=MEASURES).to_dict()
        assert all(panel["width"] <= 107 and panel["width"] % n == 0 for panel in spec["hconcat"])


def test_a_part_is_framed() -> None:
    part = Frame((1, 2), (0, 3))
    spec = maps.strip(frame(5), MEASURES, axis(5), axis(5), tops=TOPS, told=MEASURES, marked=part).to_dict()
    outline = spec["hconcat"][0]["layer"][1]
    assert outline["mark"]["type"] == "rect" and outline["mark"]["fill"] is None
    assert outline["data"]["values"] == [{"top": 1, "bottom": 2, "left": 0, "right": 3}]


def test_lines_go_from_keys_to_queries_as_thick_as_their_size() -> None:
    rows = frame(4)
    spec = flow.flow(rows, MEASURES[2], axis(4), axis(4), top=0.75, told=MEASURES).to_dict()
    line, left, right, _ = spec["hconcat"][0]["layer"]
    assert line["encoding"]["x"] == {"value": 0} and line["encoding"]["y"]["field"] == "key_row"
    assert line["encoding"]["x2"]["value"] > 0 and line["encoding"]["y2"]["field"] == "query_row"
    assert line["encoding"]["strokeWidth"]["scale"]["domain"] == [0, 0.75]
    assert line["encoding"]["strokeWidth"]["scale"]["range"][0] == 0
    assert line["encoding"]["color"]["condition"]["test"] == "datum.ff_amp < 0"
    assert len(left["data"]["values"]) == len(right["data"]["values"]) == 4
    [drawn] = [rows for rows in spec["datasets"].values() if "size" in rows[0]]
    assert len(drawn) == 12 and [row["size"] for row in drawn] == sorted(row["size"] for row in drawn)
    assert {(row["query"], row["query_row"]) for row in drawn} == {(n, n) for n in range(4)}


def test_lines_of_what_has_no_sign_have_one_colour_and_weak_ones_are_left_out() -> None:
    spec = flow.flow(frame(40), MEASURES[0], axis(40), axis(40), top=1.0, told=MEASURES).to_dict()
    assert "value" in spec["hconcat"][0]["layer"][0]["encoding"]["color"]
    kept = flow.drawn(frame(40), MEASURES[0], 1.0)
    assert kept["attn"].min() >= 0.05 and kept.height == sum(q + k >= 4 for q in range(40) for k in range(40))


def test_places_follow_the_order_where_positions_have_gaps() -> None:
    rows = frame(6).filter(pl.col("query").is_in([1, 5]) & pl.col("key").is_in([1, 5]))
    gaps = Axis([1, 5], ["a", "b"])
    spec = flow.flow(rows, MEASURES[2], gaps, gaps, top=1.0, told=MEASURES).to_dict()
    [drawn] = [rows for rows in spec["datasets"].values() if "size" in rows[0]]
    assert {(row["key"], row["key_row"]) for row in drawn} == {(1, 0), (5, 1)}


def test_hostile_tokens_are_text() -> None:
    hostile = Axis([0, 1, 2], [HOSTILE, "\u202eabc", "x" * 18])
    rows = frame(3).with_columns(query_label=pl.lit(HOSTILE), key_label=pl.lit(HOSTILE), patterns=pl.lit(HOSTILE))
    for chart in (
        maps.one(rows, MEASURES[0], hostile, hostile, tops=TOPS, told=MEASURES),
        flow.flow(rows, MEASURES[0], hostile, hostile, top=1.0, told=MEASURES),
    ):
        text = charts.svg_file(chart)
        assert "<script" not in text and "&lt;/script&gt;" in text


def test_a_whole_page_of_512_tokens_is_drawn_in_blocks() -> None:
    spec = maps.strip(frame(32), MEASURES, axis(32), axis(32), tops=TOPS, told=MEASURES).to_dict()
    assert [panel["width"] for panel in spec["hconcat"]] == [96, 96, 96]
    assert vl_convert.vegalite_to_svg(spec).count("<path") >= 3 * 32 * 32
