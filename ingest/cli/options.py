"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from warehouse.analysis.runner import MAX_RESAMPLES, MIN_RESAMPLES
from warehouse.paths import expanded, warehouse_path

_traceback = False


def wants_traceback() -> bool:
    return _traceback


def _set_traceback(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    global _traceback
    _traceback = value


def verbose(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--verbose",
        is_flag=True,
        expose_value=False,
        callback=_set_traceback,
        help="With an error, show where it came from.",
    )(command)


def warehouse(command: Callable[..., Any]) -> Callable[..., Any]:
    """--warehouse as a Path, its default resolved."""
    return click.option(
        "--warehouse",
        metavar="FILE",
        callback=lambda ctx, param, value: warehouse_path(value),
        help="DuckDB file; LENSHOUSE_WAREHOUSE or lenshouse.duckdb where it is not given.",
    )(command)


def output(help: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        "--output",
        "-o",
        type=click.Path(path_type=Path, dir_okay=False),
        callback=lambda ctx, param, value: value and expanded(value),
        help=help,
    )


def device(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda or cuda:N.")(command)


def labels(command: Callable[..., Any]) -> Callable[..., Any]:
    """--revision, --name, --family and --seed: which model it is, and how it is to be known."""
    for option in (
        click.option("--seed", type=int, help="Training seed of the model. [default: read off the name]"),
        click.option("--family", help="Group of models that differ in their seed only. [default: read off the name]"),
        click.option("--name", help="What to call the model; its id or folder otherwise."),
        click.option("--revision", help="Branch, tag or commit of a hub model."),
    ):
        command = option(command)
    return command


def resamples(what: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """--resamples; `what` is resampled."""
    return click.option(
        "--resamples",
        type=click.IntRange(MIN_RESAMPLES, MAX_RESAMPLES),
        default=1000,
        show_default=True,
        help=what,
    )


def known_names(model: str, name: str | None) -> list[str]:
    """What a model that was given with --model, and perhaps --name, may be called in a warehouse."""
    return [name] if name else [model, *({Path(model).name, Path(model).stem} - {model, ""})]


def words(command: Callable[..., Any]) -> Callable[..., Any]:
    """--language and --lexicon."""
    language = click.option(
        "--language", metavar="CODE", help="Language of the texts, whose word frequencies are looked up. [default: en]"
    )
    lexicon = click.option(
        "--lexicon",
        metavar="FILE",
        help="Multi-word expressions: a WordNet index file, or a list with one a line.",
    )
    return language(lexicon(command))
