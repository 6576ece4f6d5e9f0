"""Table rows: moments merge to those of all tokens, and the order of rows is the table's whatever the batches were."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ingest import compute as computing
from ingest.attribution.measures import dim_moments
from ingest.compute import compute
from ingest.extra_rows import Extras
from ingest.models import load_model
from ingest.rows import TokenSequence, merge_moments
from tests.ingest.tiny import in_order
from warehouse.contract import DIM_STATES, NORM_MEASURES, PAIR_MEASURES, SHARD_TABLES
from warehouse.errors import NumericsError

KEYS = {
    "token_pair": ("layer", "seq_id", "query", "key"),
    "token_norm": ("layer", "seq_id", "pos"),
    "map_change": ("layer", "seq_id"),
    "layer_dim": ("layer", "dim"),
    "inlier_change": ("layer", "seq_id"),
    "head_norm": ("layer", "seq_id", "head", "pos"),
    "head_pair": ("layer", "seq_id", "head", "query", "key"),
    "rollout": ("layer", "seq_id", "query", "key"),
    "neuron_activation": ("layer", "unit"),
}
VALUES = arrays(np.float32, st.tuples(st.integers(1, 7), st.just(3)), elements=st.floats(-100, 100, width=32))


def moments(values: np.ndarray) -> dict[str, np.ndarray]:
    """By the definition, in float64."""
    values = values.astype(np.float64)
    mean = values.mean(0)
    return {"mean_abs": np.abs(values).mean(0), "mean": mean, "m2": ((values - mean) ** 2).sum(0)}


@given(st.lists(VALUES, min_size=1, max_size=6))
def test_merged_moments_are_those_of_all_tokens(groups) -> None:
    given_groups = [
        (len(g), {f"{state}_{name}": value for state in DIM_STATES for name, value in moments(g).items()})
        for g in groups
    ]
    n_tokens, merged = merge_moments(given_groups)
    everything = np.concatenate(groups)
    assert n_tokens == len(everything)
    for state in DIM_STATES:
        for name, expected in moments(everything).items():
            assert np.allclose(merged[f"{state}_{name}"], expected, rtol=1e-9, atol=1e-6), name


@given(VALUES)
def test_moments_of_one_group(values) -> None:
    found = dim_moments(torch.from_numpy(values))
    for name, expected in moments(values).items():
        assert np.allclose(found[name].numpy(), expected, rtol=1e-5, atol=1e-3), name


@pytest.fixture(scope="module", params=["bert", "gpt2"])
def model(request, models):
    loaded, _ = load_model(str(models[request.param]), device="cpu")
    return loaded


def sequences(*lengths: int, first_seq: int = 0) -> list[TokenSequence]:
    random = np.random.default_rng(5)
    return [
        TokenSequence(first_seq + i, random.integers(5, 60, n).astype(np.int32), np.arange(n) == 0)
        for i, n in enumerate(lengths)
    ]


def test_rows_are_in_table_order_whatever_the_batches(model, monkeypatch) -> None:
    """One batch, a batch a sequence, and batches in reverse give the same rows in the same order."""
    corpus = sequences(7, 2, 11, 1, 7, 4, first_seq=40)
    extras = Extras("weights", ("after_ln",), inliers=True, neurons=3)
    whole = compute(model, corpus, ff_bias="path", extras=extras).tables
    for cut in ([[0], [1], [2], [3], [4], [5]], [[5, 0], [2, 3, 1], [4]]):
        monkeypatch.setattr(computing, "batches", lambda *args, cut=cut: iter(cut))
        other = compute(model, corpus, ff_bias="path", extras=extras).tables
        for name, frame in whole.items():
            keys = KEYS[name]
            assert dict(frame.schema) == dict(SHARD_TABLES[name])
            assert in_order(frame, *keys)
            assert frame.select(keys).rows() == other[name].select(keys).rows()
            for column in (c for c in frame.columns if frame[c].dtype.is_float() and c != "completeness_error"):
                found, expected = (f[column].fill_null(9).to_numpy() for f in (other[name], frame))
                tolerance = 2e-3 if column == "spearman" else 1e-5 * max(1.0, np.abs(expected).max())
                assert np.allclose(found, expected, rtol=1e-5, atol=tolerance), column


def test_rows_are_counted(model) -> None:
    lengths = [3, 1, 5]
    told: list[int] = []
    result = compute(model, sequences(*lengths), ff_bias="path", on_progress=told.append)
    n_layer = len(model.layers)
    pairs = sum(n * (n + 1) // 2 if model.is_causal else n * n for n in lengths) * n_layer
    assert {name: frame.height for name, frame in result.tables.items()} == {
        "token_pair": pairs, "token_norm": sum(lengths) * n_layer, "map_change": 3 * n_layer * 4 * 3,
        "layer_dim": n_layer * 24, "inlier_change": 0, "head_norm": 0, "head_pair": 0, "rollout": 0,
        "neuron_activation": 0,
    }  # fmt: skip
    assert sum(told) == pairs
    assert result.tables["layer_dim"]["n_tokens"].unique().to_list() == [sum(lengths)]
    if model.is_causal:
        assert (result.tables["token_pair"]["key"] <= result.tables["token_pair"]["query"]).all()
    for table, names in (("token_pair", PAIR_MEASURES), ("token_norm", NORM_MEASURES)):
        assert set(names) < set(result.tables[table].columns)
    assert result.max_completeness_error == result.tables["token_norm"]["completeness_error"].max()


def test_dimensions_are_summed_over_every_batch(model, monkeypatch) -> None:
    """The mean of |output| in each dimension is that of the model's own hidden states, however tokens were batched."""
    corpus = sequences(4, 6, 2)
    monkeypatch.setattr(computing, "batches", lambda *args: iter([[0], [1, 2]]))
    dims = compute(model, corpus, ff_bias="path").tables["layer_dim"]
    with torch.no_grad():
        states = [
            model.module(torch.from_numpy(s.ids).long().unsqueeze(0), output_hidden_states=True).hidden_states[1][0]
            for s in corpus
        ]
    expected = torch.cat(states).double().numpy()
    first = dims.filter(layer=1)
    assert np.allclose(first["output_mean_abs"], np.abs(expected).mean(0), rtol=1e-5, atol=1e-6)
    assert np.allclose(first["output_m2"], ((expected - expected.mean(0)) ** 2).sum(0), rtol=1e-4, atol=1e-5)


