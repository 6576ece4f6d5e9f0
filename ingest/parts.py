"""Write a run's Parquet parts so that a kill at any moment leaves only whole ones (layout: `warehouse.contract`).

Everything is written under a temporary name, flushed to disk and renamed. A shard is a folder, so one rename makes all
of its tables appear together; what it held is also kept as a small record in `done/`, which outlives the loading of the
shard into the warehouse and feeds the manifest.
"""

import errno
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from warehouse.contract import SHARD_TABLES
from warehouse.errors import PartsError, disk_is_full
from warehouse.parts import shard_folders, shard_name

_ZSTD_LEVEL = 1


@dataclass(frozen=True)
class RunFolder:
    """The parts of one run."""

    path: Path

    def shards_on_disk(self) -> set[int]:
        return {number for number, _ in shard_folders(self.path)}

    def has(self, name: str) -> bool:
        return (self.path / name).exists()

    def take(self, file: Path) -> None:
        """Move a finished file of the same file system into the folder."""
        with file.open("rb") as handle:
            os.fsync(handle.fileno())
        file.replace(self.path / file.name)

    def clear_unfinished(self) -> None:
        """Remove what a killed process left half-written or half-removed."""
        for leftover in [*self.path.glob(".tmp-*"), *self.path.glob(".removed-*")]:
            shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()

    def write_json(self, name: str, content: dict[str, Any]) -> None:
        write_whole(self.path / name, lambda temporary: _dump(content, temporary))

    def write_table(self, name: str, frame: pl.DataFrame) -> None:
        write_whole(self.path / f"{name}.parquet", lambda temporary: _write_parquet(frame, temporary))

    def write_shard(self, number: int, tables: dict[str, pl.DataFrame], record: dict[str, Any]) -> None:
        """Write a shard's tables and its shard.json; the shard appears whole or not at all.

        Args: record, further entries of shard.json: first_seq, last_seq, max_completeness_error, and seconds, to
        which the time of writing is added.
        """
        started = time.perf_counter()
        temporary = self.path / f".tmp-{shard_name(number)}"
        if temporary.exists():
            shutil.rmtree(temporary)
        temporary.mkdir()
        sizes = {}
        for name in SHARD_TABLES:
            file = temporary / f"{name}.parquet"
            _write_parquet(tables[name], file)
            sizes[name] = {"rows": tables[name].height, "bytes": file.stat().st_size}
        seconds = record["seconds"] | {"write": time.perf_counter() - started}
        _dump(record | {"shard": number, "tables": sizes, "seconds": seconds}, temporary / "shard.json")
        _flush_folder(temporary)
        temporary.rename(self.path / shard_name(number))
        _flush_folder(self.path)

    def keep_records(self) -> None:
        """Copy the records of all shards on disk to `done/`, before the loader may take the shards away."""
        done = self.path / "done"
        done.mkdir(exist_ok=True)
        for number, shard in shard_folders(self.path):
            kept = done / f"{number:05d}.json"
            if not kept.exists():
                record = _record(shard / "shard.json")
                write_whole(kept, lambda temporary, record=record: _dump(record, temporary))  # type: ignore[misc]

    def records(self) -> list[dict[str, Any]]:
        """The shard.json of every finished shard, loaded or not. Raises PartsError for one that is damaged."""
        return [_record(path) for path in sorted((self.path / "done").glob("*.json"))]


def write_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Give a file its name only when its content is on disk."""
    temporary = path.with_name(f".tmp-{path.name}")
    write(temporary)
    temporary.replace(path)
    _flush_folder(path.parent)


def _record(path: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        msg = (
            f"{path} is damaged ({error}): `lenshouse runs remove` its run if `lenshouse runs list` shows it, "
            f"remove {path.parent.parent}, and run ingest again"
        )
        raise PartsError(msg) from error
    return content


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Give errors of writing the file's name, and a full disk one and the same error whichever library met it."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    except pl.exceptions.PolarsError as error:
        if not disk_is_full(str(error)):
            raise
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path)) from error


def _dump(content: dict[str, Any], path: Path) -> None:
    with _naming(path), path.open("w", encoding="utf-8") as handle:
        json.dump(content, handle, indent=1, ensure_ascii=False)
        handle.flush()
        os.fsync(handle.fileno())


def _write_parquet(frame: pl.DataFrame, path: Path) -> None:
    with _naming(path), path.open("wb") as handle:
        frame.write_parquet(handle, compression="zstd", compression_level=_ZSTD_LEVEL)
        handle.flush()
        os.fsync(handle.fileno())


def _flush_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
