"""The pairs that the feed-forward network amplifies most, by layer: top_pair."""

from typing import Final

import duckdb
import polars as pl

from warehouse import sqlfiles
from warehouse.analysis.part import Frames, Options, Part, Subject
from warehouse.analysis.patterns import READS_ATB
from warehouse.analysis.runs import run_of, run_subjects

N_TOP: Final = 50
"""Pairs a layer; fewer where fewer are amplified at all."""


def _subjects(con: duckdb.DuckDBPyConnection) -> list[Subject]:
    return run_subjects(con, over_sequences=False)


def _compute(con: duckdb.DuckDBPyConnection, subject: Subject, options: Options) -> Frames:
    run = run_of(con, subject)
    values = {"run_id": run.run_id, "corpus_id": run.corpus_id, "tokenizer_id": run.tokenizer_id}
    values |= {"reads_atb": run.placement in READS_ATB}
    frames = []
    for layer in run.layers:
        con.execute(sqlfiles.query("analysis/ff_amp"), values | {"layer": layer}).fetchall()
        top = con.sql(sqlfiles.query("analysis/top_pairs"), params={"limit": N_TOP}).pl()
        frames.append(top.with_columns(run_id=pl.lit(run.run_id), layer=pl.lit(layer)))
    return {"top_pair": pl.concat(frames)}


PART: Final = Part("top_pair", _subjects, _compute, ("analysis/clear_top_pair",), is_random=False)
