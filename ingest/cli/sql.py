"""`lenshouse sql`: ask the warehouse."""

import sys
from pathlib import Path
from typing import Any

import click

import warehouse as warehouses
from ingest.cli import options
from ingest.cli.terminal import print_table
from ingest.cli.text import Visible, printable
from warehouse.errors import UsageError
from warehouse.paths import expanded
from warehouse.wording import plural


@click.command(name="sql")
@click.argument("query")
@options.warehouse
@click.option(
    "--format", "form", type=click.Choice(["table", "csv", "json", "parquet"]), help="[default: table, or by --output]"
)
@options.output("File to write instead of the terminal.")
@click.option("--limit", type=click.IntRange(1, 5_000), default=40, show_default=True, help="Rows that a table shows.")
@options.verbose
def command(query: str, warehouse: Path, form: str | None, output: Path | None, limit: int) -> None:
    """Answer a SQL query, read-only. QUERY may be - to read it from standard input, or @FILE.

    \b
    lenshouse sql "SHOW TABLES"
    lenshouse sql "DESCRIBE v_token_pair"
    lenshouse sql "FROM v_change_by_layer WHERE component = 'FF' AND pair_filter = 'all'"
    lenshouse sql "FROM token_norm WHERE run_id = 1" --output norms.parquet

    A table shows --limit rows and says when there are more; csv, json and parquet hold all of them.
    """
    house = warehouses.open(warehouse)
    text = _read(query)
    if form is None and output is not None:
        form = warehouses.format_of(output)
    if form is None or form == "table":
        if output is not None:
            msg = "a table is for the terminal: give --format csv, json or parquet with --output"
            raise UsageError(msg)
        rows = house.fetch(text, limit=limit)
        print_table(rows.frame)
        if rows.cut:
            click.echo(
                f"CUT: these are the first {plural(limit, 'row')}, there are more; "
                "use --limit N, or --format csv for all",
                err=True,
            )
        if rows.frame.is_empty():
            _say_why_empty(house)
        return
    if output is None and form == "parquet":
        msg = "parquet is binary: give a file with --output"
        raise UsageError(msg)
    sink: Any = Visible(sys.stdout.buffer) if sys.stdout.isatty() else sys.stdout.buffer
    n_rows = warehouses.export(house, text, to=output or sink, format=form)  # type: ignore[arg-type]
    if n_rows == 0:
        _say_why_empty(house)
    if output is not None:
        click.echo(printable(f"{plural(n_rows, 'row')} in {output}"))


def _say_why_empty(house: warehouses.Warehouse) -> None:
    """On standard error: nothing is not to be taken for an answer while there is more to come."""
    n_running = house.runs()["status"].to_list().count("running")
    way = f"; {plural(n_running, 'run')} {'is' if n_running == 1 else 'are'} under way: views show complete runs only"
    click.echo(f"0 rows{way if n_running else ''}", err=True)


def _read(query: str) -> str:
    if query == "-":
        try:
            return sys.stdin.read()
        except (OSError, UnicodeDecodeError) as error:
            msg = f"standard input cannot be read as a query ({error})"
            raise UsageError(msg) from error
    if query.startswith("@"):
        try:
            return expanded(query[1:]).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            msg = f"{query[1:]}: cannot be read as a query file ({error})"
            raise UsageError(msg) from error
    return query
