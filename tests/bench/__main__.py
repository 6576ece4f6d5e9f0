"""`python -m tests.bench [NAME ...]`, names as in BENCHES: all of them where none is named."""

import os
import sys
from collections.abc import Callable

from ingest.threads import yield_when_idle

yield_when_idle()

from tests.bench import (  # noqa: E402 - torch comes with them
    alignment,
    analysis,
    core,
    loading,
    neurons,
    pairs,
    pipeline,
    projection,
)


def families() -> None:
    from tests.bench.families import families_table  # what it stands on limits torch to one thread

    families_table()


BENCHES: dict[str, Callable[[], None]] = {
    "core": core.speed,
    "gated": core.gated,
    "families": families,
    "memory": core.memory,
    "loading": loading.loading,
    "pipeline": pipeline.pipeline,
    "neurons": neurons.neurons,
    "analysis": analysis.analysis,
    "projection": projection.projection,
    "pairs": pairs.pairs,
    "alignment": alignment.alignment,
}


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        print(f"no bench {unknown[0]}: choose from {', '.join(BENCHES)}", file=sys.stderr)
        return 2
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores: figures mean little on a busy machine")
    for name in names or BENCHES:
        BENCHES[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
