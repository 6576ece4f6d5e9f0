"""Corpora in .parquet files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.corpus.columns import choose_columns, label_value, text_value
from ingest.corpus.record import Record
from warehouse.errors import CorpusError

_BATCH_ROWS: Final = 1_000


def read_parquet(path: Path, text_column: str | None, label_column: str | None) -> Iterator[Record]:
    """One record a row; source_id is the row number, from 1. Only the columns in use are read.

    Raises UsageError for a column that is not there, CorpusError when the file is not Parquet or damaged.
    """
    try:
        with path.open("rb") as opened, pq.ParquetFile(opened) as file:  # Arrow takes a path with a colon for a URI
            columns = choose_columns(file.schema_arrow.names, str(path), text_column, label_column)
            row = 0
            for batch in file.iter_batches(_BATCH_ROWS, columns=[name for name in columns if name is not None]):
                texts = batch.column(columns.text).to_pylist()
                labels = [None] * len(texts) if columns.label is None else batch.column(columns.label).to_pylist()
                for text, label in zip(texts, labels, strict=True):
                    row += 1
                    where = f"{path}, row {row}"
                    yield Record(
                        text_value(text, columns.text, where),
                        label_value(label, columns.label or "", where),
                        str(row),
                    )
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        msg = f"{path} cannot be read as Parquet ({reason}): write it again, or give another file"
        raise CorpusError(msg) from error
