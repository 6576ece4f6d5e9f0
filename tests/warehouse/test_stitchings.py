"""Accuracies of stitched models: counts, intervals that cover as often as they say, and the spread over seeds."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import warehouse
from tests.warehouse.synthetic import Shape, run_frames
from warehouse import connect
from warehouse.analysis.part import Options
from warehouse.models import ModelIdentity
from warehouse.stitchings import Answers, Asked, Stitching, accuracies, is_stored, store


def answers(shares: dict[Asked, float], n: int = 400, seed: int = 0) -> Answers:
    """Answers that are right in about these shares of the texts, 60% of which are of class 1."""
    random = np.random.default_rng(seed)
    classes = (random.random(n) < 0.6).astype(np.int64)
    said = [np.where(random.random(n) < share, classes, 1 - classes) for share in shares.values()]
    return Answers(classes, tuple(shares), np.column_stack(said))


OWN = Asked("classifier", None, None)


def test_accuracies_are_counts() -> None:
    given = answers({OWN: 0.8, Asked("stitched", 0, None): 0.5})
    frame = accuracies(given, Options())
    assert frame["kind"].to_list() == ["classifier", "stitched", "chance"]
    right = [(given.said[:, k] == given.classes).sum() / 400 for k in (0, 1)]
    chance = max(given.classes.mean(), 1 - given.classes.mean())
    assert frame["accuracy"].to_list() == pytest.approx([*right, chance])
    assert frame["gain"].to_list() == pytest.approx([value - chance for value in (*right, chance)])
    assert frame.row(2, named=True) | {"gain_low": 0.0, "gain_high": 0.0} == frame.row(2, named=True)


def test_intervals_are_those_of_a_share_and_of_a_paired_difference() -> None:
    """Against the normal approximation, with 400 texts."""
    given = answers({OWN: 0.8})
    row = accuracies(given, Options(n_resamples=4000)).row(0, named=True)
    right = (given.said[:, 0] == given.classes).astype(float)
    half = 1.96 * math.sqrt(right.mean() * (1 - right.mean()) / 400)
    assert row["low"] == pytest.approx(right.mean() - half, abs=0.005)
    assert row["high"] == pytest.approx(right.mean() + half, abs=0.005)
    difference = right - (given.classes == np.bincount(given.classes).argmax())
    half = 1.96 * difference.std(ddof=1) / math.sqrt(400)
    assert row["gain_low"] == pytest.approx(difference.mean() - half, abs=0.006)
    assert row["gain_high"] == pytest.approx(difference.mean() + half, abs=0.006)


def test_few_texts_have_no_interval() -> None:
    row = accuracies(answers({OWN: 0.8}, n=7), Options()).row(0, named=True)
    assert [row[name] for name in ("low", "high", "gain_low", "gain_high")] == [None] * 4


def identity(name: str, family: str, seed: int, base: str | None = None) -> ModelIdentity:
    shape = Shape(name=name)
    frames, described = run_frames(shape), MODEL | {"name": name, "family": family, "seed": seed, "base_model": base}
    return ModelIdentity(described, {"name": "t", "fingerprint": "f" * 64}, frames["vocab"])


MODEL = {
    "revision": None, "weights_sha256": "0" * 64, "model_type": "bert", "placement": "post_ln",
    "component_order": "FF,RES,LN", "is_causal": False, "n_layer": 2, "n_head": 2, "n_kv_head": 2, "d_model": 8,
    "d_ff": 16, "activation": "gelu", "is_gated": False, "norm_type": "layernorm", "vocab_size": 10,
    "tied_embeddings": True, "n_params": 100,
}  # fmt: skip


def put(path: Path, seed_a: int, given: Answers, **changes) -> Stitching:
    stitching = Stitching(
        model_a=identity(f"a{seed_a}", "a", seed_a),
        model_b=identity("b", "b", 0, base="a0"),
        corpus_name="reviews",
        corpus_sha256="c" * 64,
        n_classes=2,
        n_draws=2,
        options=changes.get("options", Options()),
    )
    store(path, stitching, given)
    return stitching


def test_what_is_stored_is_known_and_replaced(tmp_path) -> None:
    path = tmp_path / "lens.duckdb"
    given = answers({OWN: 0.8, Asked("stitched", 0, None): 0.5})
    stitching = put(path, 1, given)
    assert is_stored(path, stitching)
    other = put(path, 1, given, options=Options(seed=5))
    assert is_stored(path, other)
    assert not is_stored(path, stitching)
    with connect.read(path) as con:
        assert con.sql("SELECT count(*), count(DISTINCT seed) FROM stitching").fetchall() == [(3, 1)]
        assert con.sql("SELECT count(*) FROM model").fetchall() == [(2,)]


def test_the_spread_is_over_seeds_with_draws_taken_together(tmp_path) -> None:
    path = tmp_path / "lens.duckdb"
    asked = {OWN: 0.85, Asked("stitched", 1, None): 0.75, Asked("random", 1, 0): 0.5, Asked("random", 1, 1): 0.4}
    stored = {seed: answers(asked, seed=seed) for seed in range(4)}
    for seed, given in stored.items():
        put(path, seed, given)
    frame = warehouse.open(path).sql("FROM v_stitching_spread")
    frames = {seed: accuracies(given, Options()) for seed, given in stored.items()}
    for kind in ("stitched", "random"):
        row = frame.filter(kind=kind, is_base=False).row(0, named=True)
        each = [frames[seed].filter(pl.col("kind") == kind)["accuracy"].mean() for seed in (1, 2, 3)]
        assert row["n_pairs"] == 3
        assert (row["mean"], row["sd"]) == pytest.approx((np.mean(each), np.std(each, ddof=1)))
        assert (row["least"], row["most"]) == pytest.approx((min(each), max(each)))
        above = [bool((frames[seed].filter(pl.col("kind") == kind)["gain_low"] > 0).all()) for seed in (1, 2, 3)]
        assert row["n_above_chance"] == sum(above)
    assert frame.filter(is_base=True)["n_pairs"].to_list() == [1] * 4
    assert set(frame["family_b"]) == {"b"}


def test_its_models_stay_when_runs_go(tmp_path) -> None:
    path = tmp_path / "lens.duckdb"
    put(path, 1, answers({OWN: 0.8}))
    with connect.write(path) as con:
        con.execute(warehouse.remove.sqlfiles.query("remove_orphan_model")).fetchall()
        con.execute(warehouse.remove.sqlfiles.query("remove_orphan_tokenizer")).fetchall()
        assert con.sql("SELECT count(*) FROM model").fetchall() == [(2,)]
        assert con.sql("SELECT count(*) FROM tokenizer").fetchall() == [(1,)]
