"""Stitching from folders to rows: a model onto itself changes nothing, other seeds agree with plain transformers."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoModelForSequenceClassification, AutoTokenizer

import warehouse
from ingest.checkpoints import path_of
from ingest.stitch import batches_of_one_length
from tests.ingest.test_classifiers import save_classifier
from tests.ingest.tiny import TEXTS, lenshouse, refused, save
from warehouse import connect

torch.set_num_threads(1)

MANY = [*TEXTS, *(f"{text} {word}" for text in TEXTS for word in ("things", "cats"))]


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> dict[str, Path]:
    """A classifier with its base model, another seed of the base, and models that do not fit."""
    root = tmp_path_factory.mktemp("stitch")
    tuned = save_classifier(root / "tuned", "bert", seed=1)
    base = root / "base-seed1"
    AutoModelForSequenceClassification.from_pretrained(tuned).base_model.save_pretrained(base)
    AutoTokenizer.from_pretrained(tuned).save_pretrained(base)
    return {
        "tuned": tuned,
        "base": base,
        "seed": save(root / "base-seed2", "bert", seed=2),
        "narrow": save(root / "narrow", "bert", hidden_size=12, num_attention_heads=3),
        "short": save(root / "short", "bert", num_hidden_layers=2),
        "gpt2": save(root / "gpt2", "gpt2"),
        "causal": save_classifier(root / "causal", "llama", seed=3),
    }


@pytest.fixture
def labelled(tmp_path) -> Path:
    return write(tmp_path, ["LABEL_0", "label_2", "LABEL_1"])


def write(folder: Path, labels: list[str], name: str = "labelled.csv", column: str = "label") -> Path:
    path = folder / name
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["text", column])
        rows.writerows([text, labels[number % len(labels)]] for number, text in enumerate(MANY))
    return path


def accuracies(house: Path, model_a: str) -> dict[tuple, float]:
    query = "SELECT kind, cut, draw, accuracy FROM v_stitching WHERE model_a = ?"
    return {row[:3]: row[3] for row in warehouse.open(house).sql(query, [model_a]).rows()}


def plain_accuracies(folders: dict[str, Path], name: str, kernel: np.ndarray) -> list[float]:
    """Every cut: hidden states of one model, a matrix, then modules of the classifier called one by one."""
    first = AutoModel.from_pretrained(folders[name]).eval()
    last = AutoModelForSequenceClassification.from_pretrained(folders["tuned"]).eval()
    tokenizer = AutoTokenizer.from_pretrained(folders["tuned"])
    right = np.zeros(len(first.encoder.layer) + 1)
    for number, text in enumerate(MANY):
        wanted = [0, 2, 1][number % 3]
        with torch.no_grad():
            states = first(**tokenizer(text, return_tensors="pt"), output_hidden_states=True).hidden_states
            for cut, state in enumerate(states):
                x = torch.from_numpy(state.double().numpy() @ kernel).float()
                for layer in last.bert.encoder.layer[cut:]:
                    x = layer(x)
                    x = x[0] if isinstance(x, tuple) else x
                logits = last.classifier(torch.tanh(last.bert.pooler.dense(x[:, 0])))
                right[cut] += int(logits.argmax()) == wanted
    return list(right / len(MANY))


def test_a_classifier_on_its_own_base_is_itself_at_every_cut(folders, labelled, house) -> None:
    done = lenshouse(
        "stitch", folders["base"], "--classifier", folders["tuned"], "--corpus", labelled, "--warehouse", house
    )
    assert done.code == 0, done
    found = accuracies(house, "base-seed1")
    own = found["classifier", None, None]
    assert 0 < own < 1
    for cut in range(4):
        assert found["stitched", cut, None] == own
        assert found["identity", cut, None] == own
    assert found["chance", None, None] == pytest.approx(1 / 3)
    assert len(found) == 2 + 4 * (1 + 1 + 5)
    assert "base-seed1 onto tuned: stored" in done.out


@pytest.mark.parametrize("name", ["seed", "narrow"])
def test_accuracies_are_those_of_plain_code(name, folders, labelled, house) -> None:
    """Of two widths too; without an identity then."""
    done = lenshouse(
        "stitch", folders[name], "--classifier", folders["tuned"], "--corpus", labelled, "--warehouse", house
    )
    assert done.code == 0, done
    found = accuracies(house, folders[name].name)
    e_a = AutoModel.from_pretrained(folders[name]).get_input_embeddings().weight.detach().double().numpy()
    tuned = AutoModelForSequenceClassification.from_pretrained(folders["tuned"])
    e_b = tuned.get_input_embeddings().weight.detach().double().numpy()
    items = sorted(AutoTokenizer.from_pretrained(folders["tuned"]).get_vocab().values())  # other rows are padding
    kernel = e_a[items].T @ np.linalg.pinv(e_b[items].T)
    assert [found["stitched", cut, None] for cut in range(4)] == pytest.approx(plain_accuracies(folders, name, kernel))
    if name == "seed":
        plain = plain_accuracies(folders, name, np.eye(len(kernel)))
        assert [found["identity", cut, None] for cut in range(4)] == pytest.approx(plain)
    else:
        assert not any(kind == "identity" for kind, _, _ in found)


def test_a_causal_classifier_is_stitched_too(folders, labelled, house, tmp_path) -> None:
    base = tmp_path / "llama-base"
    AutoModelForSequenceClassification.from_pretrained(folders["causal"]).base_model.save_pretrained(base)
    AutoTokenizer.from_pretrained(folders["causal"]).save_pretrained(base)
    done = lenshouse("stitch", base, "--classifier", folders["causal"], "--corpus", labelled, "--warehouse", house)
    assert done.code == 0, done
    found = accuracies(house, "llama-base")
    assert {found["stitched", cut, None] for cut in range(4)} == {found["classifier", None, None]}


def test_the_same_again_does_nothing_and_other_settings_take_its_place(folders, labelled, house) -> None:
    command = ["stitch", folders["seed"], folders["base"], "--classifier", folders["tuned"], "--corpus", labelled]
    command += ["--warehouse", house]
    first = lenshouse(*command[:2], *command[3:])
    assert first.code == 0, first
    both = lenshouse(*command)
    assert "base-seed2 onto tuned: is there already; nothing to do" in both.out
    assert "base-seed1 onto tuned: stored" in both.out
    before = accuracies(house, "base-seed2")
    again = lenshouse(*command, "--draws", 2, "--seed", 1)
    assert again.out.count(": stored") == 2
    after = accuracies(house, "base-seed2")
    assert {key for key in after if key[0] == "random"} == {("random", cut, d) for cut in range(4) for d in range(2)}
    assert {key: value for key, value in after.items() if key[0] != "random"} == {
        key: value for key, value in before.items() if key[0] != "random"
    }


def test_models_are_entered_once_and_keep_their_names(folders, labelled, house) -> None:
    lenshouse("stitch", folders["seed"], "--classifier", folders["tuned"], "--corpus", labelled, "--warehouse", house)
    with connect.read(house) as con:
        assert con.sql("SELECT name, family, seed FROM model ORDER BY name").fetchall() == [
            ("base-seed2", "base", 2),
            ("tuned", None, None),
        ]
        assert con.sql("SELECT count(*) FROM tokenizer").fetchall() == [(1,)]
        [(n,)] = con.sql("SELECT count(*) FROM vocab").fetchall()
    assert n == 1 + max(AutoTokenizer.from_pretrained(folders["tuned"]).get_vocab().values())


def test_other_labels_are_refused_or_left_out_and_counted(folders, tmp_path, house) -> None:
    corpus = write(tmp_path, ["LABEL_0", "plot", "LABEL_1"])
    command = ("stitch", folders["seed"], "--classifier", folders["tuned"], "--corpus", corpus, "--warehouse", house)
    refused(lenshouse(*command), 2, "'plot'", "0 LABEL_0, 1 LABEL_1, 2 LABEL_2", "--skip-other-labels")
    assert not house.exists()
    done = lenshouse(*command, "--skip-other-labels")
    assert done.code == 0, done
    assert "16 texts of labelled, 8 with other labels or none left out" in done.out


def test_what_cannot_be_stitched_is_refused(folders, labelled, tmp_path, house) -> None:
    def ask(model: str, classifier: str, corpus: Path = labelled, *more: object):
        return lenshouse(
            "stitch", folders[model], "--classifier", folders[classifier], "--corpus", corpus,
            "--warehouse", house, *more,
        )  # fmt: skip

    refused(ask("seed", "base"), 1, "no classifier", "base-seed1")
    refused(ask("short", "tuned"), 1, "short has 2 layers and tuned 3")
    refused(
        ask("gpt2", "tuned"), 1, "gpt2 and tuned do not share a vocabulary", "token id 0 is '<|endoftext|>'", "[PAD]"
    )
    unlabelled = tmp_path / "plain.txt"
    unlabelled.write_text("the cat\nthe dog\n")
    refused(ask("seed", "tuned", unlabelled), 2, "plain.txt has no labels", "--label-column")
    refused(ask("seed", "tuned", write(tmp_path, ["x"], "x.csv")), 2, "the label 'x' is none of the classifier's")
    refused(ask("seed", "tuned", write(tmp_path, ["0"], "y.csv", "stars")), 2, "has no labels")
    refused(ask("seed", "tuned", labelled, "--label-column", "stars"), 2, "stars")
    refused(ask("seed", "tuned", labelled, "--max-tokens", 4000), 2, "positions for 48 tokens")
    assert not house.exists()


def test_every_text_is_in_one_batch_with_texts_of_its_length() -> None:
    ids = [np.zeros(n, np.int32) for n in (3, 5, 3, 3000, 3, 3000)]
    assert batches_of_one_length(ids) == [[0, 2, 4], [1], [3], [5]]
    assert batches_of_one_length(ids, 2) == [[0, 2], [4], [1], [3], [5]]


def test_our_tuned_checkpoint_is_itself_on_its_base_s_embeddings(house) -> None:
    """Its embeddings were not trained, so the cut before the first layer changes no answer."""
    name = "lens-masked-128-seed0"
    done = lenshouse(
        "stitch", path_of(name), "--classifier", path_of(f"{name}-sentiment"), "--corpus", "demo:held-out",
        "--limit", 30, "--draws", 1, "--warehouse", house,
    )  # fmt: skip
    assert done.code == 0, done
    found = accuracies(house, name)
    assert found["stitched", 0, None] == found["classifier", None, None]
    assert warehouse.open(house).sql("SELECT DISTINCT is_base FROM v_stitching").rows() == [(True,)]
