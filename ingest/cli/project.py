"""`lenshouse project`: a model's parameters as vocabulary items, into the warehouse."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ingest.cli import options
from ingest.cli.terminal import progress, seconds, timed
from ingest.cli.text import printable
from warehouse.contract import INTEGER
from warehouse.errors import UsageError, require_whole
from warehouse.wording import plural

if TYPE_CHECKING:
    from ingest.projection.job import Outcome
    from ingest.projection.pair_job import PairOutcome

_SOURCES = {
    "output": "its output embeddings",
    "tied": "its output embeddings, which are its input embeddings",
    "input": "its INPUT embeddings: the weight files hold no output embeddings",
}


def _names(ctx: click.Context, param: click.Parameter, value: str | None) -> list[str] | None:
    """a,b -> [a, b]; not given -> None."""
    return None if value is None else [name.strip() for name in value.split(",")]


def _numbers(ctx: click.Context, param: click.Parameter, value: str | None) -> list[int] | None:
    """1-3,7 -> [1, 2, 3, 7]; not given -> None."""
    if value is None:
        return None
    found: list[int] = []
    for piece in value.split(","):
        first, _, last = piece.strip().partition("-")
        if not first.isdecimal() or not (last or first).isdecimal() or int(last or first) < int(first):
            msg = f"'{value}': give numbers and ranges of layers, such as 1-4,7"
            raise click.BadParameter(msg)
        if int(last or first) > 10_000:
            msg = f"'{piece.strip()}': no model has so many layers"
            raise click.BadParameter(msg)
        found += range(int(first), int(last or first) + 1)
    return found


@click.command(name="project")
@click.option(
    "--model",
    metavar="ID|FOLDER|FILE.gguf",
    required=True,
    help="Hub id, folder with config.json, safetensors and tokenizer, or .gguf file.",
)
@options.warehouse
@click.option(
    "--components",
    metavar="NAME,…",
    callback=_names,
    help="ff_key, ff_gate, ff_value, w_q, w_k, w_v, w_o, ff_bias, attn_bias, output_bias. [all that the model has]",
)
@click.option("--layers", metavar="1-4,7", callback=_numbers, help="Layers, from 1. [all]")
@click.option("--top-k", type=click.IntRange(min=1), default=50, show_default=True, help="Items of each sign.")
@click.option(
    "--vocab-filter",
    metavar="FILTER",
    default="all",
    show_default=True,
    help="Items that take part: all, ascii, alphabetic, min-count:N (in the warehouse's texts), or a file of items.",
)
@click.option("--fold-ln", is_flag=True, help="Take vectors through the norm between them and the residual stream.")
@click.option(
    "--pairs", is_flag=True, help="Store instead the pairs of items that each head's VO and QK score highest."
)
@click.option("--pair-top-k", type=click.IntRange(min=1), help="With --pairs, pairs of each head. [default: 50]")
@click.option("--exclude-same", is_flag=True, help="With --pairs, leave out pairs of an item with itself.")
@options.device
@click.option(
    "--dtype",
    type=click.Choice(["float32", "bfloat16", "float16"]),
    default="float32",
    show_default=True,
    help="What parameters are held in; products are float32 always.",
)
@options.labels
@click.option("--replace", is_flag=True, help="Make what is stored again.")
@click.option("--remove", is_flag=True, help="Remove the projections of the model with this name or id instead.")
@click.option("--yes", is_flag=True, help="With --remove, do not ask.")
@options.verbose
def command(warehouse: Path, remove: bool, yes: bool, **flags: Any) -> None:
    """Store the vocabulary items that a model's parameters score highest and lowest with its output embeddings.

    The same command again goes on where it was stopped, or says that all is there. No run of the model is needed.

    \b
    lenshouse project --model gpt2
    lenshouse project --model ./my-bert --components ff_value,w_o --layers 9-12 --fold-ln
    lenshouse project --model gpt2 --pairs --vocab-filter alphabetic --exclude-same
    lenshouse project --model gpt2 --remove
    """
    if remove:
        _remove(warehouse, flags["model"], flags["name"], yes)
        return
    if yes:
        msg = "--yes is for --remove: leave it out"
        raise UsageError(msg)
    from ingest.job import require_storable_seed
    from ingest.models import load_model
    from ingest.projection.job import project, require_options
    from ingest.projection.pair_job import project_pairs, require_pair_options
    from warehouse import make_usable

    if flags["seed"] is not None:
        require_whole("--seed", flags["seed"], *INTEGER)
    asked: dict[str, Any] = {key: flags[key] for key in ("layers", "vocab_filter", "fold_ln", "replace")}
    pairs = _pair_options(flags)
    if pairs is None:
        asked |= {key: flags[key] for key in ("components", "top_k")}
        require_options(asked["top_k"], asked["vocab_filter"], asked["components"])
    else:
        asked |= pairs
        require_pair_options(asked["pair_top_k"], asked["vocab_filter"])
    make_usable(warehouse)
    with timed() as wall, progress() as shown:
        shown.phase("loading the model")
        labels = {key: flags[key] for key in ("revision", "device", "dtype", "name", "family", "seed")}
        model, tokenizer = load_model(flags["model"], **labels)
        require_storable_seed(model)
        outcome: Outcome | PairOutcome
        if pairs is None:
            outcome = project(model, tokenizer, warehouse, shown, **asked)
        else:
            outcome = project_pairs(model, tokenizer, warehouse, shown, **asked)
    _report(outcome, wall[0], warehouse)


def _pair_options(flags: dict[str, Any]) -> dict[str, Any] | None:
    """The options of --pairs; None without it. UsageError for those that do not go together."""
    given = {"--pair-top-k": flags["pair_top_k"], "--exclude-same": flags["exclude_same"]}
    if not flags["pairs"]:
        for option, value in given.items():
            if value:
                msg = f"{option} is for --pairs: add --pairs, or leave it out"
                raise UsageError(msg)
        return None
    if flags["components"] is not None:
        msg = "--components is for single vectors, --pairs for whole heads: give one of them"
        raise UsageError(msg)
    if click.get_current_context().get_parameter_source("top_k") is not click.core.ParameterSource.DEFAULT:
        msg = "--top-k is for single vectors: with --pairs it is --pair-top-k"
        raise UsageError(msg)
    return {"pair_top_k": flags["pair_top_k"] or 50, "exclude_same": flags["exclude_same"]}


def _remove(warehouse: Path, model: str, name: str | None, yes: bool) -> None:
    from warehouse import projections

    chosen = projections.choose(warehouse, *options.known_names(model, name))
    held = [plural(chosen.n_units, "unit")] if chosen.n_units else []
    if chosen.n_matrices:
        held.append(f"pairs of {plural(chosen.n_matrices, 'head product')}")
    what = f"the projections of model {chosen.model_id} ({printable(chosen.name)}, {', '.join(held)})"
    if not yes:
        click.confirm(f"Remove {what}?", abort=True)
    projections.remove(warehouse, chosen.model_id)
    click.echo(f"removed {what}")


def _report(outcome: "Outcome | PairOutcome", wall: float, warehouse: Path) -> None:
    from ingest.projection.job import Outcome

    model = f"model {outcome.model_id} ({outcome.name})"
    kept = f"{outcome.vocab_filter.name}, {plural(len(outcome.vocab_filter.token_ids), 'item')}"
    if not outcome.n_parts:
        _say(f"{model} has all {plural(outcome.n_there, 'part')} already: nothing to do, {seconds(wall)}")
    else:
        if isinstance(outcome, Outcome):
            done = plural(outcome.n_units, "unit")
        else:
            done = f"pairs of {plural(outcome.n_heads, 'head product')}"
        there = f"; {plural(outcome.n_there, 'part')} were there" if outcome.n_there else ""
        _say(f"{model} projected: {done} in {plural(outcome.n_parts, 'part')}, {seconds(wall)}{there}")
    _say(f"  read with {_SOURCES[outcome.source]}")
    _say(f"  vocabulary filter: {kept} ({outcome.vocab_filter.definition})")
    if outcome.note:
        _say(f"  {outcome.note}")
    if not outcome.n_parts:
        return
    if isinstance(outcome, Outcome):
        _say(f"  ask: lenshouse search TOKEN --warehouse {warehouse}")
    else:
        _say(f"  {outcome.share_multiplied:.2%} of the pairs were multiplied, a bound left out the others for certain")
        if outcome.n_unhelped:
            _say(f"  in {plural(outcome.n_unhelped, 'head product')} it left out less than half")
        _say(f'  ask: lenshouse sql "FROM v_pair_projection WHERE rank <= 5" --warehouse {warehouse}')


def _say(line: str) -> None:
    click.echo(printable(line))
