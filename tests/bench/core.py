"""The numerical core against the published way, and against this machine's own matrix-product rate.

Both ways give each head's norms, the maps and the mixing ratios; the core gives the change of the maps, the states'
norms and the completeness error besides.
"""

import subprocess
import sys
import time
from collections.abc import Callable

import torch
import torch.nn.functional as F

from ingest.attribution.layer import attribute_layer
from ingest.attribution.normalisation import Norm
from ingest.attribution.weights import FoldedLayer, LayerWeights, fold
from ingest.attribution.workspace import Workspace
from tests.bench.peak import peak_kib
from tests.bench.published import Weights, published_layer

D, H, DFF = 768, 12, 3072
SHAPES = ((1, 128), (1, 64), (16, 25))
ROUNDS = 15


def speed() -> None:
    """Best of ROUNDS, taking turns, so that a busy moment hits all: published way, core, as many flops of products."""
    print(f"core: one Post-LN layer, d={D}, H={H}, d_ff={DFF}, float32, {torch.get_num_threads()} threads")
    print(f"{'B':>3} {'T':>5} {'published ms':>13} {'core ms':>9} {'times':>6} {'GFLOP/s':>8} {'of matmul':>10}")
    layer, weights = _layer()
    space = Workspace()
    for n_batch, n_pos in SHAPES:
        x, alpha, special = _inputs(n_batch, n_pos)
        output = torch.ones_like(x)
        flops = 2 * n_batch * n_pos**2 * D * DFF
        a, b, product = torch.randn(1024, DFF), torch.randn(DFF, D), torch.empty(1024, D)
        n_products = round(flops / (2 * a.shape[0] * D * DFF))
        ways: dict[str, Callable[[], object]] = {
            "published": lambda x=x, alpha=alpha: published_layer(x, alpha, weights),
            "core": lambda x=x, alpha=alpha, o=output, s=special: attribute_layer(
                x, alpha, o, s, layer, is_causal=False, space=space
            ),
            "matmul": lambda a=a, b=b, o=product, n=n_products: [torch.mm(a, b, out=o) for _ in range(n)],
        }
        best = _best_of(ways)
        rate = flops / best["core"]
        machine = n_products * 2 * a.shape[0] * D * DFF / best["matmul"]
        print(
            f"{n_batch:>3} {n_pos:>5} {best['published'] * 1e3:>13.0f} {best['core'] * 1e3:>9.0f} "
            f"{best['published'] / best['core']:>5.2f}x {rate / 1e9:>8.0f} {rate / machine:>10.2f}"
        )


def _best_of(ways: dict[str, Callable[[], object]]) -> dict[str, float]:
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(ROUNDS):
        for name, way in ways.items():
            started = time.perf_counter()
            way()
            best[name] = min(best[name], time.perf_counter() - started)
    return best


def gated() -> None:
    """SmolLM2's shape: gated, RMSNorm, grouped heads, causal; flops are those of its visible pairs through W_out."""
    d, n_head, n_kv_head, d_ff, n_pos = 576, 9, 3, 1536, 128
    print(f"gated: one Pre-LN layer, d={d}, H={n_head} on {n_kv_head}, d_ff={d_ff}, causal, T={n_pos}, float32")
    layer = _gated_layer(d, n_head, n_kv_head, d_ff)
    x, alpha = torch.randn(1, n_pos, d), torch.randn(1, n_head, n_pos, n_pos).tril().softmax(-1).tril()
    special, space = torch.zeros(1, n_pos, dtype=torch.bool), Workspace()
    flops = n_pos * (n_pos + 1) * d * d_ff
    a, b, product = torch.randn(1024, d_ff), torch.randn(d_ff, d), torch.empty(1024, d)
    n_products = round(flops / (2 * a.shape[0] * d * d_ff))
    best = _best_of({
        "core": lambda: attribute_layer(x, alpha, x, special, layer, is_causal=True, space=space),
        "matmul": lambda: [torch.mm(a, b, out=product) for _ in range(n_products)],
    })  # fmt: skip
    rate, machine = flops / best["core"], n_products * 2 * a.shape[0] * d * d_ff / best["matmul"]
    print(f"  {best['core'] * 1e3:.0f} ms, {rate / 1e9:.0f} GFLOP/s, {rate / machine:.2f} of matmul")


def memory() -> None:
    """Peak memory that each way adds, each in a process of its own."""
    print("memory that one layer at T=128 adds at its peak, weights and inputs not counted")
    for way in ("core", "published"):
        done = subprocess.run(
            [sys.executable, "-m", "tests.bench.core", way], capture_output=True, text=True, check=True
        )
        print(f"  {way:<10} {done.stdout.strip()} MiB")


def _measure_memory(way: str) -> None:
    layer, weights = _layer()
    warm, big = _inputs(1, 8), _inputs(1, 128)

    def run(inputs: tuple[torch.Tensor, torch.Tensor, torch.Tensor]) -> None:
        x, alpha, special = inputs
        if way == "core":
            attribute_layer(x, alpha, torch.ones_like(x), special, layer, is_causal=False)
        else:
            published_layer(x, alpha, weights)

    run(warm)
    before = peak_kib()
    run(big)
    print((peak_kib() - before) // 1024)


def _layer() -> tuple[FoldedLayer, Weights]:
    """The same random layer for both ways."""
    torch.manual_seed(0)

    def matrix(n: int, m: int) -> torch.Tensor:
        return torch.randn(n, m) / n**0.5

    w_v, w_o, w_in, w_out = matrix(D, D), matrix(D, D), matrix(D, DFF), matrix(DFF, D)
    b_v, b_o, b_out = (0.1 * torch.randn(D) for _ in range(3))
    b_in = 0.1 * torch.randn(DFF)
    gammas = [1 + 0.3 * torch.randn(D) for _ in range(2)]
    betas = [0.2 * torch.randn(D) for _ in range(2)]
    norms = [Norm(gamma, beta, 1e-12) for gamma, beta in zip(gammas, betas, strict=True)]
    ours = LayerWeights(
        "post_ln", H, w_v, b_v, w_o, b_o, norms[0], w_in, b_in, F.gelu, w_out, b_out, norms[1]
    )  # fmt: skip
    theirs = Weights(
        w_v, b_v, w_o, b_o, gammas[0], betas[0], 1e-12, w_in, b_in, w_out, b_out, gammas[1], betas[1]
    )  # fmt: skip
    return fold(ours), theirs


def _gated_layer(d: int, n_head: int, n_kv_head: int, d_ff: int) -> FoldedLayer:
    torch.manual_seed(0)

    def matrix(n: int, m: int) -> torch.Tensor:
        return torch.randn(n, m) / n**0.5

    def norm() -> Norm:
        return Norm(1 + 0.3 * torch.randn(d), torch.zeros(d), 1e-5, centred=False)

    wide, narrow = d, d * n_kv_head // n_head
    return fold(
        LayerWeights(
            "pre_ln", n_head, matrix(d, narrow), torch.zeros(narrow), matrix(wide, d), torch.zeros(d), norm(),
            matrix(d, d_ff), torch.zeros(d_ff), F.silu, matrix(d_ff, d), torch.zeros(d), norm(),
            w_up=matrix(d, d_ff), b_up=torch.zeros(d_ff),
        )
    )  # fmt: skip


def _inputs(n_batch: int, n_pos: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    x = torch.randn(n_batch, n_pos, D)
    alpha = torch.randn(n_batch, H, n_pos, n_pos).softmax(-1)
    return x, alpha, torch.zeros(n_batch, n_pos, dtype=torch.bool)


if __name__ == "__main__":
    _measure_memory(sys.argv[1])
