"""Do two models amplify the same pairs? Runs over one corpus, compared pair by pair, profile by profile, curve by curve.

Runs that share a tokenizer meet at token pairs, others at the corpus's words. Layers meet at the same relative depth.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import duckdb
import numpy as np
import polars as pl

from warehouse import sqlfiles
from warehouse.analysis import by_sequence, sums
from warehouse.analysis.by_sequence import Cell, Sums
from warehouse.analysis.part import Frames, Options, Part, Subject
from warehouse.analysis.resample import Floats, bootstrap, intervals

_SCHEMA: Final = pl.Schema(
    {
        "run_a": pl.Int32,
        "run_b": pl.Int32,
        "measure": pl.String,
        "layer_a": pl.Int16,
        "layer_b": pl.Int16,
        "value": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "n": pl.Int64,
        "n_sequences": pl.Int32,
    }
)
_SUMS: Final = ("n", "x", "y", "xx", "yy", "xy")


class _Agreement(NamedTuple):
    value: float
    low: float
    high: float
    n: int
    n_sequences: int


def layer_at(layer: int, n_layer: int, other_n_layer: int) -> int:
    """The layer of another model that stands at the same relative depth, halves upwards; 1 to other_n_layer."""
    return max(1, (2 * layer * other_n_layer + n_layer) // (2 * n_layer))


def of_pairs(totals: Floats, options: Options) -> _Agreement:
    """Pearson's r over the pairs of a layer, from each sequence's sums (S, 6) as `sums.pearson` takes them."""
    value = float(sums.pearson(totals.sum(axis=0)))
    draws = bootstrap(totals, lambda drawn: sums.pearson(drawn)[..., None], options) if len(totals) else None
    low, high = _ends(draws, totals[:, :1])
    return _Agreement(value, low, high, int(totals[:, 0].sum()), int((totals[:, 0] > 0).sum()))


def of_profiles(a: Sums, b: Sums, options: Options) -> _Agreement:
    """Pearson's r over the cells of two runs, of which each resample of the sequences gives others."""
    value = float(sums.profile_pearson(a.points, b.points))
    draws = sums.profile_pearson(a.draws(options), b.draws(options))[:, None] if len(a.values) else None
    n = int((np.isfinite(a.points) & np.isfinite(b.points)).sum())
    sizes = np.minimum(a.sizes, b.sizes).sum(axis=1, keepdims=True)
    low, high = _ends(draws, sizes)
    return _Agreement(value, low, high, n, int((sizes > 0).sum()))


def _ends(draws: Floats | None, sizes: Floats) -> tuple[float, float]:
    if draws is None:
        return np.nan, np.nan
    low, high = intervals(draws, sizes)
    return float(low[0]), float(high[0])


def subjects(con: duckdb.DuckDBPyConnection) -> list[Subject]:
    """Every two complete runs over one corpus."""
    rows = con.sql(sqlfiles.query("analysis/run_pairs")).pl().rows(named=True)
    return [_subject(row) for row in rows]


def _subject(row: dict[str, Any]) -> Subject:
    meet = "pairs" if row["same_tokenizer"] else "words" if row["annotation"] else None
    title = f"{row['name_a']} and {row['name_b']}"
    reason = ""
    if row["same_weights"]:
        reason = "both runs are of the same weights, so they say nothing of seeds or sizes"
    elif row["ff_bias_a"] != row["ff_bias_b"]:
        reason = f"--ff-bias is {row['ff_bias_a']} in one, {row['ff_bias_b']} in the other: ingest one again"
    elif row["method_a"] != row["method_b"]:
        reason = "they were made by different versions of the method: ingest the older one again"
    note = "" if meet or reason else f"{title}: other tokenizers and no words to meet at, see `lenshouse annotate --help`"
    return Subject(
        key={"run_a": row["run_a"], "run_b": row["run_b"]},
        title=title,
        runs=frozenset({row["run_a"], row["run_b"]}),
        depends={
            "fingerprints": [row["fingerprint_a"], row["fingerprint_b"]],
            "layers": [row["n_layer_a"], row["n_layer_b"]],
            "meet": meet,
            "annotation": row["annotation"],
        },
        missing=reason,
        note=note,
    )


def compute(con: duckdb.DuckDBPyConnection, subject: Subject, options: Options) -> Frames:
    """Rows of seed_agreement for two runs."""
    run_a, run_b = subject.key["run_a"], subject.key["run_b"]
    n_a, n_b = subject.depends["layers"]
    rows: list[tuple] = []
    if meet := subject.depends["meet"]:
        measure = {"pairs": "ff_amp", "words": "ff_amp_words"}[meet]
        for layer in range(1, n_a + 1):
            layers = {"layer_a": layer, "layer_b": layer_at(layer, n_a, n_b)}
            frame = con.sql(sqlfiles.query(f"analysis/agreement_{meet}"), params=subject.key | layers).pl()
            found = of_pairs(frame.select(_SUMS).to_numpy().reshape(-1, len(_SUMS)), options)
            rows.append((run_a, run_b, measure, *layers.values(), *found))
    for measure, load, chosen in _PROFILES:
        a, b = (load(con, run, shared_sequences(con, [run_a, run_b])) for run in (run_a, run_b))
        cells = [cell for cell in a.cells if chosen(cell)]
        there = [cell._replace(layer=layer_at(cell.layer, n_a, n_b)) for cell in cells]
        if cells:
            found = of_profiles(a.choose(cells), b.choose(there), options)
            rows.append((run_a, run_b, measure, None, None, *found))
    frame = pl.DataFrame(rows, schema=_SCHEMA, orient="row")
    return {"seed_agreement": frame.with_columns(pl.col("value", "low", "high").fill_nan(None))}


def shared_sequences(con: duckdb.DuckDBPyConnection, runs: Sequence[int]) -> list[int]:
    """Sequences (seq_id) that all of the runs have."""
    query = sqlfiles.query("analysis/shared_sequences")
    return [seq for (seq,) in con.execute(query, {"runs": list(runs)}).fetchall()]


def _is_curve(cell: Cell) -> bool:
    return cell.item == "FF" and cell.pair_filter == "content"


_PROFILES: Final = (
    ("change_curve", by_sequence.changes, _is_curve),
)

AGREEMENT: Final = Part("seed_agreement", subjects, compute, ("analysis/clear_seed_agreement",))
