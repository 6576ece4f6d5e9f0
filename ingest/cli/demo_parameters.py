"""The second half of `lenshouse demo`: what parameters say, by the commands that anyone would give."""

from pathlib import Path
from typing import Final

import click

from ingest.checkpoints import path_of
from ingest.cli.text import printable

TUNED: Final = "lens-masked-128-seed0-sentiment"
"""A classifier of film reviews, trained on from BASE."""

BASE: Final = "lens-masked-128-seed0"
OTHERS: Final = ("lens-masked-128-seed1", "lens-masked-128-seed2")
SEEDS: Final = tuple(f"lens-causal-128-seed{seed}" for seed in range(3))


def show_parameters(minilm: Path, warehouse: Path, limit: int) -> None:
    """Project, measure recall, align, compare with a fine-tuned model and stitch; each says what it found."""
    named = ("--model", minilm, "--name", "minilm")
    _do(warehouse, "project", *named, "--components", "ff_key,ff_value")
    _do(warehouse, "project", *named, "--pairs", "--layers", "6", "--vocab-filter", "alphabetic", "--exclude-same")
    _do(warehouse, "search", "boring", "dull", "--component", "ff_value", "--sign", "promote", "--limit", "5")
    _do(warehouse, "recall", *named, "--corpus", "demo", "--limit", str(min(limit, 12)))
    _do(warehouse, "align", *map(path_of, SEEDS), "--components", "ff_key,ff_value,w_v")
    _do(warehouse, "diff", path_of(BASE), path_of(TUNED))
    held_out = ("--corpus", "demo:held-out", "--limit", "60", "--draws", "1")
    _do(warehouse, "stitch", *map(path_of, OTHERS), "--classifier", path_of(TUNED), *held_out)


def _do(warehouse: Path, *words: str | Path) -> None:
    """Say a command and run it; of folders that the package carries the name is said."""
    from ingest.cli import app

    said = [word.name if isinstance(word, Path) else word for word in words]
    click.echo()
    click.echo(printable(f"lenshouse {' '.join(said)} --warehouse {warehouse}"))
    app.main([*map(str, words), "--warehouse", str(warehouse)], standalone_mode=False)
