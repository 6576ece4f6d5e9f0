"""Train the checkpoints: `python -m ingest.checkpoints.train`, with names for some of them, `--list` for what there is.

One thread, so that a training is the same sum in the same order every time. It can be stopped at any moment: given
again, the command goes on from the last saved step and ends with the same weights.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click
import torch
from transformers import PreTrainedModel

from ingest.checkpoints import STORED, state
from ingest.checkpoints.batches import Batches, mask, next_tokens
from ingest.checkpoints.build import initial_model, token_losses
from ingest.checkpoints.material import Material, prepare
from ingest.checkpoints.recipes import RECIPES, WINDOW, Recipe, recipe_of
from ingest.checkpoints.record import RECORD, store
from ingest.checkpoints.text import read_texts
from ingest.tokens import tokenizer_fingerprint
from warehouse.errors import LenshouseError

WORK: Final = Path(".checkpoints-work")
"""What is half trained, below the folder where the command is given."""

SAVE_EVERY: Final = 100
"""Steps; less than a minute of work."""

_BETAS: Final = (0.9, 0.98)


def train(
    recipe: Recipe, material: Material, work: Path, *, window: int = WINDOW, save_every: int = SAVE_EVERY
) -> tuple[PreTrainedModel, float]:
    """A model after its last step, and the seconds of all its steps.

    Goes on from the last step that is saved under `work` for this recipe and text. torch must run on one thread for the
    weights to be the same every time.
    """
    model = initial_model(recipe, material.counts, window).train()
    optimizer = _optimizer(model, recipe)
    batches = Batches(material.training, recipe.batch, recipe.seed, window)
    saved = saved_state(work, recipe)
    identity = [recipe.fingerprint(), tokenizer_fingerprint(material.tokenizer), material.texts.source]
    step, before = 0, 0.0
    about = state.read_about(saved)
    if about is not None and about["identity"] == identity:
        step, before = about["step"], about["seconds"]
        state.restore(saved, model, optimizer, step)
    started = time.monotonic()
    while step < recipe.steps:
        loss = _make_step(model, optimizer, recipe, batches, step)
        step += 1
        if step % save_every == 0 or step == recipe.steps:
            seconds = before + time.monotonic() - started
            state.save(saved, model, optimizer, {"identity": identity, "step": step, "seconds": seconds})
            click.echo(f"{recipe.name}: step {step} of {recipe.steps}, loss {loss:.3f}, {seconds:.0f} s")
    return model.eval(), before + time.monotonic() - started


def saved_state(work: Path, recipe: Recipe) -> Path:
    """Where a training that is under way keeps its last saved step."""
    return work / f"{recipe.name}.safetensors"


def _optimizer(model: torch.nn.Module, recipe: Recipe) -> torch.optim.AdamW:
    parameters = list(model.parameters())
    return torch.optim.AdamW(
        [
            {"params": [p for p in parameters if p.ndim > 1], "weight_decay": recipe.weight_decay},
            {"params": [p for p in parameters if p.ndim == 1], "weight_decay": 0.0},
        ],
        lr=recipe.peak_lr,
        betas=_BETAS,
    )


def _make_step(model: Any, optimizer: torch.optim.Optimizer, recipe: Recipe, batches: Batches, step: int) -> float:
    """One step of the optimizer; its loss, in nats a target."""
    ids = batches(step)
    if recipe.kind == "masked":
        inputs, targets = mask(ids, recipe.masked_share, recipe.seed, step)
    else:
        inputs, targets = ids, next_tokens(ids)
    for group in optimizer.param_groups:
        group["lr"] = learning_rate(recipe, step)
    optimizer.zero_grad()
    loss = token_losses(model, recipe.kind, torch.from_numpy(inputs), torch.from_numpy(targets)).mean()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
    optimizer.step()
    return loss.item()


def learning_rate(recipe: Recipe, step: int) -> float:
    """Of a step, from 0: up to the peak in `warmup` steps, then straight down, to 0 behind the last."""
    rising = (step + 1) / recipe.warmup
    falling = (recipe.steps - step) / max(1, recipe.steps - recipe.warmup)
    return recipe.peak_lr * min(rising, falling, 1.0)


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME ...]")
@click.option("--list", "only_list", is_flag=True, help="Show the names, and which are stored already.")
@click.option("--again", is_flag=True, help="Train stored ones anew.")
@click.option("--work", type=click.Path(path_type=Path), default=WORK, show_default=True, help="For half trained ones.")
@click.option("--out", type=click.Path(path_type=Path), default=STORED, help="Where checkpoints are stored.")
def main(names: Sequence[str], only_list: bool, again: bool, work: Path, out: Path) -> None:
    """Train the checkpoints of these names, or all; those that are stored already are left alone."""
    try:
        recipes = [recipe_of(name) for name in names or RECIPES]
        stored = [recipe.name for recipe in recipes if (out / recipe.name / RECORD).is_file()]
        if only_list:
            for recipe in recipes:
                click.echo(f"{recipe.name}  {'stored' if recipe.name in stored else 'not trained yet'}")
        else:
            _train_all([recipe for recipe in recipes if again or recipe.name not in stored], work, out)
    except LenshouseError as error:
        raise click.ClickException(str(error)) from error


def _train_all(recipes: Sequence[Recipe], work: Path, out: Path) -> None:
    if not recipes:
        click.echo("all of them are stored already; --again trains them anew")
        return
    torch.set_num_threads(1)
    material = prepare(read_texts())
    for recipe in recipes:
        model, seconds = train(recipe, material, work)
        record = store(recipe, material, model, seconds, out)
        saved_state(work, recipe).unlink()
        click.echo(f"{recipe.name}: {record['below_unigram']:.2f} nats a token below the unigram entropy")


if __name__ == "__main__":
    main()
