"""--neurons from the command line to SQL: the strongest of the model's own activations, however it was sharded."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

import warehouse
from ingest import plan
from ingest.architectures import families
from ingest.compute import compute
from ingest.extra_rows import Extras, Layout
from ingest.models import load_model
from ingest.neuron_rows import NeuronRows
from ingest.rows import TokenSequence
from tests.ingest.attribution.test_neurons import models_own
from tests.ingest.tiny import (
    TEXTS,
    assert_same_tables,
    corpus,
    counts,
    die_at,
    leftovers,
    lenshouse,
    refused,
    save,
    tables,
)
from warehouse.check import check
from warehouse.contract import SHARD_TABLES
from warehouse.errors import NumericsError

N_MOST = 3
ROWS = 1_000
"""token_pair rows of a shard, so that the texts fall into several."""
KEYS = ("layer", "unit", "sign")

KINDS = {
    "bert": {},
    "gpt2": {"activation_function": "relu", "n_positions": 64},
    "llama": {},
    "gptj": {},
    "albert": {"num_hidden_layers": 4, "num_hidden_groups": 2},
}
"""Post-LN; Pre-LN with ReLU, which has nothing below zero; gated; parallel; layers that share their parameters."""


def ingest(model: Path, texts: Path, house: Path, *flags: object) -> None:
    done = lenshouse("ingest", "--model", model, "--corpus", texts, "--warehouse", house, "--max-tokens", 24, *flags)
    assert (done.code, done.err) == (0, ""), done


@pytest.fixture(scope="module", params=KINDS)
def asked(request, tmp_path_factory) -> tuple[str, Path, Path, Path]:
    """A family, a model's folder, texts, and a warehouse with a run in several shards."""
    root = tmp_path_factory.mktemp("neurons")
    model, texts = save(root / "model", request.param, seed=5, **KINDS[request.param]), corpus(root)
    house = root / "lens.duckdb"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "SHARD_ROWS", ROWS)
        ingest(model, texts, house, "--neurons", N_MOST)
    assert counts(house)["loaded_part"] > 2
    return request.param, model, texts, house


def everything(name: str, folder: Path) -> list[np.ndarray]:
    """(all tokens, dff) of each layer: what the model's own second matrices read, a text at a time."""
    module = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    found: list[list[np.ndarray]] = []
    for text in TEXTS:
        ids = torch.tensor([tokenizer(text, truncation=True, max_length=24)["input_ids"]])
        found.append([reads[0].numpy() for reads, _ in models_own(module, families()[name], ids, torch.ones_like(ids))])
    return [np.concatenate(layer) for layer in zip(*found, strict=True)]


def test_the_strongest_are_the_models_own(asked) -> None:
    """Each stored row is the activation of that very token; and no token that is left out is stronger."""
    name, model, _, house = asked
    rows = warehouse.open(house).sql("FROM neuron_activation")
    token = warehouse.open(house).sql("SELECT seq_id, pos FROM token ORDER BY ALL").with_row_index("nth")
    rows = rows.join(token, on=["seq_id", "pos"])
    own = everything(name, model)
    assert {len(layer) for layer in own} == {token.height}
    n_expected = 0
    for layer, activations in enumerate(own, start=1):
        of_layer = rows.filter(layer=layer)
        true = activations[of_layer["nth"], of_layer["unit"]]
        scale = np.abs(activations).max()
        np.testing.assert_allclose(of_layer["activation"], true, rtol=1e-4, atol=1e-5 * scale)
        for sign in (1, -1):
            sizes = np.sort(np.maximum(sign * activations, 0), axis=0)[::-1][:N_MOST]  # (N, dff)
            n_expected += (sizes > 0).sum()
            found = np.zeros_like(sizes)
            of_sign = of_layer.filter(sign=sign)
            found[of_sign["rank"] - 1, of_sign["unit"]] = sign * of_sign["activation"]
            np.testing.assert_allclose(found, sizes, rtol=1e-4, atol=1e-5 * scale)
    assert rows.height == n_expected
    assert set(rows["sign"]) == ({1} if name == "gpt2" else {1, -1})
    assert (rows["sign"] * rows["activation"] > 0).all()


def test_rows_are_ranked(asked) -> None:
    _, _, _, house = asked
    rows = warehouse.open(house).sql("FROM neuron_activation ORDER BY layer, unit, sign, rank")
    for (_, _, sign), of_neuron in rows.group_by(KEYS):
        assert of_neuron["rank"].to_list() == list(range(1, of_neuron.height + 1)) and of_neuron.height <= N_MOST
        order = list(zip(-sign * of_neuron["activation"], of_neuron["seq_id"], of_neuron["pos"], strict=True))
        assert order == sorted(order) and len({row[1:] for row in order}) == len(order)


