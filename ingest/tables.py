"""A Parquet file of one of the warehouse's tables, written frame by frame."""

from pathlib import Path

import polars as pl
import pyarrow.parquet as pq


class GrowingTable:
    """Frames of one schema, appended as they come."""

    def __init__(self, path: Path, schema: pl.Schema) -> None:
        self._schema = pl.DataFrame(schema=schema).to_arrow().schema
        self._file = path.open("wb")  # Arrow would take a name with a colon for a URI
        self._writer = pq.ParquetWriter(self._file, self._schema, compression="zstd")

    def __enter__(self) -> "GrowingTable":
        return self

    def append(self, frame: pl.DataFrame) -> None:
        self._writer.write_table(frame.to_arrow().cast(self._schema))

    def __exit__(self, *exception: object) -> None:
        with self._file:
            self._writer.close()
