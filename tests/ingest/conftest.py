"""Tiny models with real tokenizers, one set for the session, and a nursery of children."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ingest.tiny import Nursery, corpus, one_thread_each, save


@pytest.fixture(scope="session")
def models(tmp_path_factory) -> dict[str, Path]:
    """Folders: two BERTs of different weights and one tokenizer, and a GPT-2 (byte-level BPE)."""
    root = tmp_path_factory.mktemp("tiny-models")
    return {
        "bert": save(root / "tiny-bert", "bert"),
        "seed_3": save(root / "tinybert-seed_3", "bert", seed=3),
        "gpt2": save(root / "tiny-gpt2", "gpt2", n_positions=64),
    }


@pytest.fixture(scope="session")
def nursery(tmp_path_factory) -> Iterator[Nursery]:
    with one_thread_each():
        yield Nursery(tmp_path_factory.mktemp("children"))


@pytest.fixture
def house(tmp_path) -> Path:
    """Where a warehouse may be made."""
    return tmp_path / "lens.duckdb"


@pytest.fixture
def texts(tmp_path) -> Path:
    return corpus(tmp_path)
