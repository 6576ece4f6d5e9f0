"""`lenshouse report`: a table in the terminal, a page in a file, and one line where something is missing."""

import csv
import importlib.util
import io
import json
from pathlib import Path

import pytest

import warehouse
from tests.ingest.tiny import lenshouse
from tests.warehouse.analysis.support import shape
from tests.warehouse.conftest import House
from warehouse.analysis import changes, findings, group_estimates

PARTS = (changes.PART, group_estimates.ESTIMATES, findings.RUNS, findings.GROUPS)


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    house = House(tmp_path_factory.mktemp("report") / "lens.duckdb")
    house.ingest(shape(family="tiny"))
    warehouse.analyze(house.path, n_resamples=100, parts=PARTS)
    return house.path


def test_table_and_page(analysed: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.html"
    done = lenshouse("report", "--warehouse", analysed, "--output", target)
    assert done.code == 0 and f"page: {target}" in done.out
    lines = done.out.splitlines()
    assert [name in lines[1] for name in ("claim", "of", "value", "low", "high", "verdict", "quantity")] == [True] * 7
    assert sum(line.startswith(" F1") for line in lines) == 2 and "group tiny" in done.out
    assert "NOT UP TO DATE" in done.err and "run `lenshouse analyze`, then this again" in done.err
    page = target.read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and "FROM estimate" in page and 'class="warning"' in page
    assert list(tmp_path.iterdir()) == [target], "no half of a page is left"


@pytest.mark.parametrize("form", ["csv", "json"])
def test_findings_for_programs(analysed: Path, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = lenshouse("report", "1", "--warehouse", analysed, "--format", form)
    rows = json.loads(done.out) if form == "json" else list(csv.DictReader(io.StringIO(done.out)))
    assert done.code == 0 and len(rows) == 10 + 12 and {"claim", "rule", "query", "verdict"} <= set(rows[0])
    assert list(tmp_path.iterdir()) == []


def test_without_the_packages_of_the_page(analysed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "vl_convert" else real(name))
    monkeypatch.chdir(tmp_path)
    done = lenshouse("report", "--warehouse", analysed)
    assert done.code == 0 and " F1" in done.out and "pip install -e '.[report]'" in done.err
    asked = lenshouse("report", "--warehouse", analysed, "--output", "named.html")
    assert asked.code == 1 and " F1" in asked.out and "pip install" in asked.err
    assert list(tmp_path.iterdir()) == []


def test_bad_input(analysed: Path, tmp_path: Path) -> None:
    house = House(tmp_path / "new.duckdb")
    house.ingest(shape())
    done = lenshouse("report", "--warehouse", house.path)
    assert done.code == 1 and "holds no findings of these runs: run `lenshouse analyze` first" in done.err
    done = lenshouse("report", "9", "--warehouse", analysed)
    assert done.code == 1 and "no run" in done.err and done.err.count("\n") == 1
    done = lenshouse("report", "--warehouse", analysed, "--output", tmp_path / "none" / "r.html")
    assert done.code == 1 and "the folder" in done.err and "does not exist" in done.err
    done = lenshouse("report", "--warehouse", analysed, "--output", analysed)
    assert done.code == 2 and "is the warehouse itself" in done.err and analysed.stat().st_size > 10_000
