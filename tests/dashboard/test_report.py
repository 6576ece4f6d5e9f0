"""The page: complete, self-contained, and safe whatever names a model, corpus or group bears."""

import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest

import warehouse
from dashboard.report.contents import collect
from dashboard.report.page import page
from dashboard.report.text import interval, number
from tests.warehouse.analysis.support import annotate, shape
from tests.warehouse.conftest import House
from warehouse import connect
from warehouse.errors import WarehouseError

HOSTILE = "<script>alert(1)</script> **bold** [a](http://evil.example) \u202eesrever\x00\x1b[31m' \" &amp; {{ 7 * 7 }}"
NOW = datetime(2026, 5, 4, 3, 2, tzinfo=UTC)


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Two runs of a group and one of another, in a warehouse full of hostile names."""
    house = House(tmp_path_factory.mktemp("report") / "lens.duckdb")
    for seed in range(2):
        house.ingest(shape(name=f"seed{seed}", seed=seed, model_seed=seed, family="group"))
    house.ingest(shape(name="third", seed=5, model_seed=5, family="alone"))
    annotate(house)
    with connect.write(house.path) as con:
        con.execute("UPDATE model SET name = name || $name, family = family || $name", {"name": HOSTILE})
        con.execute("UPDATE corpus SET name = $name, source = $name, license = $name", {"name": HOSTILE})
        con.execute("UPDATE run SET name = name || $name", {"name": HOSTILE})
    warehouse.analyze(house.path, n_resamples=100)
    return house


@pytest.fixture(scope="module")
def text(analysed: House) -> str:
    return page(collect(warehouse.open(analysed.path)), now=NOW)


class Reader(HTMLParser):
    """Elements with their attributes, ids, and whether every element that is opened is closed."""

    VOID = frozenset({"meta", "br"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_well_formed_and_loads_nothing(text: str) -> None:
    reader = Reader(text)
    assert reader.open == []
    tags = {tag for tag, _ in reader.found}
    assert not tags & {"script", "link", "img", "iframe", "object", "embed", "image", "use", "base", "form", "b"}
    for _, attributes in reader.found:
        assert not {"src", "srcset", "action", "xlink:href"} & set(attributes)
        assert not any(name.startswith("on") for name in attributes)
        assert (attributes.get("href") or "#").startswith("#")
    assert "url(" not in re.sub(r"url\(#[\w-]+\)", "", text) and "@import" not in text
    ids = [attributes["id"] for _, attributes in reader.found if attributes.get("id")]
    links = [attributes["href"] for tag, attributes in reader.found if tag == "a"]
    assert len(ids) == len(set(ids)) and {link[1:] for link in links if link} <= set(ids)


def test_names_are_text(text: str) -> None:
    assert "<script>" not in text and "&lt;script&gt;alert(1)" in text
    assert not [c for c in text if not c.isprintable() and c != "\n"], "control characters are shown, not sent"
    assert "\\x00\\x1b[31m" in text and "\\u202e" in text
    assert "{{ 7 * 7 }}" in text and "&amp;amp;" in text


def test_every_finding_stands_there_with_rule_and_query(analysed: House, text: str) -> None:
    findings = collect(warehouse.open(analysed.path)).findings
    assert text.count("<summary>Rule and SQL</summary>") == findings.height == 3 * 10 + 2 * 12
    for row in findings.rows(named=True):
        assert number(row["value"]) in text and row["quantity"].replace("'", "&#39;") in text
    assert text.count("FROM pattern_effect") == 3 * 4 and "a group of one run" in text
    assert {"✓ holds", "– not enough data"} <= set(re.findall(r"[✓✗–] [a-z ]+(?=<)", text))


def test_charts_and_provenance_are_in_it(text: str) -> None:
    assert text.count('<svg class="chart"') >= 3 * 4 + 2 * 3 + 2
    for wanted in ("wtiny0", "c-poem", "2.8.0", "5.24.0", "seed 0, 100 resamples", "gold", "Made by Lenshouse"):
        assert wanted in text
    assert "2026-05-04 03:02 UTC" in text and "Not up to date" not in text


def test_only_some_runs(analysed: House) -> None:
    contents = collect(warehouse.open(analysed.path), [3])
    assert set(contents.findings["run_id"].drop_nulls()) == {3} and contents.agreement.is_empty()
    assert contents.groups["run_id"].to_list() == [3], "of groups those that have no other runs"
    assert page(contents).count("<article id=") == 2


def test_what_is_stale_is_told(analysed: House, tmp_path: Path) -> None:
    house = House(tmp_path / "copy.duckdb")
    house.path.write_bytes(analysed.path.read_bytes())
    house.ingest(shape(name="new", seed=7, model_seed=7))
    told = page(collect(warehouse.open(house.path), ["new"]))
    assert "Not up to date" in told and "change of run 4 (new)" in told


def test_nothing_to_report(tmp_path: Path) -> None:
    house = House(tmp_path / "empty.duckdb")
    warehouse.register_run(house.path, house.parts(shape()))
    with pytest.raises(WarehouseError, match="no complete run: `lenshouse ingest` first"):
        collect(warehouse.open(house.path))
    with pytest.raises(WarehouseError, match="is not complete"):
        collect(warehouse.open(house.path), [1])


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (0.0, "0"), (0.0315, "0.0315"), (-0.8691, "−0.869"), (12.345, "12.3"), (1234.5, "1,234"),
     (0.00012345, "0.000123"), (1.234e-7, "1.2e−07"), (1.0, "1.00")],
)  # fmt: skip
def test_numbers_have_three_digits(value: float | None, text: str) -> None:
    assert number(value) == text


def test_intervals_show_two_digits_of_their_width() -> None:
    assert interval(0.02373, 0.03994) == "[0.024, 0.040]"
    assert interval(-0.00082, 0.0026) == "[−0.0008, 0.0026]"
    assert interval(None, 0.1) == "none" and interval(0.5, 0.5) == "[0.500, 0.500]"
