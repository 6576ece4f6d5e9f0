"""What a report says, from the warehouse: findings, numbers by layer, provenance, what is missing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from warehouse import sqlfiles
from warehouse.analysis.standing import Standing, standing
from warehouse.errors import WarehouseError
from warehouse.queries import Warehouse

BY_LAYER: Final = ("change", "effect", "surviving", "norm_change", "ln_weight")
"""Queries whose rows are run_id, layer, series, value, low, high."""


@dataclass(frozen=True)
class Contents:
    """Frames of the queries in sql/queries/report, and how the stored analysis stands."""

    findings: pl.DataFrame
    by_layer: dict[str, pl.DataFrame]
    agreement: pl.DataFrame
    group_estimate: pl.DataFrame
    group_difference: pl.DataFrame
    groups: pl.DataFrame
    provenance: pl.DataFrame
    analysis: pl.DataFrame
    standing: Standing


def collect(house: Warehouse, runs: Sequence[str | int] = ()) -> Contents:
    """Everything about these runs (names or ids; all complete ones where none is named) and groups of no others.

    Raises WarehouseError for a run that is not there or not complete, and where there is neither a
    complete run nor a finding about parameters.
    """
    ids = {"runs": _chosen(house, runs)}

    def ask(name: str, values: dict[str, Any] | None = ids) -> pl.DataFrame:
        return house.sql(sqlfiles.query(f"report/{name}"), values)

    return Contents(
        findings=ask("findings"),
        by_layer={name: ask(name) for name in BY_LAYER},
        agreement=ask("agreement"),
        group_estimate=ask("group_estimate"),
        group_difference=ask("group_difference"),
        groups=ask("groups"),
        provenance=ask("provenance"),
        analysis=ask("analysis", None),
        standing=standing(house.path, ids["runs"], wait=house.wait),
    )


def _chosen(house: Warehouse, runs: Sequence[str | int]) -> list[int]:
    if not runs:
        every = house.runs().filter(status="complete")["run_id"].to_list()
        if not every and house.sql("SELECT 1 FROM v_finding LIMIT 1").is_empty():
            message = f"{house.path} holds no complete run: `lenshouse ingest` first"
            raise WarehouseError(message)
        return every
    records = [house.run(run) for run in runs]
    for record in records:
        if record.status != "complete":
            message = f"run {record.run_id} ({record.name}) is not complete: run the same ingest again to finish it"
            raise WarehouseError(message)
    return sorted({record.run_id for record in records})
