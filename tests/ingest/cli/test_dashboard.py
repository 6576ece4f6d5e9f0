"""`lenshouse dashboard`: what it starts, and one line where it cannot."""

import importlib.util
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dashboard import server
from ingest.cli import dashboard as command
from tests.ingest.tiny import lenshouse, refused
from tests.warehouse.conftest import House
from warehouse import connect

Started = list[tuple[Path, dict[str, Any]]]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Started:
    """Servers that were started, in place of starting them."""
    calls: Started = []
    monkeypatch.setattr(server, "serve", lambda warehouse, **options: calls.append((warehouse, options)))
    return calls


@pytest.fixture
def port() -> int:
    with socket.create_server(("localhost", 0)) as probe:
        return int(probe.getsockname()[1])


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server(("localhost", 0)) as held:
        yield held.getsockname()[1]


@pytest.fixture
def house(tmp_path: Path) -> House:
    made = House(tmp_path / "lens.duckdb")
    made.ingest()
    return made


def test_it_serves_the_warehouse_on_this_machine_only(house: House, port: int, started: Started) -> None:
    assert lenshouse("dashboard", "--warehouse", house.path, "--port", port).code == 0
    assert (
        lenshouse("dashboard", "--warehouse", house.path, "--port", port, "--host", "0.0.0.0", "--no-browser").code == 0
    )
    assert started == [
        (house.path, {"host": "localhost", "port": port, "headless": False}),
        (house.path, {"host": "0.0.0.0", "port": port, "headless": True}),
    ]


def test_no_warehouse_yet_is_no_reason_not_to_start(tmp_path: Path, port: int, started: Started) -> None:
    assert lenshouse("dashboard", "--warehouse", tmp_path / "none.duckdb", "--port", port).code == 0
    assert started[0][0] == tmp_path / "none.duckdb" and list(tmp_path.iterdir()) == []


def test_a_writer_is_no_reason_not_to_start(
    house: House, port: int, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "_WAIT", 0.1)
    with connect.write(house.path):
        assert lenshouse("dashboard", "--warehouse", house.path, "--port", port).code == 0
    assert len(started) == 1


@pytest.mark.parametrize("name", ["streamlit", "altair", "vl_convert"])
def test_without_the_packages(
    name: str, house: House, port: int, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda wanted: None if wanted == name else real(wanted))
    refused(lenshouse("dashboard", "--warehouse", house.path, "--port", port), 1, "pip install -e '.[dashboard]'")
    assert started == []


def test_a_port_in_use(house: House, taken: int, started: Started) -> None:
    refused(lenshouse("dashboard", "--warehouse", house.path, "--port", taken), 2, f"localhost:{taken}", "--port")
    assert started == []


@pytest.mark.parametrize("host", ["nowhere.invalid", "203.0.113.1", "1.2.3.4.5"])
def test_an_address_that_is_not_here(host: str, house: House, port: int, started: Started) -> None:
    refused(
        lenshouse("dashboard", "--warehouse", house.path, "--host", host, "--port", port), 2, host, "another --host"
    )
    assert started == []


@pytest.mark.parametrize("port", ["0", "65536", "-1", "http"])
def test_ports_that_are_none(port: str, house: House, started: Started) -> None:
    assert lenshouse("dashboard", "--warehouse", house.path, "--port", port).code == 2 and started == []


def test_an_older_schema(house: House, port: int, started: Started) -> None:
    with connect.write(house.path) as con:
        con.execute("DELETE FROM schema_migration WHERE version > 1")
    done = lenshouse("dashboard", "--warehouse", house.path, "--port", port)
    refused(done, 1, "older version", f"python -m warehouse.migrate {house.path}")
    assert started == []


def test_what_is_no_warehouse(tmp_path: Path, port: int, started: Started) -> None:
    (tmp_path / "text.duckdb").write_text("no database" * 1000)
    refused(lenshouse("dashboard", "--warehouse", tmp_path / "text.duckdb", "--port", port), 1, "not a DuckDB file")
    refused(lenshouse("dashboard", "--warehouse", tmp_path, "--port", port), 1, "is a folder")
    assert started == []


def test_the_server_gets_the_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No telemetry, no traceback in the browser, and a script beside which lies no folder `pages`."""
    from streamlit.web import bootstrap

    calls: list[tuple[Any, ...]] = []
    monkeypatch.setenv("LENSHOUSE_WAREHOUSE", "before")
    monkeypatch.setattr(bootstrap, "load_config_options", lambda options: calls.append((options,)))
    monkeypatch.setattr(bootstrap, "run", lambda *arguments: calls.append(arguments))
    server.serve(tmp_path / "lens.duckdb", host="localhost", port=8765, headless=True)
    options, script = calls[0][0], Path(calls[1][0])
    assert os.environ["LENSHOUSE_WAREHOUSE"] == str(tmp_path / "lens.duckdb")
    assert options["server_address"] == "localhost" and options["server_port"] == 8765 and options["server_headless"]
    assert options["browser_gatherUsageStats"] is False and options["client_showErrorDetails"] == "type"
    assert script.is_file() and not (script.parent / "pages").exists()
