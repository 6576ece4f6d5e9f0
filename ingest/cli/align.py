"""`lenshouse align`: which layers and units of models correspond, through the vocabulary that they share."""

from pathlib import Path
from typing import Any

import click

from ingest.cli import options
from ingest.cli.terminal import print_table, progress, seconds, timed
from ingest.cli.text import printable
from warehouse.wording import plural


@click.command(name="align")
@click.argument("models", nargs=-1, required=True, metavar="MODEL MODEL [MODEL ...]")
@click.option(
    "--components",
    metavar="NAME,NAME",
    callback=lambda ctx, param, value: tuple(part.strip() for part in value.split(",")) if value else (),
    help="Which of ff_key, ff_gate, ff_value, w_q, w_k, w_v, w_o. [default: all that the models have]",
)
@click.option("--replace", is_flag=True, help="Compute again what is there.")
@options.device
@options.warehouse
@options.verbose
def command(models: tuple[str, ...], components: Any, replace: bool, device: str, warehouse: Path) -> None:
    """Align the layers of every two MODELs (ids or folders) that share a vocabulary, such as seeds of one family.

    In embedding space two vectors are as alike as what they say of all vocabulary items; feature space, their own
    coordinates, is the baseline. n_own of n_layers layers meet their own index in the best one-to-one assignment;
    p_value is the chance of as many.

    The same command again computes what is missing, or says that it is there.

    \b
    lenshouse align multiberts-seed_0 multiberts-seed_1 multiberts-seed_2
    lenshouse sql "FROM v_alignment WHERE component = 'ff_key' AND space = 'embedding' AND assigned"
    """
    from ingest.align import AlignConfig, align_models
    from warehouse import open as open_warehouse

    config = AlignConfig(models, warehouse, components, replace, device)
    with timed() as wall, progress() as shown:
        ids, outcomes = align_models(config, shown)
    for outcome in outcomes:
        done = (
            f"{plural(len(outcome.computed), 'component')} stored"
            if outcome.computed
            else "is there already; nothing to do"
        )
        click.echo(printable(f"{outcome.a} and {outcome.b}: {'; '.join([done, *outcome.notes])}"))
    click.echo(f"{seconds(wall[0])}\n")
    print_table(open_warehouse(warehouse).aligned(ids))
    click.echo(printable(f'ask: lenshouse sql "FROM v_alignment_summary" --warehouse {warehouse}'))
