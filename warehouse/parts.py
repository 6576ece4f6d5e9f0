"""Read and verify the parts that ingest wrote, before anything of them touches the warehouse.

Every damaged file is named, with what to remove so that ingest computes it again.
"""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import polars as pl

from warehouse.contract import PARTS_FORMAT, RUN_TABLES, SHARD_TABLES, UNDEFINED
from warehouse.errors import NumericsError, PartsError, PartsFormatError

_RUN_NULLABLE: Final = frozenset(
    {
        *("label", "source_id", "char_start", "char_end"),
        *("ln_attn_gamma", "ln_attn_beta", "ln_ff_gamma", "ln_ff_beta"),
    }
)
_SHARD_NAME = re.compile(r"shard-(\d{5,})")


@dataclass(frozen=True)
class RunPart:
    """`run.json`: everything known of a run when its job begins. The dictionaries are as in the file."""

    folder: Path
    fingerprint: str
    model: dict[str, Any]
    tokenizer: dict[str, Any]
    corpus: dict[str, Any]
    run: dict[str, Any]

    @property
    def n_shards(self) -> int:
        return self.run["n_shards"]

    @property
    def n_neurons(self) -> int:
        """How many activations of each neuron and sign the run keeps; 0 where it keeps none."""
        return self.run.get("options", {}).get("neurons", 0)


@dataclass(frozen=True)
class ShardPart:
    """`shard.json` of one shard folder: rows and bytes of each of its tables."""

    number: int
    folder: Path
    rows: dict[str, int]
    bytes: dict[str, int]

    def file(self, table: str) -> Path:
        return self.folder / f"{table}.parquet"


@dataclass(frozen=True)
class Manifest:
    """`manifest.json`: what the whole run must add up to. Seconds are wall time summed over shards."""

    fingerprint: str
    n_shards: int
    rows: dict[str, int]
    seconds: dict[str, float]
    finished_at: datetime
    max_completeness_error: float


def read_run(run_dir: Path) -> RunPart:
    """Read `run.json`; PartsError when it is missing or damaged, PartsFormatError for another format."""
    file = run_dir / "run.json"
    content = _json(file, remove=run_dir)
    if content.get("format") != PARTS_FORMAT:
        message = (
            f"{file} has parts format {content.get('format')}, this Lenshouse reads {PARTS_FORMAT}: "
            f"load it with the version that wrote it, or remove {run_dir} and run ingest again"
        )
        raise PartsFormatError(message)
    try:
        return RunPart(
            run_dir,
            content["fingerprint"],
            content["model"],
            content["tokenizer"],
            content["corpus"],
            content["run"],
        )
    except KeyError as error:
        raise _damaged(file, f"it lacks {error}", remove=run_dir) from error


def shard_name(number: int) -> str:
    """Name of a finished shard's folder."""
    return f"shard-{number:05d}"


def shard_folders(run_dir: Path) -> list[tuple[int, Path]]:
    """Number and folder of each finished shard on disk, in shard order; unfinished ones bear other names."""
    if not run_dir.is_dir():
        return []
    matches = [(_SHARD_NAME.fullmatch(folder.name), folder) for folder in run_dir.iterdir()]
    return sorted((int(match[1]), folder) for match, folder in matches if match and folder.is_dir())


def read_shard(number: int, folder: Path) -> ShardPart:
    """Read `shard.json`; PartsError when it is missing or damaged."""
    file = folder / "shard.json"
    content = _json(file, remove=folder)
    try:
        if content["shard"] != number:
            raise _damaged(file, f"it describes shard {content['shard']}", remove=folder)
        tables = {name: content["tables"][name] for name in SHARD_TABLES}
        rows = {name: table["rows"] for name, table in tables.items()}
        sizes = {name: table["bytes"] for name, table in tables.items()}
    except KeyError as error:
        raise _damaged(file, f"it lacks {error}", remove=folder) from error
    return ShardPart(number, folder, rows, sizes)


def read_manifest(run_dir: Path) -> Manifest:
    """Read `manifest.json`; PartsError when it is missing (the run is not finished) or damaged."""
    file = run_dir / "manifest.json"
    content = _json(file, remove=file)
    try:
        return Manifest(
            content["fingerprint"],
            content["n_shards"],
            {name: content["rows"][name] for name in SHARD_TABLES},
            {phase: content["seconds"][phase] for phase in ("forward", "core", "write")},
            utc(content["finished_at"]),
            content["max_completeness_error"],
        )
    except (KeyError, ValueError) as error:
        raise _damaged(file, f"{type(error).__name__} {error}", remove=file) from error


