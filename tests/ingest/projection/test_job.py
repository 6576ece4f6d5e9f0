"""What is stored, against dense products in double precision of weights read by their own names."""

import numpy as np
import polars as pl
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM

import warehouse
from ingest.architectures import families
from ingest.models import load_model
from ingest.projection.job import Task, kept_items, part_rows, project, tasks_of
from ingest.projection.parameters import bias, components_of, vectors
from ingest.projection.vocabulary import vocabulary_of
from tests.ingest.attribution.support import FAMILY_NAMES
from tests.ingest.projection.named import named_vectors
from tests.ingest.tiny import VOCAB_SIZE, lenshouse, save, tokenizer_for
from tests.oracle.tiny import randomise
from warehouse.errors import ModelError, UsageError

NAMED = ("bert", "gpt2", "llama", "gpt_neox", "olmo2", "gemma2")
HEAD_WIDTH = {"gemma2": 8, "llama": 6, "olmo2": 6}
K = 6


class Quiet:
    def phase(self, what, total=None): ...
    def advance(self, n): ...


def assert_extremes(rows: pl.DataFrame, scores: np.ndarray, token_ids: list[int], k: int) -> None:
    """Rows of a part against the scores (n_units, n_items) of all items: values, order, and none that is better."""
    rows = rows.sort("unit", "sign", "rank")
    assert len(rows) == 2 * k * len(scores)
    size = np.abs(scores).max(axis=1, keepdims=True)
    place = {token_id: nth for nth, token_id in enumerate(token_ids)}
    for sign in (1, -1):
        side = rows.filter(pl.col("sign") == sign)
        assert side["unit"].to_list() == [unit for unit in range(len(scores)) for _ in range(k)]
        assert side["rank"].to_list() == list(range(1, k + 1)) * len(scores)
        columns = np.array([place[i] for i in side["token_id"]]).reshape(-1, k)
        assert all(len(set(row)) == k for row in columns.tolist())
        stored = side["score"].to_numpy().reshape(-1, k)
        best = sign * np.sort(sign * -scores, axis=1)[:, :k] * -1
        assert np.all(np.abs(stored - best) <= 1e-5 * size)
        assert np.all(np.abs(np.take_along_axis(scores, columns, axis=1) - stored) <= 1e-5 * size)


