"""What the strongest activations of every neuron cost: a job with them against the same job without."""

import tempfile
import time
from pathlib import Path

from ingest.cli.demo import demo_model
from ingest.config import IngestConfig
from ingest.job import ingest

N_MOST, N_TEXTS, ROUNDS = 10, 200, 3


class _Silent:
    def phase(self, what: str, total: int | None = None) -> None: ...
    def advance(self, n: int) -> None: ...


def neurons() -> None:
    """MiniLM (6 layers, 1,536 neurons each) over film reviews: best of ROUNDS, taking turns."""
    print(f"neurons: MiniLM over {N_TEXTS} film reviews, --neurons {N_MOST} against without, best of {ROUNDS}")
    wall, core, size = ({n: float("inf") for n in (0, N_MOST)} for _ in range(3))
    for _ in range(ROUNDS):
        for n_most in wall:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "bench.duckdb"
                config = IngestConfig(
                    str(demo_model()), "demo", path, limit=N_TEXTS, max_tokens=128, neurons=n_most, annotate="none"
                )
                started = time.perf_counter()
                outcome = ingest(config, _Silent())
                wall[n_most] = min(wall[n_most], time.perf_counter() - started)
                core[n_most] = min(core[n_most], outcome.seconds["core"])
                size[n_most] = min(size[n_most], path.stat().st_size)
    print(
        f"  wall {wall[N_MOST]:.1f} s against {wall[0]:.1f} ({wall[N_MOST] / wall[0]:.2f}x), of it the core "
        f"{core[N_MOST]:.1f} s against {core[0]:.1f}; file {size[N_MOST] / 2**20:.0f} MiB against {size[0] / 2**20:.0f}"
    )
