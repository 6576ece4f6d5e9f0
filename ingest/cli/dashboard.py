"""`lenshouse dashboard`: the pages, in a browser."""

import importlib.util
import socket
from contextlib import suppress
from pathlib import Path

import click

import warehouse as warehouses
from ingest.cli import options
from warehouse.errors import UsageError, WarehouseBusyError, WarehouseError

_NEEDED = ("streamlit", "altair", "vl_convert")

_WAIT = 5.0
"""Seconds to wait for a look at the file before the server starts."""


@click.command(name="dashboard")
@options.warehouse
@click.option("--host", default="localhost", show_default=True, help="Address to listen on; 0.0.0.0 for every one.")
@click.option("--port", type=click.IntRange(1, 65535), default=8501, show_default=True, help="Port to listen on.")
@click.option("--no-browser", is_flag=True, help="Open no browser; say the address only.")
@options.verbose
def command(warehouse: Path, host: str, port: int, no_browser: bool) -> None:
    """Browse a warehouse: maps of sentences, changes, correlations, seeds, patterns, parameters, SQL.

    It works while an ingest is running, and shows a new run without being started again. Whoever reaches the address
    can read the whole warehouse, so it listens on this machine only unless --host says otherwise.

    \b
    lenshouse dashboard --warehouse lens.duckdb
    lenshouse dashboard --warehouse lens.duckdb --host 0.0.0.0 --port 8080 --no-browser
    """
    if not all(importlib.util.find_spec(name) for name in _NEEDED):
        msg = "the dashboard needs streamlit, altair and vl-convert-python: run `pip install -e '.[dashboard]'`"
        raise WarehouseError(msg)
    from dashboard.server import serve

    path = warehouses.warehouse_path(warehouse)
    if path.exists():  # a page says so when there is none yet, or a job writes to it, and goes on when there is
        with suppress(WarehouseBusyError):
            warehouses.open(path, wait=_WAIT)
    _require_free(host, port)
    serve(path, host=host, port=port, headless=no_browser)


def _require_free(host: str, port: int) -> None:
    try:
        with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            return
    except OSError as error:
        msg = f"{host}:{port} cannot be listened on ({error.strerror}): give another --host or --port"
        raise UsageError(msg) from error
