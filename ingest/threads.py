"""Share the processor kindly: a setting of the thread pool that torch brings, to be made before torch is imported."""

import os


def yield_when_idle() -> None:
    """Let idle threads sleep after microseconds instead of spinning; a value that the user has set stays.

    On a machine that other processes use too, a spinning thread keeps the very core that its sleeping partner needs:
    a job of many small tensor operations was measured four to ten times slower for it. Alone, it makes no difference.
    """
    os.environ.setdefault("GOMP_SPINCOUNT", "3000")
