"""The report as one HTML page: no script, nothing loaded from elsewhere, every name and token escaped."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import polars as pl
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from dashboard import charts
from dashboard.report import figures
from dashboard.report.contents import Contents
from dashboard.report.provenance import bibtex, citations, provenance
from dashboard.report.text import interval, number
from warehouse.analysis.part import MIN_SEQUENCES
from warehouse.wording import plural, printable

_HERE: Final = Path(__file__).parent
_SIGNS: Final = {"holds": "✓", "fails": "✗", "not enough data": "–"}
_NAMED: Final = 3
"""Results out of date that the page names."""


def page(contents: Contents, *, now: datetime | None = None) -> str:
    """The page. Args: now, the date that it bears; the present moment where it is not given."""
    corpora = list(_corpora(contents))
    content = {
        "title": _title(contents),
        "style": Markup((_HERE / "page.css").read_text(encoding="utf-8")),
        "pending": _pending(contents),
        "corpora": corpora,
        "parameters": contents.findings.filter(pl.col("claim").str.starts_with("P")).rows(named=True),
        "min_sequences": MIN_SEQUENCES,
        "notes": _notes(contents),
        "provenance": provenance(contents),
        "citations": citations(contents),
        "bibtex": bibtex(),
        "version": version("lenshouse"),
        "today": (now or datetime.now(UTC)).strftime("%Y-%m-%d %H:%M UTC"),
    }
    return _template().render(content)


def _template() -> Any:
    environment = Environment(autoescape=True, undefined=StrictUndefined, finalize=_shown, trim_blocks=True)
    environment.filters |= {
        "number": number,
        "interval": lambda finding: interval(finding["low"], finding["high"]),
        "sign": lambda verdict: _SIGNS[verdict],
        "slug": lambda verdict: verdict.replace(" ", "-"),
        "lines": lambda text: Markup("\n").join(printable(line) for line in text.split("\n")),
    }
    return environment.from_string((_HERE / "page.html.jinja").read_text(encoding="utf-8"))


def _shown(value: Any) -> Any:
    """What an expression of the template gives: text without characters that act on their neighbours."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _title(contents: Contents) -> str:
    if contents.provenance.is_empty():
        return "parameters alone"
    models = contents.provenance["model_name"].unique(maintain_order=True).to_list()
    corpora = contents.provenance["corpus_name"].unique(maintain_order=True).to_list()
    return f"{_some(models, 'models')} over {_some(corpora, 'corpora')}"


def _some(names: list[str], noun: str) -> str:
    return ", ".join(names) if len(names) <= _NAMED else f"{len(names)} {noun}"


def _pending(contents: Contents) -> str:
    pending = contents.standing.pending
    if not pending:
        return ""
    named = ", ".join(f"{part} of {title}" for part, title in pending[:_NAMED])
    more = " and others" if len(pending) > _NAMED else ""
    return f"{plural(len(pending), 'result')} of the analysis missing or made from other data: {named}{more}."


def _notes(contents: Contents) -> list[str]:
    corpora = contents.provenance["corpus_name"].n_unique()
    apart = ["Runs over different corpora are not compared: they share no pairs."] if corpora > 1 else []
    reasons = [f"{part} of {title}: {reason}" for part, title, reason in contents.standing.impossible]
    return [*apart, *reasons, *contents.standing.notes]


def _corpora(contents: Contents) -> Iterator[dict[str, Any]]:
    for (corpus_id, name), runs in contents.provenance.group_by("corpus_id", "corpus_name", maintain_order=True):
        subjects = [*_runs(contents, runs.rows(named=True)), *_groups(contents, corpus_id)]
        yield {
            "id": corpus_id,
            "name": name,
            "subjects": subjects,
            "overview": _overview(subjects),
            "charts": _drawn(figures.of_corpus(contents, corpus_id)),
        }


def _runs(contents: Contents, runs: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for run in runs:
        yield {
            "anchor": f"run-{run['run_id']}",
            "name": run["model_name"],
            "is_group": False,
            "about": f"Run {run['run_id']}: {run['n_layer']} layers, {plural(run['n_sequences'], 'sequence')}, "
            f"{run['placement']}, {run['dtype']}.",
            "findings": contents.findings.filter(run_id=run["run_id"]).rows(named=True),
            "charts": _drawn(figures.of_run(contents, run["run_id"])),
        }


def _groups(contents: Contents, corpus_id: Any) -> Iterator[dict[str, Any]]:
    found = contents.findings.filter(
        pl.col("claim").str.starts_with("F"), pl.col("run_id").is_null(), corpus_id=corpus_id
    )
    for place, ((family,), findings) in enumerate(found.group_by("family", maintain_order=True)):
        ids = contents.groups.filter(family=family, corpus_id=corpus_id)["run_id"].to_list()
        yield {
            "anchor": f"group-{corpus_id}-{place}",
            "name": family,
            "is_group": True,
            "n_runs": len(ids),
            "about": f"{plural(len(ids), 'run')} ({', '.join(map(str, ids))}) that differ in weights alone.",
            "findings": findings.rows(named=True),
            "charts": _drawn(figures.of_group(contents, str(family), corpus_id, ids)),
        }


def _overview(subjects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each claim and aspect, a verdict for each subject that has one."""
    keys = dict.fromkeys((finding["claim"], finding["aspect"]) for one in subjects for finding in one["findings"])
    verdicts = [{(f["claim"], f["aspect"]): f["verdict"] for f in one["findings"]} for one in subjects]
    return [
        {"claim": claim, "aspect": aspect, "verdicts": [of.get((claim, aspect)) for of in verdicts]}
        for claim, aspect in sorted(keys, key=lambda key: key[0])
    ]


def _drawn(found: Iterable[figures.Figure]) -> list[dict[str, Any]]:
    return [
        {"svg": Markup(charts.svg(one.chart, one.caption)), "caption": one.caption, "is_wide": one.is_wide}
        for one in found
    ]
