"""Warehouses to analyse: invented runs, with invented words and patterns put straight into the tables."""

import numpy as np
import polars as pl

from tests.warehouse.conftest import House
from tests.warehouse.synthetic import Shape
from warehouse import connect
from warehouse.analysis import runner
from warehouse.migrate import transaction

LENGTHS = (4, 9, 6, 3, 12, 7, 5, 8, 10, 6, 3, 11)
PATTERNS = ("adjacent", "head_dependent", "same_token", "special", "subword")
RELATIONS = ("nsubj", "obj", None)
ALL = {"pattern_effect", "change", "norm_change", "ln_weight", "outlier_dim", "mixing", "top_pair"}
OF_RUNS = tuple(part for part in runner.PARTS if part.name in ALL)
"""The parts that are about single runs and store numbers of them."""
UPOS = ("NOUN", "VERB", "ADJ")


def shape(**changes) -> Shape:
    return Shape(**{"name": "run", "lengths": LENGTHS, "shards": (7, 5), "d_model": 40} | changes)


def annotate(house: House, *, seed: int = 0, corpus_id: int = 1, source: str = "gold") -> None:
    """Words, one a token, and patterns drawn at random; what was there goes. A pair may be in several patterns."""
    rng = np.random.default_rng(seed)
    tokens = house.rows(
        f"SELECT DISTINCT seq_id, pos, is_special FROM token WHERE corpus_id = {corpus_id} ORDER BY ALL"
    )
    words = [
        (corpus_id, seq, pos, f"w{pos}", str(rng.choice(UPOS)) if pos % 4 else None, float(rng.uniform(2, 7)))
        for seq, pos, special in tokens
        if not special
    ]
    positions: dict[int, list[tuple[int, bool]]] = {}
    for seq, pos, special in tokens:
        positions.setdefault(seq, []).append((pos, special))
    pairs = []
    for seq, places in positions.items():
        for query, query_special in places:
            for key, key_special in places:
                for pattern in PATTERNS if query != key else ():
                    is_special = query_special or key_special
                    if pattern == "special":
                        holds = is_special
                    else:  # a rare pattern of every other sequence, and one that also has special tokens in it
                        rate = {"subword": 0.05 * (seq % 2), "same_token": 0.3}.get(pattern, 0.15)
                        holds = rng.random() < rate and (pattern == "adjacent" or not is_special)
                    if holds:
                        relation = rng.choice(RELATIONS) if pattern == "head_dependent" else None
                        pairs.append((corpus_id, 1, seq, query, key, pattern, relation))
    with connect.write(house.path) as con, transaction(con):
        for table in ("annotation", "word", "pair_pattern"):
            con.execute(f"DELETE FROM {table}")
        con.execute(
            "INSERT INTO annotation VALUES (?, ?, '1', 'en', NULL, ?, now()::TIMESTAMP)",
            [corpus_id, source, len(words)],
        )
        columns = ["corpus_id", "seq_id", "word_id", "form", "upos", "zipf"]
        frame = pl.DataFrame(words, schema=columns, orient="row").with_columns(char_start=pl.lit(0), char_end=pl.lit(1))
        con.register("new_rows", frame.to_arrow())
        con.execute("INSERT INTO word BY NAME SELECT * FROM new_rows")
        columns = ["corpus_id", "tokenizer_id", "seq_id", "query", "key", "pattern", "relation"]
        con.register("new_rows", pl.DataFrame(pairs, schema=columns, orient="row", infer_schema_length=None).to_arrow())
        con.execute("INSERT INTO pair_pattern BY NAME SELECT * FROM new_rows")
        con.execute("UPDATE token SET word_id = CASE WHEN is_special THEN NULL ELSE pos END")


def execute(house: House, *statements: str) -> None:
    with connect.write(house.path) as con:
        for statement in statements:
            con.execute(statement).fetchall()
