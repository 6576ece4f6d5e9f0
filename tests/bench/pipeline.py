"""The whole job on a real model and real text: where the time goes, and peak memory, also for ten times the text."""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ingest.cli.demo import demo_model
from ingest.config import IngestConfig
from tests.bench.peak import peak_kib

SST2 = Path(__file__).parents[2].parent / "shared/corpora/sst2/dev.tsv"


def pipeline(times: tuple[int, ...] = (1, 10)) -> None:
    """MiniLM (6 layers, d=384) over the 872 sentences of SST-2 dev, each run in a process of its own."""
    if not SST2.exists():
        print(f"pipeline: left out, {SST2.name} of SST-2 is not beside the project")
        return
    print("pipeline: MiniLM over SST-2 dev, every stage, pairs kept")
    for n in times:
        with tempfile.TemporaryDirectory() as folder:
            corpus = _repeated(Path(folder), n)
            done = subprocess.run(
                [sys.executable, "-m", "tests.bench.pipeline", str(corpus), folder], capture_output=True, check=True
            )
            print(f"  text x{n}: {json.loads(done.stdout)['line']}")


def _repeated(folder: Path, n: int) -> Path:
    """SST-2 dev n times over: the same sentences, n times as many sequences."""
    header, *rows = SST2.read_text(encoding="utf-8").splitlines()
    corpus = folder / "sst2.tsv"
    corpus.write_text("\n".join([header, *(row for _ in range(n) for row in rows)]) + "\n", encoding="utf-8")
    return corpus


def _measure(corpus: Path, folder: Path) -> str:
    from ingest.job import ingest

    class Silent:
        def phase(self, what: str, total: int | None = None) -> None: ...
        def advance(self, n: int) -> None: ...

    started = time.perf_counter()
    outcome = ingest(IngestConfig(str(demo_model()), str(corpus), folder / "bench.duckdb", name="minilm"), Silent())
    wall = time.perf_counter() - started
    peak = peak_kib() / 2**10
    size = (folder / "bench.duckdb").stat().st_size
    return (
        f"{outcome.n_pairs:,} pair rows in {wall:.0f} s, {outcome.seconds['core'] / wall:.0%} of it in the core, "
        f"peak memory {peak:,.0f} MiB, file {size / outcome.n_pairs:.1f} bytes a pair row"
    )


if __name__ == "__main__":
    print(json.dumps({"line": _measure(Path(sys.argv[1]), Path(sys.argv[2]))}))
