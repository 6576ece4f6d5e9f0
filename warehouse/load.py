"""Move parts into the tables: one shard, one transaction, recorded in it; then complete the run.

A kill at any moment loses nothing and repeats nothing: a shard's folder goes only after its commit, and a folder
whose shard is recorded is not loaded again.
"""

import secrets
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import Literal

import duckdb

from warehouse import connect, parts, register, sqlfiles
from warehouse.contract import SHARD_TABLES
from warehouse.errors import PartsError, WarehouseBusyError, WarehouseError, require_choice
from warehouse.migrate import transaction
from warehouse.parts import Manifest, RunPart, ShardPart
from warehouse.paths import literal
from warehouse.register import RunRecord

IfBusy = Literal["raise", "stop"]
"""What becomes of a load that finds the warehouse in use."""


def load_shards(
    path: Path,
    run_dir: Path,
    *,
    keep_parts: bool = False,
    wait: float = connect.WRITER_WAIT,
    if_busy: IfBusy = "raise",
) -> int:
    """Load every finished shard of `run_dir` that is not in the warehouse yet; returns how many were loaded.

    Shards are verified before the file is opened, so others get in between. Loaded shards are deleted from the
    folder unless `keep_parts`. With `if_busy="stop"` and a short `wait` (seconds), a warehouse that is in use ends
    the call early instead of raising WarehouseBusyError: the next call goes on from there.
    Raises PartsError or NumericsError for a shard that is damaged; those before it stay loaded.
    """
    require_choice("if_busy", if_busy, IfBusy)
    part = parts.read_run(run_dir)
    n_loaded = 0
    try:
        done = register.loaded_shards(path, part.fingerprint, wait=wait)
        for number, folder in parts.shard_folders(run_dir):
            if number not in done:
                shard = parts.read_shard(number, folder)
                parts.verify_shard(shard)
                n_loaded += _load_shard(path, part, shard, wait)
            if not keep_parts:
                remove_folder(folder)
    except WarehouseBusyError:
        if if_busy == "raise":
            raise
    return n_loaded


def complete_run(path: Path, run_dir: Path, *, keep_parts: bool = False, wait: float = connect.WRITER_WAIT) -> int:
    """Check that the whole run is loaded, merge what is summed up over shards and show it; returns run_id.

    One transaction. The run's parts folder is deleted afterwards unless `keep_parts`. A run that is complete
    already is left as it is. Raises PartsError when shards are missing or counts differ from the manifest.
    """
    part = parts.read_run(run_dir)
    with connect.write(path, wait) as con, transaction(con):
        record = _registered(con, part)
        if record.status == "running":
            manifest = parts.read_manifest(run_dir)
            _check_counts(con, part, record, manifest)
            _merge_dimensions(con, part, record.run_id)
            _merge_neurons(con, part, record.run_id)
            values: dict[str, object] = {f"seconds_{phase}": seconds for phase, seconds in manifest.seconds.items()}
            values |= {
                "run_id": record.run_id,
                "finished_at": manifest.finished_at,
                "max_completeness_error": manifest.max_completeness_error,
            }
            _execute(con, "complete_run", values)
    if not keep_parts:
        remove_folder(run_dir)
    return record.run_id


def remove_folder(folder: Path) -> None:
    """Delete a folder so that a kill on the way leaves nothing that looks like a part; a missing one is fine."""
    doomed = folder.with_name(f".removed-{folder.name}-{secrets.token_hex(4)}")
    with suppress(FileNotFoundError):  # somebody else removes it too
        folder.rename(doomed)
    shutil.rmtree(doomed, ignore_errors=True)


def _load_shard(path: Path, part: RunPart, shard: ShardPart, wait: float) -> bool:
    """Load one verified shard; False when another process has loaded it meanwhile."""
    with connect.write(path, wait, bulk=True) as con:
        started = time.monotonic()
        record = _registered(con, part)
        with transaction(con):
            known = con.execute(sqlfiles.query("loaded_shards"), {"fingerprint": part.fingerprint}).fetchall()
            if (shard.number,) in known:
                return False
            for table in SHARD_TABLES:
                _insert_part(con, part, shard, table, record.run_id)
            rows = shard.rows["token_pair"]
            _execute(con, "record_part", {"run_id": record.run_id, "shard": shard.number, "rows": rows})
        seconds = time.monotonic() - started
        _execute(con, "add_seconds_load", {"run_id": record.run_id, "seconds": seconds})
    return True