def save_whole(folder, name, *, tied, **overrides):
    """A model with its head, saved with its tokenizer."""
    config = families()[name].tiny_config(vocab_size=VOCAB_SIZE, tie_word_embeddings=tied, **overrides)
    whole = AutoModelForMaskedLM if name == "bert" else AutoModelForCausalLM
    model = randomise(whole.from_config(config).eval(), 7).float()
    model.save_pretrained(folder)
    tokenizer_for(name).save_pretrained(folder)
    return model


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("name", NAMED)
def test_every_component_by_its_own_name(name, tied, tmp_path):
    whole = save_whole(tmp_path, name, tied=tied)
    model, tokenizer = load_model(str(tmp_path))
    vocabulary = vocabulary_of(model, tokenizer)
    items = sorted(set(tokenizer.get_vocab().values()))
    kept = kept_items(vocabulary, items)
    embeddings = whole.get_output_embeddings().weight.detach().double().numpy()[items]
    expected = named_vectors(tmp_path, name)
    tasks = tasks_of(model, vocabulary)
    assert {(task.layer, task.component) for task in tasks} - {(0, "output_bias")} == set(expected)
    assert (Task(0, "output_bias") in tasks) == (name == "bert")
    for (layer, component), rows in expected.items():
        found = part_rows(model, kept, Task(layer, component), K)
        assert_extremes(found, rows @ embeddings.T, items, K)
        if component.startswith("w_"):
            width = HEAD_WIDTH.get(name, 8)
            assert found["head"].to_list() == (found["unit"] // width).to_list()
        else:
            assert found["head"].null_count() == len(found)


@pytest.mark.parametrize("fold_ln", [False, True])
@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_every_component_of_every_family(name, fold_ln, tmp_path):
    """Vectors are right by test_parameters; here their items and scores."""
    model, tokenizer = load_model(str(save(tmp_path, name)))
    vocabulary = vocabulary_of(model, tokenizer)
    items = sorted(set(tokenizer.get_vocab().values()))
    kept = kept_items(vocabulary, items)
    embeddings = vocabulary.embeddings.double().numpy()[items]
    tasks = [task for task in tasks_of(model, vocabulary) if task.layer == 2]
    assert {task.component for task in tasks} >= set(components_of(model))
    for task in tasks:
        if task.component.endswith("bias"):
            rows = bias(model, 2, task.component, fold_ln=fold_ln).unsqueeze(0)
        else:
            rows = vectors(model, 2, task.component, fold_ln=fold_ln)
        found = part_rows(model, kept, task, K, fold_ln=fold_ln)
        assert_extremes(found, rows.double().numpy() @ embeddings.T, items, K)


def test_the_output_bias_is_its_own_score(tmp_path):
    whole = save_whole(tmp_path, "bert", tied=True)
    model, tokenizer = load_model(str(tmp_path))
    kept = kept_items(vocabulary_of(model, tokenizer), items := sorted(set(tokenizer.get_vocab().values())))
    rows = part_rows(model, kept, Task(0, "output_bias"), K)
    values = whole.cls.predictions.bias.detach().double().numpy()[items]
    assert_extremes(rows, values[None, :], items, K)


def test_the_warehouse_holds_a_model_without_a_run(tmp_path):
    """All parts, the record of each, the filter, the model and its vocabulary; a second call has nothing to do."""
    whole = save_whole(tmp_path / "m", "llama", tied=False)
    model, tokenizer = load_model(str(tmp_path / "m"), name="tiny", family="f", seed=3)
    path = tmp_path / "w.duckdb"
    outcome = project(model, tokenizer, path, Quiet(), top_k=K)
    assert (outcome.n_parts, outcome.n_there, outcome.source) == (21, 0, "output")
    house = warehouse.open(path)
    assert house.sql("SELECT name, family, seed, n_layer FROM model").rows() == [("tiny", "f", 3, 3)]
    assert house.sql("SELECT count(*) FROM vocab").item() == max(tokenizer.get_vocab().values()) + 1
    items = sorted(set(tokenizer.get_vocab().values()))
    embeddings = whole.lm_head.weight.detach().double().numpy()[items]
    for (layer, component), rows in named_vectors(tmp_path / "m", "llama").items():
        where = {"layer": layer, "component": component}
        query = "FROM projection WHERE layer = $layer AND component = $component AND NOT ln_folded"
        found = house.sql(query, where)
        assert set(found["vocab_filter"]) == {"all"}
        assert_extremes(found, rows @ embeddings.T, items, K)
        [(k, n_units)] = house.sql(
            "SELECT k, n_units FROM projection_part WHERE layer = $layer AND component = $component", where
        ).rows()
        assert (k, n_units) == (K, len(rows))
    again = project(model, tokenizer, path, Quiet(), top_k=K)
    assert (again.model_id, again.n_parts, again.n_there) == (1, 0, 21)
    folded = project(model, tokenizer, path, Quiet(), top_k=K, fold_ln=True, components=["ff_key"], layers=[1, 3])
    assert folded.n_parts == 2
    assert house.sql("SELECT count(*) FROM projection_part").item() == 23


def test_another_top_k_needs_replace(tmp_path):
    model, tokenizer = load_model(str(save(tmp_path / "m", "bert")))
    path = tmp_path / "w.duckdb"
    some = {"components": ["ff_value"], "layers": [2]}
    project(model, tokenizer, path, Quiet(), top_k=3, **some)
    with pytest.raises(
        UsageError, match="top 3 of input embeddings in float32: --replace makes it again with the top 4"
    ):
        project(model, tokenizer, path, Quiet(), top_k=4, **some)
    project(model, tokenizer, path, Quiet(), top_k=4, replace=True, **some)
    house = warehouse.open(path)
    assert house.sql("SELECT max(rank), count(*) FROM projection").rows() == [(4, 2 * 4 * 40)]
    assert house.sql("SELECT k FROM projection_part").rows() == [(4,)]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"top_k": 0}, "at least 1"),
        ({"top_k": 200}, "leaves 92 items"),
        ({"components": ["w_x"]}, "use one of ff_key"),
        ({"components": ["ff_gate"]}, "has no ff_gate: it has ff_key, ff_value"),
        ({"components": ["output_bias"]}, "has no output_bias"),
        ({"layers": [4]}, "has layers 1 to 3"),
        ({"vocab_filter": "asci"}, "use all, ascii, alphabetic"),
        ({"vocab_filter": "min-count:2"}, "no texts under this tokenizer"),
    ],
)
def test_wrong_options_leave_no_warehouse(options, words, tmp_path):
    model, tokenizer = load_model(str(save(tmp_path / "m", "bert")))
    with pytest.raises(UsageError, match=words):
        project(model, tokenizer, tmp_path / "w.duckdb", Quiet(), **({"top_k": 3} | options))
    assert not (tmp_path / "w.duckdb").exists()


def test_precision_of_the_file_is_kept(tmp_path):
    """A model in bfloat16 gives the same held in bfloat16 and in float32: its products are float32 either way."""
    save(tmp_path / "m", "gpt2")
    model, _ = load_model(str(tmp_path / "m"))
    model.module.to(torch.bfloat16).save_pretrained(tmp_path / "m")
    found = []
    for dtype in ("float32", "bfloat16"):
        half, tokenizer = load_model(str(tmp_path / "m"), dtype=dtype)
        kept = kept_items(vocabulary_of(half, tokenizer), sorted(set(tokenizer.get_vocab().values())))
        found.append(part_rows(half, kept, Task(1, "ff_value"), K))
    assert found[0].equals(found[1])


def test_nan_in_the_weights_is_refused(tmp_path):
    model, tokenizer = load_model(str(save(tmp_path / "m", "gpt2")))
    with torch.no_grad():
        model.module.h[1].mlp.c_proj.weight[3, 3] = torch.nan
    with pytest.raises(ModelError, match="layer 2 ff_value holds NaN"):
        project(model, tokenizer, tmp_path / "w.duckdb", Quiet(), top_k=3)
    assert not (tmp_path / "w.duckdb").exists(), "it came before the first store"


def test_command_line_of_an_unsupported_model(tmp_path):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "config.json").write_text('{"model_type": "xyz"}')
    done = lenshouse("project", "--model", tmp_path / "m", "--warehouse", tmp_path / "w.duckdb")
    assert done.code == 1
    assert "no family claims the architecture 'xyz'" in done.err
    assert not (tmp_path / "w.duckdb").exists()
