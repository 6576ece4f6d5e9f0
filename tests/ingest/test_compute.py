"""Too little memory on the device: less is done at once, and the rows stay the same."""

import numpy as np
import pytest
import torch

import ingest.compute
from ingest.compute import compute
from ingest.extra_rows import Extras
from ingest.models import LoadedModel, load_model
from ingest.rows import TokenSequence
from tests.ingest.tiny import save
from warehouse.errors import DeviceMemoryError

LENGTHS = (5, 5, 9, 1, 12, 12, 12, 30)


@pytest.fixture(scope="module", params=["bert", "llama"])
def model(request, tmp_path_factory) -> LoadedModel:
    return load_model(str(save(tmp_path_factory.mktemp("model") / "m", request.param)))[0]


@pytest.fixture(scope="module")
def sequences() -> list[TokenSequence]:
    rng = np.random.default_rng(0)
    return [TokenSequence(n, rng.integers(5, 250, size), np.zeros(size, bool)) for n, size in enumerate(LENGTHS)]


def assert_same_rows(found, expected) -> None:
    assert found.tables.keys() == expected.tables.keys()
    for name, frame in expected.tables.items():
        assert found.tables[name].drop("component", "pair_filter", strict=False).to_numpy() == pytest.approx(
            frame.drop("component", "pair_filter", strict=False).to_numpy(), rel=1e-4, abs=1e-5, nan_ok=True
        ), name


def test_blocks_are_halved(model, sequences, monkeypatch):
    expected = compute(model, sequences, ff_bias="path")
    tried = []
    whole = ingest.compute.attribute_layer

    def small(*args, rows, **options):
        tried.append(rows)
        if rows > 400:
            raise torch.OutOfMemoryError
        return whole(*args, rows=rows, **options)

    monkeypatch.setattr(ingest.compute, "attribute_layer", small)
    found = compute(model, sequences, ff_bias="path")
    assert tried[:3] == [1280, 640, 320]
    assert set(tried[3:]) == {320}, "once halved, it stays so"
    assert_same_rows(found, expected)


@pytest.mark.parametrize("at_layer", [0, 1, 2])
def test_batches_are_halved(model, sequences, at_layer, monkeypatch):
    """Wherever in the forward pass memory runs out: what layers before it have put counts once."""
    expected = compute(model, sequences, ff_bias="path", extras=Extras(neurons=2))
    sizes = []
    whole = ingest.compute.forward_by_layer

    def narrow(module, family, ids, mask, on_layer):
        def stop(index, *states):
            if index == at_layer and len(ids) > 3:
                raise torch.OutOfMemoryError
            on_layer(index, *states)

        sizes.append(len(ids))
        whole(module, family, ids, mask, stop)

    monkeypatch.setattr(ingest.compute, "forward_by_layer", narrow)
    found = compute(model, sequences, ff_bias="path", extras=Extras(neurons=2))
    assert max(sizes) > 3 and sum(n for n in sizes if n <= 3) == len(LENGTHS)
    assert_same_rows(found, expected)
    assert found.tables["layer_dim"]["n_tokens"].unique().to_list() == [sum(LENGTHS)]


def test_a_sequence_that_does_not_fit_is_named(model, sequences, monkeypatch):
    def never(*args, **options):
        raise torch.OutOfMemoryError

    monkeypatch.setattr(ingest.compute, "attribute_layer", never)
    with pytest.raises(DeviceMemoryError, match=r"sequence 3 \(1 tokens\) does not fit.*--max-tokens"):
        compute(model, sequences, ff_bias="path")
