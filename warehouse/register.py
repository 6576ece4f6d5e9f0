"""Enter a run into the warehouse, with the model, tokenizer, corpus and texts that it is about."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import duckdb

from warehouse import connect, parts, patterns, sqlfiles
from warehouse.errors import PartsError, WarehouseError
from warehouse.identity import MODEL_COLUMNS, TOKENIZER_COLUMNS, enter_model, enter_tokenizer, find, insert
from warehouse.migrate import transaction
from warehouse.parts import RunPart
from warehouse.paths import literal

_CORPUS: Final = ("name", "source", "sha256", "license", "annotation", "n_sequences")
_RUN: Final = (
    *("name", "method_version", "lenshouse_version", "torch_version", "transformers_version", "device"),
    *("dtype", "n_sequences", "n_truncated", "n_chunked", "n_skipped", "n_tokens", "n_pairs", "seconds_tokenize"),
)

_LISTED: Final = 10
"""Runs that an error names."""


@dataclass(frozen=True)
class RunRecord:
    """What the warehouse knows of a run; `n_pairs` is how many token_pair rows it has when complete."""

    run_id: int
    name: str
    fingerprint: str
    status: Literal["running", "complete"]
    n_pairs: int


def register_run(path: Path, run_dir: Path, *, wait: float = connect.WRITER_WAIT) -> int:
    """Enter the run of `run_dir` with status 'running', and what it needs that is not there; returns run_id.

    Its tokens get the words that the corpus has, its token pairs their patterns. One transaction; a run that is already
    there (by fingerprint) is left as it is. Raises PartsError when a file is missing or damaged, or when the warehouse
    holds this corpus with other tokens.
    """
    part = parts.read_run(run_dir)
    with connect.write(path, wait) as con, transaction(con):
        known = lookup(con, part.fingerprint)
        if known:
            return known.run_id
        tokenizer_id = _tokenizer(con, part)
        model_id = _model(con, part, tokenizer_id)
        corpus_id = _corpus(con, part)
        _texts(con, part, tokenizer_id, corpus_id)
        patterns.complete(con, corpus_id, tokenizer_id)
        values = _pick(part, "run", part.run, _RUN) | {
            "fingerprint": part.fingerprint,
            "model_id": model_id,
            "corpus_id": corpus_id,
            "options": json.dumps(part.run.get("options", {}), sort_keys=True, ensure_ascii=False),
            "started_at": parts.utc(str(part.run.get("started_at"))),
        }
        return insert(con, "insert_run", values)


def find_run(path: Path, fingerprint: str, *, wait: float = connect.READER_WAIT) -> RunRecord | None:
    """The run with this fingerprint; None when it is not there, or the warehouse itself is not."""
    if connect.is_missing(path):
        return None
    with connect.read(path, wait) as con:
        return lookup(con, fingerprint)


def loaded_shards(path: Path, fingerprint: str, *, wait: float = connect.READER_WAIT) -> set[int]:
    """Numbers of the run's shards whose rows are in the warehouse; empty when run or file is not there."""
    if connect.is_missing(path):
        return set()
    with connect.read(path, wait) as con:
        rows = con.execute(sqlfiles.query("loaded_shards"), {"fingerprint": fingerprint}).fetchall()
    return {shard for (shard,) in rows}


def lookup(con: duckdb.DuckDBPyConnection, fingerprint: str) -> RunRecord | None:
    """`find_run` in an open connection."""
    rows = con.execute(sqlfiles.query("find_run"), {"fingerprint": fingerprint}).fetchall()
    return RunRecord(*rows[0]) if rows else None


def choose_run(con: duckdb.DuckDBPyConnection, path: Path, name_or_id: str | int) -> RunRecord:
    """The one run with this name, or else with this id; WarehouseError when there is none, or several."""
    text = str(name_or_id)
    runs = [RunRecord(*row) for row in con.execute(sqlfiles.query("all_runs")).fetchall()]
    named = [run for run in runs if run.name == text and not isinstance(name_or_id, int)]
    if len(named) > 1:
        ids = ", ".join(str(run.run_id) for run in named)
        message = f"{len(named)} runs in {path} are named {text}: give one of the ids {ids}"
        raise WarehouseError(message)
    chosen = named or [run for run in runs if str(run.run_id) == text]
    if not chosen:
        known = ", ".join(f"{run.run_id} {run.name}" for run in runs[:_LISTED]) or "none"
        more = " and more" if len(runs) > _LISTED else ""
        message = f"no run in {path} has the name or id {text}: it holds {known}{more} (see `lenshouse runs list`)"
        raise WarehouseError(message)
    return chosen[0]


def _tokenizer(con: duckdb.DuckDBPyConnection, part: RunPart) -> int:
    def insert_vocab(tokenizer_id: int) -> None:
        file = parts.verify_run_table(part, "vocab")
        _run(con, "insert_vocab", {"tokenizer_id": tokenizer_id, "file": literal(file)})

    return enter_tokenizer(con, _pick(part, "tokenizer", part.tokenizer, TOKENIZER_COLUMNS), insert_vocab)


def _model(con: duckdb.DuckDBPyConnection, part: RunPart, tokenizer_id: int) -> int:
    return enter_model(con, _pick(part, "model", part.model, MODEL_COLUMNS), tokenizer_id)


def _corpus(con: duckdb.DuckDBPyConnection, part: RunPart) -> int:
    values = _pick(part, "corpus", part.corpus, _CORPUS)
    known = find(con, "find_corpus", {"sha256": values["sha256"]})
    return insert(con, "insert_corpus", values) if known is None else known


def _texts(con: duckdb.DuckDBPyConnection, part: RunPart, tokenizer_id: int, corpus_id: int) -> None:
    sequences = parts.verify_run_table(part, "sequence")
    _run(con, "insert_sequence", {"corpus_id": corpus_id, "file": literal(sequences)})
    tokens = parts.verify_run_table(part, "token")
    values = {"tokenizer_id": tokenizer_id, "corpus_id": corpus_id, "file": literal(tokens)}
    other = find(con, "other_tokens", values)
    if other is not None:
        message = (
            f"sequence {other} of corpus {part.corpus['name']} is in this warehouse with other tokens, as when "
            "another run cut it at another length: use that run's length, or another --warehouse"
        )
        raise PartsError(message)
    _run(con, "insert_token", values)


def _pick(part: RunPart, section: str, values: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    missing = [name for name in names if name not in values]
    if missing:
        file = part.folder / "run.json"
        message = f"{file} is damaged (it lacks {section}.{missing[0]}): remove {part.folder} and run ingest again"
        raise PartsError(message)
    return {name: values[name] for name in names}


def _run(con: duckdb.DuckDBPyConnection, query: str, values: dict[str, Any]) -> None:
    con.execute(sqlfiles.query(query), values).fetchall()
