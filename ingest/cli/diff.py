"""`lenshouse diff`: what training on changed in a model's parameters, as vocabulary."""

from pathlib import Path

import click

from ingest.cli import options
from ingest.cli.terminal import print_table, progress, seconds, timed
from ingest.cli.text import printable
from warehouse.contract import INTEGER

_SHOWN = 6
"""Items of a unit in the summary."""


@click.command(name="diff")
@click.argument("base")
@click.argument("tuned")
@click.option(
    "--units",
    "n_largest",
    type=click.IntRange(1, INTEGER[1]),
    default=20,
    show_default=True,
    help="Units to keep of each layer and component, those that moved farthest.",
)
@click.option("--top-k", type=click.IntRange(1, INTEGER[1]), default=20, show_default=True, help="Items of each sign.")
@click.option("--fold-ln", is_flag=True, help="Take vectors through the norm between them and the residual stream.")
@options.device
@options.warehouse
@options.verbose
def command(base: str, tuned: str, n_largest: int, top_k: int, fold_ln: bool, device: str, warehouse: Path) -> None:
    """Read the parameters' shifts, TUNED less BASE, as vocabulary: the items that the largest shifts score highest and
    lowest with the output embeddings of BASE, and how far each component moved. Of a classifier, its head too.

    The same command again says that all is there. BASE has to be the model that TUNED was trained on from: where the
    files of TUNED name another by its weights, this is refused.

    \b
    lenshouse diff bert-base-uncased ./my-classifier
    lenshouse sql "FROM v_parameter_diff WHERE shift_rank <= 3 AND rank <= 10"
    """
    from ingest.diff import DiffConfig, diff
    from warehouse import open as open_warehouse

    config = DiffConfig(base, tuned, warehouse, n_largest=n_largest, top_k=top_k, fold_ln=fold_ln, device=device)
    with timed() as wall, progress() as shown:
        found = diff(config, shown)
    for note in found.notes:
        click.echo(printable(f"note: {note}"), err=True)
    if found.state == "already complete":
        click.echo(printable(f"{found.tuned} less {found.base} is there already; nothing to do"))
    else:
        click.echo(
            printable(f"{found.tuned} less {found.base}: {found.relative:.4f} of the base's norm, {seconds(wall[0])}")
        )
    house = open_warehouse(warehouse)
    print_table(house.moved(found.base_id, found.tuned_id, ln_folded=fold_ln))
    click.echo("items of the unit that moved farthest, of each layer and component\n")
    print_table(house.largest_shifts(found.base_id, found.tuned_id, ln_folded=fold_ln, n_items=_SHOWN))
    click.echo(printable(f'ask: lenshouse sql "FROM v_parameter_diff" --warehouse {warehouse}'))
