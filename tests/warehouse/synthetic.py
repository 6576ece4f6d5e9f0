"""Parts of an invented run, as ingest would write them: for the tests and the bench of the warehouse."""

import hashlib
import itertools
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from warehouse.contract import (
    COMPONENTS,
    DIM_STATES,
    METHOD_VERSION,
    NORM_MEASURES,
    PAIR_FILTERS,
    PAIR_MEASURES,
    PARTS_FORMAT,
    RUN_TABLES,
    SHARD_TABLES,
)

N_HEAD = 2
N_UNIT = 3
N_NEURONS = 2
"""Activations of a neuron and sign that a run keeps."""
ROLLED = ("attn", "after_ln")
OPTIONS = {
    "max_length": 128,
    "ff_bias": "path",
    "heads": "weights",
    "rollout": list(ROLLED),
    "neurons": N_NEURONS,
}
ORDERS = {"post_ln": "FF,RES,LN", "pre_ln": "LN,FF,RES", "res_post_ln": "FF,LN,RES"}
ORDERS |= dict.fromkeys(("sandwich_ln", "parallel"), ORDERS["pre_ln"])
WORDS = ("[CLS]", "[SEP]", "the", "lens", "##es", "house", "of", "map")


@dataclass(frozen=True)
class Shape:
    """How large the run is, and which numbers it holds."""

    n_layer: int = 2
    d_model: int = 5
    lengths: tuple[int, ...] = (4, 3, 5)  # tokens per sequence
    shards: tuple[int, ...] = (2, 1)  # sequences per shard
    seed: int = 0
    name: str = "first"
    model: str = "tiny"
    model_seed: int | None = 0
    family: str | None = "tiny"
    tokenizer: str = "words"
    corpus: str = "poem"
    placement: str = "post_ln"

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(repr(replace(self, name="")).encode()).hexdigest()[:16]

    @property
    def n_pairs(self) -> int:
        return self.n_layer * sum(n * n for n in self.lengths)


def write_parts(root: Path, shape: Shape = Shape()) -> Path:
    """Write a whole run below `root`; returns its folder."""
    folder = root / shape.fingerprint
    folder.mkdir(parents=True)
    write_json(folder / "run.json", run_json(shape))
    for name, frame in run_frames(shape).items():
        frame.write_parquet(folder / f"{name}.parquet")
    rows = dict.fromkeys(SHARD_TABLES, 0)
    first = 0
    for number, n_seq in enumerate(shape.shards):
        frames = shard_frames(shape, number, range(first, first + n_seq))
        write_shard(folder, number, frames, (first, first + n_seq - 1))
        first += n_seq
        rows = {table: rows[table] + frames[table].height for table in rows}
    manifest = {
        "fingerprint": shape.fingerprint,
        "n_shards": len(shape.shards),
        "rows": rows,
        "seconds": {"forward": 1.0, "core": 2.0, "write": 0.5},
        "finished_at": "2026-01-02T03:04:05+01:00",
        "max_completeness_error": 3e-7,
    }
    write_json(folder / "manifest.json", manifest)
    return folder


def write_shard(folder: Path, number: int, frames: dict[str, pl.DataFrame], seqs: tuple[int, int]) -> Path:
    """Write one shard folder with its shard.json."""
    target = folder / f"shard-{number:05d}"
    target.mkdir()
    tables = {}
    for table, frame in frames.items():
        file = target / f"{table}.parquet"
        frame.write_parquet(file, compression="lz4")
        tables[table] = {"rows": frame.height, "bytes": file.stat().st_size}
    described = {
        "shard": number,
        "first_seq": seqs[0],
        "last_seq": seqs[1],
        "tables": tables,
        "seconds": {"forward": 0.5, "core": 1.0, "write": 0.25},
        "max_completeness_error": 3e-7,
    }
    write_json(target / "shard.json", described)
    return target


def write_json(file: Path, content: dict[str, Any]) -> None:
    file.write_text(json.dumps(content), encoding="utf-8")


