"""Tokens find their words, and token pairs their linguistic patterns: all in SQL, inside the caller's transaction."""

from typing import Final

import duckdb

from warehouse import sqlfiles

_BLOCK: Final = 2_000
"""Sequences whose pairs are sorted at once."""


def renew(con: duckdb.DuckDBPyConnection, corpus_id: int) -> None:
    """Tokens and pairs of a corpus, under each of its tokenizers, anew from the words that it has now."""
    tokenizers = con.execute(sqlfiles.query("tokenizers_of_corpus"), {"corpus_id": corpus_id}).fetchall()
    for (tokenizer_id,) in tokenizers:
        _make(con, corpus_id, tokenizer_id)


def complete(con: duckdb.DuckDBPyConnection, corpus_id: int, tokenizer_id: int) -> None:
    """The same for one tokenizer, unless its pairs have their patterns."""
    values = {"corpus_id": corpus_id, "tokenizer_id": tokenizer_id}
    if not con.execute(sqlfiles.query("has_patterns"), values).fetchall():
        _make(con, corpus_id, tokenizer_id)


def _make(con: duckdb.DuckDBPyConnection, corpus_id: int, tokenizer_id: int) -> None:
    values = {"corpus_id": corpus_id, "tokenizer_id": tokenizer_id}
    con.execute(sqlfiles.query("align_tokens"), values).fetchall()
    con.execute(sqlfiles.query("delete_patterns"), values).fetchall()
    [(last,)] = con.execute(sqlfiles.query("last_sequence"), {"corpus_id": corpus_id}).fetchall()
    for first in range(0, 0 if last is None else last + 1, _BLOCK):
        block = values | {"first_seq": first, "last_seq": first + _BLOCK - 1}
        con.execute(sqlfiles.query("insert_pair_pattern"), block).fetchall()
