"""The whole dashboard in the states that a warehouse can be in: each says in one line what to do."""

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import dashboard
from dashboard import app, data
from tests.dashboard.conftest import Show
from tests.warehouse.conftest import House
from warehouse import connect
from warehouse.errors import WarehouseBusyError


def told(tested: AppTest) -> str:
    assert not tested.exception, [error.value for error in tested.exception]
    boxes = (*tested.error, *tested.warning, *tested.info, *tested.text, *tested.code, *tested.caption)
    return "\n".join(str(box.value) for box in boxes)


def test_every_page_has_a_file_and_every_file_is_a_page() -> None:
    files = {file.stem for file in (Path(dashboard.__file__).parent / "pages").glob("*.py")}
    assert files == set(app.PAGES) and next(iter(app.PAGES)) == "overview"


def test_it_opens_on_the_overview(studied: House, show: Show) -> None:
    tested = show("app", studied.path)
    assert not tested.exception and tested.title[0].value == "Overview"
    assert str(studied.path) in [text.value for text in tested.sidebar.text]


def test_no_warehouse_yet(tmp_path: Path, show: Show) -> None:
    tested = show("app", tmp_path / "none.duckdb")
    assert "there is no warehouse at" in told(tested) and "lenshouse ingest" in told(tested)


def test_it_goes_on_when_there_is_one(tmp_path: Path, show: Show) -> None:
    house = House(tmp_path / "lens.duckdb")
    tested = show("app", house.path)
    assert tested.error
    house.ingest()
    tested.button[0].click().run()
    assert not tested.error and "**1** runs" in tested.markdown[0].value


def test_a_file_that_is_no_warehouse(tmp_path: Path, show: Show) -> None:
    path = tmp_path / "lens.duckdb"
    path.write_text("<b>no</b> **database**" * 1000)
    assert "is not a DuckDB file: name a warehouse" in told(show("app", path))


def test_an_older_schema(tmp_path: Path, show: Show) -> None:
    house = House(tmp_path / "lens.duckdb")
    house.ingest()
    with connect.write(house.path) as con:
        con.execute("DELETE FROM schema_migration WHERE version > 1")
    said = told(show("app", house.path))
    assert "is of an older version" in said and f"python -m warehouse.migrate {house.path}" in said


def test_a_page_waits_for_a_writer(tmp_path: Path, show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    house = House(tmp_path / "lens.duckdb")
    house.ingest()
    monkeypatch.setattr(data, "WAIT", 0.2)
    with connect.write(house.path):
        tested = show("app", house.path)
    assert "A job has been writing" in told(tested) and f"has had {house.path}" in told(tested)
    tested.button[0].click().run()
    assert "has had" not in told(tested) and not tested.error


def test_a_page_says_which_process_holds_the_file(tmp_path: Path, show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    house = House(tmp_path / "lens.duckdb")
    house.ingest()
    monkeypatch.setattr(data, "WAIT", 0.2)
    hold = f"import duckdb; con = duckdb.connect({str(house.path)!r}); print('held', flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        tested = show("app", house.path)
        holder.communicate(b"\n")
    assert f"process {holder.pid} has had {house.path}" in told(tested)
    tested.button[0].click().run()
    assert "has had" not in told(tested) and not tested.error


def test_what_an_error_holds_is_no_markup(tmp_path: Path, show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    message = "**held** by <script>\x1b[31m"

    @contextmanager
    def refused(*_, **__):
        raise WarehouseBusyError(message)
        yield

    house = House(tmp_path / "lens.duckdb")
    house.ingest()
    monkeypatch.setattr(connect, "read", refused)
    tested = show("app", house.path)
    assert "**held** by <script>\\x1b[31m" in [text.value for text in tested.text]
    assert not [box for box in (*tested.markdown, *tested.warning) if "held" in box.value]
