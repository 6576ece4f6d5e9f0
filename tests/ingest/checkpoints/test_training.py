"""Training: stopped at any moment it ends with the same weights, and its batches are what they say."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner

from ingest.checkpoints import train as training
from ingest.checkpoints.batches import NO_TARGET, Batches, mask, next_tokens, pack
from ingest.checkpoints.build import initial_model, token_losses
from ingest.checkpoints.evaluate import held_out_loss, unigram_entropy
from ingest.checkpoints.material import Material, prepare
from ingest.checkpoints.recipes import RECIPES, TUNINGS, Recipe
from ingest.checkpoints.record import store, stored_model
from ingest.checkpoints.text import Texts, read_texts
from ingest.checkpoints.vocabulary import CLS, MASK, N_SPECIAL, SEP

torch.set_num_threads(1)

WINDOW = 16
TINY = {
    kind: Recipe(kind, 64, seed=3, steps=7, batch=4, warmup=3, n_layer=1)  # type: ignore[arg-type]
    for kind in ("masked", "causal")
}


class Killed(BaseException):
    pass


@pytest.fixture(scope="module")
def material() -> Material:
    texts = read_texts()
    return prepare(Texts(texts.training[:60], texts.held_out[:5], texts.source), vocab_size=300)


def weights(recipe: Recipe, material: Material, work: Path) -> dict[str, torch.Tensor]:
    return training.train(recipe, material, work, window=WINDOW, save_every=2)[0].state_dict()


@pytest.mark.parametrize("kind", TINY)
@pytest.mark.parametrize("killed_at", [1, 5, 6])
def test_a_killed_training_ends_with_the_same_weights(kind, killed_at, material, tmp_path, monkeypatch) -> None:
    undisturbed = weights(TINY[kind], material, tmp_path / "undisturbed")
    make_step, made = training._make_step, []

    def dying(*arguments):
        if arguments[-1] == killed_at and killed_at not in made:
            made.append(killed_at)
            raise Killed
        made.append(arguments[-1])
        return make_step(*arguments)

    monkeypatch.setattr(training, "_make_step", dying)
    with pytest.raises(Killed):
        weights(TINY[kind], material, tmp_path / "killed")
    resumed = weights(TINY[kind], material, tmp_path / "killed")
    assert made[made.index(killed_at) + 1] == killed_at // 2 * 2  # the last saved
    assert undisturbed.keys() == resumed.keys()
    assert all(torch.equal(undisturbed[key], resumed[key]) for key in undisturbed)


def test_a_finished_training_is_not_made_again(material, tmp_path, monkeypatch) -> None:
    first = weights(TINY["masked"], material, tmp_path)
    monkeypatch.setattr(training, "_make_step", None)
    again = weights(TINY["masked"], material, tmp_path)
    assert all(torch.equal(first[key], again[key]) for key in first)


def test_what_another_recipe_left_is_not_gone_on_with(material, tmp_path) -> None:
    weights(TINY["masked"], material, tmp_path)
    other = replace(TINY["masked"], peak_lr=1e-4)
    fresh = weights(other, material, tmp_path / "fresh")
    mixed = weights(other, material, tmp_path)
    assert all(torch.equal(fresh[key], mixed[key]) for key in fresh)


@pytest.mark.parametrize("kind", TINY)
def test_the_record_is_of_the_stored_weights(kind, material, tmp_path) -> None:
    model, seconds = training.train(TINY[kind], material, tmp_path / "work", window=WINDOW)
    record = store(TINY[kind], material, model, seconds, tmp_path / "out", window=WINDOW)
    folder = tmp_path / "out" / TINY[kind].name
    assert json.loads((folder / "training.json").read_text()) == record
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [TINY[kind].name]
    loss = held_out_loss(stored_model(folder, kind), kind, material.held_out, WINDOW)
    assert record["held_out"]["loss_after"] == pytest.approx(loss, abs=1e-4)
    assert record["training"]["tokens_seen"] == 7 * 4 * WINDOW


def test_seeds_differ_in_weights_order_and_masks(material) -> None:
    first, second = (initial_model(replace(TINY["masked"], seed=seed), material.counts, WINDOW) for seed in (0, 1))
    assert not torch.equal(first.get_input_embeddings().weight, second.get_input_embeddings().weight)
    ids = Batches(material.training, 4, 0, WINDOW)(0)
    assert not np.array_equal(ids, Batches(material.training, 4, 1, WINDOW)(0))
    assert not np.array_equal(mask(ids, 0.3, 0, 0)[0], mask(ids, 0.3, 1, 0)[0])


def test_windows_are_full_and_hold_every_document() -> None:
    rows = pack([[10, 11, 12], [20, 21, 22, 23, 24, 25], [30], [40, 41, 42]], window=6)
    assert rows.tolist() == [[CLS, 10, 11, 12, SEP, CLS], [CLS, 20, 21, 22, 23, 24], [CLS, 25, SEP, CLS, 30, SEP]]


def test_batches_need_no_memory_of_those_before(material) -> None:
    walked = Batches(material.training, 4, 0, WINDOW)
    steps = [walked(step) for step in range(2 * walked.per_epoch)]
    for step in (0, walked.per_epoch - 1, walked.per_epoch + 1):
        assert np.array_equal(Batches(material.training, 4, 0, WINDOW)(step), steps[step])
    assert all(batch.shape == (4, WINDOW) for batch in steps)


def test_masks_hide_their_share_and_never_a_special_token() -> None:
    ids = np.random.default_rng(0).integers(0, 50, (400, 50))
    inputs, targets = mask(ids, 0.3, seed=0, step=0)
    chosen = targets != NO_TARGET
    assert not chosen[ids < N_SPECIAL].any()
    assert chosen[ids >= N_SPECIAL].mean() == pytest.approx(0.3, abs=0.01)
    assert (targets[chosen] == ids[chosen]).all()
    assert (inputs[chosen] == MASK).all()
    assert (inputs[~chosen] == ids[~chosen]).all()


def test_targets_of_a_causal_model_are_the_next_tokens() -> None:
    assert next_tokens(np.array([[CLS, 7, 8, SEP, CLS, 9]])).tolist() == [[7, 8, SEP, NO_TARGET, 9, NO_TARGET]]


@pytest.mark.parametrize("kind", TINY)
def test_a_model_that_knows_unigrams_alone_reaches_their_entropy(kind, material) -> None:
    """Every token counts once, whatever the batch or the round that hides it."""

    class Unigram(torch.nn.Module):
        def forward(self, input_ids, attention_mask):
            return type("Output", (), {"last_hidden_state": torch.zeros(*input_ids.shape, 1)})

    model = torch.nn.Module()
    model.bert = model.transformer = Unigram()
    logits = torch.from_numpy(np.log(material.counts.unigram))
    model.cls = model.lm_head = lambda states: logits.expand(len(states), -1)
    loss = held_out_loss(model, kind, material.held_out, WINDOW)
    assert loss == pytest.approx(unigram_entropy(material.held_out, material.counts.unigram), abs=1e-5)


def test_padding_changes_no_loss(material) -> None:
    for kind, recipe in TINY.items():
        model = initial_model(recipe, material.counts, WINDOW).eval()
        document = torch.tensor([[CLS, *material.held_out[0][:8], SEP]])
        targets = document.where(document >= N_SPECIAL, NO_TARGET)
        padded = torch.nn.functional.pad(document, (0, 4))
        padded_targets = torch.nn.functional.pad(targets, (0, 4), value=NO_TARGET)
        with torch.no_grad():
            alone = token_losses(model, kind, document, targets)
            beside = token_losses(model, kind, padded, padded_targets, (padded != 0).long())
        assert torch.allclose(alone, beside, atol=1e-5)


def test_the_list_names_every_recipe(tmp_path) -> None:
    shown = CliRunner().invoke(training.main, ["--list", "--out", str(tmp_path)])
    assert shown.exit_code == 0
    assert [line.split()[0] for line in shown.output.splitlines()] == [*RECIPES, *TUNINGS]
    assert CliRunner().invoke(training.main, ["lens-masked-1-seed0"]).exit_code == 1
