"""`lenshouse recall`: how much of what hidden states say the parameters that are active say too."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ingest.cli import options
from ingest.cli.terminal import print_table, progress, seconds, timed
from ingest.cli.text import printable
from warehouse.analysis.part import Options
from warehouse.contract import INTEGER
from warehouse.errors import UsageError, require_whole
from warehouse.wording import plural

if TYPE_CHECKING:
    from ingest.projection.recall_job import Outcome


@click.command(name="recall")
@click.option(
    "--model",
    metavar="ID|FOLDER|FILE.gguf",
    required=True,
    help="Hub id, folder with config.json, safetensors and tokenizer, or .gguf file.",
)
@click.option(
    "--corpus", metavar="FILE|hf:…|demo", help=".txt .tsv .csv .jsonl .parquet .conllu .conllulex, or a hub data set."
)
@options.warehouse
@click.option("--text-column", help="Column with the texts. [default: text or sentence]")
@click.option("--limit", type=click.IntRange(min=1), help="Take a random sample of this many texts.")
@click.option("--sample-seed", type=int, default=0, show_default=True, help="Seed of that sample.")
@click.option("--top-k", type=click.IntRange(min=1), default=50, show_default=True, help="Items of states and units.")
@click.option("--units", type=click.IntRange(min=1), default=5, show_default=True, help="Active units of a token.")
@options.resamples("Bootstrap resamples of the texts.")
@click.option(
    "--resample-seed", type=click.IntRange(0, INTEGER[1]), default=0, show_default=True, help="Seed of the resamples."
)
@options.device
@click.option(
    "--dtype",
    type=click.Choice(["float32", "bfloat16", "float16"]),
    default="float32",
    show_default=True,
    help="What the model runs in; what is compared is float32 always.",
)
@options.labels
@click.option("--replace", is_flag=True, help="Measure again what is stored.")
@click.option("--remove", is_flag=True, help="Remove the recall of the model with this name or id instead.")
@click.option("--yes", is_flag=True, help="With --remove, do not ask.")
@options.verbose
def command(warehouse: Path, remove: bool, yes: bool, **flags: Any) -> None:
    """Measure how much of what hidden states say in vocabulary items the parameters that are active say too.

    At every token: of the k items that the layer's output scores highest, the share that its most active neurons, or
    coordinates of attention, promote; with an interval over texts, and against the states of the other tokens.

    The same command again says that all is there. No run of the model is needed.

    \b
    lenshouse recall --model gpt2 --corpus imdb.tsv --limit 60
    lenshouse sql "FROM v_recall WHERE component = 'ff_value'"
    """
    if remove:
        _remove(warehouse, flags["model"], flags["name"], yes)
        return
    if yes:
        msg = "--yes is for --remove: leave it out"
        raise UsageError(msg)
    if flags["corpus"] is None:
        msg = "no corpus: name one with --corpus (`--corpus demo` takes film reviews)"
        raise UsageError(msg)
    from ingest.corpus import open_corpus
    from ingest.job import require_storable_seed
    from ingest.models import load_model
    from ingest.projection.recall_job import RecallConfig, measure
    from warehouse import make_usable

    if flags["seed"] is not None:
        require_whole("--seed", flags["seed"], *INTEGER)
    open_corpus(flags["corpus"], text_column=flags["text_column"])
    make_usable(warehouse)
    config = RecallConfig(
        corpus=flags["corpus"],
        warehouse=warehouse,
        text_column=flags["text_column"],
        limit=flags["limit"],
        sample_seed=flags["sample_seed"],
        top_k=flags["top_k"],
        n_units=flags["units"],
        options=Options(flags["resample_seed"], flags["resamples"]),
        replace=flags["replace"],
    )
    with timed() as wall, progress() as shown:
        shown.phase("loading the model")
        labels = {key: flags[key] for key in ("revision", "device", "dtype", "name", "family", "seed")}
        model, tokenizer = load_model(flags["model"], **labels)
        require_storable_seed(model)
        outcome = measure(model, tokenizer, config, shown)
    _report(outcome, model.name, wall[0], warehouse)


def _remove(warehouse: Path, model: str, name: str | None, yes: bool) -> None:
    from warehouse import recalls

    chosen = recalls.choose(warehouse, *options.known_names(model, name))
    corpora = f"{chosen.n_corpora:,} corp{'us' if chosen.n_corpora == 1 else 'ora'}"
    what = f"the recall of model {chosen.model_id} ({printable(chosen.name)}, {corpora})"
    if not yes:
        click.confirm(f"Remove {what}?", abort=True)
    recalls.remove(warehouse, chosen.model_id)
    click.echo(f"removed {what}")


def _report(outcome: "Outcome", name: str, wall: float, warehouse: Path) -> None:
    from warehouse import open as open_warehouse

    found = open_warehouse(warehouse).recall(outcome.model_id, outcome.key)
    what = f"model {outcome.model_id} ({name}) on {outcome.key.corpus_name}"
    if outcome.is_new:
        click.echo(printable(f"{what}: {plural(len(found), 'row')} stored, {seconds(wall)}"))
    else:
        click.echo(printable(f"{what} is there already: nothing to do, {seconds(wall)}"))
    click.echo(
        f"  share of a state's {outcome.key.top_k} items that its {outcome.key.n_units} most active units promote; "
        "shuffled: of the states of the other tokens; gain: what is above that; 95% intervals over texts\n"
    )
    print_table(found)
    click.echo(printable(f'ask: lenshouse sql "FROM v_recall" --warehouse {warehouse}'))
