"""--heads and --rollout from the command line to SQL: what is stored is the model's own, and only when asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

import warehouse
from ingest import plan, provenance
from ingest import rows as shard_rows
from ingest.compute import compute
from ingest.extra_rows import Extras
from ingest.models import load_model
from ingest.rows import TokenSequence
from tests.ingest.tiny import TEXTS, corpus, counts, die_at, leftovers, lenshouse, refused, save, tables
from tests.warehouse.test_migrate import as_schema_1
from warehouse.check import check
from warehouse.contract import SHARD_TABLES
from warehouse.errors import NumericsError

EXTRA_TABLES = ("head_norm", "head_pair", "rollout")
LOOKED_AT = 4
"""The longest of the texts."""


@pytest.fixture(scope="module", params=["bert", "gpt2", "llama", "gemma2"])
def asked(request, tmp_path_factory) -> tuple[str, Path, Path]:
    """A family, a model's folder, and a warehouse in several shards with everything that can be asked for."""
    root = tmp_path_factory.mktemp("asked")
    model, house = save(root / "model", request.param, seed=5), root / "lens.duckdb"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "SHARD_ROWS", 20_000)
        flags = ("--heads", "weights", "--rollout", "attn,after_ln,attn_norm", "--max-tokens", 24)
        done = lenshouse("ingest", "--model", model, "--corpus", corpus(root), "--warehouse", house, *flags)
    assert (done.code, done.err) == (0, "")
    return request.param, model, house


def module_and_ids(model: Path) -> tuple[torch.nn.Module, torch.Tensor]:
    module = AutoModel.from_pretrained(model, attn_implementation="eager").eval()
    ids = AutoTokenizer.from_pretrained(model)(TEXTS[LOOKED_AT], truncation=True, max_length=24)["input_ids"]
    return module, torch.tensor([ids])


def squares(rows: pl.DataFrame, n: int, value: str) -> np.ndarray:
    """(query, key) of rows that hold each visible pair once; 0 elsewhere."""
    found = np.zeros((n, n))
    found[rows["query"], rows["key"]] = rows[value]
    return found


@torch.no_grad()
def test_weights_are_the_models_own(asked) -> None:
    _, model, house = asked
    module, ids = module_and_ids(model)
    n = ids.shape[1]
    stored = warehouse.open(house).sql(f"FROM head_pair WHERE seq_id = {LOOKED_AT}")
    attentions = module(ids, output_attentions=True).attentions
    n_head = attentions[0].shape[1]
    assert stored["head"].n_unique() == n_head
    for number, weights in enumerate(attentions, start=1):
        for head in range(n_head):
            rows = stored.filter(layer=number, head=head)
            np.testing.assert_allclose(squares(rows, n, "alpha"), weights[0, head], rtol=1e-4, atol=1e-6)


@torch.no_grad()
def test_norms_are_those_of_the_weights_own_products(asked) -> None:
    """Layer 1 of the sequence, from the matrices as they lie in the model; Gemma's norm has no part in it."""
    name, model, house = asked
    module, ids = module_and_ids(model)
    x = module(ids, output_hidden_states=True).hidden_states[0][0].double()
    module = module.double()
    if name == "bert":
        attention = module.encoder.layer[0].attention
        values, w_o = attention.self.value(x), attention.output.dense.weight.T
    elif name == "gpt2":
        block, d = module.h[0], x.shape[-1]
        values, w_o = block.attn.c_attn(block.ln_1(x))[:, 2 * d :], block.attn.c_proj.weight
    else:
        layer = module.layers[0]
        values, w_o = layer.self_attn.v_proj(layer.input_layernorm(x)), layer.self_attn.o_proj.weight.T
    n_head = module.config.num_attention_heads
    w_o = w_o.unflatten(0, (n_head, -1))
    by_kv_head = values.unflatten(-1, (-1, w_o.shape[1]))
    stored = warehouse.open(house).sql(f"FROM head_norm WHERE seq_id = {LOOKED_AT} AND layer = 1 ORDER BY head, pos")
    assert stored.height == n_head * len(x)
    for head in range(n_head):
        shared = head * by_kv_head.shape[1] // n_head
        want = torch.linalg.vector_norm(by_kv_head[:, shared] @ w_o[head], dim=-1)
        np.testing.assert_allclose(stored.filter(head=head)["value_norm"], want, rtol=1e-5)