def utc(text: str) -> datetime:
    """An ISO 8601 time as the naive UTC datetime that the tables hold; a time without zone is UTC."""
    moment = datetime.fromisoformat(text)
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def verify_shard(shard: ShardPart) -> None:
    """Check every table of a shard: size, schema, rows, no NULL where none belongs, every value finite.

    Raises PartsError for a damaged file, NumericsError (with layer and sequence) for NaN or infinity.
    """
    for table, schema in SHARD_TABLES.items():
        file = shard.file(table)
        if file.exists() and file.stat().st_size != shard.bytes[table]:
            why = f"it has {file.stat().st_size} bytes, {shard.bytes[table]} were written"
            raise _damaged(file, why, remove=shard.folder)
        n_rows = verify_table(file, schema, remove=shard.folder, nullable=UNDEFINED)
        if n_rows != shard.rows[table]:
            why = f"it has {n_rows} rows, {shard.rows[table]} were written"
            raise _damaged(file, why, remove=shard.folder)


def verify_run_table(run: RunPart, table: str) -> Path:
    """The file of one of the run's own tables (contract RUN_TABLES), its columns and values checked."""
    file = run.folder / f"{table}.parquet"
    verify_table(file, RUN_TABLES[table], remove=run.folder, nullable=_RUN_NULLABLE)
    return file


def verify_table(file: Path, schema: pl.Schema, *, remove: Path, nullable: frozenset[str] = frozenset()) -> int:
    """Number of rows of a Parquet file whose columns and values are right. Args: remove, what an error names.

    Raises PartsError and NumericsError as `verify_shard` does.
    """
    floats = [name for name, dtype in schema.items() if dtype.is_float()]
    required = [name for name in schema if name not in nullable]
    counts = [
        pl.len().alias("rows"),
        *(pl.col(name).null_count().alias(f"null {name}") for name in required),
        *(pl.col(name).is_finite().not_().sum().alias(f"bad {name}") for name in floats),
    ]
    try:
        frame = pl.scan_parquet(file, glob=False)
        found = frame.collect_schema()
        if dict(found) != dict(schema):
            wrong = sorted({name for name, _ in set(found.items()) ^ set(schema.items())})
            raise _damaged(file, f"its columns {', '.join(wrong)} are not those of the contract", remove=remove)
        result = frame.select(counts).collect().row(0, named=True)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _damaged(file, str(error).splitlines()[0], remove=remove) from error
    nulls = [name for name in required if result[f"null {name}"]]
    if nulls:
        raise _damaged(file, f"{nulls[0]} is NULL in {result[f'null {nulls[0]}']} rows", remove=remove)
    bad = [name for name in floats if result[f"bad {name}"]]
    if bad:
        raise _not_finite(file, frame, bad[0], remove)
    return result["rows"]


def _not_finite(file: Path, frame: pl.LazyFrame, column: str, remove: Path) -> NumericsError:
    keys = [name for name in ("layer", "seq_id", "dim", "unit") if name in frame.collect_schema()]
    first = frame.filter(pl.col(column).is_finite().not_()).select(keys).head(1).collect().row(0, named=True)
    where = ", ".join(f"{name} {value}" for name, value in first.items())
    message = (
        f"{file} holds NaN or infinity in {column} at {where}: remove {remove} to compute it again, "
        "and try --dtype float32 if it comes back"
    )
    return NumericsError(message)


def _json(file: Path, *, remove: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        message = f"{file} is missing: run ingest again, it writes what is not there"
        raise PartsError(message) from error
    except (OSError, ValueError) as error:
        raise _damaged(file, str(error).splitlines()[0], remove=remove) from error
    if not isinstance(content, dict):
        raise _damaged(file, "it is not a JSON object", remove=remove)
    return content


def _damaged(file: Path, why: str, *, remove: Path) -> PartsError:
    message = f"{file} is damaged ({why}): remove {remove} and run ingest again, it computes that part again"
    return PartsError(message)
