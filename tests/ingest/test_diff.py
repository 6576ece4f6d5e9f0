"""The difference of two models from folders to rows, against the weights by their own names."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForSequenceClassification, AutoTokenizer

import warehouse
from ingest.checkpoints import path_of
from tests.ingest.test_classifiers import save_classifier
from tests.ingest.tiny import lenshouse, refused, save, tables

torch.set_num_threads(1)

MOVED = "bert.encoder.layer.1.output.dense.weight"  # ff_value of layer 2, a neuron a column


@pytest.fixture
def folders(tmp_path) -> dict[str, Path]:
    """A base, and a classifier of two classes in which three neurons moved, by known amounts."""
    tuned = save_classifier(tmp_path / "tuned", "bert", seed=1, n_labels=2)
    base = tmp_path / "base"
    AutoModelForSequenceClassification.from_pretrained(tuned).base_model.save_pretrained(base)
    AutoTokenizer.from_pretrained(tuned).save_pretrained(base)
    weights = load_file(tuned / "model.safetensors")
    shift = np.random.default_rng(0).normal(size=(24, 3))
    for neuron, column, size in ((7, 0, 2.0), (3, 1, 1.0), (30, 2, 0.5)):
        direction = shift[:, column] / np.linalg.norm(shift[:, column])
        weights[MOVED][:, neuron] += torch.from_numpy(size * direction).float()
    save_file(weights, tuned / "model.safetensors", metadata={"format": "pt"})
    return {"tuned": tuned, "base": base}


def ask(base: Path, tuned: Path, house: Path, *more: object):
    return lenshouse("diff", base, tuned, "--warehouse", house, *more)


def test_what_moved_is_found_and_read_with_the_base_s_embeddings(folders, house) -> None:
    done = ask(folders["base"], folders["tuned"], house, "--top-k", 4, "--units", 2)
    assert done.code == 0, done
    base, tuned = (load_file(folders[name] / "model.safetensors") for name in ("base", "tuned"))
    moved = (tuned[MOVED].double() - base[MOVED.removeprefix("bert.")].double()).numpy().T
    whole = warehouse.open(house).sql("FROM v_parameter_diff")
    frame = whole.filter(pl.col("layer") > 0)
    assert frame.select("layer", "component", "unit", "shift_rank").unique().sort("shift_rank").rows() == [
        (2, "ff_value", 7, 1),
        (2, "ff_value", 3, 2),
    ]
    items = sorted(AutoTokenizer.from_pretrained(folders["base"]).get_vocab().values())
    scores = moved @ base["embeddings.word_embeddings.weight"].double().numpy()[items].T
    for unit, norm in ((7, 2.0), (3, 1.0)):
        rows = frame.filter(unit=unit)
        assert rows["shift_norm"].to_list() == pytest.approx([norm] * 8, rel=1e-6)
        for sign in (1, -1):
            order = np.argsort(-sign * scores[unit], kind="stable")[:4]
            found = rows.filter(sign=sign).sort("rank")
            assert found["token_id"].to_list() == [items[at] for at in order]
            assert found["score"].to_list() == pytest.approx(list(scores[unit][order]), rel=1e-5)


def test_how_far_each_component_moved(folders, house) -> None:
    assert ask(folders["base"], folders["tuned"], house).code == 0
    frame = warehouse.open(house).sql("FROM v_parameter_shift")
    assert len(frame) == 3 * 6 + 1
    still = frame.filter((pl.col("layer") != 2) | (pl.col("component") != "ff_value"))
    assert still["norm"].to_list() == [0.0] * 18
    assert still["cosine"].to_list() == pytest.approx([1.0] * 18)
    row = frame.filter(layer=2, component="ff_value").row(0, named=True)
    base, tuned = (load_file(folders[name] / "model.safetensors") for name in ("base", "tuned"))
    before, after = base[MOVED.removeprefix("bert.")].double().numpy(), tuned[MOVED].double().numpy()
    assert row["norm"] == pytest.approx(np.sqrt(4 + 1 + 0.25), rel=1e-6)
    assert row["relative"] == pytest.approx(np.linalg.norm(after - before) / np.linalg.norm(before))
    assert row["cosine"] == pytest.approx(np.sum(before * after) / np.linalg.norm(before) / np.linalg.norm(after))
    assert (row["n_units"], row["max_unit_norm"]) == (40, pytest.approx(2.0, rel=1e-6))
    assert row["mean_unit_norm"] == pytest.approx(3.5 / 40, rel=1e-6)


def test_a_head_is_read_back_through_the_pooling(folders, house) -> None:
    assert ask(folders["base"], folders["tuned"], house, "--top-k", 3).code == 0
    weights = load_file(folders["tuned"] / "model.safetensors")
    rows = (weights["classifier.weight"].double() @ weights["bert.pooler.dense.weight"].double()).numpy()
    rows = np.vstack([rows, rows[1] - rows[0]])
    tokenizer = AutoTokenizer.from_pretrained(folders["base"])
    items = sorted(tokenizer.get_vocab().values())
    scores = rows @ weights["bert.embeddings.word_embeddings.weight"].double().numpy()[items].T
    frame = warehouse.open(house).sql("FROM v_parameter_diff WHERE layer = 0 AND sign = 1 ORDER BY rank")
    for at, (component, unit) in enumerate([("classifier", 0), ("classifier", 1), ("classifier_difference", 0)]):
        found = frame.filter(component=component, unit=unit)
        assert found["score"].to_list() == pytest.approx(sorted(scores[at], reverse=True)[:3], rel=1e-5)
        assert found["shift_norm"][0] == pytest.approx(np.linalg.norm(rows[at]), rel=1e-5)
    assert set(frame["component"]) == {"classifier", "classifier_difference"}


def test_the_same_again_does_nothing_and_other_options_take_its_place(folders, house) -> None:
    pair = folders["base"], folders["tuned"], house
    assert ask(*pair).code == 0
    before = tables(house)
    again = ask(*pair)
    assert "is there already; nothing to do" in again.out
    assert tables(house) == before
    assert ask(*pair, "--top-k", 2).code == 0
    house_now = warehouse.open(house)
    assert house_now.sql("SELECT max(rank) AS k FROM parameter_diff").item() == 2
    assert ask(*pair, "--fold-ln").code == 0  # another reading, beside the first
    assert house_now.sql("SELECT count(*) FROM parameter_shift").item() == 2 * 19
    assert house_now.sql("SELECT count(*) FROM model").item() == 2


def test_the_record_of_a_training_decides_which_base_is_right(folders, house) -> None:
    record = {"base_model": "other", "base_weights_sha256": "ab" * 32}
    (folders["tuned"] / "training.json").write_text(json.dumps(record))
    line = refused(
        ask(folders["base"], folders["tuned"], house), 1, "tuned was trained on from other", "base has other"
    )
    assert "abababababab" in line
    assert not house.exists()
    ours = path_of("lens-masked-128-seed0-sentiment")
    refused(ask(path_of("lens-masked-128-seed1"), ours, house), 1, "lens-masked-128-seed0", "lens-masked-128-seed1")
    assert ask(path_of("lens-masked-128-seed0"), ours, house).code == 0


def test_doubts_are_told(folders, house, tmp_path) -> None:
    """A name without weights, and a shift as large as between unrelated models."""
    path = folders["tuned"] / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"_name_or_path": "org/somebody"}))
    done = ask(folders["base"], folders["tuned"], house)
    assert "trained on from org/somebody: is base the same?" in done.err
    unrelated = save(tmp_path / "unrelated", "bert", seed=9)
    done = ask(unrelated, folders["base"], house)
    assert done.code == 0
    assert "as between unrelated models: is BASE the right one?" in done.err


def test_models_that_do_not_correspond_are_refused(folders, house, tmp_path) -> None:
    wide = save(tmp_path / "wide", "bert", intermediate_size=44)
    refused(ask(wide, folders["tuned"], house), 1, "d_ff is 44 in the one and 40 in the other")
    gpt2 = save(tmp_path / "gpt2", "gpt2")
    refused(ask(gpt2, folders["tuned"], house), 1, "gpt2 and tuned have no corresponding parameters")
    other = save(tmp_path / "other", "bert")
    path = other / "tokenizer.json"
    raw = json.loads(path.read_text())
    vocab = raw["model"]["vocab"]
    vocab["cat"], vocab["dog"] = vocab["dog"], vocab["cat"]
    path.write_text(json.dumps(raw))
    refused(ask(other, folders["tuned"], house), 1, "do not share a vocabulary", "'dog' in the one and 'cat'")
    refused(ask(folders["base"], folders["tuned"], house, "--top-k", 1000), 2, "--top-k 1000: base has 92 items")
    assert not house.exists()
