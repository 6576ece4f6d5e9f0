"""Recall against brute force: sets of items, in double precision, from what hooks see in the model's own modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from transformers import AutoModel

import warehouse
from ingest import plan
from ingest.models import load_model
from ingest.projection.recall import ActiveUnits, Reader, UnitItems, hits, most_active, recalls
from ingest.projection.recall_job import RecallConfig, measure
from tests.ingest.projection.named import named_vectors
from tests.ingest.projection.test_job import Quiet
from tests.ingest.tiny import TEXTS, corpus, save, tokenizer_for
from warehouse.errors import CorpusError, NumericsError, UsageError

K, UNITS = 6, 3
N_LAYER = 3


def bert_modules(model: Any, i: int) -> dict[str, Any]:
    layer = model.encoder.layer[i]
    return {
        "layer": layer,
        "key": layer.intermediate.dense,
        "value": layer.output.dense,
        "v": layer.attention.self.value,
        "o": layer.attention.output.dense,
    }


def gpt2_modules(model: Any, i: int) -> dict[str, Any]:
    layer = model.h[i]
    return {
        "layer": layer,
        "key": layer.mlp.c_fc,
        "value": layer.mlp.c_proj,
        "v": layer.attn.c_attn,
        "o": layer.attn.c_proj,
    }


def llama_modules(model: Any, i: int) -> dict[str, Any]:
    layer = model.layers[i]
    return {
        "layer": layer,
        "key": layer.mlp.up_proj,
        "gate": layer.mlp.gate_proj,
        "value": layer.mlp.down_proj,
        "v": layer.self_attn.v_proj,
        "o": layer.self_attn.o_proj,
    }


MODULES: dict[str, Callable[[Any, int], dict[str, Any]]] = {
    "bert": bert_modules,
    "gpt2": gpt2_modules,
    "llama": llama_modules,
}


def seen(modules: dict[str, Any], run: Callable[[], Any]) -> dict[str, np.ndarray]:
    """What the modules of one layer read and gave while the model ran over one sequence: name -> (T, n)."""
    found: dict[str, Tensor] = {}

    def keep(name: str) -> Callable[..., None]:
        def hook(module: Any, args: tuple[Any, ...], output: Any) -> None:
            found[f"{name} read"] = args[0]
            found[name] = output[0] if isinstance(output, tuple) else output

        return hook

    handles = [module.register_forward_hook(keep(name)) for name, module in modules.items()]
    with torch.no_grad():
        run()
    for handle in handles:
        handle.remove()
    return {name: value.reshape(-1, value.shape[-1]).numpy() for name, value in found.items()}


def by_component(found: dict[str, np.ndarray]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Component -> what multiplies its units, and what gives their sign."""
    neuron = found["value read"]
    own = found["v"][:, -found["v"].shape[1] // 3 :] if found["v"].shape[1] == 3 * found["o"].shape[1] else found["v"]
    components = {
        "ff_key": (neuron, found["key"]),
        "ff_value": (neuron, neuron),
        "w_v": (own, own),
        "w_o": (found["o read"], found["o read"]),
    }
    return components | ({"ff_gate": (neuron, found["gate"])} if "gate" in found else {})


def top_items(vector: np.ndarray, embeddings: np.ndarray, k: int = K) -> set[int]:
    return set(np.argsort(-(embeddings @ vector), kind="stable")[:k].tolist())


def brute_force(
    folder: Any, name: str, texts: tuple[str, ...]
) -> dict[tuple[int, str], list[tuple[float, float, int]]]:
    """(layer, component) -> for each sequence the sums over its tokens of recall and shuffled recall, and its tokens.

    Sequences with one token that is not special are left out.
    """
    tokenizer = tokenizer_for(name)
    model = AutoModel.from_pretrained(folder, attn_implementation="eager").double().eval()
    embeddings = model.get_input_embeddings().weight.detach().numpy()[sorted(tokenizer.get_vocab().values())]
    vectors = named_vectors(folder, name)
    expected: dict[tuple[int, str], list[tuple[float, float, int]]] = {}
    for text in texts:
        ids = torch.tensor([tokenizer(text)["input_ids"]])
        content = [i for i, token in enumerate(ids[0].tolist()) if token not in tokenizer.all_special_ids]
        if len(content) < 2:
            continue
        for layer in range(1, N_LAYER + 1):
            found = seen(MODULES[name](model, layer - 1), lambda ids=ids: model(input_ids=ids))
            states = {i: top_items(found["layer"][i], embeddings) for i in content}
            for component, (size, direction) in by_component(found).items():
                unions = {}
                for i in content:
                    units = [u for u in np.argsort(-np.abs(size[i]))[:UNITS] if size[i, u] != 0]
                    rows = [np.sign(direction[i, u]) * vectors[layer, component][u] for u in units]
                    unions[i] = set().union(*(top_items(row, embeddings) for row in rows))
                own = sum(len(unions[i] & states[i]) / K for i in content)
                pairs = sum(len(unions[i] & states[j]) for i in content for j in content if j != i)
                others = pairs / K / (len(content) - 1)
                expected.setdefault((layer, component), []).append((own, others, len(content)))
    return expected


def measured(folder: Any, house: Any, path: Any, **options: Any) -> Any:
    model, tokenizer = load_model(str(folder), device="cpu")
    config = RecallConfig(str(path), house, top_k=K, n_units=UNITS, **options)
    return measure(model, tokenizer, config, Quiet())


@pytest.mark.parametrize("activation", ["gelu", "relu"])
@pytest.mark.parametrize("name", ["bert", "gpt2", "llama"])
def test_recall_is_that_of_sets_of_items(name, activation, tmp_path, house) -> None:
    option = "activation_function" if name == "gpt2" else "hidden_act"
    folder = save(tmp_path / name, name, seed=11, **{option: activation})
    texts = TEXTS if name == "gpt2" else (*TEXTS, "[CLS] cat [SEP]")
    measured(folder, house, corpus(tmp_path, texts))
    rows = warehouse.open(house).sql("FROM recall ORDER BY layer, component").rows(named=True)
    expected = brute_force(folder, name, texts)
    assert [(row["layer"], row["component"]) for row in rows] == sorted(expected)
    for row in rows:
        own, others, n_tokens = np.array(expected[row["layer"], row["component"]]).T
        assert row["n_tokens"] == n_tokens.sum() and row["n_sequences"] == len(n_tokens)
        assert row["recall"] == pytest.approx(own.sum() / n_tokens.sum(), rel=1e-12)
        assert row["shuffled"] == pytest.approx(others.sum() / n_tokens.sum(), rel=1e-12)
        assert row["gain"] == pytest.approx((own - others).sum() / n_tokens.sum(), abs=1e-12)
    assert len({row["recall"] for row in rows}) > len(rows) // 2


def test_intervals_are_as_wide_as_the_ratios_standard_error(tmp_path, house) -> None:
    """Of a ratio of sums over independent sequences, by linearisation (the delta method)."""
    folder = save(tmp_path / "bert", "bert", seed=11)
    texts = tuple(
        f"{a} {b}" for a in ("a", "the cat", "dogs bark", "on a mat") for b in ("sat", "the dog", "cats", "and")
    )
    measured(folder, house, corpus(tmp_path, texts))
    expected = brute_force(folder, "bert", texts)
    rows = warehouse.open(house).sql("FROM v_recall WHERE shuffled > 0.05").rows(named=True)  # not all but zeros
    assert len(rows) >= 6
    for row in rows:
        own, others, n_tokens = np.array(expected[row["layer"], row["component"]]).T
        ends = (row["low"], row["recall"], row["high"]), (row["gain_low"], row["gain"], row["gain_high"])
        for (low, middle, high), of in zip(ends, (own, own - others), strict=True):
            residual = of - n_tokens * of.sum() / n_tokens.sum()
            error = np.sqrt(len(of) / (len(of) - 1) * (residual**2).sum()) / n_tokens.sum()
            assert low <= middle <= high
            assert high - low == pytest.approx(2 * 2.13 * error, rel=0.25, abs=1e-12)


def test_few_texts_have_no_interval(tmp_path, house) -> None:
    measured(save(tmp_path / "bert", "bert"), house, corpus(tmp_path, TEXTS[:3]))
    row = warehouse.open(house).sql("SELECT DISTINCT low, high, gain_low, gain_high, n_sequences FROM recall").rows()
    assert row == [(None, None, None, None, 3)]


def test_batches_and_padding_change_nothing(tmp_path, monkeypatch) -> None:
    folder = save(tmp_path / "gpt2", "gpt2", seed=2)
    texts = corpus(tmp_path)
    found = []
    for tokens, held in ((1_024, 1_000), (1, 3)):
        monkeypatch.setitem(plan.BATCH_TOKENS, "cpu", tokens)
        monkeypatch.setattr("ingest.projection.recall_job._HELD", held)
        house = tmp_path / f"{tokens}.duckdb"
        measured(folder, house, texts)
        found.append(warehouse.open(house).sql("SELECT * EXCLUDE (seconds, computed_at) FROM recall ORDER BY ALL"))
    assert found[0].equals(found[1])


def test_the_most_active_units() -> None:
    size = torch.tensor([[0.1, -3.0, 0.0, 2.0], [0.0, 0.0, 0.5, 0.0]])
    direction = torch.tensor([[1.0, 1.0, 1.0, -1.0], [1.0, 1.0, -1.0, 1.0]])
    active = most_active(size, direction, 2)
    assert active.unit[0].tolist() == [1, 3] and active.sign[0].tolist() == [1, -1]
    assert active.unit[1, 0] == 2 and active.sign[1].tolist() == [-1, 0]  # the second is not active at all


def test_items_of_units_at_either_end() -> None:
    embeddings = torch.eye(5)
    vectors = torch.tensor([[5.0, 4.0, 3.0, 2.0, 1.0], [0.0, 0.0, -1.0, 0.0, 7.0]])
    asked = []
    items = UnitItems(lambda: asked.append(1) or vectors, 2, Reader(embeddings, 2), torch.device("cpu"))
    found = items.of(ActiveUnits(torch.tensor([[0, 1], [0, 1]]), torch.tensor([[1, 1], [-1, -1]])))
    assert found.tolist() == [[[0, 1], [4, 0]], [[4, 3], [2, 0]]]  # of equal ones the lower row
    again = items.of(ActiveUnits(torch.tensor([[1]]), torch.tensor([[-1]])))
    assert again.tolist() == [[[2, 0]]] and len(asked) == 1


@pytest.mark.parametrize("tokens", [1, 2, 128])
def test_hits_by_hand(tokens, monkeypatch) -> None:
    monkeypatch.setattr("ingest.projection.recall._TOKENS", tokens)
    unit_items = torch.tensor([[[0, 1], [1, 2]], [[3, 4], [0, 1]], [[5, 6], [5, 7]]])
    sign = torch.tensor([[1, -1], [1, 0], [1, 1]])  # of the second token one unit only: {3, 4}
    states = torch.tensor([[0, 2], [3, 0], [6, 7]])
    found = hits(unit_items, sign, states, 8)
    assert found.tolist() == [[2, 1, 0], [0, 1, 0], [0, 0, 2]]
    assert recalls(found, 2) == (2.5, 0.25)


def test_what_is_refused(tmp_path, house) -> None:
    folder, texts = save(tmp_path / "bert", "bert"), corpus(tmp_path)
    model, tokenizer = load_model(str(folder), device="cpu")
    for options, words in (({"top_k": 93}, "has 92 vocabulary items"), ({"n_units": 99}, "give at most that")):
        with pytest.raises(UsageError, match=words):
            measure(model, tokenizer, RecallConfig(str(texts), house, **options), Quiet())
    with pytest.raises(CorpusError, match="no text has two tokens"):
        measured(folder, house, corpus(tmp_path, ("cat", "dog"), "short.txt"))
    assert not house.exists()


def test_states_that_are_not_finite_are_refused(tmp_path, house, monkeypatch) -> None:
    folder = save(tmp_path / "bert", "bert")
    model, tokenizer = load_model(str(folder), device="cpu")
    monkeypatch.setattr("ingest.projection.recall_job.verify", lambda *args, **options: 0.0)
    with torch.no_grad():
        model.module.encoder.layer[1].output.LayerNorm.bias[3] = torch.nan
    with pytest.raises(NumericsError, match="layer 2, sequence"):
        measure(model, tokenizer, RecallConfig(str(corpus(tmp_path)), house, top_k=K, n_units=UNITS), Quiet())
    assert not house.exists()
