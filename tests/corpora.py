"""Published corpora, which lie beside the repository or where LENSHOUSE_CORPORA says; tests skip without them."""

import os
from pathlib import Path

import pytest

_BESIDE = Path(__file__).parents[2] / "shared" / "corpora"


def published(name: str) -> Path:
    """A file of theirs."""
    path = Path(os.environ.get("LENSHOUSE_CORPORA", _BESIDE)) / name
    if not path.exists():
        pytest.skip(f"the corpus {name} is not there: name the folder of corpora with LENSHOUSE_CORPORA")
    return path