def _insert_part(con: duckdb.DuckDBPyConnection, part: RunPart, shard: ShardPart, table: str, run_id: int) -> None:
    file = literal(shard.file(table))
    values: dict[str, object] = {"run_id": run_id, "file": file}
    if table == "layer_dim":
        values["shard"] = shard.number
    if table == "neuron_activation":
        values["n_most"] = part.n_neurons
    [(n_rows,)] = con.execute(sqlfiles.query(f"load_{table}"), values).fetchall()
    if table == "neuron_activation":  # of which only what may be among the run's strongest goes in
        [(n_rows,)] = con.execute(sqlfiles.query("count_part"), {"file": file}).fetchall()
    if n_rows != shard.rows[table]:
        message = (
            f"{shard.file(table)} changed while it was loaded ({n_rows} rows, {shard.rows[table]} were written): "
            f"remove {shard.folder} and run ingest again"
        )
        raise PartsError(message)


def _registered(con: duckdb.DuckDBPyConnection, part: RunPart) -> RunRecord:
    record = register.lookup(con, part.fingerprint)
    if record is None:
        message = (
            f"the run of {part.folder} is not in this warehouse, it may have been removed: run ingest again to enter it"
        )
        raise WarehouseError(message)
    return record


def _check_counts(con: duckdb.DuckDBPyConnection, part: RunPart, record: RunRecord, manifest: Manifest) -> None:
    values = {"fingerprint": part.fingerprint}
    loaded = {shard for (shard,) in con.execute(sqlfiles.query("loaded_shards"), values).fetchall()}
    if manifest.fingerprint != part.fingerprint or manifest.n_shards != part.n_shards:
        message = f"{part.folder / 'manifest.json'} is of another run: remove it and run ingest again"
        raise PartsError(message)
    missing = sorted(set(range(part.n_shards)) - loaded)
    if missing:
        some = ", ".join(map(str, missing[:5])) + (", ..." if len(missing) > 5 else "")
        message = f"run {record.name} lacks {len(missing)} of {part.n_shards} shards ({some}): run ingest again"
        raise PartsError(message)
    found = dict(con.execute(sqlfiles.query("run_rows"), {"run_id": record.run_id}).fetchall())
    announced = {table: n_rows for table, n_rows in manifest.rows.items() if table != "neuron_activation"}
    for table, n_rows in [*announced.items(), ("token_pair", record.n_pairs)]:
        if found[table] != n_rows:
            message = (
                f"run {record.name} has {found[table]} rows in {table}, {n_rows} were announced: "
                f"`lenshouse runs remove {record.run_id}` and run ingest again"
            )
            raise PartsError(message)


def _merge_dimensions(con: duckdb.DuckDBPyConnection, part: RunPart, run_id: int) -> None:
    file = parts.verify_run_table(part, "layer_weight")
    values = {"run_id": run_id, "file": literal(file)}
    _execute(con, "merge_layer_dim", values)
    [(wanted, found)] = con.execute(sqlfiles.query("count_layer_dim"), values).fetchall()
    if wanted != found:
        message = (
            f"{file} has {wanted} layers x dimensions, {found} of them are in the shards: "
            f"`lenshouse runs remove {run_id}`, remove {part.folder} and run ingest again"
        )
        raise PartsError(message)
    _execute(con, "delete_layer_dim_part", {"run_id": run_id})


def _merge_neurons(con: duckdb.DuckDBPyConnection, part: RunPart, run_id: int) -> None:
    _execute(con, "merge_neuron_activation", {"run_id": run_id, "n_most": part.n_neurons})
    _execute(con, "delete_neuron_activation_part", {"run_id": run_id})


def _execute(con: duckdb.DuckDBPyConnection, query: str, values: dict[str, object]) -> None:
    con.execute(sqlfiles.query(query), values).fetchall()
