"""The process in which `warehouse.guarded` lets a query run: a request on stdin, lines of JSON and the rows on stdout.

The operating system bounds its memory where it can, and it ends by itself when whoever started it does not end it.
"""

import faulthandler
import io
import json
import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

import duckdb
import pyarrow as pa

from warehouse import connect
from warehouse.errors import LenshouseError, UsageError
from warehouse.guarded import one_line
from warehouse.queries import names, require_one
from warehouse.results import Result, query_errors, result_of

_READS: Final = ("SELECT", "EXPLAIN", "MULTI")
"""Types of statements: SELECT is FROM, WITH, VALUES, DESCRIBE, SHOW and SUMMARIZE too; MULTI is PIVOT."""

_OPEN: Final = frozenset(
    f"duckdb_{name}"
    for name in ("columns", "constraints", "functions", "keywords", "schemas", "tables", "types", "views")
)
_CLOSED: Final = re.compile(r"duckdb_\w+|pragma_\w+|pg_settings|pg_prepared_statements")
"""Views and functions that tell of settings, secrets, files and other queries; those of _OPEN tell of tables alone."""

_CLOSED_CALLS: Final = frozenset(
    ["current_setting", "getenv", "glob", "json_execute_serialized_sql", "pg_sleep", "query", "query_table", "sleep_ms",
     "sniff_csv", "which_secret", "write_log"]
)  # fmt: skip
"""Functions that read settings or files, run text as a query, or do nothing but wait."""

_BATCH: Final = 2_048
"""Rows of a batch: DuckDB's own, so that one of long texts stays small."""

_GRACE: Final = 65.0
"""Seconds after which it ends by itself, beside those of its query: what opening takes on a machine that is busy."""

_MIB: Final = 2**20


def main(stdin: BinaryIO, stdout: BinaryIO) -> None:
    """Answer one request."""
    request = json.load(stdin)
    with Path(os.devnull).open("w") as nowhere:
        faulthandler.dump_traceback_later(request["wait"] + request["seconds"] + _GRACE, exit=True, file=nowhere)
        _bound_memory(request["memory"])
        try:
            said, rows = _answer(request, stdout)
        except LenshouseError as error:
            said, rows = {"kind": type(error).__name__, "message": one_line(error)}, b""
        _say(stdout, said)
        stdout.write(rows)
        stdout.flush()
        os._exit(0)  # a result that was cut is still being computed


def _answer(request: dict[str, Any], stdout: BinaryIO) -> tuple[dict[str, Any], bytes]:
    memory = f"{request['memory']}MiB"
    with connect.read(Path(request["path"]), request["wait"], memory=memory, confined=True) as con:
        _say(stdout, {"state": "open"})
        started = time.monotonic()
        schema, batches, cut = rows_of(con, request["query"], request["rows"], request["bytes"])
        rows = io.BytesIO()
        with pa.ipc.new_stream(rows, schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
        return {"cut": cut, "seconds": time.monotonic() - started, "size": rows.tell()}, rows.getvalue()


def rows_of(
    con: duckdb.DuckDBPyConnection, query: str, rows: int, size: int
) -> tuple[pa.Schema, list[pa.RecordBatch], str | None]:
    """Schema and batches of a query, and which limit left some out; UsageError or WarehouseError where it has none."""
    with query_errors(lambda: names(con)):
        require_reading(con, query)
        result = result_of(con.sql(query).to_arrow_reader(_BATCH))
        batches, cut = within(result, rows, size)
    return result.schema, batches, cut


def require_reading(con: duckdb.DuckDBPyConnection, query: str) -> None:
    """Refuse all but one statement that reads tables and views; the connection's fence stands behind this."""
    require_one(con, query)
    statements = con.extract_statements(query)
    if not statements:
        message = "the query is empty: write one, or choose an example"
        raise UsageError(message)
    kind = statements[0].type.name
    if kind not in _READS:
        message = f"queries may only read the warehouse's tables and views, this is {kind}: ask with SELECT or FROM"
        raise UsageError(message)
    for name in _closed(query):
        message = f"queries may only read the tables and views of the warehouse: {name} is not among them"
        raise UsageError(message)


def _closed(query: str) -> Iterator[str]:
    """Names in the query that are not for it, whatever their case or quotes."""
    text = query.encode()  # tokens are counted in bytes
    starts = [start for start, kind in duckdb.tokenize(query) if kind != duckdb.token_type.comment]
    words = [text[a:b].decode(errors="replace").strip() for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name = re.split(r"--|/\*", word)[0].strip().strip('"').lower()
        if (_CLOSED.fullmatch(name) and name not in _OPEN) or (name in _CLOSED_CALLS and following.startswith("(")):
            yield name


def within(result: Result, rows: int, size: int) -> tuple[list[pa.RecordBatch], str | None]:
    """Batches of a result up to so many rows and bytes, and which of them left some out."""
    taken: list[pa.RecordBatch] = []
    for batch in result.batches:
        if batch.num_rows > rows:
            return [*taken, batch.slice(0, rows)], "rows"
        fits = _fitting(batch, size)
        if fits < batch.num_rows:
            return [*taken, batch.slice(0, fits)], "bytes"
        taken.append(batch)
        rows -= batch.num_rows
        size -= batch.get_total_buffer_size()
    return taken, None


def _fitting(batch: pa.RecordBatch, size: int) -> int:
    """Rows of a batch that fit into so many bytes."""
    fits = batch.num_rows
    while fits and batch.slice(0, fits).nbytes > size:
        fits //= 2
    return fits


def _bound_memory(mib: int) -> None:
    """Twice what DuckDB may hold, which does not count values under way; and the kernel ends this process first."""
    try:
        import resource
    except ImportError:  # no such limits on Windows
        return
    status = Path("/proc/self/statm")
    if status.exists():
        pages = int(status.read_text(encoding="ascii").split()[5])
        most = pages * os.sysconf("SC_PAGE_SIZE") + 2 * mib * _MIB
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    os.nice(5)


def _say(stdout: BinaryIO, what: dict[str, Any]) -> None:
    stdout.write(json.dumps(what).encode() + b"\n")
    stdout.flush()


if __name__ == "__main__":
    main(sys.stdin.buffer, sys.stdout.buffer)
