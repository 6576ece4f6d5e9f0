"""Ask what anybody may have written: in a process of its own, so that a query that eats memory or never ends can be
stopped at any moment, and takes nothing with it.

DuckDB's own limits are not enough within a server: its memory limit counts its blocks of data but not what single
values take while they are made, an interrupt waits for the function that is at work, and questions of one process share
one limit. A process that only reads may be killed whenever one likes.
"""

import io
import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Final, Literal, TypeAlias

import polars as pl
import pyarrow as pa

from warehouse import connect
from warehouse.errors import LenshouseError, UsageError, WarehouseBusyError, WarehouseError
from warehouse.paths import warehouse_path
from warehouse.results import frame_of, query_errors
from warehouse.wording import printable

Cut: TypeAlias = Literal["rows", "bytes"]

AT_ONCE: Final = 4
"""Queries that one process lets run at the same time."""

LONGEST: Final = 20_000
"""Characters of a query."""

_START: Final = 60.0
"""Seconds that a process may take to start and to open the file, on a machine that is busy; no part of a query's."""

_ERROR: Final = 500
"""Characters of a message; DuckDB quotes the query in some."""

_KINDS: Final[dict[str, type[LenshouseError]]] = {
    kind.__name__: kind for kind in (UsageError, WarehouseError, WarehouseBusyError)
}

_slots = threading.BoundedSemaphore(AT_ONCE)


@dataclass(frozen=True)
class Limits:
    """What one query may take: seconds once the file is open, rows and bytes of its result, MiB of memory."""

    seconds: float = 30.0
    rows: int = 100_000
    bytes: int = 64 * 2**20
    memory: int = 1024


@dataclass(frozen=True)
class Found:
    """The rows of a query; `cut` says which limit left some out; `seconds` is what it took, opening not included."""

    frame: pl.DataFrame
    cut: Cut | None
    seconds: float


class Asking:
    """A query under way. `stop` it whatever happens: that ends its process, done or not.

    Raises UsageError for a query that is empty or too long, WarehouseError where there is no warehouse, and
    WarehouseBusyError when AT_ONCE queries are running.
    """

    def __init__(
        self,
        path: Path,
        query: str,
        limits: Limits = Limits(),
        wait: float = connect.READER_WAIT,
        *,
        quiet: bool = True,
    ) -> None:
        _require_query(query)
        self.limits, self._wait = limits, wait
        request = {"path": str(connect.existing(warehouse_path(path))), "query": query, "wait": wait} | asdict(limits)
        if not _slots.acquire(blocking=False):
            message = f"{AT_ONCE} queries are running already: try again when one of them is done"
            raise WarehouseBusyError(message)
        self._slot = True
        self._opened: float | None = None
        self._made = time.monotonic()
        self._lines: list[dict[str, Any]] = []
        self._rows = b""
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "warehouse.guarded_process"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL if quiet else None,
                env=_environment(),
            )  # fmt: skip
        except BaseException:
            self._free()
            raise
        self._reader = threading.Thread(target=self._read, args=(json.dumps(request).encode(),), daemon=True)
        self._reader.start()

    @property
    def seconds(self) -> float:
        """Since the file was opened; 0 before."""
        return 0.0 if self._opened is None else time.monotonic() - self._opened

    def done(self, seconds: float) -> bool:
        """Whether it ended, or met its time limit, within so many seconds."""
        self._reader.join(seconds)
        return not self._reader.is_alive() or self._is_late()

    def stop(self) -> None:
        """End its process and free its place; nothing happens the second time."""
        self._process.kill()
        self._process.wait()
        self._reader.join()
        self._free()

    def found(self) -> Found:
        """The rows of a query that is done; UsageError, WarehouseError or WarehouseBusyError where it gave none."""
        late = self._reader.is_alive() and self._is_late()
        self.stop()
        last = self._lines[-1] if self._lines else {}
        if "message" in last:
            raise _KINDS[last["kind"]](last["message"])
        if "cut" in last:
            with query_errors():
                reader = pa.ipc.open_stream(io.BytesIO(self._rows))
                return Found(frame_of(reader.schema, list(reader)), last["cut"], last["seconds"])
        if late:
            raise WarehouseError(self._lateness())
        message = (
            f"the query was stopped: it needed more memory than the {self.limits.memory:,} MiB it may have: "
            "ask for less, or filter by run and layer"
        )
        raise WarehouseError(message)

    def _is_late(self) -> bool:
        if self._opened is None:
            return time.monotonic() - self._made > self._wait + _START
        return self.seconds > self.limits.seconds

    def _lateness(self) -> str:
        if self._opened is None:
            return f"the query could not begin within {self._wait + _START:.0f} s, the machine is busy: try again"
        return f"the query was stopped after {self.limits.seconds:.0f} s: ask for less, or filter by run and layer"

    def _read(self, request: bytes) -> None:
        """Take what the process says: lines of JSON, after the last of them the rows."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        with stdin, stdout:
            try:
                stdin.write(request)
                stdin.close()
                self._take(stdout)
            except (OSError, ValueError):  # stopped
                return

    def _take(self, stdout: IO[bytes]) -> None:
        for line in stdout:
            said = json.loads(line)
            if said == {"state": "open"}:
                self._opened = time.monotonic()
                continue
            rows = stdout.read() if "cut" in said else b""
            if len(rows) == said.get("size", 0):  # not where it was killed while it wrote
                self._rows = rows
                self._lines.append(said)
            return

    def _free(self) -> None:
        if self._slot:
            self._slot = False
            _slots.release()


def ask(path: Path, query: str, limits: Limits = Limits(), wait: float = connect.READER_WAIT) -> Found:
    """The rows of a query that anybody may have written, when it is done.

    Raises UsageError for a query that is wrong or not allowed, WarehouseError for one that was stopped at a limit.
    """
    asking = Asking(path, query, limits, wait)
    try:
        while not asking.done(1.0):
            pass
        return asking.found()
    finally:
        asking.stop()


def one_line(error: Exception) -> str:
    """An error's message on one line, of bounded length."""
    text = printable(" ".join(str(error).split()))
    return text if len(text) <= _ERROR else f"{text[: _ERROR - 1]}…"


def _require_query(query: str) -> None:
    if not query.strip():
        message = "the query is empty: write one, or choose an example"
        raise UsageError(message)
    if len(query) > LONGEST:
        message = f"the query has {len(query):,} characters, at most {LONGEST:,} are taken: use `lenshouse sql`"
        raise UsageError(message)


def _environment() -> dict[str, str]:
    """No more of this process's environment than Python needs: a query has nothing to find there."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH") if name in os.environ}
    return kept | {"PYTHONPATH": str(Path(__file__).parents[1]), "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"}