def test_the_view_says_what_is_there(asked) -> None:
    """The token's text, in its sentence, whether it is special; what the run says of itself; doctor."""
    name, model, _, house = asked
    tokenizer = AutoTokenizer.from_pretrained(model)
    found = warehouse.open(house).sql("FROM v_neuron_activation")
    assert found.height == counts(house)["neuron_activation"]
    ids = [tokenizer(text, truncation=True, max_length=24)["input_ids"] for text in TEXTS]
    special = set(tokenizer.all_special_ids)
    for row in found.sample(60, seed=1).rows(named=True):
        token_id = ids[row["seq_id"]][row["pos"]]
        assert TEXTS[row["seq_id"]].startswith(row["text"]) and row["is_special"] == (token_id in special)
        cut = row["text"][row["char_start"] : row["char_end"]].strip().lower()
        assert row["is_special"] or row["token"].strip("…␣ ").lower() == cut
    assert found["is_special"].any() == (name != "gpt2")
    run = warehouse.open(house).sql("FROM run").row(0, named=True)
    assert json.loads(run["options"])["neurons"] == N_MOST
    assert run["n_neuron_rows"] == found.height
    assert {finding.level for finding in check(house)} == {"ok"}
    assert leftovers(house) == [] and counts(house)["neuron_activation_part"] == 0


def test_shards_do_not_matter(asked, tmp_path) -> None:
    """All in one shard, by other batches: the same sizes, and the same tokens wherever these are told apart."""
    _, model, texts, house = asked
    whole = tmp_path / "whole.duckdb"
    ingest(model, texts, whole, "--neurons", N_MOST)
    assert counts(whole)["loaded_part"] == 1
    one, other = (
        warehouse.open(path).sql("SELECT * EXCLUDE run_id FROM neuron_activation ORDER BY layer, unit, sign, rank")
        for path in (house, whole)
    )
    assert one.select(*KEYS, "rank").equals(other.select(*KEYS, "rank"))
    np.testing.assert_allclose(one["activation"], other["activation"], rtol=1e-4, atol=1e-5)
    same = (one["seq_id"] == other["seq_id"]) & (one["pos"] == other["pos"])
    assert same.mean() > 0.98


def test_removal_leaves_nothing(asked, tmp_path) -> None:
    *_, house = asked
    copy = tmp_path / "copy.duckdb"
    copy.write_bytes(house.read_bytes())
    assert lenshouse("runs", "remove", 1, "--yes", "--warehouse", copy).code == 0
    assert counts(copy)["neuron_activation"] == 0


def test_nothing_is_stored_unless_asked_for(models, texts, house) -> None:
    ingest(models["bert"], texts, house)
    assert counts(house)["neuron_activation"] == counts(house)["neuron_activation_part"] == 0
    run = warehouse.open(house).sql("FROM run").row(0, named=True)
    assert json.loads(run["options"])["neurons"] == run["n_neuron_rows"] == 0


def test_wrong_numbers_are_told(models, texts, house) -> None:
    job = ("ingest", "--model", models["bert"], "--corpus", texts, "--warehouse", house)
    refused(lenshouse(*job, "--neurons", "-1"), 2, "--neurons")
    refused(lenshouse(*job, "--neurons", "1001"), 2, "neurons = 1001", "at most 1,000")
    refused(lenshouse(*job, "--neurons", "some"), 2, "--neurons")
    assert not house.exists()


N_BEFORE = 2
"""Parquet files that a run writes before its first shard: vocab and layer_weight."""
POINTS = {
    "written, not whole": ("ingest.parts._write_parquet", "after", N_BEFORE + 2 * len(SHARD_TABLES)),
    "loaded, not committed": ("warehouse.load._insert_part", "after", 2 * len(SHARD_TABLES)),
    "merged, not committed": ("warehouse.load._merge_neurons", "after", 1),
}


@pytest.fixture(scope="module")
def undisturbed(models, nursery, tmp_path_factory) -> tuple[list[str], Path]:
    """The arguments of an ingest less its warehouse, and what comes of them."""
    root = tmp_path_factory.mktemp("undisturbed")
    job = ["ingest", "--model", str(models["bert"]), "--corpus", str(corpus(root, TEXTS[:4])), "--neurons", str(N_MOST)]
    path = root / "lens.duckdb"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "SHARD_ROWS", ROWS)
        assert lenshouse(*job, "--warehouse", path).code == 0
    assert counts(path)["loaded_part"] > 2 and counts(path)["neuron_activation"]
    return job, path


@pytest.mark.parametrize("point", POINTS)
def test_killed_and_resumed(point, undisturbed, nursery, house, monkeypatch) -> None:
    """The tables are those of a job that nothing disturbed; until then nothing is shown."""
    job, expected = undisturbed
    child = nursery.start(*job, "--warehouse", house, setup=die_at, options=(ROWS, *POINTS[point]))
    assert child.wait() == -9, child.output()
    assert counts(house)["neuron_activation"] == 0
    monkeypatch.setattr(plan, "SHARD_ROWS", ROWS)
    again = lenshouse(*job, "--warehouse", house)
    assert (again.code, again.err) == (0, "") and "resumed" in again.out
    assert tables(house) == tables(expected)
    assert leftovers(house) == []


