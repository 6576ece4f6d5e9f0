"""Parts on disk: whole or not there, one writer at a time, and records that outlive the shards."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path

import polars as pl
import pytest

from ingest import parts
from ingest.parts import RunFolder, write_whole
from tests.ingest.tiny import leftovers, lenshouse
from warehouse.contract import SHARD_TABLES
from warehouse.errors import PartsError
from warehouse.locks import claim, is_claimed
from warehouse.parts import read_shard, shard_folders, verify_shard

RECORD = {"first_seq": 3, "last_seq": 5, "seconds": {"forward": 1.0, "core": 2.0}, "max_completeness_error": 1e-6}


@pytest.fixture
def folder(tmp_path) -> RunFolder:
    return RunFolder(tmp_path)


@pytest.fixture(scope="module")
def shard() -> dict[str, pl.DataFrame]:
    """One row a table, in the contract's schemas."""
    plain = {pl.String: "FF", pl.Boolean: True}
    return {
        name: pl.DataFrame({column: [plain.get(type(dtype), 1)] for column, dtype in schema.items()}, schema=schema)
        for name, schema in SHARD_TABLES.items()
    }


def names(folder: RunFolder) -> list[str]:
    return sorted(path.name for path in folder.path.iterdir())


def test_a_shard_is_what_the_loader_reads(folder, shard) -> None:
    folder.write_shard(7, shard, RECORD)
    assert folder.shards_on_disk() == {7}
    [(number, path)] = shard_folders(folder.path)
    assert number == 7
    verify_shard(read_shard(number, path))
    for name, frame in shard.items():
        assert pl.read_parquet(path / f"{name}.parquet").equals(frame)
    record = json.loads((path / "shard.json").read_text())
    assert {key: record[key] for key in ("shard", "first_seq", "last_seq")} == {
        "shard": 7, "first_seq": 3, "last_seq": 5
    }  # fmt: skip
    assert set(record["seconds"]) == {"forward", "core", "write"}
    assert record["seconds"]["write"] > 0
    assert RECORD["seconds"] == {"forward": 1.0, "core": 2.0}
    assert names(folder) == ["shard-00007"]


@pytest.mark.parametrize("n_written", range(len(SHARD_TABLES)))
def test_a_shard_that_fails_is_not_there(n_written, folder, shard, monkeypatch) -> None:
    """Whichever of its files cannot be written; the next attempt is not in its way."""
    write, calls = parts._write_parquet, 0

    def full(frame, path) -> None:
        nonlocal calls
        if calls == n_written:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        calls += 1
        write(frame, path)

    with monkeypatch.context() as patch:
        patch.setattr(parts, "_write_parquet", full)
        with pytest.raises(OSError, match="No space left"):
            folder.write_shard(0, shard, RECORD)
    assert folder.shards_on_disk() == set()
    assert shard_folders(folder.path) == []
    folder.write_shard(0, shard, RECORD)
    assert folder.shards_on_disk() == {0}
    folder.clear_unfinished()
    assert names(folder) == ["shard-00000"]


def test_what_was_half_written_is_cleared(folder, shard) -> None:
    folder.write_shard(0, shard, RECORD)
    (folder.path / ".tmp-shard-00001").mkdir()
    (folder.path / ".tmp-shard-00001" / "token_pair.parquet").write_bytes(b"PAR1")
    (folder.path / ".tmp-run.json").write_text("{")
    folder.clear_unfinished()
    assert names(folder) == ["shard-00000"]


def test_records_outlive_their_shards(folder, shard) -> None:
    for number in (2, 0, 1):
        folder.write_shard(number, shard, RECORD | {"first_seq": number})
    folder.keep_records()
    for number in (0, 2):
        shutil.rmtree(folder.path / f"shard-0000{number}")
    folder.keep_records()
    assert [(r["shard"], r["first_seq"]) for r in folder.records()] == [(0, 0), (1, 1), (2, 2)]
    assert folder.shards_on_disk() == {1}


def test_a_record_that_is_kept_is_not_written_again(folder, shard) -> None:
    folder.write_shard(0, shard, RECORD)
    folder.keep_records()
    kept = folder.path / "done" / "00000.json"
    before = kept.stat().st_mtime_ns, kept.stat().st_ino
    folder.keep_records()
    assert (kept.stat().st_mtime_ns, kept.stat().st_ino) == before


def test_a_file_is_whole_or_not_there(tmp_path) -> None:
    path = tmp_path / "run.json"

    def half(temporary: Path) -> None:
        temporary.write_text('{"a": ')
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_whole(path, half)
    assert not path.exists()
    write_whole(path, lambda temporary: temporary.write_text("{}"))  # type: ignore[arg-type, return-value]
    with pytest.raises(RuntimeError):
        write_whole(path, half)
    assert path.read_text() == "{}"


def test_json_is_flushed_before_it_is_renamed(folder, monkeypatch) -> None:
    """fsync of the file, then the rename, then fsync of the folder: what a power cut needs."""
    seen = []
    fsync, replace = os.fsync, Path.replace

    def flushed(descriptor: int) -> None:
        seen.append("folder" if os.path.isdir(f"/proc/self/fd/{descriptor}") else "file")  # noqa: PTH112
        fsync(descriptor)

    def renamed(self: Path, target: Path) -> Path:
        seen.append("rename")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", flushed)
    monkeypatch.setattr(Path, "replace", renamed)
    folder.write_json("run.json", {"a": [1, "é"]})
    assert seen == ["file", "rename", "folder"]
    assert json.loads((folder.path / "run.json").read_text()) == {"a": [1, "é"]}


def test_take_moves_a_file(folder, tmp_path) -> None:
    source = tmp_path / "scratch"
    source.mkdir()
    (source / "token.parquet").write_bytes(b"x")
    target = RunFolder(tmp_path / "run")
    target.path.mkdir()
    target.take(source / "token.parquet")
    assert (target.path / "token.parquet").read_bytes() == b"x"
    assert list(source.iterdir()) == []
    assert target.has("token.parquet")


def test_one_writer_at_a_time(tmp_path) -> None:
    run = tmp_path / "parts" / "run"
    with claim(run):
        assert run.is_dir()
        with (
            pytest.raises(PartsError, match=r"run: another ingest of this very run is at work; wait for it"),
            claim(run),
        ):
            pass
        assert is_claimed(run)
    with claim(run):
        pass


def test_a_lock_dies_with_its_process(tmp_path) -> None:
    """Whatever ended it: no lock file has to be removed by hand."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        with claim(tmp_path):
            os.write(write, b"!")
            os.kill(os.getpid(), 9)
    os.read(read, 1)
    os.waitpid(child, 0)
    os.close(read)
    os.close(write)
    with claim(tmp_path):
        pass


def test_scratch_folders_of_killed_ingests_are_removed(models, texts, house) -> None:
    """And those of ingests at work are not."""
    root = house.with_name(f"{house.name}.parts")
    left, at_work = root / ".prepare-left", root / ".prepare-at-work"
    for scratch in (left, at_work):
        scratch.mkdir(parents=True)
        (scratch / "sequence.parquet").write_bytes(b"PAR1")
    with claim(at_work):
        done = lenshouse("ingest", "--model", models["bert"], "--corpus", texts, "--warehouse", house)
    assert (done.code, done.err) == (0, "")
    assert leftovers(house) == [
        f"lens.duckdb.parts{rest}"
        for rest in ("", "/.prepare-at-work", "/.prepare-at-work/lock", "/.prepare-at-work/sequence.parquet")
    ]
