"""Tuning: stopped at any moment it ends with the same weights, and its record is of what it stored."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from ingest.checkpoints import STORED, finetune
from ingest.checkpoints import train as training
from ingest.checkpoints.finetune import LabelledBatches, loss_and_accuracy, majority_share, padded
from ingest.checkpoints.recipes import LABELS, Tuning
from ingest.checkpoints.text import Reviews, read_reviews
from ingest.checkpoints.vocabulary import CLS, PAD, SEP
from ingest.corpus import open_corpus
from warehouse.errors import UsageError

torch.set_num_threads(1)

TUNING = Tuning("lens-masked-64-seed0", seed=3, steps=7, batch=4, warmup=3)
BASE = STORED / TUNING.base


class Killed(BaseException):
    pass


@pytest.fixture(scope="module")
def reviews() -> Reviews:
    whole = read_reviews()
    return Reviews(whole.training[:14], whole.held_out[:9], whole.source)


def weights(reviews: Reviews, work: Path) -> dict[str, torch.Tensor]:
    return finetune.finetune(TUNING, BASE, reviews, work, save_every=2)[0].state_dict()


@pytest.mark.parametrize("killed_at", [1, 5, 6])
def test_a_killed_tuning_ends_with_the_same_weights(killed_at, reviews, tmp_path, monkeypatch) -> None:
    """Dropout and the order of the reviews included."""
    undisturbed = weights(reviews, tmp_path / "undisturbed")
    descend, made = finetune.descend, []

    def dying(*arguments):
        step = arguments[3]
        made.append(step)
        if step == killed_at and made.count(step) == 1:
            raise Killed
        return descend(*arguments)

    monkeypatch.setattr(finetune, "descend", dying)
    with pytest.raises(Killed):
        weights(reviews, tmp_path / "killed")
    torch.manual_seed(99)  # what else the process drew does not matter
    resumed = weights(reviews, tmp_path / "killed")
    assert made[made.index(killed_at) + 1] == killed_at // 2 * 2  # the last saved
    assert all(torch.equal(undisturbed[key], resumed[key]) for key in undisturbed)


def test_a_tuning_moves_everything_but_the_embeddings(reviews, tmp_path) -> None:
    before, after = finetune.initial_classifier(TUNING, BASE).state_dict(), weights(reviews, tmp_path)
    stored = AutoModelForSequenceClassification.from_pretrained(BASE).state_dict()
    base = "bert.encoder.layer.0.attention.self.value.weight"
    assert torch.equal(before[base], stored[base])
    for key in before:
        assert torch.equal(before[key], after[key]) == key.startswith("bert.embeddings."), key


def test_the_record_is_of_the_stored_weights(reviews, tmp_path) -> None:
    model, seconds = finetune.finetune(TUNING, BASE, reviews, tmp_path / "work")
    record = finetune.store(TUNING, BASE, reviews, model, seconds, tmp_path / "out")
    folder = tmp_path / "out" / TUNING.name
    assert json.loads((folder / "training.json").read_text())["held_out"] == record["held_out"]
    assert [p.name for p in (tmp_path / "out").iterdir()] == [TUNING.name]
    loaded = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    assert loaded.config.hidden_dropout_prob == 0.0
    losses, right = [], 0
    for text, label in reviews.held_out:
        with torch.no_grad():
            logits = loaded(**tokenizer(text, return_tensors="pt", truncation=True)).logits[0].double()
        losses.append(-logits.log_softmax(0)[LABELS.index(label)].item())
        right += loaded.config.id2label[int(logits.argmax())] == label
    assert record["held_out"]["loss_after"] == pytest.approx(np.mean(losses), abs=1e-4)
    assert record["held_out"]["accuracy_after"] == pytest.approx(right / len(reviews.held_out), abs=1e-4)


def test_batches_need_no_memory_of_those_before_and_take_each_review_once() -> None:
    documents = [[10 + n] * (1 + n % 7) for n in range(50)]
    labels = [n % 2 for n in range(50)]
    walked = LabelledBatches(documents, labels, 4, seed=0)
    steps = [walked(step) for step in range(2 * walked.per_epoch)]
    for step in (0, walked.per_epoch - 1, walked.per_epoch + 1):
        ids, wanted = LabelledBatches(documents, labels, 4, seed=0)(step)
        assert np.array_equal(ids, steps[step][0])
        assert np.array_equal(wanted, steps[step][1])
    for epoch in (0, 1):
        begin = epoch * walked.per_epoch
        seen = [row[1] - 10 for ids, _ in steps[begin : begin + walked.per_epoch] for row in ids]
        assert len(set(seen)) == len(seen) == walked.per_epoch * 4
        given = [label for _, wanted in steps[begin : begin + walked.per_epoch] for label in wanted]
        assert given == [number % 2 for number in seen]
    assert not np.array_equal(steps[0][1], LabelledBatches(documents, labels, 4, seed=1)(0)[1]) or not np.array_equal(
        steps[0][0], LabelledBatches(documents, labels, 4, seed=1)(0)[0]
    )


def test_rows_are_padded_on_the_right_and_cut_to_the_window() -> None:
    assert padded([[7, 8, 9, 10], [5]], window=5).tolist() == [[CLS, 7, 8, 9, SEP], [CLS, 5, SEP, PAD, PAD]]


def test_the_majority_is_counted(reviews) -> None:
    assert majority_share([("a", "fresh"), ("b", "rotten"), ("c", "fresh"), ("d", "fresh")]) == 0.75


def test_accuracy_counts_what_a_model_says(reviews) -> None:
    class Fresh(torch.nn.Module):
        def forward(self, input_ids, attention_mask):
            return type("Output", (), {"logits": torch.tensor([[0.0, 1.0]]).expand(len(input_ids), 2)})

    loss, accuracy = loss_and_accuracy(Fresh(), reviews.held_out, AutoTokenizer.from_pretrained(BASE))
    fresh = np.mean([label == "fresh" for _, label in reviews.held_out])
    assert accuracy == pytest.approx(fresh)
    assert loss == pytest.approx(np.log(1 + np.e) - fresh)


def test_a_base_that_is_not_stored_is_named(tmp_path) -> None:
    done = CliRunner().invoke(training.main, ["lens-masked-128-seed0-sentiment", "--out", str(tmp_path)])
    assert done.exit_code == 1
    assert "lens-masked-128-seed0, which it is trained on from, is not stored" in done.output


def test_the_held_out_reviews_are_a_corpus() -> None:
    corpus = open_corpus("demo:held-out")
    assert [(r.text, r.label) for r in corpus.records()] == read_reviews().held_out
    with pytest.raises(UsageError, match="no columns"):
        open_corpus("demo:held-out", label_column="category")