@pytest.mark.parametrize("damage", ["missing", "cut"])
def test_a_part_that_is_damaged(damage, undisturbed, house, monkeypatch) -> None:
    """One line says what to remove; that done, the same command computes the shard again, and the tables are right."""
    job, expected = undisturbed
    monkeypatch.setattr(plan, "SHARD_ROWS", ROWS)
    with monkeypatch.context() as patch:
        patch.setattr(warehouse, "load_shards", lambda *args, **options: 0)
        refused(lenshouse(*job, "--warehouse", house), 1, "lacks")
    (file,) = warehouse.parts_folder(house).glob("*/shard-00001/neuron_activation.parquet")
    if damage == "missing":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:-9])
    line = refused(lenshouse(*job, "--warehouse", house), 1, str(file), "is damaged", f"remove {file.parent}")
    assert "run ingest again" in line
    assert counts(house)["neuron_activation"] == 0
    for left in file.parent.iterdir():
        left.unlink()
    file.parent.rmdir()
    again = lenshouse(*job, "--warehouse", house)
    assert (again.code, again.err) == (0, "")
    assert_same_tables(house, expected)


# Within a shard.


def layout(*lengths: int) -> Layout:
    sizes = np.array(lengths)
    starts = np.concatenate([[0], sizes.cumsum()])
    seq_ids = np.arange(40, 40 + len(sizes), dtype=np.int32)
    return Layout(seq_ids, sizes.astype(np.int32), starts, starts, False)


def put(rows: NeuronRows, values: dict[int, Iterable[float]]) -> None:
    """Layer 1, one neuron: activations of the tokens of sequences by their number in the shard."""
    for s, of_tokens in values.items():
        rows.put(0, [s], torch.tensor([[[value] for value in of_tokens]]))


def test_a_batch_that_comes_again_counts_once_and_displaces_nothing() -> None:
    """A first try leaves larger values, as of sequences that are then rounded otherwise; they must not count."""
    rows = NeuronRows.empty(2, layout(2, 3, 2))
    put(rows, {0: (0.5, -4.0)})
    rows.settle()
    put(rows, {1: (7.0, 8.0, -9.0), 2: (6.0, -6.0)})
    rows.forget()
    put(rows, {1: (0.1, 0.0, -1.0)})
    rows.settle()
    put(rows, {2: (0.2, -5.0)})
    rows.settle()
    found = rows.frame()
    assert dict(found.schema) == dict(SHARD_TABLES["neuron_activation"])
    assert found.rows() == [
        (1, 0, 1, 40, 0, pytest.approx(0.5)), (1, 0, 1, 42, 0, pytest.approx(0.2)),
        (1, 0, -1, 42, 1, -5.0), (1, 0, -1, 40, 1, -4.0),
    ]  # fmt: skip


def test_equal_activations_go_to_the_earlier_token() -> None:
    rows = NeuronRows.empty(3, layout(2, 2, 2))
    for s in (2, 0, 1):
        put(rows, {s: (1.0, 1.0)})
        rows.settle()
    assert rows.frame().select("seq_id", "pos").rows() == [(40, 0), (40, 1), (41, 0)]


def test_no_neuron_may_have_any() -> None:
    rows = NeuronRows.empty(3, layout(2))
    assert rows.frame().height == 0
    put(rows, {0: (0.0, 0.0)})
    rows.settle()
    assert rows.frame().height == 0 and dict(rows.frame().schema) == dict(SHARD_TABLES["neuron_activation"])


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_what_is_not_finite_is_named(models, monkeypatch, bad) -> None:
    model, _ = load_model(str(models["gpt2"]), device="cpu")
    sequences = [TokenSequence(n, np.arange(5, 9, dtype=np.int32), np.zeros(4, bool)) for n in (40, 41)]
    activations = torch.zeros(2, 4, 3)
    activations[1, 2, 0] = bad
    monkeypatch.setattr("ingest.attribution.layer.neuron_activations", lambda *args: activations)
    with pytest.raises(NumericsError, match=r"^activation is not finite in layer 1 of sequence 41: nothing"):
        compute(model, sequences, ff_bias="path", extras=Extras(neurons=2))


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_a_model_in_half_precision(dtype, models) -> None:
    """Every neuron's greatest is near that of the model in float32."""
    sequences = [TokenSequence(0, np.arange(5, 25, dtype=np.int32), np.zeros(20, bool))]
    found = {}
    for one in ("float32", dtype):
        model, _ = load_model(str(models["bert"]), dtype=one)
        frame = compute(model, sequences, ff_bias="path", extras=Extras(neurons=1)).tables["neuron_activation"]
        found[one] = frame.filter(pl.col("sign") == 1)
    both = found["float32"].join(found[dtype], on=["layer", "unit"])
    assert both.height == found["float32"].height
    largest = both["activation"].max()
    assert (both["activation"] - both["activation_right"]).abs().max() < 0.05 * largest
