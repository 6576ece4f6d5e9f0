"""Bytes go to a file as a result does: whole, through links, into devices, and never over a DuckDB file."""

import os
from pathlib import Path

import duckdb
import pytest

from warehouse.errors import UsageError, WarehouseError
from warehouse.export import write_file

HOUSE = "lens.duckdb"


def test_a_link_stays_and_its_file_is_written(tmp_path: Path) -> None:
    target, link = tmp_path / "target.html", tmp_path / "link.html"
    link.symlink_to(target)
    write_file(link, b"page", tmp_path / HOUSE)
    assert link.is_symlink() and target.read_bytes() == b"page"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.html", "target.html"]


def test_a_pipe_is_written_into(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_file(pipe, b"page", tmp_path / HOUSE)
    assert os.read(reader, 10) == b"page" and pipe.is_fifo()
    os.close(reader)


def test_no_warehouse_is_overwritten(tmp_path: Path) -> None:
    for name in (HOUSE, "other.duckdb"):
        duckdb.connect(tmp_path / name).close()
        before = (tmp_path / name).read_bytes()
        with pytest.raises(UsageError, match="name another"):
            write_file(tmp_path / name, b"page", tmp_path / HOUSE)
        assert (tmp_path / name).read_bytes() == before


@pytest.mark.parametrize("place", [".", "missing/page.html"])
def test_where_it_cannot_be_written(place: str, tmp_path: Path) -> None:
    with pytest.raises(WarehouseError, match="cannot be written"):
        write_file(tmp_path / place, b"page", tmp_path / HOUSE)
