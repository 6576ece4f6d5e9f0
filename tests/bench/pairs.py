"""Top pairs of heads against the blocked product of all pairs, and their memory at GPT-2's vocabulary.

Both search the same factors with a running threshold; the blocked product gets them ready in float32, top pairs balance
them first and decide in float64 at last. What both need before, the factors themselves, is told apart.
"""

import subprocess
import sys
import time

import torch
from torch import Tensor

from ingest.cli.demo import demo_model
from ingest.models import load_model
from ingest.projection.pair_job import item_factors
from ingest.projection.pairs import top_pairs
from ingest.projection.parameters import head_factors
from ingest.projection.vocabulary import vocabulary_of
from tests.bench.peak import peak_kib

K = 50
LAYER = 4
"""Of MiniLM's layers one in which the bound helps least."""

ROUNDS = 2
TILE = (512, 1024)
N_ITEMS, D_MODEL, D_HEAD = 50_257, 768, 64


def pairs() -> None:
    """Every head's VO and QK in one layer, best of ROUNDS taking turns; then memory, in a process of its own."""
    model, tokenizer = load_model(str(demo_model()), device="cpu")
    embeddings = vocabulary_of(model, tokenizer).embeddings
    print(f"pairs: MiniLM layer {LAYER}, {len(embeddings):,} items, top {K}, {torch.get_num_threads()} threads")
    print(f"{'':>4} {'head':>4} {'multiplied':>10} {'factors ms':>10} {'pairs ms':>9} {'blocked ms':>10} {'times':>6}")
    total = torch.zeros(3)
    for matrix in ("VO", "QK"):
        for head, (a, b) in enumerate(head_factors(model, LAYER, matrix)):
            best, share = _measure(embeddings, a, b)
            total += best
            factors, ours, blocked = (1e3 * best).tolist()
            print(
                f"{matrix:>4} {head:>4} {share:>10.2%} {factors:>10.0f} {ours:>9.0f} {blocked:>10.0f} "
                f"{blocked / ours:>5.1f}x",
                flush=True,
            )
    factors, ours, blocked = total.tolist()
    with_factors = (factors + blocked) / (factors + ours)
    print(f"all heads {blocked / ours:.1f}x; with the factors, on both sides, {with_factors:.1f}x")
    done = subprocess.run([sys.executable, "-m", "tests.bench.pairs"], capture_output=True, text=True, check=True)
    print(f"  memory: {done.stdout.strip()}")


def _measure(embeddings: Tensor, a: Tensor, b: Tensor) -> tuple[Tensor, float]:
    """Seconds (3,) of factors, top pairs and blocked product; the share that top pairs multiplied."""
    best = torch.full((3,), torch.inf)
    for _ in range(ROUNDS):
        times = [time.perf_counter()]
        left, right = item_factors(embeddings, a, b)
        times.append(time.perf_counter())
        found = top_pairs(left, right, K)
        times.append(time.perf_counter())
        left, right = left.float(), right.float()
        times.append(time.perf_counter())
        scores = _blocked(left, right)
        times.append(time.perf_counter())
        assert torch.allclose(scores.double(), found.score, rtol=1e-4)
        best = torch.minimum(best, torch.tensor([times[1] - times[0], times[2] - times[1], times[4] - times[3]]))
    return best, found.cost.share_multiplied


def _blocked(left: Tensor, right: Tensor) -> Tensor:
    """The K highest scores of all pairs: every block of the product, and of it what passes the K-th so far."""
    best = torch.full((K,), -torch.inf)
    for rows in left.split(TILE[0]):
        for cols in right.split(TILE[1]):
            scores = rows @ cols.T
            if scores.max() > best[-1]:
                best = torch.cat([best, scores[scores > best[-1]]]).topk(K).values
    return best


def _memory() -> None:
    """Peak of a process with random embeddings, whose norms are so alike that the bound helps little."""
    draw = torch.Generator().manual_seed(0)
    embeddings = torch.randn(N_ITEMS, D_MODEL, generator=draw)
    a, b = (torch.randn(D_HEAD, D_MODEL, generator=draw) / D_MODEL**0.5 for _ in range(2))
    before = peak_kib()
    started = time.perf_counter()
    found = top_pairs(*item_factors(embeddings, a, b), K, exclude_same=True)
    print(
        f"{N_ITEMS:,} random items, d_head {D_HEAD}: peak {peak_kib() >> 10} MiB, {before >> 10} of it before; "
        f"{found.cost.share_multiplied:.1%} multiplied, {time.perf_counter() - started:.0f} s"
    )


if __name__ == "__main__":
    _memory()
