"""Kills, full disks, damage and company: nothing is lost, nothing is done twice, nothing half-done is shown."""

from __future__ import annotations

import errno
import fcntl
import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import ingest.job
from ingest import plan
from tests.ingest.tiny import (
    TEXTS,
    Done,
    assert_same_tables,
    corpus,
    die_at,
    leftovers,
    lenshouse,
    owner_of,
    refused,
    slow,
    small_shards,
    tables,
)
from warehouse import connect
from warehouse.check import check
from warehouse.errors import WarehouseError

ROWS = 2_000
"""token_pair rows of a shard, so that the corpus below falls into several."""


@pytest.fixture(scope="module")
def job(models, tmp_path_factory) -> list[str]:
    """The arguments of an ingest in several shards, less its warehouse."""
    texts = corpus(tmp_path_factory.mktemp("texts"), TEXTS)
    return ["ingest", "--model", str(models["bert"]), "--corpus", str(texts)]


@pytest.fixture(scope="module")
def undisturbed(job, nursery, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("undisturbed") / "lens.duckdb"
    child = nursery.start(*job, "--warehouse", path, setup=small_shards, options=(ROWS,))
    assert child.wait() == 0, child.output()
    assert leftovers(path) == []
    assert len(tables(path)["loaded_part"]) >= 5
    return path


def n_shards(path: Path) -> int:
    return len(tables(path)["loaded_part"])


def visible_rows(path: Path) -> int:
    """Rows of every view; a file that was never finished has none."""
    try:
        with connect.read(path) as con:
            views = [name for (name,) in con.sql("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()]
            return sum(con.sql(f"SELECT count(*) FROM {view}").fetchall()[0][0] for view in views)
    except connect.WarehouseError:
        return 0


def assert_sound(path: Path, undisturbed: Path) -> None:
    assert_same_tables(path, undisturbed)
    assert [finding for finding in check(path) if finding.level == "error"] == []


AFTER_COMMIT = "the run is complete, its folder is still there"
POINTS = {
    "a scratch folder is made, not claimed": ("ingest.scratch.claim", "before", 1),
    "corpus tokenised": ("ingest.job.prepare", "after", 1),
    "only its texts are in the run's folder": ("ingest.parts.RunFolder.take", "after", 1),
    "before run.json": ("ingest.parts.RunFolder.write_json", "before", 1),
    "after run.json": ("ingest.parts.RunFolder.write_json", "after", 1),
    "the warehouse file is empty": ("warehouse.migrate.migrate", "before", 1),
    "the warehouse file is migrated": ("warehouse.migrate.migrate", "after", 1),
    "texts are entered but not committed": ("warehouse.register._texts", "after", 1),
    "the run is registered": ("warehouse.register_run", "after", 1),
    "a shard is half-written": ("ingest.parts._write_parquet", "after", 14),
    "a shard has all its files but no name": ("ingest.parts._flush_folder", "after", 5),
    "a shard is written": ("ingest.parts.RunFolder.write_shard", "after", 2),
    "a shard is half-loaded": ("warehouse.load._insert_part", "after", 12),
    "a shard is loaded, not deleted": ("warehouse.load.remove_folder", "before", 2),
    "a shard is loaded, half-deleted": ("pathlib.Path.rename", "after", 2),
    "before the manifest": ("ingest.run.manifest", "before", 1),
    "after the manifest": ("ingest.parts.RunFolder.write_json", "after", 2),
    "dimensions are merged, not committed": ("warehouse.load._merge_dimensions", "after", 1),
    AFTER_COMMIT: ("warehouse.load.remove_folder", "before", None),
}


@pytest.mark.parametrize("point", POINTS)
def test_killed_at(point, job, undisturbed, nursery, house, monkeypatch) -> None:
    target, when, nth = POINTS[point]
    nth = n_shards(undisturbed) + 1 if nth is None else nth
    child = nursery.start(*job, "--warehouse", house, setup=die_at, options=(ROWS, target, when, nth))
    assert child.wait() == -9, child.output()
    if point != AFTER_COMMIT:
        assert visible_rows(house) == 0
    monkeypatch.setattr(plan, "SHARD_ROWS", ROWS)
    again = lenshouse(*job, "--warehouse", house)
    assert (again.code, again.err) == (0, "")
    assert_sound(house, undisturbed)
    assert leftovers(house) == []


def test_killed_at_random_moments(job, undisturbed, nursery, tmp_path) -> None:
    """Twenty kills; each ingest is started again until it completes, and then there is another."""
    moment = random.Random(20).uniform
    started = time.monotonic()
    child = nursery.start(*job, "--warehouse", tmp_path / "timed.duckdb", setup=small_shards, options=(ROWS,))
    assert child.wait() == 0
    whole = time.monotonic() - started
    kills, finished, starts = 0, 0, 0
    path = tmp_path / "0.duckdb"
    with connect.write(path):  # a kill while the file is made: see POINTS
        pass
    while kills < 20 or path.exists():
        starts += 1
        assert starts < 100
        child = nursery.start(*job, "--warehouse", path, setup=small_shards, options=(ROWS,))
        if kills < 20 and child.kill_after(moment(0, 0.7 * whole)):
            kills += 1
            assert not path.exists() or visible_rows(path) == 0 or tables(path)["run"] == tables(undisturbed)["run"]
            continue
        assert child.wait() == 0, child.output()
        assert_sound(path, undisturbed)
        assert leftovers(path) == []
        finished += 1
        path = tmp_path / f"{finished}.duckdb"
        if kills < 20:
            with connect.write(path):
                pass
    assert finished >= 1


# Company: several ingests and readers at once.


def test_two_ingests_and_readers_at_once(job, models, undisturbed, nursery, house, tmp_path) -> None:
    """Two models over one corpus into one warehouse, while two others keep asking: all succeed."""
    assert lenshouse("ingest", "--model", models["gpt2"], "--corpus", corpus(tmp_path, ("yes",)), "--warehouse", house)
    stop = tmp_path / "stop"
    readers = [nursery.start("sql", "FROM v_run", "--warehouse", house, until=stop) for _ in range(2)]
    other = ["ingest", "--model", models["seed_3"], *job[3:]]
    writers = [
        nursery.start(*arguments, "--warehouse", house, setup=small_shards, options=(ROWS,))
        for arguments in (job, other)
    ]
    assert [writer.wait() for writer in writers] == [0, 0], [writer.output() for writer in writers]
    stop.touch()
    assert [reader.wait() for reader in readers] == [0, 0], [reader.output() for reader in readers]
    assert all(reader.output().count("run_name") >= 2 for reader in readers)
    expected = sorted(tables(undisturbed)["token_pair"])
    with connect.read(house) as con:
        runs = con.sql("SELECT model_name, run_id FROM v_run").fetchall()
        found = con.sql(
            f"SELECT * EXCLUDE run_id FROM token_pair WHERE run_id = {dict(runs)['tiny-bert']} ORDER BY ALL"
        ).fetchall()
    assert sorted(name for name, _ in runs) == ["tiny-bert", "tiny-gpt2", "tinybert-seed_3"]
    assert found == [row[1:] for row in expected]
    assert {finding.level for finding in check(house)} == {"ok"}
    assert leftovers(house) == []


def test_the_same_run_is_being_ingested(job, undisturbed, nursery, house) -> None:
    first = nursery.start(*job, "--warehouse", house, setup=slow, options=(ROWS, "ingest.run.compute", 0.3))
    deadline = time.monotonic() + 120
    while not list(house.parent.glob("*.parts/*/shard-*")) and not list(house.parent.glob("*.parts/*/done/*")):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    line = refused(
        lenshouse(*job, "--warehouse", house), 1, "another ingest of this very run is at work", "wait for it"
    )
    assert "lens.duckdb.parts" in line
    assert line.startswith("lenshouse: run tiny-")
    assert first.wait() == 0, first.output()
    assert_sound(house, undisturbed)
    assert leftovers(house) == []
    assert "is complete" in lenshouse(*job, "--warehouse", house).out


def test_the_same_run_started_twice_at_once(job, undisturbed, nursery, house) -> None:
    children = [nursery.start(*job, "--warehouse", house, setup=small_shards, options=(ROWS,)) for _ in range(2)]
    codes = [child.wait() for child in children]
    assert 0 in codes, [child.output() for child in children]
    for code, child in zip(codes, children, strict=True):
        if code:
            assert code == 1
            assert child.output().count("\n") == 1
            assert "another ingest of this very run is at work" in child.output()
    assert_sound(house, undisturbed)
    assert leftovers(house) == []


def test_the_same_run_completes_just_before_its_folder_is_claimed(
    job, undisturbed, nursery, house, monkeypatch
) -> None:
    """As when this process is held up between looking for the run and locking its folder."""
    monkeypatch.setattr(plan, "SHARD_ROWS", ROWS)
    claim = ingest.job.claim

    def late(folder: Path):
        if not folder.name.startswith("."):
            child = nursery.start(*job, "--warehouse", house, setup=small_shards, options=(ROWS,))
            assert child.wait() == 0, child.output()
        return claim(folder)

    monkeypatch.setattr(ingest.job, "claim", late)
    done = lenshouse(*job, "--warehouse", house)
    assert (done.code, done.err) == (0, "")
    assert_sound(house, undisturbed)


def test_another_ingest_tidies_its_scratch_folder_meanwhile(job, house, monkeypatch) -> None:
    """Its `.prepare-` folder is listed as a possible leftover, and gone when it is looked at."""
    glob = Path.glob

    def listed_too_early(self: Path, pattern: str):
        gone = [self / ".prepare-gone"] if pattern == ".prepare-*" else []
        return [*glob(self, pattern), *gone]

    monkeypatch.setattr(Path, "glob", listed_too_early)
    done = lenshouse(*job, "--warehouse", house)
    assert (done.code, done.err) == (0, "")


def test_another_ingest_removes_the_empty_parts_folder_meanwhile(job, house, monkeypatch) -> None:
    mkdtemp, removed = tempfile.mkdtemp, []

    def after_the_other_has_left(*args, **kwargs) -> str:
        if kwargs.get("prefix") == ".new-" and not removed:
            Path(kwargs["dir"]).rmdir()
            removed.append(True)
        return mkdtemp(*args, **kwargs)

    monkeypatch.setattr(tempfile, "mkdtemp", after_the_other_has_left)
    done = lenshouse(*job, "--warehouse", house)
    assert (done.code, done.err) == (0, "")
    assert removed


def test_a_run_is_removed_while_it_is_ingested(job, nursery, house) -> None:
    """The ingest ends in one line, nothing of the run is shown, and the same command makes it anew."""
    child = nursery.start(*job, "--warehouse", house, setup=slow, options=(ROWS, "ingest.run.compute", 0.3))
    deadline = time.monotonic() + 120
    while not list(house.parent.glob("*.parts/*/done/*")):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    removed = lenshouse("runs", "remove", "1", "--yes", "--warehouse", house)
    code = child.wait()
    if removed.code:  # refused is fine too
        refused(removed, 1, "ingest")
        assert code == 0
        return
    assert code == 1
    assert child.output().count("\n") == 1, child.output()
    assert child.output().startswith("lenshouse: ")
    assert visible_rows(house) == 0
    assert lenshouse(*job, "--warehouse", house).code == 0
    assert leftovers(house) == []


# A folder of parts that cannot be used.


def parts_of(house: Path) -> Path:
    return house.with_name(f"{house.name}.parts")


def test_a_file_lies_where_the_parts_are_to_lie(job, house) -> None:
    parts_of(house).write_text("mine")
    refused(lenshouse(*job, "--warehouse", house), 1, str(parts_of(house)), "is a file", "move it away")
    assert parts_of(house).read_text() == "mine"
    assert not house.exists()


@pytest.mark.parametrize("target", ["ingest.run.compute", "ingest.job.verify", "warehouse.register_run"])
def test_parts_are_removed_while_a_job_runs(target, job, house, undisturbed, monkeypatch) -> None:
    """One line, and the way out that it names works."""
    owner, name = owner_of(target)
    function = getattr(owner, name)

    def after_removal(*args, **kwargs):
        shutil.rmtree(parts_of(house))
        return function(*args, **kwargs)

    monkeypatch.setattr(plan, "SHARD_ROWS", ROWS)
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, after_removal)
        refused(lenshouse(*job, "--warehouse", house), 1, str(parts_of(house)), "again")
    again = lenshouse(*job, "--warehouse", house)
    assert (again.code, again.err) == (0, "")
    assert_sound(house, undisturbed)


@pytest.mark.parametrize(
    ("number", "words"),
    [(errno.EROFS, ("read-only", "elsewhere")), (errno.EACCES, ("check the rights",))],
    ids=["read-only", "no rights"],
)
def test_parts_that_cannot_be_written(number, words, job, house, monkeypatch) -> None:
    def refuses(*args, **kwargs) -> str:
        raise OSError(number, os.strerror(number), str(parts_of(house) / ".new-x"))

    monkeypatch.setattr(tempfile, "mkdtemp", refuses)
    refused(lenshouse(*job, "--warehouse", house), 1, str(parts_of(house)), *words)


def test_a_file_system_without_locks(job, house, monkeypatch) -> None:
    def refuses(*args) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuses)
    refused(lenshouse(*job, "--warehouse", house), 1, "has no locks", "on a local disk")
    assert leftovers(house) == []
    with pytest.raises(WarehouseError, match="no locks"), connect.write(house):
        pass


# A disk that is full.

SIZES = {
    "16k": "while tokenising",
    "24k": "while the file is made",
    "48k": "in the first migration",
    "100k": "while registering",
    "1m": "in a shard",
    "2500k": "in a later shard",
}


@dataclass(frozen=True)
class Full:
    """A small disk that an ingest has filled, and what it said."""

    path: Path
    done: Done
    more_room: Callable[[], None]


@pytest.fixture(params=[pytest.param(size, id=f"{size} {where}") for size, where in SIZES.items()])
def full(request, job, nursery, tmp_path) -> Iterator[Full]:
    disk = tmp_path / "disk"
    disk.mkdir()

    def mount(*words: str) -> None:
        done = subprocess.run(["mount", *words, str(disk)], capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"a small disk cannot be mounted here: {done.stderr.strip()}")

    if shutil.which("mount") is None:
        pytest.skip("a small disk cannot be mounted here: there is no mount command")
    mount("-t", "tmpfs", "-o", f"size={request.param}", "tmpfs")
    try:
        path = disk / "lens.duckdb"
        child = nursery.start(*job, "--warehouse", path, setup=small_shards, options=(ROWS,))
        code = child.wait()
        yield Full(path, Done(code, "", child.output()), lambda: mount("-o", "remount,size=64m"))
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_full_disk(full, job, undisturbed, monkeypatch) -> None:
    """Full at several steps: one line; with more room the same command goes on to the very same tables."""
    refused(full.done, 1, "disk", "is full", "free some space", "same command")
    assert "report this" not in full.done.err
    monkeypatch.setattr(plan, "SHARD_ROWS", ROWS)
    refused(lenshouse(*job, "--warehouse", full.path), 1, "disk", "is full", "free some space", "same command")
    full.more_room()
    again = lenshouse(*job, "--warehouse", full.path)
    assert (again.code, again.err) == (0, "")
    assert_sound(full.path, undisturbed)
    assert leftovers(full.path) == []


# Damaged parts.


@pytest.fixture
def interrupted(job, nursery, house) -> Path:
    """The folder of a run that was killed when its second shard was written and not loaded."""
    child = nursery.start(
        *job, "--warehouse", house, setup=die_at, options=(ROWS, "ingest.parts.RunFolder.write_shard", "after", 2)
    )
    assert child.wait() == -9
    (folder,) = house.parent.glob("lens.duckdb.parts/[0-9a-f]*")
    assert (folder / "shard-00001").is_dir()
    return folder


@pytest.mark.parametrize("table", ["token_pair", "layer_dim"])
def test_a_part_cut_short(table, interrupted, job, undisturbed, house, monkeypatch) -> None:
    """One line that names the file and the folder to remove; that done, the run completes."""
    monkeypatch.setattr(plan, "SHARD_ROWS", ROWS)
    shard = interrupted / "shard-00001"
    file = shard / f"{table}.parquet"
    file.write_bytes(file.read_bytes()[:-100])
    refused(lenshouse(*job, "--warehouse", house), 1, str(file), "is damaged", f"remove {shard} and run ingest again")
    assert visible_rows(house) == 0
    shutil.rmtree(shard)
    again = lenshouse(*job, "--warehouse", house)
    assert (again.code, again.err) == (0, "")
    assert_sound(house, undisturbed)
    assert leftovers(house) == []


def test_what_the_run_is_cut_short(interrupted, job, undisturbed, house, monkeypatch) -> None:
    """One line that names it. What it takes to go on is told step by step: the folder, then the run itself."""
    monkeypatch.setattr(plan, "SHARD_ROWS", ROWS)
    file = interrupted / "run.json"
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    refused(lenshouse(*job, "--warehouse", house), 1, str(file), "damaged", f"remove {interrupted}")
    assert visible_rows(house) == 0
    shutil.rmtree(interrupted)
    refused(lenshouse(*job, "--warehouse", house), 1, "lenshouse runs remove")
    assert lenshouse("runs", "remove", "1", "--yes", "--warehouse", house).code == 0
    assert lenshouse(*job, "--warehouse", house).code == 0
    assert_sound(house, undisturbed)


@pytest.mark.parametrize("name", ["sequence", "token"])
def test_texts_that_are_loaded_are_not_read_again(name, interrupted, job, undisturbed, house, monkeypatch) -> None:
    monkeypatch.setattr(plan, "SHARD_ROWS", ROWS)
    (interrupted / f"{name}.parquet").write_bytes(b"PAR1")
    assert lenshouse(*job, "--warehouse", house).code == 0
    assert_sound(house, undisturbed)


def test_a_record_cut_short(interrupted, job, house, monkeypatch) -> None:
    monkeypatch.setattr(plan, "SHARD_ROWS", ROWS)
    file = interrupted / "done" / "00000.json"
    file.write_text(file.read_text()[:40])
    refused(lenshouse(*job, "--warehouse", house), 1, str(file))


def test_shards_of_another_size(interrupted, job, undisturbed, house, monkeypatch) -> None:
    """As after an update that cuts shards otherwise: the run goes on as it was cut when it began."""
    monkeypatch.setattr(plan, "SHARD_ROWS", 3 * ROWS)
    done = lenshouse(*job, "--warehouse", house)
    assert (done.code, done.err) == (0, "")
    assert_sound(house, undisturbed)
    assert leftovers(house) == []
