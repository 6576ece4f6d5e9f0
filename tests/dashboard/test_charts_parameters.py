"""Charts of parameters, by their specification."""

import json

import polars as pl

from dashboard import charts

HOSTILE = "<script>alert(1)</script> **b** \u202eesrever\x00\n" + "x" * 5_000


def spec(chart) -> dict:
    return chart.to_dict()


def data(of: dict) -> list[list[dict]]:
    return list(of["datasets"].values())


def test_items_of_both_signs_stand_in_their_order_and_equal_ones_stay_apart() -> None:
    frame = pl.DataFrame(
        {
            "sign": [1, 1, -1, -1],
            "rank": [1, 2, 1, 2],
            "item": ["a", "a", "b", HOSTILE],
            "score": [3.0, 2.0, -5.0, -4.0],
        }
    )
    made = spec(charts.items(frame))
    highest, lowest = made["hconcat"]
    assert highest["encoding"]["y"]["sort"] == ["1  a", "2  a"]
    assert [row["score"] for row in made["datasets"][lowest["data"]["name"]]] == [-5.0, -4.0]
    assert highest["mark"]["color"] != lowest["mark"]["color"]
    labels = lowest["encoding"]["y"]["sort"]
    assert len(labels[1]) < 40 and not {"\x00", "\n", "\u202e"} & set(labels[1])
    assert len(json.dumps(made)) < 20_000
    assert charts.svg_file(charts.items(frame)).startswith("<svg")


def test_shifts_start_at_zero_and_leave_unknown_ones_empty() -> None:
    frame = pl.DataFrame({"layer": [0, 1, 1], "component": ["embedding", "w_o", "w_q"], "value": [0.0, 0.4, None]})
    made = spec(charts.shifts(frame, "relative"))
    cells = made["layer"][0]
    assert cells["encoding"]["color"]["scale"]["domain"] == [0, 0.4]
    assert cells["encoding"]["y"]["sort"] == ["embedding", "w_o", "w_q"]
    assert len(data(made)[0]) == 2


def test_alignment_rings_what_is_assigned_and_names_spaces() -> None:
    frame = pl.DataFrame(
        {
            "space": ["embedding"] * 4 + ["feature"] * 4,
            "layer_a": [1, 1, 2, 2] * 2,
            "layer_b": [1, 2, 1, 2] * 2,
            "value": [0.2, 0.1, 0.1, 0.3] * 2,
            "assigned": [True, False, False, True, False, True, True, False],
        }
    )
    made = spec(charts.alignment(frame, {"embedding": "2 of 2", "feature": "0 of 2"}))
    assert [field["title"]["text"] for field in made["hconcat"]] == ["2 of 2", "0 of 2"]
    for field in made["hconcat"]:
        assert all(ring["transform"] == [{"filter": "datum.assigned"}] for ring in field["layer"][1:])
        assert field["resolve"]["scale"]["color"] == "independent"
    rows = made["datasets"][made["hconcat"][1]["data"]["name"]]
    assert [(row["layer_a"], row["layer_b"]) for row in rows if row["assigned"]] == [(1, 2), (2, 1)]


def test_stitching_keeps_colours_and_draws_levels_once() -> None:
    kinds = ["stitched", "stitched", "identity", "random", "classifier", "chance"]
    one = {
        "kind": kinds,
        "cut": [0, 1, 0, 0, None, None],
        "draw": [None, None, None, 0, None, None],
        "accuracy": [0.7, 0.6, 0.5, 0.5, 0.8, 0.6],
        "low": [0.6, 0.5, 0.4, 0.4, 0.7, 0.5],
        "high": [0.8, 0.7, 0.6, 0.6, 0.9, 0.7],
    }
    frame = pl.concat([pl.DataFrame({"series": [name] * 6, **one}) for name in ("one", "two")])
    made = spec(charts.stitching(frame, ["one", "two"], [4, 0]))
    levels = made["datasets"][made["layer"][2]["data"]["name"]]
    assert [(row["kind"], row["accuracy"]) for row in levels] == [("chance", 0.6), ("classifier", 0.8)]
    scale = made["layer"][5]["encoding"]["color"]["scale"]
    assert scale["domain"] == ["one", "two"] and scale["range"] == ["#E69F00", "#0072B2"]
    assert made["layer"][5]["encoding"]["y"]["scale"]["domain"] == [0, 1]
