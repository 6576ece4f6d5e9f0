"""Lines of a UTF-8 file, and the .txt corpus: a sequence a line."""

import codecs
from collections.abc import Iterable, Iterator
from pathlib import Path

from ingest.corpus.record import Record
from warehouse.errors import CorpusError


def decode_lines(raw_lines: Iterable[bytes], source: str, first: int = 1) -> Iterator[tuple[int, str]]:
    r"""Number the lines, from 1 if they are those of a whole file, and decode them, without their ends.

    A line ends at \n or \r\n and nowhere else, so U+2028 and U+0085 stay in the text. A byte order mark at
    the beginning is dropped. Raises CorpusError with the line where bytes are not UTF-8.
    """
    for number, raw in enumerate(raw_lines, start=first):
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        try:
            line = raw.removesuffix(b"\n").removesuffix(b"\r").decode()
        except UnicodeDecodeError as error:
            msg = (
                f"{source}, line {number}: byte {error.start} (0x{raw[error.start]:02X}) is not UTF-8: "
                "save the file as UTF-8"
            )
            raise CorpusError(msg) from error
        yield number, line


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Stream the decoded lines of a file; see `decode_lines`."""
    with path.open("rb") as file:
        yield from decode_lines(file, str(path))


def read_text(path: Path) -> Iterator[Record]:
    """One record a line, empty lines included; source_id is the line number."""
    for number, line in read_lines(path):
        yield Record(line, None, str(number))
