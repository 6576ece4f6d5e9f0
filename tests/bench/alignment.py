"""Memory, rate and exactness of the alignment of two models of BERT-base's size with random weights."""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

from ingest.projection.alignment import align, metric
from tests.bench.peak import peak_kib

N_ITEMS, D_MODEL, D_FF, N_LAYER = 30_522, 768, 3_072, 12
SAMPLE = 512
"""Vectors of a layer in the comparison with dense products."""

LIMIT_MIB = 2_048


def alignment() -> None:
    """One component of all pairs of layers in both spaces, as `lenshouse align` stores it; then its largest error."""
    print(f"alignment: ff_key of two models, {N_LAYER} layers of {D_FF:,} vectors, d {D_MODEL}, {N_ITEMS:,} items")
    with tempfile.TemporaryDirectory() as folder:
        for seed in ("0", "1"):  # in processes of their own: making a model takes memory that aligning does not
            _told("make", folder, seed)
        told = json.loads(_told("job", folder))
    flops = 2 * (N_LAYER * D_FF) ** 2 * D_MODEL
    for space, seconds in told["seconds"].items():
        print(
            f"  {space} space: {seconds:.0f} s, {flops / seconds / 1e9:.0f} GFLOP/s of the products of all pairs alone"
        )
    print(f"  peak {told['peak_mib']:,} MiB, both models and libraries included (limit {LIMIT_MIB:,})")
    print(f"  {_told('error').strip()}")


def _told(*arguments: str) -> str:
    command = [sys.executable, "-m", "tests.bench.alignment", *arguments]
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def _make(folder: str, seed: str) -> None:
    """A BERT of random weights whose tokenizer has an item for every row of its embeddings."""
    from transformers import BertConfig, BertModel

    from tests.ingest.tiny import byte_level

    torch.manual_seed(int(seed))
    target = Path(folder) / f"bench-seed_{seed}"
    BertModel(BertConfig()).save_pretrained(target)
    tokenizer = byte_level()
    tokenizer.add_tokens([f"item{i}" for i in range(N_ITEMS - len(tokenizer))])
    tokenizer.save_pretrained(target)


def _job(folder: str) -> None:
    """The whole job on one component; peak memory of the process, models and warehouse included."""
    import warehouse
    from ingest.align import AlignConfig, align_models
    from ingest.progress import Progress

    class Quiet(Progress):
        def phase(self, what: str, total: int | None = None) -> None: ...
        def advance(self, n: int) -> None: ...

    models = tuple(str(Path(folder) / f"bench-seed_{seed}") for seed in (0, 1))
    path = Path(folder) / "bench.duckdb"
    align_models(AlignConfig(models, path, components=("ff_key",), device="cpu"), Quiet())
    peak_mib = peak_kib() // 1024
    rows = warehouse.open(path).sql("SELECT space, max(seconds) FROM alignment_summary GROUP BY space ORDER BY space")
    print(json.dumps({"seconds": dict(rows.rows()), "peak_mib": peak_mib}))


def _error() -> None:
    """Largest error against dense double precision, embeddings with few strong directions as trained ones have; and
    what products in double precision would cost."""
    draw = torch.Generator().manual_seed(0)
    sizes = torch.logspace(0, -3, D_MODEL)
    e_a, e_b = (torch.randn(N_ITEMS, D_MODEL, generator=draw) * sizes + 3 * sizes for _ in range(2))
    x, y = (torch.randn(SAMPLE, D_MODEL, generator=draw) for _ in range(2))
    y[:8] = torch.linalg.lstsq(e_b[:4_096], e_a[:4_096] @ x[:8].T).solution.T  # some that nearly match
    found = align([x], [y], metric(e_a, e_b))
    wide_x, wide_y = (v.double() @ e.double().T for v, e in ((x, e_a), (y, e_b)))
    dense = torch.corrcoef(torch.cat([wide_x, wide_y]))[:SAMPLE, SAMPLE:]
    best = dense.abs().max(1)
    by_row = dense.gather(1, found.matches[0].unit[:, None]).squeeze(1)
    errors = {
        "score": abs(found.score[0, 0] - float(dense.abs().mean())),
        "best_match": abs(found.best_match[0, 0] - float(torch.cat([best.values, dense.abs().amax(0)]).mean())),
        "r": float((found.matches[0].r - by_row).abs().max()),
    }
    told = ", ".join(f"{name} {error:.1e}" for name, error in errors.items())
    single, double = (_seconds(x.to(dtype), y.to(dtype)) for dtype in (torch.float32, torch.float64))
    print(f"largest error against dense double precision: {told}; products in double take {double / single:.1f} times")


def _seconds(x: torch.Tensor, y: torch.Tensor) -> float:
    spent = []
    for _ in range(5):
        started = time.perf_counter()
        for _ in range(20):
            x @ y.T
        spent.append(time.perf_counter() - started)
    return min(spent)


if __name__ == "__main__":
    {"make": _make, "job": _job, "error": _error}[sys.argv[1]](*sys.argv[2:])