def test_heads_and_pairs_agree(asked) -> None:
    """The mean of the heads' weights is attn, and the norms of their parts are at least attn_norm together."""
    _, _, house = asked
    rows = warehouse.open(house).sql(
        "SELECT p.attn, p.attn_norm, avg(h.alpha) AS mean, sum(h.weighted_norm) AS whole, count(*) AS n, "
        "count(*) FILTER (h.weighted_norm = h.alpha * h.value_norm) AS n_right, any_value(m.n_head) AS n_head "
        "FROM token_pair p JOIN v_head_pair h USING (run_id, layer, seq_id, query, key) JOIN v_run m USING (run_id) "
        "GROUP BY ALL"
    )
    # GROUP BY ALL groups by the maps' values: several pairs of zeros may fall together.
    assert rows["n"].sum() == counts(house)["head_pair"] and (rows["n"] == rows["n_right"]).all()
    assert (rows["n"] % rows["n_head"] == 0).all()
    np.testing.assert_allclose(rows["mean"], rows["attn"], rtol=1e-5, atol=1e-7)
    sums, attn_norm = rows["whole"] / (rows["n"] / rows["n_head"]), rows["attn_norm"]
    assert (sums >= attn_norm * (1 - 1e-5)).all()


def test_rollout_is_that_of_the_stored_maps(asked) -> None:
    """Plain loops over token_pair of one sequence; sums to 1; layer 0 is the identity."""
    _, _, house = asked
    pairs = warehouse.open(house).sql(f"FROM token_pair WHERE seq_id = {LOOKED_AT}")
    stored = warehouse.open(house).sql(f"FROM rollout WHERE seq_id = {LOOKED_AT}")
    n, n_layer = pairs["query"].max() + 1, pairs["layer"].max()
    assert set(stored["measure"]) == {"attn", "attn_norm", "after_ln"}
    assert stored.height == 3 * pairs.height // n_layer * (n_layer + 1)
    for measure in ("attn", "attn_norm", "after_ln"):
        rolled = np.eye(n)
        for layer in range(n_layer + 1):
            if layer:
                step = squares(pairs.filter(layer=layer), n, measure)
                for i in range(n):
                    step[i] = step[i] / step[i].sum() if step[i].any() else np.eye(n)[i]
                if measure == "attn":
                    step = (step + np.eye(n)) / 2
                rolled = np.array(
                    [[sum(step[i, k] * rolled[k, j] for k in range(n)) for j in range(n)] for i in range(n)]
                )
            found = squares(stored.filter(measure=measure, layer=layer), n, "value")
            np.testing.assert_allclose(found, rolled, rtol=1e-5, atol=1e-9)
            np.testing.assert_allclose(found.sum(1), 1, rtol=1e-5)


def test_everything_counts_and_goes(asked, tmp_path) -> None:
    """Several shards, every row that was announced, what the run says of itself; and removal leaves nothing."""
    _, _, house = asked
    rows = counts(house)
    run = warehouse.open(house).sql("FROM v_run").row(0, named=True)
    assert rows["loaded_part"] > 1 and leftovers(house) == []
    assert rows["head_norm"] == run["n_tokens"] * run["n_layer"] * run["n_head"]
    assert rows["head_pair"] == run["n_pairs"] * run["n_head"]
    options = json.loads(run["options"])
    assert (options["heads"], options["rollout"]) == ("weights", ["attn", "attn_norm", "after_ln"])
    assert {finding.level for finding in check(house)} == {"ok"}
    copy = tmp_path / "copy.duckdb"
    copy.write_bytes(house.read_bytes())
    assert lenshouse("runs", "remove", 1, "--yes", "--warehouse", copy).code == 0
    assert [counts(copy)[table] for table in EXTRA_TABLES] == [0, 0, 0]


@pytest.mark.parametrize(
    ("flags", "filled"),
    [
        ((), ()),
        (("--heads", "norms"), ("head_norm",)),
        (("--heads", "weights"), ("head_norm", "head_pair")),
        (("--rollout", "after_res"), ("rollout",)),
    ],
    ids=str,
)
def test_only_what_is_asked_for_is_stored(flags, filled, models, texts, house) -> None:
    done = lenshouse("ingest", "--model", models["bert"], "--corpus", texts, "--warehouse", house, *flags)
    assert (done.code, done.err) == (0, "")
    rows = counts(house)
    assert [table for table in EXTRA_TABLES if rows[table]] == list(filled)
    assert bool(warehouse.open(house).sql("FROM v_head_pair LIMIT 1").height) == ("head_pair" in filled)
    assert lenshouse("doctor", "--warehouse", house).code == 0


def test_a_wrong_map_is_told(models, texts, house) -> None:
    job = ("ingest", "--model", models["bert"], "--corpus", texts, "--warehouse", house)
    refused(lenshouse(*job, "--rollout", "attn,atp"), 2, "rollout = 'atp'", "after_ln")
    refused(lenshouse(*job, "--rollout", ""), 2, "rollout = ''")


