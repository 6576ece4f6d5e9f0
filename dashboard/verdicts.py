"""The claims and who they are put to: every cell of the matrix that the overview shows, computed or not."""

from typing import Any, Final

import polars as pl

from dashboard.filters import plain
from warehouse.analysis import parameter_findings
from warehouse.analysis.claims import CLAIMS

_NOT_COMPUTED: Final = "not computed"


def matrix(findings: pl.DataFrame, runs: pl.DataFrame) -> tuple[pl.DataFrame, list[str], list[str]]:
    """Cells, columns and subjects of charts.verdict_matrix.

    Args: findings, of the query overview/findings; runs, rows of filters.runs(). Every run has a cell for every claim
    that is asked of single runs; groups and models' parameters have a row when they have a finding.
    """
    asked = {f"{claim.claim} {claim.aspect}": claim for claim in CLAIMS}
    parameters = [f"{claim.claim} {claim.aspect}" for claim in parameter_findings.CLAIMS]
    found = findings.with_columns(
        column=pl.format("{} {}", "claim", "aspect"),
        subject=pl.Series([_subject(row, runs) for row in findings.iter_rows(named=True)], dtype=pl.String),
    )
    there = set(found.select("subject", "column").iter_rows())
    missing = [
        {
            "subject": title, "column": column, "verdict": _NOT_COMPUTED, "statement": claim.statement,
            "quantity": claim.quantity, "note": "run `lenshouse analyze`",
        }
        for title in runs["title"]
        for column, claim in asked.items()
        if claim.of_run is not None and (title, column) not in there
    ]  # fmt: skip
    shown = ["subject", "column", "verdict", "value", "low", "high", "p_value", "n", "statement", "quantity", "note"]
    cells = found.select(shown)
    if missing:
        cells = pl.concat([cells, pl.DataFrame(missing, schema_overrides={"note": pl.String})], how="diagonal")
    others = [subject for subject in found["subject"].unique(maintain_order=True) if subject not in set(runs["title"])]
    return cells, [*asked, *parameters], [*runs["title"], *others]


def _subject(finding: dict[str, Any], runs: pl.DataFrame) -> str:
    if finding["run_id"] is not None:
        return str(runs.row(by_predicate=pl.col("run_id") == finding["run_id"], named=True)["title"])
    kind = "group" if finding["family"] is not None else f"model {finding['model_id']}"
    corpus = "" if finding["corpus_name"] is None else f" on {finding['corpus_name']}"
    return plain(f"{kind} {finding['subject']}{corpus}")
