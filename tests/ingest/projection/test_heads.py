"""A head as directions of the state: where no activation bends them, they are the logits' own gradient."""

from __future__ import annotations

import pytest
import torch

from ingest.classifiers import load_classifier
from ingest.projection.heads import class_difference, class_directions
from tests.ingest.test_classifiers import CLASSIFYING, save_classifier
from tests.ingest.tiny import VOCAB_SIZE

torch.set_num_threads(1)


@pytest.mark.parametrize("family", CLASSIFYING)
def test_there_is_a_direction_of_the_state_a_class(family, tmp_path) -> None:
    classifier, _ = load_classifier(str(save_classifier(tmp_path, family)), device="cpu")
    directions = class_directions(classifier)
    assert directions.shape == (3, classifier.model.describe()["d_model"])


@pytest.mark.parametrize("family", ["bert", "albert", "roberta", "electra", "distilbert", "mpnet"])
def test_they_are_the_gradient_without_the_activation(family, tmp_path) -> None:
    """By autograd through the module's own head, its activation made linear, at the state of the first token."""
    classifier, _ = load_classifier(str(save_classifier(tmp_path, family)), device="cpu")
    module, seen = classifier.module, []
    base = classifier.model.module
    layer = classifier.model.family.layers(base)[-1]

    def hand_out(_, __, output):
        state = (output[0] if isinstance(output, tuple) else output).detach().requires_grad_()
        seen.append(state)
        return (state, *output[1:]) if isinstance(output, tuple) else state

    n_runs = len(classifier.model.family.layers(base)) if family == "albert" else 1
    handle = layer.register_forward_hook(hand_out)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch, "tanh", lambda x: x)
        patch.setattr(torch.nn.Tanh, "forward", lambda self, x: x)
        patch.setattr(torch.nn.ReLU, "forward", lambda self, x: x)
        if family == "electra":
            patch.setattr(type(module.classifier.activation), "forward", lambda self, x: x)
        ids = torch.randint(5, VOCAB_SIZE, (1, 6), generator=torch.Generator().manual_seed(0))
        logits = module(input_ids=ids, attention_mask=torch.ones_like(ids)).logits[0]
    handle.remove()
    assert len(seen) == n_runs
    rows = [torch.autograd.grad(logit, seen[-1], retain_graph=True)[0][0, 0] for logit in logits]
    assert torch.allclose(class_directions(classifier), torch.stack(rows), atol=1e-5)


def test_a_causal_head_reads_the_state_as_it_is(tmp_path) -> None:
    classifier, _ = load_classifier(str(save_classifier(tmp_path, "gpt2")), device="cpu")
    assert torch.equal(class_directions(classifier), classifier.module.score.weight)


def test_two_classes_have_a_difference() -> None:
    rows = torch.tensor([[1.0, 2.0], [5.0, 1.0]])
    assert class_difference(rows).tolist() == [[4.0, -1.0]]
    assert class_difference(rows.repeat(2, 1)) is None
