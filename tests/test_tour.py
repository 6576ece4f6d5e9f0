"""The whole product in seconds: a corpus file, `lenshouse ingest`, `lenshouse sql`, and the oracle's numbers."""

from __future__ import annotations

import importlib.metadata
import io
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from tests.ingest.tiny import leftovers, lenshouse, save
from tests.oracle.maps import changes, oracle_layers

MAX_TOKENS = 24
LINES = (
    "label\tsentence",
    "good\tthe cat sat on the mat.",
    "bad\ta dog barks, loudly and without any end to it at all, as long as the cat sits there.",
    "\t",
    "good\tsmall cats and dogs",
    "good\tyes",
)
LOOKED_AT = 2
"""seq_id of 'small cats and dogs': the row without a text is none."""


@pytest.fixture(params=["bert", "gpt2"])
def tour(request, tmp_path) -> tuple[Path, Path, str]:
    """A model's folder, a warehouse that an ingest has filled, and what the ingest said."""
    model = save(tmp_path / "multiberts-seed_3", request.param, seed=8)
    corpus, house = tmp_path / "reviews.tsv", tmp_path / "lens.duckdb"
    corpus.write_text("\n".join(LINES) + "\n")
    done = lenshouse(
        "ingest", "--model", model, "--corpus", corpus, "--warehouse", house, "--max-tokens", MAX_TOKENS
    )  # fmt: skip
    assert (done.code, done.err) == (0, "")
    return model, house, done.out


def ask(house: Path, query: str) -> pl.DataFrame:
    done = lenshouse("sql", query, "--warehouse", house, "--format", "csv")
    assert (done.code, done.err) == (0, "")
    return pl.read_csv(io.StringIO(done.out), infer_schema_length=None)


def assert_close(found: np.ndarray, expected: np.ndarray, what: str) -> None:
    """1e-5 of the value, and 1e-6 of the largest of its row for values that nearly cancel."""
    allowed = 1e-5 * np.abs(expected) + 1e-6 * np.abs(expected).max(axis=-1, keepdims=True)
    assert (np.abs(found - expected) <= allowed).all(), what


def test_tour(tour) -> None:
    folder, house, said = tour
    module = AutoModel.from_pretrained(folder, attn_implementation="eager")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    texts = [line.split("\t")[1] for line in LINES[1:] if line.strip()]
    lengths = [min(len(tokenizer(text)["input_ids"]), MAX_TOKENS) for text in texts]
    causal = module.config.model_type == "gpt2"
    ids = torch.tensor(tokenizer(texts[LOOKED_AT])["input_ids"])
    n = len(ids)
    assert n == lengths[LOOKED_AT] <= MAX_TOKENS
    expected = oracle_layers(module.double(), ids.unsqueeze(0))

    # Every map, norm and change of one sequence.
    pairs = ask(house, f"SELECT * FROM token_pair WHERE seq_id = {LOOKED_AT} ORDER BY layer, query, key")
    norms = ask(house, f"SELECT * FROM token_norm WHERE seq_id = {LOOKED_AT} ORDER BY layer, pos")
    change = ask(house, f"SELECT * FROM map_change WHERE seq_id = {LOOKED_AT}")
    special = ask(house, f"SELECT is_special FROM token WHERE seq_id = {LOOKED_AT} ORDER BY pos")["is_special"]
    shown = np.tril(np.ones((n, n), bool)) if causal else np.ones((n, n), bool)
    for number, layer in enumerate(expected, start=1):
        of_layer = pairs.filter(layer=number)
        assert of_layer.select("query", "key").rows() == [tuple(pair) for pair in np.argwhere(shown).tolist()]
        for name in ("attn", "attn_norm", "atb", "after_ff", "after_res", "after_ln"):
            found = np.zeros((n, n))
            found[shown] = of_layer[name].to_numpy()
            assert_close(found, np.where(shown, layer[name], 0), f"layer {number} {name}")
        at = norms.filter(layer=number)
        for name in ("norm_input", "norm_attn_out", "norm_y", "norm_ff_in", "norm_ff_out", "norm_sum", "norm_output"):
            assert_close(at[name].to_numpy(), layer[name], f"layer {number} {name}")
        for name in ("mix_atb", "mix_after_ff", "mix_after_res", "mix_after_ln", "cos_ff_res"):
            assert np.allclose(at[name].to_numpy(), layer[name], rtol=0, atol=1e-5), f"layer {number} {name}"
        rho = {(r["component"], r["pair_filter"]): r["spearman"] for r in change.filter(layer=number).to_dicts()}
        for key, value in changes(layer, special.to_numpy()).items():
            # A pair of nearly equal values may change places in float32.
            assert rho[key] == pytest.approx(1 - value, abs=2e-3), f"layer {number} {key}"

    # Rows of the whole run, and what it says of itself.
    n_layer = len(expected)
    n_pairs = sum(t * (t + 1) // 2 if causal else t * t for t in lengths) * n_layer
    counted = ask(
        house,
        "SELECT (SELECT count(*) FROM token_pair) pairs, (SELECT count(*) FROM token_norm) norms, "
        "(SELECT count(*) FROM map_change) changes, (SELECT count(*) FROM layer_dim) dims, "
        "(SELECT count(*) FROM sequence) sequences, (SELECT count(*) FROM token) tokens",
    ).row(0)
    assert counted == (
        n_pairs, sum(lengths) * n_layer, len(texts) * n_layer * 4 * 3, n_layer * 24, len(texts), sum(lengths)
    )  # fmt: skip
    run = ask(house, "FROM v_run").row(0, named=True)
    worst = ask(house, "SELECT max(completeness_error) FROM token_norm").item()
    options = json.loads(run["options"])
    assert {key: run[key] for key in ("model_name", "family", "seed", "corpus_name", "dtype", "placement")} == {
        "model_name": "multiberts-seed_3", "family": "multiberts", "seed": 3, "corpus_name": "reviews",
        "dtype": "float32", "placement": "pre_ln" if causal else "post_ln",
    }  # fmt: skip
    assert [run[f"n_{what}"] for what in ("sequences", "truncated", "skipped", "tokens", "pairs", "layer")] == [
        len(texts), 1, 1, sum(lengths), n_pairs, n_layer
    ]  # fmt: skip
    assert (options["max_tokens"], options["too_long"], options["ff_bias"]) == (MAX_TOKENS, "truncate", "path")
    assert options["corpus"] == run["corpus_source"] == str(house.parent / "reviews.tsv")
    for package in ("torch", "transformers", "lenshouse"):
        assert run[f"{package}_version"].split("+")[0] == importlib.metadata.version(package).split("+")[0]
    assert run["max_completeness_error"] == pytest.approx(worst, rel=1e-6)
    assert 0 < worst < 1e-5
    labels = ask(house, "SELECT label, text FROM sequence ORDER BY seq_id")
    assert labels["label"].to_list() == ["good", "bad", "good", "good"]
    assert labels["text"][LOOKED_AT] == texts[LOOKED_AT]

    # What the person at the terminal reads.
    for told in (f"{len(texts)} sequences", f"{n_pairs:,} token pairs", "1 text cut", "1 text skipped", "ask: "):
        assert told in said, said
    assert leftovers(house) == []
