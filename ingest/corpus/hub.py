"""Data sets of the Hugging Face hub, streamed: `hf:DATASET:SPLIT:COLUMN` or `hf:DATASET:CONFIG:SPLIT:COLUMN`.

`hf:stanfordnlp/imdb:test:text`, `hf:nyu-mll/glue:sst2:validation:sentence`. Needs the extra `hub`.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from ingest.corpus.columns import choose_columns, label_value, text_value
from ingest.corpus.record import Corpus, Record
from warehouse.errors import CorpusError, LenshouseError, UsageError

PREFIX: Final = "hf:"


class HubSpec(NamedTuple):
    dataset: str
    config: str | None
    split: str
    column: str


def parse_hub_spec(spec: str) -> HubSpec:
    """Split the spec at its colons; UsageError when a part is missing or empty."""
    parts = spec.removeprefix(PREFIX).split(":")
    if len(parts) not in (3, 4) or not all(parts):
        msg = f"'{spec}' is not a hub corpus: write hf:DATASET:SPLIT:COLUMN or hf:DATASET:CONFIG:SPLIT:COLUMN"
        raise UsageError(msg)
    dataset, *config, split, column = parts
    return HubSpec(dataset, config[0] if config else None, split, column)


def open_hub(spec: str, text_column: str | None, label_column: str | None) -> Corpus:
    """Reach the data set on the hub without downloading it; source_id is the row number, from 1.

    Raises UsageError for a spec that is not one, CorpusError when `datasets` is not installed or the data
    set, its configuration or its split cannot be opened.
    """
    where = parse_hub_spec(spec)
    if text_column not in (None, where.column):
        msg = f"{spec} names its text column already: leave out --text-column {text_column}"
        raise UsageError(msg)
    dataset = _load(spec, where)
    return Corpus(
        name=":".join(part for part in where[:3] if part),
        source=spec,
        license=getattr(dataset.info, "license", None) or None,
        annotation="none",
        read=lambda: _read(dataset, spec, where.column, label_column),
    )


def _load(spec: str, where: HubSpec) -> Any:
    try:
        from datasets import load_dataset
    except ImportError as error:
        msg = f"{spec} needs the package datasets: pip install 'lenshouse[hub]'"
        raise CorpusError(msg) from error
    try:
        return load_dataset(where.dataset, where.config, split=where.split, streaming=True)
    except Exception as error:  # the hub client raises a dozen kinds, of several packages
        raise _unreadable(spec, error) from error


def _read(dataset: Any, spec: str, text_column: str, label_column: str | None) -> Iterator[Record]:
    columns = None
    try:
        for row, values in enumerate(dataset, start=1):
            if columns is None:
                columns = choose_columns(list(values), spec, text_column, label_column, text_option="COLUMN")
            where = f"{spec}, row {row}"
            yield Record(
                text_value(values.get(columns.text), columns.text, where),
                None if columns.label is None else label_value(values.get(columns.label), columns.label, where),
                str(row),
            )
    except LenshouseError:
        raise
    except Exception as error:  # the connection may break at any row
        raise _unreadable(spec, error) from error


def _unreadable(spec: str, error: Exception) -> CorpusError:
    reason = (str(error) or type(error).__name__).splitlines()[0]
    return CorpusError(f"{spec} cannot be read ({reason}): check its name, split and your connection")
