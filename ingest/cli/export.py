"""`lenshouse export`: a table or view into a file."""

from pathlib import Path

import click

import warehouse as warehouses
from ingest.cli import options
from ingest.cli.text import printable
from warehouse.errors import UsageError
from warehouse.wording import plural


@click.command(name="export")
@click.argument("table")
@options.warehouse
@options.output("File to write; needed.")
@click.option("--run", "run", metavar="NAME|ID", help="Only the rows of this run.")
@click.option(
    "--format", "form", type=click.Choice(["csv", "json", "parquet"]), help="[default: by the name of --output]"
)
@options.verbose
def command(table: str, warehouse: Path, output: Path | None, run: str | None, form: str | None) -> None:
    """Write a whole table or view to a Parquet, CSV or JSON file.

    \b
    lenshouse export v_token_pair --run 1 --output pairs.parquet
    lenshouse export v_run --output runs.csv
    """
    if output is None:
        msg = "name the file to write with --output, for example --output pairs.parquet"
        raise UsageError(msg)
    house = warehouses.open(warehouse)
    columns = house.describe(table)["column"].to_list()  # refuses what is no table or view, before it enters a query
    query = f'SELECT * FROM "{table}"'
    if run is not None:
        if "run_id" not in columns:
            msg = f"{table} has no run_id, so --run cannot choose from it: leave --run out"
            raise UsageError(msg)
        query += " WHERE run_id = $run_id"
    params = None if run is None else {"run_id": house.run(run).run_id}
    n_rows = warehouses.export(house, query, params, to=output, format=form or warehouses.format_of(output))  # type: ignore[arg-type]
    click.echo(printable(f"{plural(n_rows, 'row')} of {table} in {output}"))
