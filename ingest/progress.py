"""How far a job is, and how long its phases took."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol


class Progress(Protocol):
    """Who is told how far a job is: phases, and rows within the one that takes long."""

    def phase(self, what: str, total: int | None = None) -> None: ...
    def advance(self, n: int) -> None: ...


@dataclass
class Clock:
    """Wall time by phase."""

    seconds: dict[str, float] = field(default_factory=dict)

    def add(self, phase: str, seconds: float) -> None:
        self.seconds[phase] = self.seconds.get(phase, 0.0) + seconds

    @contextmanager
    def phase(self, phase: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.add(phase, time.perf_counter() - started)
