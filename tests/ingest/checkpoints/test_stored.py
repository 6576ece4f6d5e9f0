"""The stored checkpoints: what their records say is what their files do, and Lenshouse reads them exactly."""

from __future__ import annotations

import json

import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from ingest import attribute
from ingest.checkpoints import path_of, stored_names
from ingest.checkpoints.evaluate import held_out_loss, unigram_entropy
from ingest.checkpoints.finetune import loss_and_accuracy, stored_classifier
from ingest.checkpoints.material import Material, prepare
from ingest.checkpoints.recipes import LABELS, RECIPES, TUNINGS, Recipe, recipe_of
from ingest.checkpoints.record import quick_part, stored_model
from ingest.checkpoints.text import read_reviews, read_texts
from ingest.models import load_model
from ingest.tokens import tokenizer_fingerprint
from warehouse.errors import ModelError, UsageError

torch.set_num_threads(1)

STORED = stored_names()
NAMES = [name for name in STORED if name in RECIPES]
TUNED = [name for name in STORED if name in TUNINGS]
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
    kind, record = RECIPES[name].kind, record_of(name)["held_out"]
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


def test_several_seeds_are_tuned() -> None:
    assert len(TUNED) >= 3
    assert {TUNINGS[name].base for name in TUNED} <= set(NAMES)


@pytest.mark.parametrize("name", TUNED)
def test_a_tuned_one_reads_held_out_reviews_as_its_record_says(name: str) -> None:
    """Well above the majority's share: by more than three standard errors of a share."""
    folder, record, reviews = path_of(name), record_of(name), read_reviews()
    model, tokenizer = stored_classifier(folder), AutoTokenizer.from_pretrained(folder)
    loss, accuracy = loss_and_accuracy(model, reviews.held_out, tokenizer)
    held_out = record["held_out"]
    assert loss == pytest.approx(held_out["loss_after"], abs=1e-3)
    assert accuracy == pytest.approx(held_out["accuracy_after"], abs=3 / len(reviews.held_out))
    n, share = len(reviews.held_out), held_out["majority_share"]
    assert share == pytest.approx(sum(label == "fresh" for _, label in reviews.held_out) / n, abs=1e-4)
    assert accuracy > share + 3 * (share * (1 - share) / n) ** 0.5
    assert held_out["accuracy_before"] < accuracy
    assert tuple(model.config.id2label.values()) == LABELS


@pytest.mark.parametrize("name", TUNED)
def test_a_tuned_one_names_its_base(name: str) -> None:
    record, base = record_of(name), path_of(record_of(name)["base_model"])
    assert record["base_model"] == TUNINGS[name].base
    assert load_model(str(base), device="cpu")[0].weights_sha256 == record["base_weights_sha256"]
    row = load_model(str(path_of(name)), device="cpu")[0].describe()
    assert row["base_model"] == record["base_model"]
    assert (row["family"], row["seed"]) == ("lens-masked-128-sentiment", TUNINGS[name].seed)


def test_no_held_out_review_was_in_a_training() -> None:
    texts, reviews = read_texts(), read_reviews()
    training = {text for text, _ in reviews.training} | set(texts.training)
    assert not training & {text for text, _ in reviews.held_out}
    assert {text for text, _ in reviews.held_out} <= set(texts.held_out)


@pytest.mark.parametrize("name", STORED)
def test_pieces_sum_to_its_states(name: str) -> None:
    folder = path_of(name)
    frames = attribute(AutoModel.from_pretrained(folder), AutoTokenizer.from_pretrained(folder), SENTENCES)
    base = TUNINGS[name].base if name in TUNINGS else name
    assert frames.token_norm["layer"].n_unique() == RECIPES[base].n_layer
    assert frames.token_norm["completeness_error"].max() < 1e-4
    assert frames.token["display"].to_list()[0] == "[CLS]"


@pytest.mark.parametrize("name", NAMES)
def test_it_loads_with_family_and_seed(name: str) -> None:
    recipe = RECIPES[name]
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
    loaded = {tokenizer_fingerprint(AutoTokenizer.from_pretrained(path_of(name))) for name in STORED}
    assert loaded == {tokenizer_fingerprint(material.tokenizer)}


def test_no_two_have_the_same_weights() -> None:
    assert len({(path_of(name) / "model.safetensors").read_bytes() for name in STORED}) == len(STORED)


def test_they_are_small() -> None:
    for name in STORED:
        assert sum(file.stat().st_size for file in path_of(name).iterdir()) < MOST_BYTES, name


def test_unknown_names_are_refused_with_the_known() -> None:
    with pytest.raises(ModelError, match="lens-masked-128-seed0"):
        path_of("lens-masked-1-seed0")
    with pytest.raises(UsageError, match="lens-masked-128-seed0"):
        recipe_of("lens-masked-1-seed0")
    assert set(STORED) <= {*RECIPES, *TUNINGS}
    assert all(isinstance(recipe_of(name), Recipe) == (name in NAMES) for name in STORED)
