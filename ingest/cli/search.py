"""`lenshouse search`: which units promote or suppress vocabulary items, and what a neuron says."""

from pathlib import Path

import click

from ingest.cli import options
from ingest.cli.terminal import print_table
from ingest.cli.text import printable
from warehouse.errors import UsageError
from warehouse.wording import plural

_SIGNS = {"promote": 1, "suppress": -1, "both": None}


@click.command(name="search")
@click.argument("tokens", nargs=-1, metavar="[TOKEN]...")
@options.warehouse
@click.option("--model", help="Only this model, by its name or id.")
@click.option("--layer", type=click.IntRange(min=0), help="Only this layer, from 1 (output_bias: 0).")
@click.option("--component", metavar="NAME", help="Only ff_value, ff_key, w_o or another (see `lenshouse project`).")
@click.option("--neuron", type=click.IntRange(min=0), help="Say what this neuron (or unit of --component) says.")
@click.option(
    "--sign",
    type=click.Choice(list(_SIGNS)),
    default="both",
    show_default=True,
    help="Units that score the items highest, lowest, or either.",
)
@click.option(
    "--limit", type=click.IntRange(1, 5_000), default=40, show_default=True, help="Rows, or items of --neuron, to show."
)
@options.verbose
def command(
    tokens: tuple[str, ...],
    warehouse: Path,
    model: str | None,
    layer: int | None,
    component: str | None,
    neuron: int | None,
    sign: str,
    limit: int,
) -> None:
    """Find the units whose stored items include TOKENs, in all projected models; or say what one neuron says.

    Tokens are written as vocab.display shows them: `dog` begins a word, `…dog` continues one. Of several, units with
    most of them come first; mean_rank and score, a sum, are over the ones that a unit has.

    \b
    lenshouse search dog
    lenshouse search monday tuesday friday --component ff_value --sign promote
    lenshouse search --model gpt2 --layer 11 --neuron 42
    """
    from warehouse.search import says, search

    if neuron is not None:
        if tokens or model is None or layer is None:
            msg = "--neuron says what one neuron says: give --model and --layer with it, and no TOKEN"
            raise UsageError(msg)
        for row in says(warehouse, model, layer, neuron, component=component).iter_rows(named=True):
            folded = ", LN folded" if row["ln_folded"] else ""
            click.echo(printable(f"{row['component']} ({row['vocab_filter']}{folded})"))
            for side in ("highest", "lowest"):
                click.echo(printable(f"  {side:<8} {' '.join(row[side].split(' ')[:limit])}"))
        return
    if not tokens:
        msg = "give a TOKEN to search for, or --model, --layer and --neuron"
        raise UsageError(msg)
    rows = search(warehouse, tokens, sign=_SIGNS[sign], model=model, component=component, layer=layer, limit=limit)
    print_table(rows.frame)
    if rows.cut:
        click.echo(f"CUT: these are the first {plural(limit, 'row')}, there are more; use --limit N", err=True)
    if rows.frame.is_empty():
        click.echo("0 rows: no stored unit has it among its items", err=True)
