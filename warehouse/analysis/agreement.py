"""Do two models amplify the same pairs? Runs over one corpus compared pair by pair, profile by profile, curve by curve:
seed_agreement (claim F6).

Runs that share a tokenizer meet at token pairs, others at pairs of the corpus's words. Layers meet at the same
relative depth.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import duckdb
import numpy as np
import polars as pl

from warehouse import sqlfiles
from warehouse.analysis import by_sequence, patterns, sums
from warehouse.analysis.by_sequence import Cell, Drawn
from warehouse.analysis.part import Frames, Options, Part, Subject
from warehouse.analysis.resample import Floats, bootstrap, intervals
from warehouse.analysis.runs import Run, runs

_SCHEMA: Final = pl.Schema(
    {"run_a": pl.Int32, "run_b": pl.Int32, "measure": pl.String, "layer_a": pl.Int16, "layer_b": pl.Int16}
    | dict.fromkeys(("value", "low", "high"), pl.Float64)
    | {"n": pl.Int64, "n_sequences": pl.Int32}
)
_SUMS: Final = ("n", "x", "y", "xx", "yy", "xy")


class Agreement(NamedTuple):
    """Pearson's r with its interval, NaN where undefined; `n` pairs or points, `n_sequences` behind them."""

    value: float
    low: float
    high: float
    n: int
    n_sequences: int


