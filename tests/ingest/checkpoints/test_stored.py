"""The stored checkpoints: what their records say is what their files do, and Lenshouse reads them exactly."""

from __future__ import annotations

import json

import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from ingest import attribute
from ingest.checkpoints import path_of, stored_names
from ingest.checkpoints.evaluate import held_out_loss, unigram_entropy
from ingest.checkpoints.material import Material, prepare
from ingest.checkpoints.recipes import RECIPES, recipe_of
from ingest.checkpoints.record import quick_part, stored_model
from ingest.checkpoints.text import read_texts
from ingest.models import load_model
from ingest.tokens import tokenizer_fingerprint
from warehouse.errors import ModelError, UsageError

torch.set_num_threads(1)

NAMES = stored_names()
BELOW_UNIGRAM = {"masked": 1.0, "causal": 1.5}
"""Nats a token that a model of each kind must have learnt."""

MOST_BYTES = 2_200_000
SENTENCES = ["It’s a charming, often hilarious film.", "Not even the actors seem to know why."]


def record_of(name: str) -> dict:
    return json.loads((path_of(name) / "training.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def material() -> Material:
    return prepare(read_texts())


def test_several_seeds_of_each_kind() -> None:
    for kind in ("masked", "causal"):
        assert len([name for name in NAMES if name.startswith(f"lens-{kind}-128-seed")]) >= 3
        assert len({name.split("-")[2] for name in NAMES if name.startswith(f"lens-{kind}-")}) >= 2


@pytest.mark.parametrize("name", NAMES)
def test_it_has_learnt_what_its_record_says(name: str, material: Material) -> None:
    kind, record = recipe_of(name).kind, record_of(name)["held_out"]
    model = stored_model(path_of(name), kind)
    part = quick_part(material.held_out)
    loss = held_out_loss(model, kind, part)
    assert loss == pytest.approx(record["quick_loss_after"], abs=2e-3)
    assert unigram_entropy(part, material.counts.unigram) - loss > BELOW_UNIGRAM[kind]
    assert record["unigram_entropy"] == pytest.approx(
        unigram_entropy(material.held_out, material.counts.unigram), abs=1e-3
    )
    assert record["unigram_entropy"] - record["loss_after"] > BELOW_UNIGRAM[kind]
    assert record["loss_before"] > record["unigram_entropy"]


@pytest.mark.parametrize("name", NAMES)
def test_pieces_sum_to_its_states(name: str) -> None:
    folder = path_of(name)
    frames = attribute(AutoModel.from_pretrained(folder), AutoTokenizer.from_pretrained(folder), SENTENCES)
    assert frames.token_norm["layer"].n_unique() == recipe_of(name).n_layer
    assert frames.token_norm["completeness_error"].max() < 1e-4
    assert frames.token["display"].to_list()[0] == "[CLS]"


@pytest.mark.parametrize("name", NAMES)
def test_it_loads_with_family_and_seed(name: str) -> None:
    recipe = recipe_of(name)
    model, _ = load_model(str(path_of(name)), device="cpu")
    row = model.describe()
    assert (row["name"], row["family"], row["seed"]) == (name, f"lens-{recipe.kind}-{recipe.d_model}", recipe.seed)
    assert (row["placement"], row["is_causal"]) == {"masked": ("post_ln", False), "causal": ("pre_ln", True)}[
        recipe.kind
    ]
    assert (row["d_model"], row["d_ff"], row["n_layer"]) == (recipe.d_model, recipe.d_ff, recipe.n_layer)
    record = record_of(name)["training"]
    assert all(record[field] == getattr(recipe, field) for field in ("kind", "d_model", "seed", "steps", "batch"))


def test_all_share_one_tokenizer(material: Material) -> None:
    """The one that is learnt from the text again, too."""
    loaded = {tokenizer_fingerprint(AutoTokenizer.from_pretrained(path_of(name))) for name in NAMES}
    assert loaded == {tokenizer_fingerprint(material.tokenizer)}


def test_no_two_have_the_same_weights() -> None:
    assert len({(path_of(name) / "model.safetensors").read_bytes() for name in NAMES}) == len(NAMES)


def test_they_are_small() -> None:
    for name in NAMES:
        assert sum(file.stat().st_size for file in path_of(name).iterdir()) < MOST_BYTES, name


def test_unknown_names_are_refused_with_the_known() -> None:
    with pytest.raises(ModelError, match="lens-masked-128-seed0"):
        path_of("lens-masked-1-seed0")
    with pytest.raises(UsageError, match="lens-masked-128-seed0"):
        recipe_of("lens-masked-1-seed0")
    assert set(NAMES) <= set(RECIPES)
