"""States put in the place of a classifier's own: its own states change nothing, others change what comes after."""

from __future__ import annotations

import pytest
import torch
from transformers import AutoModelForSequenceClassification

from ingest.classifiers import load_classifier
from ingest.splice import Spliced, states_of
from tests.ingest.test_classifiers import CLASSIFYING, save_classifier
from tests.ingest.tiny import VOCAB_SIZE

torch.set_num_threads(1)


@pytest.fixture
def ids() -> torch.Tensor:
    return torch.randint(5, VOCAB_SIZE, (2, 9), generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("family", CLASSIFYING)
def test_its_own_states_give_its_own_logits_at_every_cut(family, tmp_path, ids) -> None:
    """And noise in their place does not: the states are used, at every cut, also where layers share a module."""
    classifier, _ = load_classifier(str(save_classifier(tmp_path, family)), device="cpu")
    states, own, spliced = states_of(classifier.model, ids), classifier.logits(ids), Spliced(classifier, ids)
    assert torch.allclose(spliced.logits, own, atol=1e-6)
    assert len(states) == len(classifier.model.layers) + 1
    noise = torch.randn(states[0].shape, generator=torch.Generator().manual_seed(2))
    for cut, state in enumerate(states):
        assert torch.allclose(spliced.logits_from(cut, state), own, atol=1e-4), cut
        assert not torch.allclose(spliced.logits_from(cut, state + noise), own, atol=1e-3), cut
    assert torch.allclose(classifier.logits(ids), own, atol=1e-6)  # nothing is left in the model


def test_states_are_those_of_transformers(tmp_path, ids) -> None:
    folder = save_classifier(tmp_path, "bert")
    classifier, _ = load_classifier(str(folder), device="cpu")
    plain = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.no_grad():
        expected = plain(input_ids=ids, output_hidden_states=True).hidden_states
    states = states_of(classifier.model, ids)
    assert len(states) == len(expected)
    for found, wanted in zip(states, expected, strict=True):
        assert torch.allclose(found, wanted, atol=1e-5)


def test_a_cut_outside_the_model_is_an_error(tmp_path, ids) -> None:
    classifier, _ = load_classifier(str(save_classifier(tmp_path, "bert")), device="cpu")
    state = states_of(classifier.model, ids)[0]
    for cut in (-1, 4):
        with pytest.raises(ValueError, match=f"cut {cut} of a model with 3 layers"):
            Spliced(classifier, ids).logits_from(cut, state)
