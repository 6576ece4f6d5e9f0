"""`lenshouse runs`: what the warehouse holds."""

import json
import sys
from pathlib import Path
from typing import Any

import click
import polars as pl

import warehouse as warehouses
from ingest.cli import options
from ingest.cli.terminal import print_table
from ingest.cli.text import printable
from warehouse.wording import plural


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
    """All runs, those under way too; into a pipe or file with their models, corpora and fingerprints.

    \b
    lenshouse runs list --warehouse lens.duckdb
    lenshouse runs list | cat
    """
    runs = warehouses.open(warehouse).runs()
    if runs.is_empty():
        click.echo(printable(f"{warehouse} holds no runs yet: start with `lenshouse ingest --help`"))
    elif sys.stdout.isatty():
        print_table(_brief(runs))
    else:
        print_table(runs.drop("dtype", "options"))


_DEFAULTS = {"text_column": None, "label_column": None, "limit": None, "too_long": "truncate", "ff_bias": "path"}
"""Options of IngestConfig that may tell runs of one name apart, `sample_seed` apart, which counts with a limit only."""


def _brief(runs: pl.DataFrame) -> pl.DataFrame:
    """What fits a terminal: counts, and what tells runs of one name apart."""
    return runs.select(
        *("run_id", "run_name", "dtype", "status", "n_sequences", "n_pairs"),
        pl.col("started_at").dt.strftime("%m-%d %H:%M").alias("started"),
        pl.Series("options", _special(runs["run_name"].to_list(), [json.loads(text) for text in runs["options"]])),
    )


def _special(names: list[str], options: list[dict[str, Any]]) -> list[str]:
    """For each run its options that are not the defaults, and the corpus and length where a namesake has others."""
    shown = []
    for name, own in zip(names, options, strict=True):
        namesakes = [other for namesake, other in zip(names, options, strict=True) if namesake == name]
        usual = _DEFAULTS | {"sample_seed": 0 if own.get("limit") else None}
        usual |= {key: own.get(key) if _agree(key, namesakes) else None for key in ("corpus", "max_tokens")}
        special = {key: own[key] for key in usual if key in own and own[key] != usual[key]}
        shown.append(", ".join(f"{key} {'–' if value is None else value}" for key, value in special.items()))
    return shown


def _agree(key: str, options: list[dict[str, Any]]) -> bool:
    return all(other.get(key) == options[0].get(key) for other in options)


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
            f"Remove run {record.run_id} ({printable(record.name)}, {plural(record.n_pairs, 'token pair')})?",
            abort=True,
        )
    warehouses.remove_run(warehouse, record.run_id)
    click.echo(f"removed run {record.run_id} ({printable(record.name)})")
