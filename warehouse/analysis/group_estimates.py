"""Means and intervals over the seeds of a group (group_estimate), and differences of two groups (group_difference)."""

from collections.abc import Sequence
from itertools import combinations
from typing import Final

import duckdb
import numpy as np
import polars as pl

from warehouse import sqlfiles
from warehouse.analysis.agreement import shared_sequences
from warehouse.analysis.by_sequence import Cell
from warehouse.analysis.groups import Group, Measured, group_of, groups, measured
from warehouse.analysis.multibootstrap import mean_of_pairs, two_sided_p
from warehouse.analysis.part import Frames, Options, Part, Subject
from warehouse.analysis.resample import Floats, intervals

_ABOUT: Final = {"measure": pl.String, "layer": pl.Int16, "item": pl.String, "pair_filter": pl.String}
_ESTIMATE: Final = pl.Schema(_ABOUT | dict.fromkeys(("mean", "sd", "low", "high"), pl.Float64))
_DIFFERENCE: Final = pl.Schema(_ABOUT | dict.fromkeys(("difference", "low", "high", "p_value"), pl.Float64))


def _groups(con: duckdb.DuckDBPyConnection) -> list[Subject]:
    return [
        Subject(
            key={"family": group.family, "corpus_id": group.corpus_id},
            title=f"group {group.title}",
            runs=frozenset(group.ids),
            depends=group.depends(con),
            note=_alone(group),
        )
        for group in groups(con)
    ]


def _alone(group: Group) -> str:
    if len(group.runs) > 1:
        return ""
    return f"group {group.title} has one run: its means have no interval; ingest other seeds with the same --family"


def _estimate(con: duckdb.DuckDBPyConnection, subject: Subject, options: Options) -> Frames:
    """Rows of group_estimate for one group."""
    group = group_of(con, **subject.key)
    sequences = shared_sequences(con, group.ids)
    frames = [_estimates(found) for found in measured(con, group, sequences, group.n_layer, options)]
    whole = pl.concat([*frames, _agreement(con, group)]).with_columns(
        pl.col(pl.Float64).fill_nan(None),
        family=pl.lit(group.family),
        corpus_id=pl.lit(group.corpus_id, pl.Int32),
        n_runs=pl.lit(len(group.runs), pl.Int32),
        n_sequences=pl.lit(len(sequences), pl.Int32),
    )
    return {"group_estimate": whole}


def _estimates(found: Measured) -> pl.DataFrame:
    return _rows(found.cells, [found.means, found.deviations, *found.ends()], _ESTIMATE)


def _rows(cells: Sequence[Cell], columns: list[Floats], schema: pl.Schema) -> pl.DataFrame:
    rows = [(*cell, *map(float, numbers)) for cell, *numbers in zip(cells, *columns, strict=True)]
    return pl.DataFrame(rows, schema=schema, orient="row")


def _agreement(con: duckdb.DuckDBPyConnection, group: Group) -> pl.DataFrame:
    """How far the runs of a group agree: the mean over its pairs of runs, of measures that all of them have."""
    values = {"runs": group.ids, "n_layer": group.n_layer}
    found = con.sql(sqlfiles.query("analysis/group_agreement"), params=values).pl()
    pairs = list(combinations(range(len(group.runs)), 2))
    rows = []
    for (measure, layer), part in found.group_by("measure", "layer", maintain_order=True):
        if part.height == len(pairs):
            value, low, high = (part[name].fill_null(np.nan).to_numpy() for name in ("value", "low", "high"))
            sd = float(value.std(ddof=1)) if len(value) > 1 else np.nan
            rows.append(("agreement", layer, measure, None, float(value.mean()), sd, *mean_of_pairs(value, low, high)))
    return pl.DataFrame(rows, schema=_ESTIMATE, orient="row")


def _two_groups(con: duckdb.DuckDBPyConnection) -> list[Subject]:
    """Every two groups over one corpus, the name that comes first as a."""
    return [
        Subject(
            key={"family_a": a.family, "family_b": b.family, "corpus_id": a.corpus_id},
            title=f"groups {a.family} and {b.title}",
            runs=frozenset([*a.ids, *b.ids]),
            depends={"a": a.depends(con), "b": b.depends(con)},
            missing=_apart(a, b),
        )
        for a, b in combinations(groups(con), 2)
        if a.corpus_id == b.corpus_id
    ]


def _apart(a: Group, b: Group) -> str:
    if a.ff_bias != b.ff_bias:
        return f"--ff-bias is {a.ff_bias} in one, {b.ff_bias} in the other: ingest one again"
    if a.method_version != b.method_version:
        return "they were made by different versions of the method: ingest the older one again"
    return ""


def _difference(con: duckdb.DuckDBPyConnection, subject: Subject, options: Options) -> Frames:
    """Rows of group_difference for two groups."""
    corpus_id = subject.key["corpus_id"]
    a, b = (group_of(con, subject.key[name], corpus_id) for name in ("family_a", "family_b"))
    sequences = shared_sequences(con, [*a.ids, *b.ids])
    n_layer = min(a.n_layer, b.n_layer)
    both = zip(*(measured(con, group, sequences, n_layer, options) for group in (a, b)), strict=True)
    rows = pl.concat([_differences(of_a, of_b) for of_a, of_b in both])
    whole = rows.select(
        pl.exclude("layer"),
        (pl.col("layer") / n_layer).alias("depth"),
        pl.lit(a.family).alias("family_a"),
        pl.lit(b.family).alias("family_b"),
        pl.lit(corpus_id, pl.Int32).alias("corpus_id"),
        pl.lit(len(a.runs), pl.Int32).alias("n_runs_a"),
        pl.lit(len(b.runs), pl.Int32).alias("n_runs_b"),
        pl.lit(len(sequences), pl.Int32).alias("n_sequences"),
    )
    return {"group_difference": whole.with_columns(pl.col(pl.Float64).fill_nan(None))}


def _differences(a: Measured, b: Measured) -> pl.DataFrame:
    """Group b less group a, of the cells that both have."""
    cells = [cell for cell in a.cells if cell in set(b.cells)]
    at_a, at_b = ([found.cells.index(cell) for cell in cells] for found in (a, b))
    draws = b.draws[:, at_b] - a.draws[:, at_a]
    n_units = min(len(a.sizes), len(b.sizes))
    low = high = np.full(len(cells), np.nan)
    if min(len(a.values), len(b.values)) > 1:
        low, high = intervals(draws, a.sizes[:n_units, at_a] + b.sizes[:n_units, at_b])
    p = np.where(np.isnan(low), np.nan, two_sided_p(draws))
    return _rows(cells, [b.means[at_b] - a.means[at_a], low, high, p], _DIFFERENCE)


ESTIMATES: Final = Part("group_estimate", _groups, _estimate, ("analysis/clear_group_estimate",))
DIFFERENCES: Final = Part("group_difference", _two_groups, _difference, ("analysis/clear_group_difference",))
