"""`lenshouse report`: the claims F1 to F6 and P1 to P4, each with its number, interval, verdict and provenance."""

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import click
import polars as pl

import warehouse as warehouses
from ingest.cli import options
from ingest.cli.terminal import print_table
from ingest.cli.text import printable
from warehouse.errors import WarehouseError
from warehouse.export import write_file
from warehouse.wording import plural

if TYPE_CHECKING:
    from dashboard.report.contents import Contents

_PAGE = Path("lenshouse-report.html")
_NEEDED = ("altair", "jinja2", "vl_convert")
_INSTALL = "the page needs altair and vl-convert-python: run `pip install -e '.[report]'`"
_NAMED = 3
"""Results that are missing or stale of which the message names so many."""


@click.command(name="report")
@click.argument("runs", nargs=-1, metavar="[RUN ...]")
@options.warehouse
@options.output(f"HTML page to write.  [default: {_PAGE}; none with --format csv or json]")
@click.option(
    "--format", "form", type=click.Choice(["table", "csv", "json"]), default="table", show_default=True,
    help="How the findings are printed; csv and json hold rule and SQL too.",
)  # fmt: skip
@options.verbose
def command(runs: tuple[str, ...], warehouse: Path, output: Path | None, form: str) -> None:
    """Say for every run and every group whether the claims of the two papers hold (F1 to F6 of maps, P1 to
    P4 of parameters), from what analyze has stored.

    RUN is a name or an id; all complete runs where none is given. The page is one file that holds everything: numbers
    with intervals, rules, charts, the SQL under each number, provenance. A group is the runs of one --family.

    \b
    lenshouse analyze --warehouse lens.duckdb
    lenshouse report --warehouse lens.duckdb
    lenshouse report 1 2 --output seeds.html
    lenshouse report --format csv > findings.csv
    """
    from dashboard.report.contents import collect

    contents = collect(warehouses.open(warehouse), runs)
    if contents.findings.is_empty():
        msg = f"{warehouse} holds no findings of these runs: run `lenshouse analyze` first"
        raise WarehouseError(msg)
    _say_what_is_stale(contents)
    _print(contents.findings, form)
    if form == "table" or output is not None:
        write_page(contents, output, warehouse)


def _say_what_is_stale(contents: "Contents") -> None:
    """On standard error, before what is there is reported."""
    pending = contents.standing.pending
    if pending:
        named = ", ".join(f"{part} of {title}" for part, title in pending[:_NAMED])
        more = " and others" if len(pending) > _NAMED else ""
        what = f"{plural(len(pending), 'result')} missing or made from other data: {named}{more}"
        click.echo(printable(f"NOT UP TO DATE: {what}; run `lenshouse analyze`, then this again"), err=True)


def _print(findings: pl.DataFrame, form: str) -> None:
    if form == "csv":
        click.echo(findings.write_csv(), nl=False)
    elif form == "json":
        click.echo(findings.write_json())
    else:
        numbers = pl.col("value", "low", "high", "p_value").round_sig_figs(4)
        shown = findings.with_columns(numbers, of=pl.coalesce(pl.format("group {}", "family"), "subject"))
        several = ["corpus_name"] if findings["corpus_id"].drop_nulls().n_unique() > 1 else []
        by_p = ["p_value"] if findings["p_value"].count() else []
        print_table(
            shown.select(
                "claim", "aspect", "of", *several, "value", "low", "high", *by_p, "n", "verdict", "note", "quantity"
            )
        )


def write_page(contents: "Contents", output: Path | None, warehouse: Path) -> None:
    """Write the page, whole or not at all; what it needs and lacks is an error only where it was asked for by name."""
    if not all(importlib.util.find_spec(name) for name in _NEEDED):
        if output is not None:
            raise WarehouseError(_INSTALL)
        click.echo(_INSTALL, err=True)
        return
    from dashboard.report.page import page

    path = output or _PAGE
    write_file(path, page(contents).encode(), warehouse)
    click.echo(printable(f"page: {path}"))
