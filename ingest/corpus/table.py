"""Corpora in delimited files with a header: .csv and .tsv.

The two differ in what a quotation mark means. In .csv a field in quotes may hold commas, line ends and
doubled quotes (RFC 4180). In .tsv a quotation mark is a character like any other, as in the GLUE files: `"`
that opens a field and never closes is ordinary text there, and reading it as CSV would swallow the lines up
to the next one. A table whose fields hold tabs or line ends therefore has to be .csv, .jsonl or .parquet.
"""

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from ingest.corpus.columns import choose_columns, label_value, text_value
from ingest.corpus.record import Record
from ingest.corpus.text import read_lines
from warehouse.errors import CorpusError

_LONGEST_FIELD: Final = 2**31 - 1
"""Characters. Python's own limit of 131,072 refuses whole articles; the limit is process-wide."""

Row = tuple[int, list[str]]
"""The line on which a row begins, and its fields."""


def read_csv(path: Path, text_column: str | None, label_column: str | None) -> Iterator[Record]:
    """One record a row; source_id is the row number, from 1 after the header."""
    yield from table_records(csv_rows(read_lines(path), str(path)), str(path), text_column, label_column)


def read_tsv(path: Path, text_column: str | None, label_column: str | None) -> Iterator[Record]:
    """One record a line after the header; source_id is the row number, from 1. Quotes are characters."""
    rows = ((number, line.split("\t")) for number, line in read_lines(path))
    yield from table_records(rows, str(path), text_column, label_column)


def csv_rows(lines: Iterable[tuple[int, str]], source: str) -> Iterator[Row]:
    """Parse quoted fields that may run over several lines; CorpusError when a quote is never closed.

    The ends of lines inside a quoted field are read as one newline each.
    """
    csv.field_size_limit(_LONGEST_FIELD)
    reader = csv.reader((line + "\n" for _, line in lines), strict=True)
    begin = 1
    try:
        for fields in reader:
            yield begin, fields or [""]  # the csv module gives an empty line no field at all
            begin = reader.line_num + 1
    except csv.Error as error:
        msg = f"{source}, line {begin}: a row that begins here is not CSV ({error}): mend its quotes"
        raise CorpusError(msg) from error


def table_records(
    rows: Iterator[Row], source: str, text_column: str | None, label_column: str | None
) -> Iterator[Record]:
    """Turn rows, the header first, into records.

    An empty line is a record without text. Raises UsageError for a column that the header lacks, CorpusError
    for a row with more or fewer fields than the header.
    """
    _, header = next(rows, (0, []))
    if not header:
        return  # an empty file: whoever reads the records reports it
    columns = choose_columns(header, source, text_column, label_column)
    text_at = header.index(columns.text)
    label_at = None if columns.label is None else header.index(columns.label)
    for row, (line, fields) in enumerate(rows, start=1):
        if fields == [""]:
            yield Record("", None, str(row))
            continue
        where = f"{source}, line {line}"
        if len(fields) != len(header):
            msg = (
                f"{where}: {len(fields)} fields where the header has {len(header)}: "
                "a field with separators or line ends in it has to be quoted, in a .csv file"
            )
            raise CorpusError(msg)
        label = None if label_at is None else label_value(fields[label_at], header[label_at], where)
        yield Record(text_value(fields[text_at], columns.text, where), label, str(row))
