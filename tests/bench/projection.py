"""Time and memory of projections at GPT-2 small's size, and of a search among fifteen million stored rows."""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch

import warehouse
from ingest.projection.top_k import block_rows, extremes
from tests.bench.peak import peak_kib
from warehouse import connect
from warehouse.search import says, search

N_UNITS, D_MODEL, N_ITEMS, K = 73_728, 768, 50_257, 50
"""GPT-2 small: keys and values of 12 layers of 3,072 neurons; both signs are asked for."""

SAMPLE = 4_096
"""Vectors of one measurement; time goes with their number."""

N_ROWS = 15_000_000


def projection() -> None:
    """The product and its top items against the product alone; memory for all vectors; a search by item."""
    draw = torch.Generator().manual_seed(0)
    embeddings = torch.randn(N_ITEMS, D_MODEL, generator=draw)
    vectors = torch.randn(SAMPLE, D_MODEL, generator=draw)
    ratios = []
    for _ in range(5):
        alone, whole = _seconds(lambda: _product(vectors, embeddings)), _seconds(lambda: _extremes(vectors, embeddings))
        ratios.append(alone / whole)
    flops = 2 * SAMPLE * D_MODEL * N_ITEMS
    print(f"projection: {SAMPLE:,} vectors of {N_UNITS:,}, d {D_MODEL}, {N_ITEMS:,} items, top {K} of both signs")
    print(f"  {min(ratios):.2f} to {max(ratios):.2f} of the product's own rate, median {statistics.median(ratios):.2f}")
    minutes = whole * N_UNITS / SAMPLE / 60
    print(f"  last: {whole:.1f} s, {flops / whole / 1e9:.0f} GFLOP/s; all vectors: {minutes:.1f} min")
    for what in ("memory", "search"):
        command = [sys.executable, "-m", "tests.bench.projection", what]
        print(f"  {what}: {subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()}")


def _product(vectors: torch.Tensor, embeddings: torch.Tensor) -> None:
    """Block by block as projections do, into one matrix."""
    rows = block_rows(N_ITEMS)
    buffer = torch.empty(rows, N_ITEMS)
    for block in vectors.split(rows):
        torch.mm(block, embeddings.T, out=buffer[: len(block)])


def _extremes(vectors: torch.Tensor, embeddings: torch.Tensor) -> None:
    for _ in extremes(vectors, embeddings, K):
        pass


def _seconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def _memory() -> None:
    """Peak of a process that projects a GPT-2 small of random weights, one layer's FF and attention, and stores it."""
    from transformers import GPT2Config, GPT2LMHeadModel

    from ingest.models import load_model
    from ingest.progress import Progress
    from ingest.projection.job import project
    from tests.ingest.tiny import byte_level

    class Quiet(Progress):
        def phase(self, what: str, total: int | None = None) -> None: ...
        def advance(self, n: int) -> None: ...

    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) == 2:  # in a process of its own: making a model takes more memory than projecting one
            model = Path(folder) / "model"
            GPT2LMHeadModel(GPT2Config()).save_pretrained(model)
            tokenizer = byte_level()
            tokenizer.add_tokens([f"item{i}" for i in range(N_ITEMS - len(tokenizer))])
            tokenizer.save_pretrained(model)
            command = [sys.executable, "-m", "tests.bench.projection", "memory", str(model)]
            sys.stdout.write(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
            return
        path = Path(folder) / "bench.duckdb"
        started = time.perf_counter()
        loaded, tokenizer = load_model(sys.argv[2], device="cpu")
        before = peak_kib()
        outcome = project(loaded, tokenizer, path, Quiet(), layers=[1, 2], top_k=K)
        told = {
            "units": outcome.n_units,
            "seconds": round(time.perf_counter() - started, 1),
            "peak_mib": peak_kib() // 1024,
            "loaded_mib": before // 1024,
            "bytes_per_row": round(path.stat().st_size / (outcome.n_units * 2 * K), 1),
        }
        print(json.dumps(told))


_FILL = """
    INSERT INTO tokenizer VALUES (1, 't', 'f');
    INSERT INTO vocab SELECT 1, range, 'w' || range, 'w' || range, false FROM range($items);
    INSERT INTO model BY NAME
    SELECT
        range AS model_id, 'model ' || range AS name, 'x' AS weights_sha256, 'gpt2' AS model_type,
        'pre_ln' AS placement, 'LN,FF,RES' AS component_order, true AS is_causal, 12 AS n_layer, 12 AS n_head,
        12 AS n_kv_head, 768 AS d_model, 3072 AS d_ff, 'gelu' AS activation, false AS is_gated,
        'layernorm' AS norm_type, $items AS vocab_size, true AS tied_embeddings, 1 AS tokenizer_id, 1 AS n_params
    FROM range(1, 3);
"""
_PART = """
    INSERT INTO projection
    SELECT
        $model, $layer, $component, unit, NULL, sign, rank,
        (pow(random(), 2) * $items)::INTEGER AS token_id, random()::REAL, 'all', false
    FROM range(3072) AS units(unit), range(1, 51) AS ranks(rank), (VALUES (1), (-1)) AS signs(sign)
    ORDER BY token_id, sign, rank, unit;
    INSERT INTO projection_part VALUES
        ($model, $layer, $component, 'all', false, 50, 3072, 'tied', 'float32', '1', 0, now()::TIMESTAMP);
"""


def _search() -> None:
    """Two models of GPT-2 small's size, keys and values, entered part by part; medians of five."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.duckdb"
        with connect.write(path) as con:
            for statement in filter(str.strip, _FILL.split(";")):
                con.execute(statement, {"items": N_ITEMS} if "$items" in statement else None)
            for part in range(N_ROWS // (3072 * 2 * K) + 1):
                values = {"model": 1 + part // 24, "layer": 1 + part % 12, "component": f"ff_{'kv'[part // 12 % 2]}"}
                insert, record = (piece for piece in _PART.split(";") if piece.strip())
                con.execute(insert, values | {"items": N_ITEMS - 1})
                con.execute(record, values)
        n_rows = warehouse.open(path).sql("SELECT count(*) FROM projection").item()
        asked = {
            "frequent item": lambda: search(path, ["w1"], limit=40),
            "rare item": lambda: search(path, ["w40000"], limit=40),
            "five items": lambda: search(path, [f"w{i}" for i in (3, 50, 700, 9_000, 40_000)], limit=40),
            "v_projection": lambda: warehouse.open(path).sql("FROM v_projection WHERE display = 'w40000'"),
            "a neuron": lambda: says(path, "model 2", 7, 42, component="ff_k"),
        }
        told = {what: round(statistics.median(_seconds(call) for _ in range(5)), 3) for what, call in asked.items()}
        print(json.dumps({"rows": n_rows, "mib": path.stat().st_size >> 20} | told))


if __name__ == "__main__":
    {"memory": _memory, "search": _search}[sys.argv[1]]()
