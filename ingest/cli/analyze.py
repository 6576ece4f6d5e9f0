"""`lenshouse analyze`: statistics from stored maps."""

from pathlib import Path

import click

import warehouse as warehouses
from ingest.cli import options
from ingest.cli.terminal import print_table, progress, seconds
from ingest.cli.text import printable
from warehouse.contract import INTEGER
from warehouse.wording import plural

_SHOWN = 10
"""Effects of patterns that the summary shows."""


@click.command(name="analyze")
@click.argument("runs", nargs=-1, metavar="[RUN ...]")
@options.warehouse
@click.option(
    "--seed", type=click.IntRange(0, INTEGER[1]), default=0, show_default=True, help="Seed of the random numbers."
)
@options.resamples("Bootstrap resamples, and permutations, each.")
@click.option(
    "--parts-of-speech", is_flag=True,
    help="Also effects by the parts of speech of two words; takes about as long as all else about a run.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Compute again what is up to date.")
@options.verbose
def command(
    runs: tuple[str, ...], warehouse: Path, seed: int, resamples: int, parts_of_speech: bool, force: bool
) -> None:
    """Statistics with intervals from stored maps: effects of patterns, changes, norms, LN weights, mixing, top pairs;
    how far runs agree, groups of seeds and their differences, and the findings that `lenshouse report` shows.

    Only what is missing or stale is computed. RUN is a name or an id; all complete runs where none is given. Effects
    of patterns need words: `lenshouse annotate` first.

    \b
    lenshouse analyze --warehouse lens.duckdb
    lenshouse analyze 1 2 --seed 7 --resamples 5000
    lenshouse sql "FROM v_pattern_effect WHERE layer = 6" --warehouse lens.duckdb
    """
    with progress() as bar:

        def watch(what: str, done: int, total: int) -> None:
            bar.phase(what, total)
            bar.advance(done)

        found = warehouses.analyze(
            warehouse,
            runs,
            seed=seed,
            n_resamples=resamples,
            force=force,
            watch=watch,
            by_parts_of_speech=parts_of_speech,
        )
    _report(found, warehouse)


def _report(found: warehouses.Analysis, warehouse: Path) -> None:
    """What was computed, what was not and why, and the strongest effects."""
    if not (found.computed or found.up_to_date or found.skipped):
        click.echo(printable(f"{warehouse} holds no complete run: `lenshouse ingest` first"))
        return
    click.echo(
        f"computed {plural(len(found.computed), 'result')} in {seconds(found.seconds)}, "
        f"{len(found.up_to_date):,} up to date, {len(found.skipped):,} skipped"
    )
    for part, title, reason in found.skipped:
        click.echo(printable(f"  skipped {part} of {title}: {reason}"))
    for note in found.notes:
        click.echo(printable(f"  note: {note}"))
    strongest = warehouses.open(warehouse).strongest_effects(found.run_ids, limit=_SHOWN)
    if not strongest.is_empty():
        click.echo("\nstrongest effects of patterns (FF-amp against the same sentence's other pairs, 95% interval)\n")
        print_table(strongest)
    click.echo(printable(f'ask: lenshouse sql "FROM v_pattern_effect" --warehouse {warehouse}'))
    click.echo(printable(f"next: lenshouse report --warehouse {warehouse}"))
