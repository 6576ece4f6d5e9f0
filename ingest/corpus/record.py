"""What a corpus is: a name, where it came from, and texts that can be read again and again as a stream."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from warehouse.errors import CorpusError

Annotation = Literal["gold", "none"]


class Record(NamedTuple):
    """One text of a corpus. An empty text is a record too: whoever tokenises it counts it as skipped."""

    text: str
    label: str | None
    source_id: str
    """Where the text stands in its source: a line or row number (from 1, headers not counted) or a
    sent_id."""


@dataclass(frozen=True)
class Corpus:
    """A readable corpus. `annotation` says whether the source holds gold words beside its texts."""

    name: str
    source: str
    """As the user wrote it."""
    license: str | None
    annotation: Annotation
    read: Callable[[], Iterator[Record]] = field(repr=False, compare=False)
    """Opens the source afresh and streams its records, unchecked; callers want `records`."""

    def records(self) -> Iterator[Record]:
        """Stream the records from the beginning; never holds more than one batch of them.

        Raises CorpusError where the source is damaged, holds nothing, or holds what no table can store: a NUL
        (which nearly always means UTF-16 or binary data) or half of a surrogate pair (JSON can spell one).
        """
        record = None
        for record in self.read():
            require_storable(record.text, "text", record.source_id, self.source)
            if record.label is not None:
                require_storable(record.label, "label", record.source_id, self.source)
            yield record
        if record is None:
            msg = f"{self.source} holds no texts: give a corpus with at least one"
            raise CorpusError(msg)


def require_storable(value: str, what: str, source_id: str, source: str) -> None:
    """Refuse a string that no table can hold, with a CorpusError that says where it stands."""
    if "\0" in value:
        msg = (
            f"{source}: the {what} of {source_id} holds a NUL character: convert the source to UTF-8 text, or remove it"
        )
        raise CorpusError(msg)
    try:
        value.encode()
    except UnicodeEncodeError as error:
        msg = (
            f"{source}: the {what} of {source_id} holds half of a surrogate pair at character "
            f"{error.start}: write the whole character, or remove it"
        )
        raise CorpusError(msg) from error
