"""Stored pairs, against dense products in double precision of weights read by their own names."""

import numpy as np
import polars as pl
import pytest
import torch

import warehouse
from ingest.models import load_model
from ingest.projection.job import kept_items
from ingest.projection.pair_job import PairTask, item_factors, pair_rows, pair_tasks, project_pairs
from ingest.projection.parameters import head_factors
from ingest.projection.vocabulary import vocabulary_of
from tests.ingest.attribution.support import FAMILY_NAMES
from tests.ingest.projection.named import named_vectors
from tests.ingest.projection.test_job import HEAD_WIDTH, NAMED, Quiet, save_whole
from tests.ingest.tiny import save
from warehouse.errors import ModelError, UsageError

K = 25


def assert_pairs(rows: pl.DataFrame, scores: list[np.ndarray], token_ids: list[int], k: int, *, exclude_same: bool):
    """Rows of a part against each head's scores (n, n) of all pairs: values, order, and none that is better."""
    assert len(rows) == k * len(scores)
    for head, whole in enumerate(scores):
        mine = rows.filter(pl.col("head") == head).sort("rank")
        assert mine["rank"].to_list() == list(range(1, k + 1))
        size = np.abs(whole).max()
        allowed = np.where(np.eye(len(whole), dtype=bool) & exclude_same, -np.inf, whole)
        best = np.sort(allowed, axis=None)[::-1][:k]
        np.testing.assert_allclose(mine["score"].to_numpy(), best, rtol=0, atol=1e-5 * size)
        place = {token_id: nth for nth, token_id in enumerate(token_ids)}
        row, col = ([place[i] for i in mine[name]] for name in ("row_token_id", "col_token_id"))
        np.testing.assert_allclose(mine["score"].to_numpy(), allowed[row, col], rtol=0, atol=1e-5 * size)
        assert len(set(zip(row, col, strict=True))) == k


