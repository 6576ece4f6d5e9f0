"""Text from models, corpora and queries, made harmless for a terminal."""

import codecs
from typing import BinaryIO

from warehouse.wording import printable

__all__ = ["Visible", "printable"]


class Visible:
    """A binary stream that shows control characters instead of sending them, line ends apart."""

    def __init__(self, sink: BinaryIO) -> None:
        self._sink = sink
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode  # pieces may end inside a character

    def write(self, data: bytes) -> int:
        lines = self._decode(data).split("\n")
        return self._sink.write("\n".join(map(printable, lines)).encode())

    def flush(self) -> None:
        self._sink.flush()
