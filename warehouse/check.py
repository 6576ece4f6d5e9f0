"""Look a warehouse over: `lenshouse doctor --warehouse`."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import duckdb

from warehouse import connect, migrate, sqlfiles
from warehouse.contract import COMPLETENESS_STORED
from warehouse.errors import PartsError, WarehouseError
from warehouse.locks import is_claimed
from warehouse.parts import read_run
from warehouse.paths import parts_folder, warehouse_path
from warehouse.wording import plural

_UNFINISHED: Final = "run the same ingest again to finish it, or `lenshouse runs remove` it"


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: what was found, where, and what to do (empty when nothing)."""

    level: Literal["ok", "warning", "error"]
    what: str
    where: str
    todo: str = ""


def check(path: Path, *, wait: float = connect.READER_WAIT) -> list[Finding]:
    """Everything found, one 'ok' for each thing that is right. Reads the large tables once.

    A file that cannot be opened is one finding of level error.
    """
    path = warehouse_path(path)
    try:
        with connect.read(path, wait) as con:
            version = Finding("ok", f"schema {migrate.file_version(con)}", str(path))
            found = [version, *(finding for look in _LOOKS for finding in look(con, path))]
    except WarehouseError as error:
        return [Finding("error", str(error), str(path))]
    return found


def _counts(con: duckdb.DuckDBPyConnection, path: Path) -> list[Finding]:
    rows = _rows(con, "check_run_counts")
    wrong = [
        Finding(
            "error",
            f"run {run_id} {name} has {n_found:,} {what}, {n_announced:,} were announced",
            str(path),
            f"`lenshouse runs remove {run_id}` and run its ingest again",
        )
        for run_id, name, what, n_announced, n_found in rows
        if n_found != n_announced
    ]
    n_runs = len({run_id for run_id, *_ in rows})
    return wrong or [Finding("ok", f"{plural(n_runs, 'complete run')}: no row is missing", str(path))]


def _finite(con: duckdb.DuckDBPyConnection, path: Path) -> list[Finding]:
    wrong = [
        Finding(
            "error",
            f"{n_bad:,} rows of {table} in run {run_id} hold NaN or infinity",
            str(path),
            f"`lenshouse runs remove {run_id}` and run its ingest again with --dtype float32",
        )
        for run_id, table, n_bad in _rows(con, "check_not_finite")
    ]
    return wrong or [Finding("ok", "every value is finite", str(path))]


def _orphans(con: duckdb.DuckDBPyConnection, path: Path) -> list[Finding]:
    wrong = [
        Finding(
            "error",
            f"{table} holds rows of {n_missing} {owner} ids that are not there",
            str(path),
            "the file was changed outside Lenshouse: ingest into a new one",
        )
        for table, owner, n_missing in _rows(con, "check_orphans")
    ]
    return wrong or [Finding("ok", "every row has its run, corpus and tokenizer", str(path))]


def _words(con: duckdb.DuckDBPyConnection, path: Path) -> list[Finding]:
    wrong = [
        Finding(
            "error",
            f"corpus {corpus_id} {name} has {n_wrong:,} {what}",
            str(path),
            f"`lenshouse annotate {corpus_id} --with ... --replace` makes them anew",
        )
        for corpus_id, name, what, n_wrong in _rows(con, "check_words")
    ]
    older = [
        Finding(
            "warning",
            f"token pairs of corpus {corpus_id} {name} have no patterns: its runs are older than these",
            str(path),
            f"`lenshouse annotate {corpus_id} --with split` adds them (or --with gold, spacy:PIPELINE)",
        )
        for corpus_id, name in _rows(con, "check_without_patterns")
    ]
    return [*(wrong or [Finding("ok", "words, tokens and pair patterns agree", str(path))]), *older]


def _completeness(con: duckdb.DuckDBPyConnection, path: Path) -> list[Finding]:
    wrong = [
        Finding(
            "error",
            f"the parts of run {run_id} {name} miss the model's states by up to {error:.1e}",
            str(path),
            f"do not use this run: `lenshouse runs remove {run_id}`, update Lenshouse and run its ingest again",
        )
        for run_id, name, error in _rows(con, "check_completeness", {"limit": COMPLETENESS_STORED["float32"]})
    ]
    return wrong or [Finding("ok", "every run sums to its model's states", str(path))]


def _unfinished(con: duckdb.DuckDBPyConnection, path: Path) -> list[Finding]:
    runs = [row for row in _rows(con, "all_runs") if row[3] == "running"]
    return [
        Finding("warning", f"run {run_id} {name} is not complete", str(path), _UNFINISHED) for run_id, name, *_ in runs
    ]


def _folders(con: duckdb.DuckDBPyConnection, path: Path) -> list[Finding]:
    """Parts that no running run will load: of removed runs, or left over from complete ones."""
    status = {fingerprint: status for _, _, fingerprint, status, _ in _rows(con, "all_runs")}
    root = parts_folder(path)
    folders = sorted(folder for folder in root.iterdir() if folder.is_dir()) if root.is_dir() else []
    return [
        _left(folder, folder.name in status)
        for folder in folders
        if status.get(folder.name) != "running" and not is_claimed(folder)
    ]


def _left(folder: Path, complete: bool) -> Finding:
    with suppress(PartsError):  # what is damaged was not kept on purpose
        if complete and read_run(folder).run.get("keep_parts"):
            return Finding("ok", "parts of a complete run, kept as --keep-parts asks", str(folder))
    what = (
        "parts of a complete run are still there, left by a kill" if complete else "parts of no run in this warehouse"
    )
    return Finding("warning", what, str(folder), "remove the folder if you do not need it")


def _rows(con: duckdb.DuckDBPyConnection, query: str, values: dict[str, Any] | None = None) -> list[tuple]:
    text = sqlfiles.query(query)
    return (con.execute(text, values) if values else con.execute(text)).fetchall()


_LOOKS: Final[tuple[Callable[[duckdb.DuckDBPyConnection, Path], list[Finding]], ...]] = (
    *(_counts, _finite, _orphans, _words, _completeness, _unfinished, _folders),
)
