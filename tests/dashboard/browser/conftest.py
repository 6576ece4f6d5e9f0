"""A warehouse of real maps, a dashboard served from it by the command line, and a Chromium that looks at it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from ingest.checkpoints import path_of
from tests.ingest.tiny import lenshouse

HOSTILE = "<script>document.title='owned'</script> **bold** [link](http://evil.example) $x^2$ :red[a] \u202eesrever"
TEXTS = (
    HOSTILE,
    "A moving, well acted and often very funny film about two brothers.",
    "The plot makes no sense and the jokes are not funny.",
    "yes",
    "An unforgettable performance in an otherwise forgettable movie.",
    "It is too long, too loud and much too pleased with itself.",
    "The actors do what they can with a thin script.",
    "A quiet, patient film that grows on you.",
    "Nothing here is new, but everything is done well.",
    "The director has made a better film than this one.",
    "Two hours of special effects without a story.",
    "One of the best pictures of the year.",
)
MODELS = ("lens-masked-128-seed0", "lens-masked-128-seed1", "lens-causal-128-seed0")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


@pytest.fixture(scope="session")
def warehouse_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browsed")
    house, corpus = folder / "lens.duckdb", folder / "reviews.txt"
    corpus.write_text("\n".join(TEXTS) + "\n")
    for model in MODELS:
        done = lenshouse(
            "ingest", "--model", path_of(model), "--corpus", corpus, "--warehouse", house, "--annotate", "split"
        )  # fmt: skip
        assert done.code == 0, done.err
    done = lenshouse("analyze", "--warehouse", house, "--resamples", 100)
    assert done.code == 0, done.err
    return house


@pytest.fixture(scope="session")
def served(warehouse_file: Path) -> Iterator[tuple[str, int]]:
    """Address and process of a dashboard, started by `lenshouse dashboard`."""
    with socket.create_server(("localhost", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, "-c", "from ingest.cli import main; main()", "dashboard", "--no-browser"]
    server = subprocess.Popen(
        [*command, "--warehouse", str(warehouse_file), "--port", str(port)],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])},
        stdout=subprocess.DEVNULL,
    )
    try:
        _wait_until_healthy(f"http://localhost:{port}", server)
        yield f"http://localhost:{port}", server.pid
    finally:
        server.terminate()
        server.wait(20)


@pytest.fixture(scope="session")
def address(served: tuple[str, int]) -> str:
    return served[0]


@pytest.fixture(scope="session")
def server(served: tuple[str, int]) -> int:
    return served[1]


def _wait_until_healthy(address: str, server: subprocess.Popen) -> None:
    deadline = time.monotonic() + 90
    while True:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=5):
                return
        except OSError:
            assert server.poll() is None, "the server ended"
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.2)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium: Browser) -> Iterator[Page]:
    """A tab of its own session; the test fails when a page logs an error."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
    context.set_default_timeout(120_000)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert errors == []
