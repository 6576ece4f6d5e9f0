"""Charts of the overview and of comparisons, by their spec."""

import polars as pl
import pytest

from dashboard import charts, settings, verdicts
from dashboard.charts.verdicts import SIGNS
from warehouse.analysis import parameter_findings
from warehouse.analysis.claims import CLAIMS

RUNS = pl.DataFrame({"run_id": [1, 2], "title": ["1 a on c", "2 b on c"]}, schema_overrides={"run_id": pl.Int32})
FINDING = {
    "claim": "F1", "aspect": "map", "run_id": 1, "family": None, "model_id": None, "subject": "a", "corpus_name": "c",
    "verdict": "holds", "value": 0.5, "low": 0.123456, "high": 0.9, "p_value": None, "n": 12, "quantity": "q",
    "note": None, "statement": "s", "rule": "r", "query": "SELECT 1",
}  # fmt: skip
SCHEMA = {
    **dict.fromkeys(FINDING, pl.String),
    **dict.fromkeys(("run_id", "model_id", "n"), pl.Int32),
    **dict.fromkeys(("value", "low", "high", "p_value"), pl.Float64),
}


def findings(*changes: dict) -> pl.DataFrame:
    return pl.DataFrame([FINDING | change for change in changes], schema=SCHEMA)


def test_every_run_has_a_cell_for_every_claim_that_is_asked_of_runs() -> None:
    group = {"run_id": None, "family": "g", "subject": "g", "claim": "F6", "aspect": "pairs", "verdict": "fails"}
    model = {"run_id": None, "model_id": 7, "subject": "m from b", "claim": "P2", "aspect": "task", "corpus_name": None}
    cells, columns, subjects = verdicts.matrix(findings({}, group, model), RUNS)
    assert columns == [f"{claim.claim} {claim.aspect}" for claim in (*CLAIMS, *parameter_findings.CLAIMS)]
    assert subjects == ["1 a on c", "2 b on c", "group g on c", "model 7 m from b"]
    of_runs = sum(claim.of_run is not None for claim in CLAIMS)
    assert cells.filter(verdict="not computed").height == 2 * of_runs - 1
    assert cells.filter(subject="1 a on c", column="F1 map")["verdict"].to_list() == ["holds"]
    assert cells.filter(subject="group g on c")["column"].to_list() == ["F6 pairs"]
    assert not cells.filter(pl.col("subject") == "1 a on c", pl.col("column").str.starts_with("F6")).height


@pytest.mark.parametrize("rows", [(), ({},)])
def test_colour_and_sign_say_the_same(rows: tuple[dict, ...]) -> None:
    spec = charts.verdict_matrix(*verdicts.matrix(findings(*rows), RUNS)).to_dict()
    cells, signs = spec["layer"]
    scale = cells["encoding"]["color"]["scale"]
    assert scale["domain"] == list(SIGNS) and len(set(scale["range"])) == len(set(SIGNS.values())) == 4
    [data] = spec["datasets"].values()
    assert all(row["sign"] == SIGNS[row["verdict"]] for row in data) and signs["encoding"]["text"]["field"] == "sign"
    assert {row["interval"] for row in data} == ({"none", "0.123 to 0.9"} if rows else {"none"})
    told = {entry.get("title", entry["field"]) for entry in cells["encoding"]["tooltip"]}
    assert {"value", "95% interval", "n", "verdict", "note"} <= told
    assert charts.png(charts.verdict_matrix(*verdicts.matrix(findings(*rows), RUNS))).startswith(b"\x89PNG")


def test_time_by_phase() -> None:
    frame = pl.DataFrame({"series": ["1 a"] * 2, "phase": ["core", "load"], "seconds": [1.5, 0.25]})
    spec = charts.seconds_by_phase(frame, ["1 a"]).to_dict()
    assert spec["encoding"]["x"]["title"] == "Wall time (s)" and spec["encoding"]["x"]["stack"] == "zero"
    assert spec["encoding"]["color"]["scale"]["domain"] == ["tokenize", "forward", "core", "write", "load"]


def test_a_difference_without_an_interval_is_a_point() -> None:
    frame = pl.DataFrame({"layer": [1, 2], "value": [0.1, None], "low": [None, None], "high": [None, None],
                          "n_sequences": [3, 3]}, schema_overrides={"low": pl.Float64, "high": pl.Float64})  # fmt: skip
    spec = charts.difference_by_layer(frame, "Difference of change").to_dict()
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["rule", "rule", "point"]
    assert "<svg" in charts.svg_file(charts.difference_by_layer(frame, "Difference of change"))


def test_settings_of_groups_stand_beside_each_other() -> None:
    frame = pl.DataFrame(
        {"run_id": [1, 2, 3], "seed": [0, 1, 0], "dtype": ["float32"] * 3,
         "options": ['{"limit": 5, "rollout": ["attn"]}', '{"limit": 5, "rollout": ["attn"]}', '{"limit": null}']}
    )  # fmt: skip
    assert settings.differing(frame, [1, 2], [3]).rows() == [
        ("seed", "0, 1", "0"),
        ("option limit", "5", "–"),
        ("option rollout", '["attn"]', "–"),
    ]
    assert settings.differing(frame, [1], [1]).is_empty()
