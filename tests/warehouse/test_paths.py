"""What may be written for a warehouse, and which file it is then."""

from pathlib import Path

import pytest

import warehouse
from tests.warehouse.conftest import House
from tests.warehouse.synthetic import Shape
from warehouse.errors import UsageError
from warehouse.paths import expanded, literal


def test_default_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LENSHOUSE_WAREHOUSE", raising=False)
    assert warehouse.warehouse_path() == Path("lenshouse.duckdb")
    monkeypatch.setenv("LENSHOUSE_WAREHOUSE", "/data/w.duckdb")
    assert warehouse.warehouse_path() == Path("/data/w.duckdb")
    assert warehouse.warehouse_path("x.duckdb") == Path("x.duckdb")
    assert warehouse.parts_folder(Path("a/x.duckdb")) == Path("a/x.duckdb.parts")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (":memory:", "is a file, not :memory:"),
        (Path(":memory:"), "is a file"),
        ("md:x", "is a file, not md:x"),
        ("s3://bucket/x.duckdb", "is a file"),
        (Path("https://x/y.duckdb"), "is a file"),
        ("", "empty name"),
        ("a\\b.duckdb", "in its path"),
        ("a?.duckdb", "'\\?' in its path"),
        ("a?b/c.duckdb", "'\\?' in its path"),
        ("a\0b.duckdb", "in its path"),
        ("caf\udce9.duckdb", "not UTF-8"),
    ],
)
def test_what_is_no_file(given: str | Path, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for use in (warehouse.warehouse_path, warehouse.open, lambda path: warehouse.make_usable(Path(path or ":"))):
        with pytest.raises(UsageError) as caught:
            use(given)
        assert "\n" not in str(caught.value)
    with pytest.raises(UsageError, match=words):
        warehouse.warehouse_path(given)
    assert list(tmp_path.iterdir()) == []


def test_home_is_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert warehouse.warehouse_path("~/x.duckdb") == Path("/home/me/x.duckdb")
    assert expanded("~no-such-user/x") == Path("~no-such-user/x")


def test_a_link_and_its_file_are_one_warehouse(house: House, tmp_path: Path) -> None:
    link = tmp_path / "link.duckdb"
    (tmp_path / "links").mkdir()
    chain = tmp_path / "links" / "chain.duckdb"
    link.symlink_to("lens.duckdb")
    chain.symlink_to("../link.duckdb")
    for path in (link, chain):
        assert warehouse.parts_folder(path) == warehouse.parts_folder(house.path)
        assert warehouse.warehouse_path(path) == house.path
    House(chain).ingest()  # the first to write makes the file that the links lead to
    assert link.is_symlink() and chain.is_symlink() and house.path.is_file() and not house.path.is_symlink()
    House(link).ingest(Shape(seed=2, name="second"))
    assert house.rows("SELECT name FROM run ORDER BY run_id") == [("first",), ("second",)]
    warehouse.remove_run(link, 1)
    assert house.rows("SELECT name FROM run") == [("second",)]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "lens.duckdb",
        "lens.duckdb.parts",
        "link.duckdb",
        "links",
    ]


def test_links_in_a_circle(tmp_path: Path) -> None:
    path = tmp_path / "loop.duckdb"
    path.symlink_to(path.name)
    with pytest.raises(UsageError, match="in a circle"):
        warehouse.warehouse_path(path)


@pytest.mark.parametrize("name", ["a[1]", "a[!b]", "a*", "**", "pre:fix", "a{b,c}", "it's", "a%20b", "a#b", 'a"b'])
def test_names_mean_themselves(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No pattern, no extension: beside it lie warehouses that a pattern would match, with parts of other numbers."""
    monkeypatch.chdir(tmp_path)
    for other in ("a1", "ax", "ab", "a"):
        House(tmp_path / other / f"{other}.duckdb").parts(Shape(seed=5))
    for path in (Path(name) / "lens.duckdb", Path(f"{name}.duckdb")):
        path.parent.mkdir(exist_ok=True)
        here = House(path)
        here.ingest(Shape())
        assert path.is_file()
        assert here.counts()["token_pair"] == Shape().n_pairs
        warehouse.remove_run(path, 1)
        assert here.counts()["token_pair"] == 0


def test_a_pattern_is_read_as_a_name(tmp_path: Path) -> None:
    assert literal(tmp_path / "a[1]*?.parquet") == f"{tmp_path}/a[[]1][*][?].parquet"
