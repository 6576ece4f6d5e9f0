"""`lenshouse stitch`: a classifier's last layers on another model's first ones."""

from pathlib import Path

import click

from ingest.cli import options
from ingest.cli.terminal import print_table, progress, seconds, timed
from ingest.cli.text import printable
from warehouse.contract import INTEGER
from warehouse.wording import plural


@click.command(name="stitch")
@click.argument("models", nargs=-1, required=True, metavar="MODEL ...")
@click.option("--classifier", required=True, metavar="ID|FOLDER", help="Fine-tuned classifier with as many layers.")
@click.option(
    "--corpus", required=True, metavar="FILE|hf:…|demo:held-out", help="Labelled texts: .tsv .csv .jsonl .parquet."
)
@click.option("--text-column", help="Column with the texts. [default: text or sentence]")
@click.option("--label-column", help="Column with the labels, names or numbers of the classes. [default: label]")
@click.option("--skip-other-labels", is_flag=True, help="Leave texts out whose label is none of the classes.")
@click.option("--limit", type=click.IntRange(min=1), help="Take a random sample of this many texts.")
@click.option("--sample-seed", type=int, default=0, show_default=True, help="Seed of that sample.")
@click.option("--max-tokens", type=click.IntRange(min=1), help="Cut longer texts. [default: the classifier's limit]")
@click.option(
    "--draws", type=click.IntRange(1, 1000), default=5, show_default=True, help="Random matrices to compare with."
)
@click.option(
    "--seed",
    type=click.IntRange(0, INTEGER[1]),
    default=0,
    show_default=True,
    help="Seed of random matrices and resamples.",
)
@options.resamples("Bootstrap resamples of the texts.")
@options.device
@options.warehouse
@options.verbose
def command(
    models: tuple[str, ...],
    classifier: str,
    corpus: str,
    text_column: str | None,
    label_column: str | None,
    skip_other_labels: bool,
    limit: int | None,
    sample_seed: int,
    max_tokens: int | None,
    draws: int,
    seed: int,
    resamples: int,
    device: str,
    warehouse: Path,
) -> None:
    """Does a classifier work on another model's states, translated through the vocabulary that both share?

    For every cut n from 0 to L: the first n layers of MODEL, its states times E_MODEL pinv(E_CLASSIFIER), then the
    classifier's layers from n + 1 on and its head. Accuracies are stored with 95% intervals beside the classifier's
    own, the most frequent class, the states as they are, and random matrices of the same scale. Several MODELs, such
    as seeds of one family, show the spread.

    The same command again computes what is missing, or says that it is there.

    \b
    lenshouse stitch multiberts-seed_0 multiberts-seed_1 --classifier ./sst2-seed_2 --corpus sst2.tsv
    lenshouse sql "FROM v_stitching_spread WHERE kind = 'stitched' ORDER BY cut"
    """
    from ingest.stitch import StitchConfig, stitch
    from warehouse import open as open_warehouse

    config = StitchConfig(
        models=models,
        classifier=classifier,
        corpus=corpus,
        warehouse=warehouse,
        text_column=text_column,
        label_column=label_column,
        skip_other_labels=skip_other_labels,
        limit=limit,
        sample_seed=sample_seed,
        max_tokens=max_tokens,
        draws=draws,
        seed=seed,
        resamples=resamples,
        device=device,
    )
    with timed() as wall, progress() as shown:
        texts, outcomes = stitch(config, shown)
    how = f"{plural(len(texts.ids), 'text')} of {texts.corpus.name}"
    if texts.n_other:
        how += f", {texts.n_other:,} with other labels or none left out"
    if texts.n_truncated:
        how += f", {texts.n_truncated:,} cut at the token limit"
    click.echo(printable(how))
    for outcome in outcomes:
        done = "stored" if outcome.state == "complete" else "is there already; nothing to do"
        click.echo(printable(f"{outcome.model} onto {outcome.classifier}: {done}"))
    click.echo(f"{seconds(wall[0])}\n")
    print_table(open_warehouse(warehouse).stitched(texts.sha256, outcomes[0].classifier, [o.model for o in outcomes]))
    click.echo(printable(f'ask: lenshouse sql "FROM v_stitching_spread" --warehouse {warehouse}'))
