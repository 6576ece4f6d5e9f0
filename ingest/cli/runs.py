"""`lenshouse runs`: what the warehouse holds."""

import json
from pathlib import Path

import click
import polars as pl

import warehouse as warehouses
from ingest.cli import options
from ingest.cli.terminal import print_table
from ingest.cli.text import printable


@click.group(name="runs", no_args_is_help=True)
def command() -> None:
    """List, show or remove runs.

    \b
    lenshouse runs list
    lenshouse runs show 1
    lenshouse runs remove "bert-base-uncased on sst2"
    """


@command.command(name="list")
@options.warehouse
@options.verbose
def list_runs(warehouse: Path) -> None:
    """All runs, those under way too.

    \b
    lenshouse runs list --warehouse lens.duckdb
    """
    runs = warehouses.open(warehouse).runs()
    if runs.is_empty():
        click.echo(printable(f"{warehouse} holds no runs yet: start with `lenshouse ingest --help`"))
    else:
        print_table(runs)


@command.command(name="show")
@click.argument("run")
@options.warehouse
@options.verbose
def show(run: str, warehouse: Path) -> None:
    """Everything recorded of RUN (a name or an id): model, corpus, options, versions, counts, times.

    \b
    lenshouse runs show 1
    """
    house = warehouses.open(warehouse)
    record = house.run(run)
    details = house.run_details(record.run_id).row(0, named=True)
    rows = []
    for name, value in details.items():
        entries = json.loads(value).items() if name == "options" else [(name, value)]
        rows += [(key, None if entry is None else str(entry)) for key, entry in entries]
    print_table(pl.DataFrame(rows, schema={"what": pl.String, "value": pl.String}, orient="row"))


@command.command(name="remove")
@click.argument("run")
@options.warehouse
@click.option("--yes", is_flag=True, help="Do not ask.")
@options.verbose
def remove(run: str, warehouse: Path, yes: bool) -> None:
    """Delete RUN and everything that only it used: its maps, its parts, and texts and models no other run needs.

    \b
    lenshouse runs remove 1 --yes
    """
    record = warehouses.open(warehouse).run(run)
    if not yes:
        click.confirm(
            f"Remove run {record.run_id} ({printable(record.name)}, {record.n_pairs:,} token pairs)?", abort=True
        )
    warehouses.remove_run(warehouse, record.run_id)
    click.echo(f"removed run {record.run_id} ({printable(record.name)})")