def named_scores(vectors: dict, layer: int, matrix: str, width: int, embeddings: np.ndarray) -> list[np.ndarray]:
    """Each query head's E W E^T, its W made of the weights' own heads."""
    left, right = ("w_v", "w_o") if matrix == "VO" else ("w_q", "w_k")
    left, right = (vectors[layer, component].reshape(-1, width, embeddings.shape[1]) for component in (left, right))
    n_head = max(len(left), len(right))
    found = []
    for head in range(n_head):
        a, b = (heads[head // (n_head // len(heads))] for heads in (left, right))
        found.append(embeddings @ (a.T @ b) @ embeddings.T)
    return found


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("name", NAMED)
def test_both_matrices_by_their_own_names(name, tied, tmp_path):
    """Llama, Gemma 2 and OLMo 2 with fewer key/value heads than query heads."""
    whole = save_whole(tmp_path, name, tied=tied)
    model, tokenizer = load_model(str(tmp_path))
    items = sorted(set(tokenizer.get_vocab().values()))
    kept = kept_items(vocabulary_of(model, tokenizer), items)
    embeddings = whole.get_output_embeddings().weight.detach().double().numpy()[items]
    vectors = named_vectors(tmp_path, name)
    for task in pair_tasks(model, [1, 3]):
        scores = named_scores(vectors, task.layer, task.matrix, HEAD_WIDTH.get(name, 8), embeddings)
        exclude_same = task.layer == 3
        rows, costs = pair_rows(model, kept, task, K, exclude_same=exclude_same)
        assert_pairs(rows, scores, items, K, exclude_same=exclude_same)
        assert costs["head"].to_list() == list(range(len(scores)))
        assert (costs["n_pairs"] == len(items) ** 2).all()


@pytest.mark.parametrize("fold_ln", [False, True])
@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_both_matrices_of_every_family(name, fold_ln, tmp_path):
    """Factors are right by test_parameters; here their pairs and scores."""
    model, tokenizer = load_model(str(save(tmp_path, name)))
    vocabulary = vocabulary_of(model, tokenizer)
    items = sorted(set(tokenizer.get_vocab().values()))[::2]
    kept = kept_items(vocabulary, items)
    embeddings = vocabulary.embeddings.double().numpy()[items]
    for matrix in ("VO", "QK"):
        scores = [
            embeddings @ a.double().numpy().T @ b.double().numpy() @ embeddings.T
            for a, b in head_factors(model, 2, matrix, fold_ln=fold_ln)
        ]
        rows, _ = pair_rows(model, kept, PairTask(2, matrix), K, ln_folded=fold_ln)
        assert_pairs(rows, scores, items, K, exclude_same=False)


def test_factors_of_items_in_blocks(monkeypatch):
    monkeypatch.setattr("ingest.projection.pair_job._ITEMS_AT_ONCE", 7)
    draw = torch.Generator().manual_seed(0)
    embeddings, a, b = (torch.randn(n, 6, generator=draw) for n in (20, 3, 3))
    left, right = item_factors(embeddings, a, b)
    expected = embeddings.double().numpy() @ (a.double().numpy().T @ b.double().numpy()) @ embeddings.double().numpy().T
    np.testing.assert_allclose((left @ right.T).numpy(), expected, atol=1e-13)


def test_the_warehouse_holds_a_model_without_a_run(tmp_path):
    """All parts, the record of each head, texts in the view; another choice is another part; again nothing to do."""
    whole = save_whole(tmp_path / "m", "llama", tied=False)
    model, tokenizer = load_model(str(tmp_path / "m"), name="tiny")
    path = tmp_path / "w.duckdb"
    outcome = project_pairs(model, tokenizer, path, Quiet(), pair_top_k=K)
    vectors = named_vectors(tmp_path / "m", "llama")
    n_head = len(vectors[1, "w_q"]) // 6
    assert n_head > len(vectors[1, "w_k"]) // 6
    assert (outcome.n_parts, outcome.n_there, outcome.n_heads) == (6, 0, 6 * n_head)
    items = sorted(set(tokenizer.get_vocab().values()))
    embeddings = whole.lm_head.weight.detach().double().numpy()[items]
    house = warehouse.open(path)
    for task in pair_tasks(model):
        where = {"layer": task.layer, "matrix": task.matrix}
        rows = house.sql("FROM pair_projection WHERE layer = $layer AND matrix = $matrix", where)
        scores = named_scores(vectors, task.layer, task.matrix, 6, embeddings)
        assert_pairs(rows, scores, items, K, exclude_same=False)
        assert set(rows["vocab_filter"]) == {"all"}
    spelled = {i: token for token, i in tokenizer.get_vocab().items()}
    texts = dict(house.sql("SELECT token_id, display FROM vocab").rows())
    shown = house.sql("FROM v_pair_projection")
    assert len(shown) == 6 * n_head * K
    assert [texts[i] for i in shown["row_token_id"]] == shown["row_token"].to_list()
    assert [texts[i] for i in shown["col_token_id"]] == shown["col_token"].to_list()
    assert set(shown["row_token_id"]) <= set(spelled)
    multiplied, every = house.sql("SELECT sum(n_multiplied), sum(n_pairs) FROM pair_projection_part").rows()[0]
    assert outcome.share_multiplied == pytest.approx(float(multiplied / every))
    assert every == 6 * n_head * len(items) ** 2
    again = project_pairs(model, tokenizer, path, Quiet(), pair_top_k=K)
    assert (again.model_id, again.n_parts, again.n_there) == (1, 0, 6)
    other = project_pairs(model, tokenizer, path, Quiet(), pair_top_k=K, exclude_same=True, layers=[2])
    assert (other.n_parts, other.n_there) == (2, 0)
    kept = house.sql("SELECT count(*) FROM v_pair_projection WHERE exclude_same AND row_token_id = col_token_id").item()
    assert kept == 0
    assert house.sql("SELECT count(*) FROM v_pair_projection").item() == 8 * n_head * K


def test_another_top_k_needs_replace(tmp_path):
    model, tokenizer = load_model(str(save(tmp_path / "m", "bert")))
    path = tmp_path / "w.duckdb"
    project_pairs(model, tokenizer, path, Quiet(), pair_top_k=3, layers=[2])
    with pytest.raises(UsageError, match="top 3 pairs of input embeddings in float32: --replace makes it again"):
        project_pairs(model, tokenizer, path, Quiet(), pair_top_k=4, layers=[2])
    outcome = project_pairs(model, tokenizer, path, Quiet(), pair_top_k=4, layers=[2], replace=True)
    house = warehouse.open(path)
    assert house.sql("SELECT max(rank), count(*) FROM pair_projection").rows() == [(4, 4 * outcome.n_heads)]
    assert house.sql("SELECT DISTINCT k FROM pair_projection_part").rows() == [(4,)]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"pair_top_k": 0}, "at least 1"),
        ({"pair_top_k": 92 * 91 + 1, "exclude_same": True}, "leaves 8,372 pairs; give at most that"),
        ({"layers": [4]}, "has layers 1 to 3"),
        ({"vocab_filter": "asci"}, "use all, ascii, alphabetic"),
    ],
)
def test_wrong_options_leave_no_warehouse(options, words, tmp_path):
    model, tokenizer = load_model(str(save(tmp_path / "m", "bert")))
    with pytest.raises(UsageError, match=words):
        project_pairs(model, tokenizer, tmp_path / "w.duckdb", Quiet(), **({"pair_top_k": 3} | options))
    assert not (tmp_path / "w.duckdb").exists()


def test_nan_in_the_weights_is_refused(tmp_path):
    model, tokenizer = load_model(str(save(tmp_path / "m", "bert")))
    with torch.no_grad():
        model.module.encoder.layer[1].attention.self.key.weight[3, 3] = torch.nan
    with pytest.raises(ModelError, match="layer 2 QK holds NaN"):
        project_pairs(model, tokenizer, tmp_path / "w.duckdb", Quiet(), pair_top_k=3)
    assert not (tmp_path / "w.duckdb").exists(), "it came before the first store"
