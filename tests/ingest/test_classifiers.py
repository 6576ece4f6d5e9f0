"""Classifiers: the logits are those of plain transformers, other models are refused, labels become classes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel, AutoModelForSequenceClassification, AutoModelForTokenClassification

from ingest.architectures import families
from ingest.architectures._encoder_layout import EncoderOfTwo
from ingest.classifiers import class_ids, is_classifier, load_classifier
from ingest.models import load_model
from tests.ingest.tiny import VOCAB_SIZE, tokenizer_for
from tests.oracle.tiny import randomise
from warehouse.errors import ModelError, UsageError

torch.set_num_threads(1)

CLASSIFYING = sorted(name for name, family in families().items() if not isinstance(family, EncoderOfTwo))


def save_classifier(folder: Path, family: str, seed: int = 0, n_labels: int = 3, **overrides) -> Path:
    sizes = {"vocab_size": VOCAB_SIZE, "num_labels": n_labels, "pad_token_id": 0} | overrides
    config = families()[family].tiny_config(**sizes)
    model = AutoModelForSequenceClassification.from_config(config, attn_implementation="eager").double().eval()
    randomise(model, seed).float().save_pretrained(folder)
    tokenizer_for(family).save_pretrained(folder)
    return folder


@pytest.mark.parametrize("family", CLASSIFYING)
def test_logits_are_those_of_transformers(family, tmp_path) -> None:
    folder = save_classifier(tmp_path, family)
    classifier, _ = load_classifier(str(folder), device="cpu")
    plain = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    ids = torch.randint(5, VOCAB_SIZE, (2, 9), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        expected = plain(input_ids=ids).logits
    assert torch.allclose(classifier.logits(ids), expected, atol=1e-5)
    assert classifier.labels == ("LABEL_0", "LABEL_1", "LABEL_2")
    assert classifier.head().shape[0] == 3
    assert classifier.model.weights_sha256 == load_model(str(folder), device="cpu")[0].weights_sha256


def test_a_model_without_a_head_is_refused(tmp_path) -> None:
    config = families()["bert"].tiny_config(vocab_size=VOCAB_SIZE)
    AutoModel.from_config(config).save_pretrained(tmp_path)
    tokenizer_for("bert").save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="no classifier of texts: its weights hold no such head"):
        load_classifier(str(tmp_path), device="cpu")


@pytest.mark.parametrize("lost", ["bert.pooler.dense.weight", "classifier.bias"])
def test_a_head_that_is_not_whole_is_refused(tmp_path, lost) -> None:
    """transformers would draw random numbers in its place."""
    weights = load_file(save_classifier(tmp_path, "bert") / "model.safetensors")
    del weights[lost]
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match=f"lack 1 parameters .* first {lost}"):
        load_classifier(str(tmp_path), device="cpu")


@pytest.mark.parametrize("changes", [{"problem_type": "multi_label_classification"}, {"problem_type": "regression"}])
def test_what_gives_no_single_class_is_refused(tmp_path, changes) -> None:
    path = save_classifier(tmp_path, "bert") / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(ModelError, match="no classifier of texts into one of several"):
        load_classifier(str(tmp_path), device="cpu")
    with pytest.raises(ModelError, match="a single one"):
        load_classifier(str(save_classifier(tmp_path / "one", "bert", n_labels=1)), device="cpu")


def test_encoders_of_two_are_refused(tmp_path) -> None:
    config = families()["bart"].tiny_config(vocab_size=VOCAB_SIZE)
    weights = AutoModelForSequenceClassification.from_config(config)
    weights.save_pretrained(tmp_path)
    path = tmp_path / "model.safetensors"
    save_file(load_file(path) | {"classifier.weight": torch.zeros(2, 2)}, path, metadata={"format": "pt"})
    tokenizer_for("bert").save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="encoder-decoder"):
        load_classifier(str(tmp_path), device="cpu")


def test_a_classifier_of_tokens_is_none_of_texts(tmp_path) -> None:
    """Though its head has the same name."""
    config = families()["bert"].tiny_config(vocab_size=VOCAB_SIZE)
    AutoModelForTokenClassification.from_config(config).save_pretrained(tmp_path)
    tokenizer_for("bert").save_pretrained(tmp_path)
    assert "classifier.weight" in load_file(tmp_path / "model.safetensors")
    assert not is_classifier(str(tmp_path))
    with pytest.raises(ModelError, match="no classifier of texts"):
        load_classifier(str(tmp_path), device="cpu")


def test_labels_are_classes_by_name_or_number() -> None:
    names = ("NEGATIVE", "POSITIVE")
    assert class_ids(["positive", "NEGATIVE"], names, "c") == [1, 0]
    assert class_ids(["1", "0", "1"], names, "c") == [1, 0, 1]
    assert class_ids(["1", "0"], ("1", "0"), "c") == [0, 1]  # names go before numbers
    assert class_ids(["fresh", "plot"], ("rotten", "fresh"), "c", skip_other=True) == [1, None]


@pytest.mark.parametrize("labels", [["fresh", "plot"], ["plot"], ["2", "0"], ["0", "positive"], ["-1"]])
def test_other_labels_are_refused(labels) -> None:
    with pytest.raises(UsageError, match=r"reviews\.csv: the label .* is none of the classifier's classes 0 rotten, 1"):
        class_ids(labels, ("rotten", "fresh" if "fresh" in labels else "positive"), "reviews.csv")


def test_labels_of_no_class_at_all_are_refused_even_when_others_may_be_skipped() -> None:
    with pytest.raises(UsageError, match="'plot' is none"):
        class_ids(["plot"], ("rotten", "fresh"), "c", skip_other=True)