@pytest.mark.parametrize("target", ["ingest.parts._write_parquet", "warehouse.load._insert_part"])
def test_killed_in_a_shard_and_resumed(target, models, texts, nursery, house, tmp_path, monkeypatch) -> None:
    """In the second shard, when head_pair is there and rollout is not: the tables are those of an undisturbed job."""
    n_before = 2 if target.endswith("parquet") else 0  # vocab and layer_weight
    flags = ("--heads", "weights", "--rollout", "attn")
    job = ("ingest", "--model", models["bert"], "--corpus", texts, *flags, "--warehouse")
    tables_of_a_shard = list(SHARD_TABLES)
    nth = n_before + len(tables_of_a_shard) + tables_of_a_shard.index("head_pair") + 1
    child = nursery.start(*job, house, setup=die_at, options=(20_000, target, "after", nth))
    assert child.wait() == -9, child.output()
    monkeypatch.setattr(plan, "SHARD_ROWS", 20_000)
    again = lenshouse(*job, house)
    assert (again.code, again.err) == (0, "") and "resumed" in again.out
    undisturbed = tmp_path / "undisturbed.duckdb"
    assert lenshouse(*job, undisturbed).code == 0
    assert counts(undisturbed)["loaded_part"] > 2
    assert tables(house) == tables(undisturbed)
    assert leftovers(house) == []


def test_a_run_from_before_is_known(models, texts, house, monkeypatch) -> None:
    """A run of a warehouse of schema 1 is the same run to a job that asks for no more; its kept parts stay."""
    job = ("ingest", "--model", models["bert"], "--corpus", texts, "--warehouse", house)
    assert lenshouse(*job, "--keep-parts").code == 0
    (folder,) = warehouse.parts_folder(house).iterdir()
    described = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(described | {"format": 1}))
    as_schema_1(house)
    again = lenshouse(*job)
    assert again.code == 0 and "nothing to do" in again.out
    assert (folder / "shard-00000").is_dir()
    assert "run 2 " in lenshouse(*job, "--heads", "norms").out
    assert {finding.level for finding in check(house)} <= {"ok", "warning"}


def test_what_is_not_asked_for_is_not_in_the_fingerprint(models, texts, house, monkeypatch) -> None:
    """Runs of earlier versions were hashed over these entries and no others."""
    hashed = []
    dumps = json.dumps

    def watched(content, **options) -> str:
        if isinstance(content, dict) and "weights" in content:
            hashed.append(set(content))
        return dumps(content, **options)

    monkeypatch.setattr(provenance.json, "dumps", watched)
    job = ("ingest", "--model", models["bert"], "--corpus", texts, "--warehouse", house)
    for flags in ((), ("--heads", "weights"), ("--rollout", "atb")):
        assert lenshouse(*job, *flags).code == 0
    plain = {"method", "weights", "settings", "tokenizer", "corpus", "ff_bias", "dtype", "device"}
    assert hashed == [plain, plain | {"heads"}, plain | {"rollout"}]


def test_what_is_not_finite_is_named(models, monkeypatch) -> None:
    model, _ = load_model(str(models["gpt2"]), device="cpu")
    sequences = [TokenSequence(40, np.arange(5, 9, dtype=np.int32), np.zeros(4, bool))]

    def spoil(column: str) -> Callable[..., None]:
        put = shard_rows.ShardRows._put_heads

        def spoilt(self, layer, where, head_norm, alpha):
            (head_norm if column == "value_norm" else alpha)[0, 1, 2] = torch.inf
            put(self, layer, where, head_norm, alpha)

        return spoilt

    for column in ("value_norm", "alpha"):
        with monkeypatch.context() as patch:
            patch.setattr(shard_rows.ShardRows, "_put_heads", spoil(column))
            with pytest.raises(NumericsError, match=f"^{column} is not finite in layer 1 of sequence 40"):
                compute(model, sequences, ff_bias="path", extras=Extras("weights"))


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_weights_of_a_model_in_half_precision(dtype, models) -> None:
    """Their mean over heads is the map of attention weights."""
    model, tokenizer = load_model(str(models["bert"]), dtype=dtype)
    ids = np.array(tokenizer(TEXTS[0]).input_ids)
    sequences = [TokenSequence(0, ids, np.zeros(len(ids), bool))]
    tables = compute(model, sequences, ff_bias="path", extras=Extras(heads="weights")).tables
    alpha = tables["head_pair"].group_by("layer", "query", "key").agg(pl.col("alpha").mean())
    both = tables["token_pair"].join(alpha, on=["layer", "query", "key"])
    assert len(both) == 3 * len(ids) ** 2
    np.testing.assert_allclose(both["alpha"], both["attn"], rtol=1e-6)
