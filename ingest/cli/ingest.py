"""`lenshouse ingest`: a model over a corpus into the warehouse."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ingest.cli import options
from ingest.cli.annotate import tell
from ingest.cli.terminal import progress, seconds, timed
from ingest.cli.text import printable
from warehouse.errors import UsageError
from warehouse.paths import expanded, warehouse_path
from warehouse.wording import plural

if TYPE_CHECKING:
    from ingest.config import IngestConfig
    from ingest.job import Outcome


def _listed(_: click.Context, __: click.Parameter, value: str | None) -> list[str] | None:
    """a,b -> [a, b]; none -> []; not given -> None."""
    if value is None:
        return None
    return [] if value == "none" else [name.strip() for name in value.split(",")]


@click.command(name="ingest")
@click.option(
    "--model",
    metavar="ID|FOLDER|FILE.gguf",
    help="Hub id, folder with config.json, safetensors and tokenizer, or .gguf file.",
)
@click.option(
    "--corpus", metavar="FILE|hf:…|demo", help=".txt .tsv .csv .jsonl .parquet .conllu .conllulex, or a hub data set."
)
@click.option(
    "--warehouse",
    metavar="FILE",
    help="DuckDB file; created when missing. [default: LENSHOUSE_WAREHOUSE, or lenshouse.duckdb]",
)
@click.option(
    "--config", type=click.Path(path_type=Path, dir_okay=False), help="TOML file with several models and corpora."
)
@options.labels
@click.option("--text-column", help="Column with the texts. [default: text or sentence]")
@click.option("--label-column", help="Column with labels. [default: label, if there is one]")
@click.option("--limit", type=click.IntRange(min=1), help="Take a random sample of this many texts.")
@click.option("--sample-seed", type=int, help="Seed of that sample. [default: 0]")
@click.option("--max-tokens", type=click.IntRange(min=1), help="Longest sequence. [default: the model's limit]")
@click.option(
    "--too-long", type=click.Choice(["truncate", "chunk", "error"]), help="What to do with longer ones. [truncate]"
)
@click.option(
    "--ff-bias",
    type=click.Choice(["path", "constant"]),
    help="Biases of the feed-forward block: on the integration path, or its start. [path]",
)
@click.option(
    "--heads",
    type=click.Choice(["none", "norms", "weights"]),
    help="Of single heads, store the norms of their values, or these and their attention weights. [none]",
)
@click.option(
    "--rollout",
    metavar="MAP,…",
    callback=_listed,
    help="Store these maps multiplied over the layers: attn, attn_norm, atb, after_ff, after_res, after_ln. [none]",
)
@click.option(
    "--inliers/--no-inliers",
    default=None,
    help="Store also how maps change when dimensions with outlying LayerNorm weights are left out. [no]",
)
@click.option(
    "--neurons",
    metavar="N",
    type=click.IntRange(min=0),
    help="Store the N strongest activations of every feed-forward neuron, N above zero and N below. [0]",
)
@click.option("--device", help="auto, cpu, cuda or cuda:N. [default: auto]")
@click.option(
    "--dtype",
    type=click.Choice(["float32", "tf32", "bfloat16", "float16"]),
    help="Precision of the model's forward pass. [float32]",
)
@click.option(
    "--annotate",
    metavar="auto|none|gold|split|spacy:PIPELINE",
    help="Words for a corpus without any: of the treebank it is, by white space, or of spaCy. [auto: gold, else split]",
)
@options.words
@click.option("--keep-parts/--no-keep-parts", default=None, help="Keep the Parquet parts once they are loaded.")
@options.verbose
def command(config: Path | None, warehouse: str | None, **flags: Any) -> None:
    """Run a model over a corpus and store its exact token-pair attributions.

    The same command again resumes a run that was interrupted, or says that it is complete.

    \b
    lenshouse ingest --model bert-base-uncased --corpus sst2.tsv
    lenshouse ingest --model ./my-gpt2 --corpus notes.txt --max-tokens 128 --too-long chunk
    lenshouse ingest --config study.toml --warehouse study.duckdb

    \b
    study.toml:   max_tokens = 128
                  [[model]]
                  model = "google/multiberts-seed_0"
                  [[model]]
                  model = "google/multiberts-seed_1"
                  [[corpus]]
                  corpus = "sst2.tsv"
    """
    from ingest.config import job, read_config

    if warehouse is not None:
        flags["warehouse"] = warehouse_path(warehouse)
    files = read_config(expanded(config), flags) if config else [{}]
    jobs = [job(options, flags) for options in files]
    given = [name for name in ("name", "family", "seed", "revision") if flags.get(name) is not None]
    if given and len({one.model for one in jobs}) > 1:
        msg = f"--{given[0]} would label every model of {config} alike: put it into their [[model]] tables"
        raise UsageError(msg)
    from ingest.job import ingest, require_inputs  # torch: after the options are known to be right

    if len(jobs) > 1:
        require_inputs(jobs)
    titles = [f"[{number} of {len(jobs)}] {_title(one)}" for number, one in enumerate(jobs, start=1)]
    for number, one in enumerate(jobs):
        if len(jobs) > 1:
            _say(titles[number])
        try:
            with timed() as wall, progress() as shown:
                outcome = ingest(one, shown)
        except BaseException:
            for title in titles[number + 1 :]:
                _say(f"{title}: not run")
            raise
        report(outcome, wall[0], one.warehouse)


def _title(config: "IngestConfig") -> str:
    model = f"{config.name} ({config.model})" if config.name else config.model
    return f"{model} over {config.corpus}"


def _say(line: str) -> None:
    click.echo(printable(line))


def report(outcome: "Outcome", wall: float, warehouse: Path) -> None:
    """Tell what a job did, and what to ask next."""
    _say_how(outcome, wall, warehouse)
    if outcome.kept_labels:
        labels = ", ".join(f"{key} {'NULL' if label is None else label}" for key, label in outcome.kept_labels.items())
        _say(f"  labels of a stored run stay: {labels}; remove it and ingest again to change them")


def _say_how(outcome: "Outcome", wall: float, warehouse: Path) -> None:
    numbers = f"{plural(outcome.n_sequences, 'sequence')}, {plural(outcome.n_pairs, 'token pair')}"
    if outcome.state == "already complete":
        _say(f"run {outcome.run_id} ({outcome.name}) is complete: {numbers}; nothing to do, {seconds(wall)}")
        _say_annotated(outcome)
        return
    shares = ", ".join(f"{phase} {seconds(spent)}" for phase, spent in outcome.seconds.items())
    how = "resumed and completed" if outcome.state == "resumed" else "complete"
    _say(f"run {outcome.run_id} ({outcome.name}) {how}: {numbers} in {seconds(wall)}")
    _say(f"  time: {shares}")
    _say(f"  worst completeness error: {outcome.max_completeness_error:.1e}")
    if cuts := _cuts(outcome):
        _say(f"  {cuts}")
    _say_annotated(outcome)
    _say(f"  ask: lenshouse sql \"FROM v_change_by_layer WHERE component = 'FF'\" --warehouse {warehouse}")


def _say_annotated(outcome: "Outcome") -> None:
    if outcome.annotated and outcome.annotated.state == "stored":
        _say(f"  annotated by {outcome.annotated.annotation}: {plural(outcome.annotated.n_words, 'word')}")
        tell(outcome.annotated)


def _cuts(outcome: "Outcome") -> str:
    told = {
        "cut at the token limit": outcome.n_truncated,
        "split into chunks": outcome.n_chunked,
        "skipped as empty": outcome.n_skipped,
    }
    return "; ".join(f"{plural(n, 'text')} {what}" for what, n in told.items() if n)
