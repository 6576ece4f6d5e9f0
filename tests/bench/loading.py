"""Rows per second and bytes per row into DuckDB, against the plain insertion of one large Parquet file."""

import tempfile
import time
from pathlib import Path

import duckdb

import warehouse
from tests.warehouse.synthetic import Shape, write_parts

N_SEQUENCES = 278  # of 30 tokens in 12 layers: 3 million pairs


def loading() -> None:
    """Load an invented run of BERT-base's shape; all tables, verification, commits and closing counted."""
    print("loading: 3 million token_pair rows with their norms and changes, 12 layers, d=768")
    for n_shards in (3, 10):
        with tempfile.TemporaryDirectory() as folder:
            _load(Path(folder), n_shards)


def _load(folder: Path, n_shards: int) -> None:
    path = folder / "bench.duckdb"
    sizes = [N_SEQUENCES // n_shards] * n_shards
    sizes[-1] += N_SEQUENCES - sum(sizes)
    shape = Shape(n_layer=12, d_model=768, lengths=(30,) * N_SEQUENCES, shards=tuple(sizes))
    parts = write_parts(warehouse.parts_folder(path), shape)
    files = [str(file) for file in parts.glob("shard-*/token_pair.parquet")]
    started = time.perf_counter()
    with duckdb.connect(str(folder / "plain.duckdb")) as con:
        con.execute("CREATE TABLE pairs AS SELECT * FROM read_parquet(?)", [files])
    plain = time.perf_counter() - started
    warehouse.register_run(path, parts)
    started = time.perf_counter()
    warehouse.load_shards(path, parts)
    spent = time.perf_counter() - started
    warehouse.complete_run(path, parts)
    print(
        f"  {n_shards:>2} shards: {shape.n_pairs / spent / 1e6:.2f} million rows/s "
        f"({spent / plain:.1f} times a plain CREATE TABLE of token_pair alone), "
        f"{_pair_bytes(path) / shape.n_pairs:.1f} bytes a token_pair row, "
        f"{path.stat().st_size / shape.n_pairs:.1f} of the whole file"
    )


def _pair_bytes(path: Path) -> int:
    """Bytes of the blocks that hold token_pair."""
    with duckdb.connect(str(path), read_only=True) as con:
        query = """
            SELECT count(DISTINCT block_id) * (SELECT block_size FROM pragma_database_size() LIMIT 1)
            FROM pragma_storage_info('token_pair') WHERE persistent AND block_id >= 0
        """
        [(n_bytes,)] = con.execute(query).fetchall()
    return int(n_bytes)
