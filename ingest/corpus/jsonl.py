"""Corpora in .jsonl files: a JSON object a line."""

import json
from collections.abc import Iterator
from pathlib import Path

from ingest.corpus.columns import Columns, choose_columns, label_value, text_value
from ingest.corpus.record import Record
from ingest.corpus.text import read_lines
from warehouse.errors import CorpusError


def read_jsonl(path: Path, text_column: str | None, label_column: str | None) -> Iterator[Record]:
    """One record a line; source_id is the line number. An empty line is a record without text.

    The first object decides which columns there are. After it the text has to be in every object, and so does
    a label column that was asked for by name. Raises CorpusError with the line number.
    """
    columns: Columns | None = None
    for number, line in read_lines(path):
        if not line.strip():
            yield Record("", None, str(number))
            continue
        where = f"{path}, line {number}"
        row = _parse(line, where)
        if columns is None:
            columns = choose_columns(list(row), where, text_column, label_column)
        if columns.text not in row or (label_column is not None and label_column not in row):
            missing = columns.text if columns.text not in row else label_column
            msg = f"{where}: the object has no '{missing}': add it, or remove the line"
            raise CorpusError(msg)
        label = None if columns.label is None else label_value(row.get(columns.label), columns.label, where)
        yield Record(text_value(row[columns.text], columns.text, where), label, str(number))


def _parse(line: str, where: str) -> dict[str, object]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        reason = str(error).splitlines()[0]
        msg = f"{where}: not JSON ({reason}): write one JSON object a line"
        raise CorpusError(msg) from error
    if not isinstance(row, dict):
        msg = f"{where}: a JSON {type(row).__name__}, not an object: write one JSON object a line"
        raise CorpusError(msg)
    return row
