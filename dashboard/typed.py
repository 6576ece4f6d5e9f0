"""A sentence that somebody types: `lenshouse ingest` runs a model over it, in a process of its own.

Whoever reaches the page can write into the warehouse with it, and have a model loaded. So it is there only while the
server listens on this machine alone.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from dashboard.server import HOST
from warehouse.errors import LenshouseError, UsageError, WarehouseBusyError
from warehouse.wording import printable

LONGEST: Final = 1_000
"""Characters of a text."""

MOST_TOKENS: Final = 256
"""Tokens of a text, where the model of the run was not given fewer."""

TIMEOUT: Final = 300.0
"""Seconds that a run may take, its model's loading included."""

_LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_HUB_ID: Final = re.compile(r"[\w-][\w.-]*(/[\w.-]+)?")
_ROOT: Final = Path(__file__).parents[1]
_TICK: Final = 0.5

_TURN: Final = threading.Semaphore(1)
"""One model at a time in one server: the others wait."""


class IngestError(LenshouseError):
    """The command failed, or took too long; its message is the command's own."""


@dataclass(frozen=True)
class Request:
    """A text for the model of a run; `made` is the row of sentence/source.sql about that run."""

    text: str
    model: str
    made: dict[str, Any]
    warehouse: Path


def closed() -> str | None:
    """Why nobody may type here; None where they may."""
    host = os.environ.get(HOST)
    if host is None:
        return "This server was not started by `lenshouse dashboard`, so it is not known who can reach it."
    if host not in _LOCAL:
        return (
            "Others can reach this server: it does not listen on localhost alone, and whoever reaches it could write "
            "into the warehouse. Start it without `--host` to type sentences."
        )
    return None


def source_of(made: dict[str, Any]) -> str | None:
    """Where the run's model was loaded from: what the run says, or the hub id that is its name."""
    if made["source"] is not None:
        return str(made["source"])
    return str(made["model_name"]) if made["revision"] is not None else None


def is_here(model: str) -> bool:
    """Whether it is a folder or file of this machine, or may be a hub id."""
    return bool(model.strip()) and (Path(model).expanduser().exists() or _HUB_ID.fullmatch(model) is not None)


def arguments(request: Request, corpus: str) -> list[str]:
    """The command: a list for the system, which no shell reads, every value bound to its option."""
    made, path = request.made, Path(request.model).expanduser()
    annotation = made["corpus_annotation"]
    options = {
        "model": str(path.absolute()) if path.exists() else request.model,
        "revision": None if path.exists() else made["revision"],
        "corpus": corpus,
        "warehouse": str(request.warehouse.absolute()),
        "name": made["model_name"],
        "family": made["family"],
        "seed": made["seed"],
        "ff-bias": made["ff_bias"],
        "dtype": made["dtype"],
        "max-tokens": min(made["max_tokens"] or MOST_TOKENS, MOST_TOKENS),
        "annotate": annotation if annotation and annotation.startswith("spacy:") else "auto",
    }
    command = [sys.executable, "-P", "-c", "from ingest.cli import main; main()", "ingest"]
    return command + [f"--{name}={value}" for name, value in options.items() if value is not None]


def ingest(request: Request, tell: Callable[[str], None]) -> int:
    """Run the command to its end and return the run's id; `tell` is given a line about every half second.

    Raises UsageError for a text that is empty or too long, WarehouseBusyError when another sentence keeps the server
    busy for as long as TIMEOUT, IngestError with the command's own words. Nothing goes on when `tell` raises.
    """
    _require_text(request.text)
    with _turn(tell), tempfile.TemporaryDirectory(prefix="lenshouse-typed-") as folder:
        corpus = Path(folder) / "typed.jsonl"
        corpus.write_text(json.dumps({"text": request.text}) + "\n", encoding="utf-8")
        code, out, error = _run(arguments(request, corpus.name), Path(folder), tell)
    if code:
        lines = error.strip().splitlines() or [f"lenshouse ingest ended with code {code} and said nothing"]
        raise IngestError(printable(lines[-1].removeprefix("lenshouse: ")))
    found = re.match(r"run (\d+) \(", out)
    if found is None:
        message = f"lenshouse ingest did not say which run it made: {printable(out[:200])}"
        raise IngestError(message)
    return int(found[1])


def _require_text(text: str) -> None:
    if not text.strip():
        message = "there is no text: type a sentence"
        raise UsageError(message)
    if len(text) > LONGEST:
        message = f"the text has {len(text):,} characters: give at most {LONGEST:,}, or use `lenshouse ingest`"
        raise UsageError(message)


@contextmanager
def _turn(tell: Callable[[str], None]) -> Iterator[None]:
    started = time.monotonic()
    while not _TURN.acquire(timeout=_TICK):
        waited = time.monotonic() - started
        if waited > TIMEOUT:
            message = "another sentence has been under way for long: try again later"
            raise WarehouseBusyError(message)
        tell(f"Waiting for another sentence, {waited:.0f} s")
    try:
        yield
    finally:
        _TURN.release()


def _run(command: list[str], folder: Path, tell: Callable[[str], None]) -> tuple[int, str, str]:
    """Code, standard output and standard error; the process and its children are gone afterwards, whatever happens."""
    paths = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    started = time.monotonic()
    try:
        while True:
            try:
                out, error = process.communicate(timeout=_TICK)
                return process.returncode, out, error
            except subprocess.TimeoutExpired:
                spent = time.monotonic() - started
                if spent > TIMEOUT:
                    message = (
                        f"it took longer than {TIMEOUT:.0f} s and was stopped; the same sentence goes on from there"
                    )
                    raise IngestError(message) from None
                tell(f"Loading the model and analysing the sentence, {spent:.0f} s")
    finally:
        _stop(process)


def _stop(process: "subprocess.Popen[str]") -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