def test_a_single_token_has_no_change(model) -> None:
    """One pair has no order: spearman is NULL; nothing comes from other tokens: the mixing ratio is 0."""
    tables = compute(model, sequences(1), ff_bias="path").tables
    assert tables["map_change"]["spearman"].null_count() == tables["map_change"].height
    assert tables["token_norm"]["mix_atb"].is_between(0, 1e-6).all()
    assert tables["token_pair"].height == len(model.layers)


def test_what_is_not_finite_is_named(model, monkeypatch) -> None:
    """Layer 2 of the sequence numbered 41 gives NaN in one map."""
    attribute = computing.attribute_layer
    calls = 0

    def broken(*args, **kwargs):
        nonlocal calls
        result = attribute(*args, **kwargs)
        calls += 1
        if calls == len(model.layers) + 2:
            result.maps["after_res"][0, 1, 0] = torch.nan
        return result

    monkeypatch.setattr(computing, "attribute_layer", broken)
    monkeypatch.setattr(computing, "batches", lambda *args: iter([[0], [1]]))
    with pytest.raises(NumericsError, match=r"^after_res is not finite in layer 2 of sequence 41: nothing"):
        compute(model, sequences(3, 3, first_seq=40), ff_bias="path")


def test_an_incomplete_decomposition_is_named(model, monkeypatch) -> None:
    attribute = computing.attribute_layer

    def broken(*args, **kwargs):
        result = attribute(*args, **kwargs)
        result.norms["completeness_error"][0, 1] = 0.5
        return result

    monkeypatch.setattr(computing, "attribute_layer", broken)
    with pytest.raises(NumericsError, match=r"pieces of layer 1, sequence 40 miss the model's state by 5\.0e-01"):
        compute(model, sequences(3, first_seq=40), ff_bias="path")
