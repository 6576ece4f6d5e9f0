"""A warehouse with texts, tokens and words that a test invents; no model, no run."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from warehouse import connect
from warehouse.annotation import Annotation, CorpusRecord, choose_corpus, store_annotation
from warehouse.contract import RUN_TABLES, WORD_TABLE

BY_TEST = Annotation("gold", "by the test", None, None)


class Token(NamedTuple):
    token_id: int
    start: int | None
    end: int | None
    is_special: bool = False


def add_texts(path: Path, texts: Sequence[str], source_ids: Sequence[str] | None = None) -> CorpusRecord:
    """Corpus 1, named invented."""
    ids = source_ids or [str(number) for number in range(1, len(texts) + 1)]
    rows = [(seq, text, None, source_id) for seq, (text, source_id) in enumerate(zip(texts, ids, strict=True))]
    frame = pl.DataFrame(rows, schema=RUN_TABLES["sequence"], orient="row")
    with connect.write(path) as con:
        con.execute("INSERT INTO corpus VALUES (1, 'invented', 'invented.txt', 'abc', NULL, 'none', ?)", [len(texts)])
        con.register("frame", frame.to_arrow())
        con.execute("INSERT INTO sequence SELECT 1, * FROM frame")
    return choose_corpus(path, "invented")


def add_tokens(path: Path, tokenizer_id: int, sequences: Sequence[Sequence[Token]]) -> None:
    """Tokens of every sequence of corpus 1, as a tokenizer that is named by its number gives them."""
    rows = [(seq, pos, *token) for seq, tokens in enumerate(sequences) for pos, token in enumerate(tokens)]
    frame = pl.DataFrame(rows, schema=RUN_TABLES["token"], orient="row")
    with connect.write(path) as con:
        con.execute("INSERT INTO tokenizer VALUES ($id, 'tokenizer ' || $id, 'f' || $id)", {"id": tokenizer_id})
        con.register("frame", frame.to_arrow())
        con.execute(
            "INSERT INTO token (tokenizer_id, corpus_id, seq_id, pos, token_id, char_start, char_end, is_special) "
            "SELECT $id, 1, * FROM frame",
            {"id": tokenizer_id},
        )


def add_words(path: Path, words: pl.DataFrame | Sequence[dict], annotation: Annotation = BY_TEST) -> int:
    """Store words the way that `annotate` does; rows may leave out what is NULL."""
    if not isinstance(words, pl.DataFrame):
        whole = [{name: row.get(name) for name in WORD_TABLE} for row in words]
        words = pl.DataFrame(whole, schema=WORD_TABLE)
    file = path.with_name("word.parquet")
    words.write_parquet(file)
    return store_annotation(path, choose_corpus(path, "invented"), annotation, file, replace=True)


def word_ids(path: Path, tokenizer_id: int) -> list[list[int | None]]:
    """word_id of each token, sequence by sequence."""
    with connect.read(path) as con:
        rows = con.execute(
            "SELECT seq_id, word_id FROM token WHERE tokenizer_id = ? ORDER BY seq_id, pos", [tokenizer_id]
        ).fetchall()
    found: list[list[int | None]] = []
    for seq_id, word_id in rows:
        found += [[] for _ in range(seq_id + 1 - len(found))]
        found[seq_id].append(word_id)
    return found