def layer_at(layer: int, n_layer: int, other_n_layer: int) -> int:
    """The layer of another model that stands at the same relative depth, halves upwards; 1 to other_n_layer."""
    return max(1, (2 * layer * other_n_layer + n_layer) // (2 * n_layer))


def of_pairs(totals: Floats, options: Options) -> Agreement:
    """Agreement over pairs, from each sequence's sums (S, 6) as `sums.pearson` takes them."""
    value = float(sums.pearson(totals.sum(axis=0)))
    draws = bootstrap(totals, lambda drawn: sums.pearson(drawn)[..., None], options) if len(totals) else None
    return Agreement(value, *_ends(draws, totals[:, :1]), int(totals[:, 0].sum()), len(totals))


def of_profiles(a: Drawn, b: Drawn) -> Agreement:
    """Agreement over the cells of two runs, whose numbers move with the sequences that are drawn."""
    value = float(sums.profile_pearson(a.points, b.points))
    n = int((np.isfinite(a.points) & np.isfinite(b.points)).sum())
    sizes = np.minimum(a.sizes, b.sizes).sum(axis=1, keepdims=True)
    draws = sums.profile_pearson(a.draws, b.draws)[:, None]
    return Agreement(value, *_ends(draws, sizes), n, int((sizes > 0).sum()))


def _ends(draws: Floats | None, sizes: Floats) -> tuple[float, float]:
    if draws is None:
        return np.nan, np.nan
    low, high = intervals(draws, sizes)
    return float(low[0]), float(high[0])


def _subjects(con: duckdb.DuckDBPyConnection) -> list[Subject]:
    """Every two complete runs over one corpus."""
    return [_subject(row) for row in con.sql(sqlfiles.query("analysis/run_pairs")).pl().rows(named=True)]


def _subject(row: dict[str, Any]) -> Subject:
    title = f"runs {row['run_a']} ({row['name_a']}) and {row['run_b']} ({row['name_b']})"
    meet = "pairs" if row["same_tokenizer"] else "words" if row["annotation"] else None
    missing = ""
    if row["same_weights"]:
        missing = "both have the same weights, which says nothing of seeds or sizes"
    elif row["ff_bias_a"] != row["ff_bias_b"]:
        missing = f"--ff-bias is {row['ff_bias_a']} in one, {row['ff_bias_b']} in the other: ingest one again"
    elif row["method_a"] != row["method_b"]:
        missing = "they were made by different versions of the method: ingest the older one again"
    apart = f"{title} have other tokenizers and no words to meet at: run `lenshouse annotate`, then analyze again"
    return Subject(
        key={"run_a": row["run_a"], "run_b": row["run_b"]},
        title=title,
        runs=frozenset({row["run_a"], row["run_b"]}),
        depends={name: row[name] for name in ("fingerprint_a", "fingerprint_b", "annotation")} | {"meet": meet},
        missing=missing,
        note="" if meet or missing else apart,
    )


def _compute(con: duckdb.DuckDBPyConnection, subject: Subject, options: Options) -> Frames:
    a, b = (next(run for run in runs(con) if run.run_id == subject.key[name]) for name in ("run_a", "run_b"))
    rows: list[tuple] = []
    if meet := subject.depends["meet"]:
        measure, sums_of = {"pairs": ("ff_amp", _sums_of_pairs), "words": ("ff_amp_words", _sums_of_words)}[meet]
        for layer in a.layers:
            other = layer_at(layer, a.n_layer, b.n_layer)
            totals = sums_of(con, a, layer, b, other)
            rows.append((a.run_id, b.run_id, measure, layer, other, *of_pairs(totals, options)))
    sequences = shared_sequences(con, [a.run_id, b.run_id])
    for measure, load, is_point in _PROFILES:
        of_a, of_b = (load(con, run, sequences, options) for run in (a, b))
        cells = [cell for cell in of_a.cells if is_point(cell)]
        there = [cell._replace(layer=layer_at(cell.layer, a.n_layer, b.n_layer)) for cell in cells]
        if cells and of_b.cells:
            found = of_profiles(of_a.choose(cells), of_b.choose(there))
            rows.append((a.run_id, b.run_id, measure, None, None, *found))
    frame = pl.DataFrame(rows, schema=_SCHEMA, orient="row")
    return {"seed_agreement": frame.with_columns(pl.col(pl.Float64).fill_nan(None))}


def _sums_of_pairs(con: duckdb.DuckDBPyConnection, a: Run, layer_a: int, b: Run, layer_b: int) -> Floats:
    patterns.make_ff_amp(con, a, layer_a)
    con.execute(sqlfiles.query("analysis/keep_ff_amp")).fetchall()
    patterns.make_ff_amp(con, b, layer_b)
    return _totals(con, "agreement_pairs", None)


def _sums_of_words(con: duckdb.DuckDBPyConnection, a: Run, layer_a: int, b: Run, layer_b: int) -> Floats:
    values = {"run_a": a.run_id, "layer_a": layer_a, "run_b": b.run_id, "layer_b": layer_b}
    return _totals(con, "agreement_words", values)


def _totals(con: duckdb.DuckDBPyConnection, query: str, values: dict[str, int] | None) -> Floats:
    """Sums of every sequence: (S, 6)."""
    found = con.execute(sqlfiles.query(f"analysis/{query}"), values or []).fetchnumpy()
    return np.stack([np.asarray(found[name], float) for name in _SUMS], axis=1)


def shared_sequences(con: duckdb.DuckDBPyConnection, run_ids: Sequence[int]) -> list[int]:
    """Sequences (seq_id) that all of the runs have, ascending."""
    query = sqlfiles.query("analysis/shared_sequences")
    return [seq for (seq,) in con.execute(query, {"runs": list(run_ids)}).fetchall()]


def _is_of_curve(cell: Cell) -> bool:
    return cell.item == "FF" and cell.pair_filter == "content"


def _is_of_profile(cell: Cell) -> bool:
    """Pairs with special tokens are measured against other pairs, and their effect is of another size."""
    return cell.item != "special"


_PROFILES: Final = (
    ("pattern_profile", by_sequence.pattern_effects, _is_of_profile),
    ("change_curve", by_sequence.changes, _is_of_curve),
)
"""Measure of seed_agreement, measures of a run, and which of them are its points."""

PART: Final = Part("seed_agreement", _subjects, _compute, ("analysis/clear_seed_agreement",))