def run_json(shape: Shape) -> dict[str, Any]:
    return {
        "format": PARTS_FORMAT,
        "fingerprint": shape.fingerprint,
        "model": {
            "name": shape.model, "revision": None, "weights_sha256": f"w{shape.model}{shape.model_seed}",
            "family": shape.family, "model_type": "bert", "placement": shape.placement,
            "component_order": ORDERS[shape.placement],
            "is_causal": False, "n_layer": shape.n_layer, "n_head": N_HEAD, "n_kv_head": N_HEAD,
            "d_model": shape.d_model, "d_ff": 20, "activation": "gelu", "is_gated": False,
            "norm_type": "layernorm", "vocab_size": len(WORDS), "tied_embeddings": True,
            "seed": shape.model_seed, "base_model": None, "n_params": 1234,
        },
        "tokenizer": {"name": shape.tokenizer, "fingerprint": f"f-{shape.tokenizer}"},
        "corpus": {
            "name": shape.corpus, "source": f"{shape.corpus}.txt", "sha256": f"c-{shape.corpus}",
            "license": None, "annotation": None, "n_sequences": len(shape.lengths),
        },
        "run": {
            "name": shape.name, "options": dict(OPTIONS),
            "method_version": METHOD_VERSION, "lenshouse_version": "0.1.0", "torch_version": "2.8.0",
            "transformers_version": "5.24.0", "device": "cpu", "dtype": "float32",
            "started_at": "2026-01-02T01:00:00+00:00", "n_sequences": len(shape.lengths), "n_truncated": 0,
            "n_chunked": 0, "n_skipped": 0, "n_tokens": sum(shape.lengths), "n_pairs": shape.n_pairs,
            "n_shards": len(shape.shards), "seconds_tokenize": 0.25,
        },
    }  # fmt: skip


def run_frames(shape: Shape) -> dict[str, pl.DataFrame]:
    """sequence, token, vocab and layer_weight."""
    rng = np.random.default_rng(shape.seed + 1000)
    seqs = range(len(shape.lengths))
    tokens = [
        {
            "seq_id": seq,
            "pos": pos,
            "token_id": 0 if pos == 0 else 1 if pos == n - 1 else 2 + (seq + pos) % (len(WORDS) - 2),
            "char_start": pos,
            "char_end": pos + 1,
            "is_special": pos in (0, n - 1),
        }
        for seq, n in zip(seqs, shape.lengths, strict=True)
        for pos in range(n)
    ]
    grid = [(layer, dim) for layer in range(1, shape.n_layer + 1) for dim in range(shape.d_model)]
    weights: dict[str, Any] = {
        "layer": [layer for layer, _ in grid],
        "dim": [dim for _, dim in grid],
    }
    for name in ("ln_attn_gamma", "ln_attn_beta", "ln_ff_gamma", "ln_ff_beta"):
        weights[name] = rng.normal(size=len(grid)).round(1)  # rounded: ties, which Spearman must handle
    content: dict[str, Any] = {
        "sequence": {
            "seq_id": list(seqs),
            "text": [f"text {seq}" for seq in seqs],
            "label": [None for _ in seqs],
            "source_id": [None for _ in seqs],
        },
        "token": tokens,
        "vocab": {
            "token_id": list(range(len(WORDS))),
            "token": list(WORDS),
            "display": [word.removeprefix("##") for word in WORDS],
            "is_special": [word.startswith("[") for word in WORDS],
        },
        "layer_weight": weights,
    }
    return {name: pl.DataFrame(content[name], schema=RUN_TABLES[name]) for name in RUN_TABLES}


def shard_frames(shape: Shape, number: int, seqs: range) -> dict[str, pl.DataFrame]:
    """The tables of one shard: lognormal maps, and moments of `states` of the same shard."""
    rng = np.random.default_rng((shape.seed, number))
    layers = np.arange(1, shape.n_layer + 1)
    blocks = [
        np.stack([axis.ravel() for axis in np.meshgrid([layer], [seq], range(n), range(n), indexing="ij")])
        for layer in layers
        for seq, n in ((seq, shape.lengths[seq]) for seq in seqs)
    ]
    layer, seq, query, key = np.concatenate(blocks, axis=1)
    pair = {"layer": layer, "seq_id": seq, "query": query, "key": key}
    pair |= {name: rng.lognormal(-2, 1, layer.size) for name in PAIR_MEASURES}
    at = [(la, s, pos) for la in layers for s in seqs for pos in range(shape.lengths[s])]
    norm: dict[str, Any] = dict(zip(("layer", "seq_id", "pos"), np.array(at).T, strict=True))
    norm |= {name: rng.uniform(0.1, 0.9, len(at)) for name in NORM_MEASURES}
    cells = [(la, s, c, f) for la in layers for s in seqs for c in COMPONENTS for f in PAIR_FILTERS]
    change = pl.DataFrame(cells, schema=["layer", "seq_id", "component", "pair_filter"], orient="row")
    rho = pl.Series(rng.uniform(-1, 1, len(cells)))
    change = change.with_columns(spearman=pl.when(pl.int_range(pl.len()) != 0).then(rho), n_pairs=pl.lit(9, pl.Int32))
    frames = {
        "token_pair": pl.DataFrame(pair),
        "token_norm": pl.DataFrame(norm),
        "map_change": change,
        "inlier_change": change.filter(layer=1).with_columns(pl.col("spearman") / 2),
        "layer_dim": _moments(shape, number, seqs),
        **_extras(shape, number, seqs),
        "neuron_activation": pl.DataFrame(
            strongest(shape, seqs), schema=list(SHARD_TABLES["neuron_activation"]), orient="row"
        ),
    }
    return {name: frame.cast(dict(SHARD_TABLES[name])) for name, frame in frames.items()}  # type: ignore[arg-type]


