"""Where the numbers come from: runs, analysis and versions, and how to cite them."""

import json
from importlib.metadata import version
from typing import Any, Final

from dashboard.report.contents import Contents

_ROWS: Final = {
    "name": "run_name", "model": "model_name", "revision": "revision", "weights SHA-256": "weights_sha256",
    "family": "family", "training seed": "seed", "architecture": "model_type", "placement": "placement",
    "order of components": "component_order", "layers": "n_layer", "parameters": "n_params",
    "tokenizer": "tokenizer_name", "corpus": "corpus_name", "corpus SHA-256": "corpus_sha256",
    "corpus source": "corpus_source", "corpus licence": "corpus_license", "words from": "annotation_source",
    "words' version": "annotation_version", "lexicon": "annotation_lexicon", "sequences": "n_sequences",
    "cut": "n_truncated", "split": "n_chunked", "skipped": "n_skipped", "tokens": "n_tokens", "pair rows": "n_pairs",
    "options": "options", "method version": "method_version", "lenshouse": "lenshouse_version",
    "torch": "torch_version", "transformers": "transformers_version", "device": "device", "precision": "dtype",
    "started": "started_at", "finished": "finished_at", "largest completeness error": "max_completeness_error",
}  # fmt: skip
"""What stands in a row: the column of v_run, or of annotation."""


def provenance(contents: Contents) -> dict[str, Any]:
    """`runs`, heads of columns; `rows`, (name, a value for each run); `analysis`, (name, value)."""
    runs = contents.provenance.rows(named=True)
    rows = [(name, [_shown(column, run[column]) for run in runs]) for name, column in _ROWS.items()]
    return {"runs": [str(run["run_id"]) for run in runs], "rows": rows, "analysis": _analysis(contents)}


def _shown(column: str, value: Any) -> str:
    if value is None:
        return "–"
    if column == "options":
        known = {name: entry for name, entry in json.loads(value).items() if entry not in (None, [], "")}
        return ", ".join(f"{name} {entry}" for name, entry in known.items() if name != "corpus")
    if column in ("started_at", "finished_at"):
        return f"{value:%Y-%m-%d %H:%M} UTC"
    if column == "max_completeness_error":
        return f"{value:.1e}"
    return f"{value:,}" if isinstance(value, int) and column != "seed" else str(value)


def _analysis(contents: Contents) -> list[tuple[str, str]]:
    rows = [
        (
            "analysis",
            f"version {row['method_version']}, seed {row['seed']}, {row['n_resamples']:,} resamples, "
            f"{row['n_results']:,} results, {row['first_at']:%Y-%m-%d %H:%M} to {row['last_at']:%Y-%m-%d %H:%M} UTC",
        )
        for row in contents.analysis.rows(named=True)
    ]
    return [*rows, ("report", f"lenshouse {version('lenshouse')}, duckdb {version('duckdb')}")]


def citations(contents: Contents) -> list[str]:
    """A sentence for each run that says what was computed from what."""
    return [_citation(contents, run) for run in contents.provenance.rows(named=True)]


def _citation(contents: Contents, run: dict[str, Any]) -> str:
    made = contents.analysis.row(0, named=True) if not contents.analysis.is_empty() else None
    analysis = (
        f"; analysis version {made['method_version']}, seed {made['seed']}, {made['n_resamples']:,} resamples, "
        f"{made['last_at']:%Y-%m-%d}"
        if made
        else ""
    )
    revision = f", revision {run['revision']}" if run["revision"] else ""
    weights = f", weights SHA-256 {run['weights_sha256'][:16]}" if run["weights_sha256"] else ""
    return (
        f"{run['model_name']}{revision}{weights}, over {run['corpus_name']} (SHA-256 {run['corpus_sha256'][:16]}, "
        f"{run['n_sequences']:,} sequences), analysed by Lenshouse {run['lenshouse_version']} (method version "
        f"{run['method_version']}{analysis}) after Kobayashi et al. (ICLR 2024)."
    )


def bibtex() -> str:
    """Entries of the method's paper and of the groups' statistics."""
    return """@inproceedings{kobayashi2024analyzing,
  title = {Analyzing Feed-Forward Blocks in Transformers through the Lens of Attention Maps},
  author = {Goro Kobayashi and Tatsuki Kuribayashi and Sho Yokoi and Kentaro Inui},
  booktitle = {International Conference on Learning Representations},
  year = {2024}
}
@inproceedings{sellam2022multiberts,
  title = {The {MultiBERTs}: {BERT} Reproductions for Robustness Analysis},
  author = {Thibault Sellam and Steve Yadlowsky and Ian Tenney and Jason Wei and Naomi Saphra and others},
  booktitle = {International Conference on Learning Representations},
  year = {2022}
}"""
