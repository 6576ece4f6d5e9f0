"""`lenshouse align` over tiny models: what is stored equals dense correlations; resume, and what is refused."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.torch import load_file

import warehouse
from ingest.checkpoints import path_of
from tests.ingest.tiny import lenshouse, refused, save


@pytest.fixture(scope="module")
def seeds(tmp_path_factory) -> list[Path]:
    root = tmp_path_factory.mktemp("seeds")
    return [save(root / f"tinybert-seed_{seed}", "bert", seed=seed) for seed in (1, 2, 3)]


def keys(folder: Path) -> tuple[np.ndarray, list[np.ndarray]]:
    """Embeddings of the tokenizer's items (n, d), and each layer's feed-forward keys (d_ff, d), from the file."""
    stored = {name: weight.double().numpy() for name, weight in load_file(folder / "model.safetensors").items()}
    embeddings = next(weight for name, weight in stored.items() if name.endswith("word_embeddings.weight"))
    ids = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"].values()
    layers = [name for name in stored if name.endswith("intermediate.dense.weight")]
    return embeddings[sorted(ids)], [stored[name] for name in sorted(layers)]


def test_every_two_models_are_stored_as_dense_correlations_say(seeds, house) -> None:
    done = lenshouse("align", *seeds, "--warehouse", house)
    assert (done.code, done.err) == (0, "")
    rows = warehouse.open(house).sql(
        "SELECT model_a, model_b, layer_a, layer_b, score, best_match FROM v_alignment "
        "WHERE component = 'ff_key' AND space = 'embedding' ORDER BY ALL"
    )
    named = {folder.name: keys(folder) for folder in seeds}
    assert rows.select("model_a", "model_b").n_unique() == 3 and len(rows) == 27
    for a, b, layer_a, layer_b, score, best in rows.iter_rows():
        (e_a, of_a), (e_b, of_b) = named[a], named[b]
        x, y = of_a[layer_a - 1] @ e_a.T, of_b[layer_b - 1] @ e_b.T
        r = np.abs(np.corrcoef(x, y)[: len(x), len(x) :])
        assert score == pytest.approx(r.mean(), abs=1e-5)
        assert best == pytest.approx(np.concatenate([r.max(1), r.max(0)]).mean(), abs=1e-5)


def test_the_same_again_is_complete_and_a_new_model_adds_its_pairs(seeds, house) -> None:
    assert "6 components stored" in lenshouse("align", *seeds[:2], "--warehouse", house).out
    again = lenshouse("align", *seeds[:2], "--warehouse", house)
    assert "is there already; nothing to do" in again.out and "stored" not in again.out
    turned = lenshouse("align", *seeds[1::-1], "--warehouse", house)  # the order does not matter
    assert "is there already; nothing to do" in turned.out
    more = lenshouse("align", *seeds, "--warehouse", house)
    assert more.out.count("6 components stored") == 2
    everything = warehouse.open(house)
    before = everything.sql("FROM v_unit_match ORDER BY ALL")
    assert "6 components stored" in lenshouse("align", *seeds[:2], "--replace", "--warehouse", house).out
    assert everything.sql("FROM v_unit_match ORDER BY ALL").equals(before)


def test_components_may_be_named_one_by_one(seeds, house) -> None:
    assert "1 component stored" in lenshouse("align", *seeds[:2], "--components", "w_q", "--warehouse", house).out
    assert "5 components stored" in lenshouse("align", *seeds[:2], "--warehouse", house).out


def test_other_widths_have_no_feature_space(tmp_path, seeds, house) -> None:
    narrow = save(tmp_path / "narrow", "bert", hidden_size=12)
    done = lenshouse("align", seeds[0], narrow, "--warehouse", house)
    assert done.code == 0 and "no feature space" in done.out
    spaces = warehouse.open(house).sql("SELECT DISTINCT space FROM alignment")["space"].to_list()
    assert spaces == ["embedding"]


def test_what_is_refused(tmp_path, models, seeds, house) -> None:
    refused(lenshouse("align", seeds[0], "--warehouse", house), 2, "one model alone")
    refused(lenshouse("align", seeds[0], seeds[0], "--warehouse", house), 2, "given twice")
    refused(lenshouse("align", seeds[0], models["gpt2"], "--warehouse", house), 1, "token id 0 is '[PAD]' in the one")
    refused(lenshouse("align", *seeds[:2], "--components", "ff_kex", "--warehouse", house), 2, "ff_kex")
    refused(lenshouse("align", *seeds[:2], "--components", "ff_gate", "--warehouse", house), 1, "ff_gate")
    assert not house.exists()


def test_causal_seeds_meet_their_own_index_in_embedding_space(house) -> None:
    """Claim P3 on our trained models: far more of their layers than in feature space."""
    folders = [path_of(f"lens-causal-128-seed{seed}") for seed in range(2)]
    assert lenshouse("align", *folders, "--warehouse", house).code == 0
    rows = warehouse.open(house).sql(
        "SELECT space, sum(n_own) FROM v_alignment_summary WHERE measure = 'score' GROUP BY space ORDER BY space"
    )
    (_, embedding), (_, feature) = rows.iter_rows()
    assert embedding >= 2 * feature


def test_a_familys_pairs_are_counted_together(seeds, house) -> None:
    """Against the assigned layers themselves, and chance against all one-to-one maps."""
    lenshouse("align", *seeds, "--warehouse", house)
    everything = warehouse.open(house)
    expected = everything.sql(
        "SELECT component, space, count(*) FILTER (layer_a = layer_b), count(*) FROM v_alignment WHERE assigned "
        "GROUP BY ALL ORDER BY ALL"
    ).rows()
    found = everything.sql(
        "SELECT component, space, n_own, n_layers FROM v_alignment_group "
        "WHERE measure = 'score' AND family = 'tinybert' AND n_pairs = 3 ORDER BY ALL"
    )
    assert found.rows() == expected and len(expected) == 12
    maps = list(itertools.permutations(range(3)))
    by_chance = 3 * sum(i == j for map_ in maps for i, j in enumerate(map_)) / len(maps)
    assert everything.sql("SELECT DISTINCT n_by_chance FROM v_alignment_group").item() == pytest.approx(by_chance)