def _extras(shape: Shape, number: int, seqs: range) -> dict[str, pl.DataFrame]:
    """head_norm, head_pair and rollout: no more than numbers that tell rows apart."""
    rng = np.random.default_rng((shape.seed, number, 11))
    sizes = [(seq, shape.lengths[seq]) for seq in seqs]
    layers, heads = range(1, shape.n_layer + 1), range(N_HEAD)
    norm = [(la, s, h, pos) for la in layers for s, n in sizes for h in heads for pos in range(n)]
    pair = [(la, s, h, q, k) for la in layers for s, n in sizes for h in heads for q in range(n) for k in range(n)]
    rolled = [
        (measure, la, s, q, k)
        for measure in ROLLED
        for la in range(shape.n_layer + 1)
        for s, n in sizes
        for q in range(n)
        for k in range(n)
    ]

    def frame(table: str, rows: list[tuple]) -> pl.DataFrame:
        *keys, value = SHARD_TABLES[table]
        keyed = pl.DataFrame(rows, schema=keys, orient="row")
        return keyed.with_columns(pl.Series(value, rng.lognormal(-2, 1, len(rows))))

    return {"head_norm": frame("head_norm", norm), "head_pair": frame("head_pair", pair),
            "rollout": frame("rollout", rolled)}  # fmt: skip


def activations(shape: Shape, seq: int) -> np.ndarray:
    """Invented activations of a sequence (n_layer, N_UNIT, tokens), the same in any shard; many are equal, or zero."""
    size = (shape.n_layer, N_UNIT, shape.lengths[seq])
    return np.random.default_rng((shape.seed, seq, 13)).integers(-3, 4, size) / 2


def strongest(shape: Shape, seqs: range) -> list[tuple[int, int, int, int, int, float]]:
    """(layer, unit, sign, seq_id, pos, activation) of some sequences, N_NEURONS at most of a neuron and sign."""
    found = []
    by_seq = {seq: activations(shape, seq) for seq in seqs}
    for layer, unit, sign in itertools.product(range(shape.n_layer), range(N_UNIT), (1, -1)):
        tokens = [
            (layer + 1, unit, sign, seq, pos, value)
            for seq, values in by_seq.items()
            for pos, value in enumerate(values[layer, unit].tolist())
            if sign * value > 0
        ]
        found += sorted(tokens, key=lambda row: (-abs(row[5]), row[3], row[4]))[:N_NEURONS]
    return found


def states(shape: Shape, number: int, n_tokens: int) -> dict[str, np.ndarray]:
    """Invented hidden states of a shard: state -> (n_layer, n_tokens, d_model), far from zero mean."""
    rng = np.random.default_rng((shape.seed, number, 7))
    size = (shape.n_layer, n_tokens, shape.d_model)
    return {name: rng.normal(3 + i, 0.5 + number, size) for i, name in enumerate(DIM_STATES)}


def _moments(shape: Shape, number: int, seqs: range) -> pl.DataFrame:
    n_tokens = sum(shape.lengths[seq] for seq in seqs)
    layer, dim = (a.ravel() for a in np.meshgrid(range(1, shape.n_layer + 1), range(shape.d_model), indexing="ij"))
    columns: dict[str, Any] = {"layer": layer, "dim": dim, "n_tokens": np.full(layer.size, n_tokens)}
    for name, state in states(shape, number, n_tokens).items():
        mean = state.mean(1)
        columns[f"{name}_mean_abs"] = np.abs(state).mean(1).ravel()
        columns[f"{name}_mean"] = mean.ravel()
        columns[f"{name}_m2"] = ((state - mean[:, None]) ** 2).sum(1).ravel()
    return pl.DataFrame(columns)
