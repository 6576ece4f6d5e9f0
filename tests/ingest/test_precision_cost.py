"""A run in half precision says what that costs, against the same files in float32."""

import json

import pytest
import torch
from transformers import AutoModel, AutoTokenizer

import ingest.precision
import warehouse
from ingest import attribute
from tests.ingest.tiny import TEXTS, corpus, lenshouse, save

MAPS = ("attn", "attn_norm", "atb", "after_ff", "after_res", "after_ln")


def stored_cost(house) -> dict | None:
    (options,) = warehouse.open(house).sql("SELECT options FROM run")["options"].to_list()
    return json.loads(options)["precision_cost"]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return save(tmp_path_factory.mktemp("model") / "m", "llama")


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_the_cost_is_that_of_the_first_sequences(model, tmp_path, dtype):
    """Against frames from `attribute`, layer by layer and map by map, in plain numpy."""
    house = tmp_path / "lens.duckdb"
    done = lenshouse("ingest", "--model", model, "--corpus", corpus(tmp_path), "--warehouse", house, "--dtype", dtype)
    assert (done.code, done.err) == (0, "")
    found = stored_cost(house)
    tokenizer = AutoTokenizer.from_pretrained(model)
    exact, half = (
        attribute(AutoModel.from_pretrained(model, dtype=kind), tokenizer, TEXTS[:4]).token_pair
        for kind in (torch.float32, getattr(torch, dtype))
    )
    errors = {}
    for seq_id in range(4):
        for layer in (1, 2, 3):
            one, other = (f.filter(seq_id=seq_id, layer=layer) for f in (exact, half))
            for name in MAPS:
                a, b = one[name].cast(float).to_numpy(), other[name].cast(float).to_numpy()
                errors[seq_id, layer, name] = ((a - b) ** 2).sum() ** 0.5 / (a**2).sum() ** 0.5
    worst = max(errors, key=errors.__getitem__)
    # Batched with others, half precision rounds otherwise than alone.
    assert found["map_error"] == pytest.approx(errors[worst], rel=0.3)
    assert found["n_sequences"] == 4
    assert 0.9 < found["spearman"] < 1
    assert found["spearman_at"].startswith("layer ")


def test_float32_costs_nothing(model, tmp_path):
    house = tmp_path / "lens.duckdb"
    assert lenshouse("ingest", "--model", model, "--corpus", corpus(tmp_path), "--warehouse", house).code == 0
    assert stored_cost(house) is None


def test_no_room_for_a_second_model(model, tmp_path, monkeypatch):
    def full(*args, **options):
        raise torch.OutOfMemoryError

    monkeypatch.setattr(ingest.precision, "load_model", full)
    house = tmp_path / "lens.duckdb"
    arguments = ("--model", model, "--corpus", corpus(tmp_path), "--warehouse", house, "--dtype", "bfloat16")
    assert lenshouse("ingest", *arguments).code == 0
    assert stored_cost(house) is None


def test_tf32_is_measured_and_here_float32(model, tmp_path):
    """A CPU has no TF32 units: the way through is taken, the cost is measured, and it is nothing."""
    house = tmp_path / "lens.duckdb"
    given = ("--model", model, "--corpus", corpus(tmp_path), "--warehouse", house)
    assert lenshouse("ingest", *given, "--dtype", "tf32").code == 0
    cost = stored_cost(house)
    assert cost["map_error"] < 1e-6 and cost["spearman"] > 0.999999
    assert lenshouse("ingest", *given).code == 0  # in float32 it is another run
    maps = warehouse.open(house).sql(
        "SELECT run_id, dtype, sum(after_ff) AS s FROM token_pair JOIN run USING (run_id) GROUP BY ALL ORDER BY 1"
    )
    assert maps["dtype"].to_list() == ["tf32", "float32"]
    assert maps["s"][0] == pytest.approx(maps["s"][1], rel=1e-6)
