"""Train the checkpoints: `python -m ingest.checkpoints.train`, with names for some of them, `--list` for what there is.

One thread, so that a training is the same sum in the same order every time. It can be stopped at any moment: given
again, the command goes on from the last saved step and ends with the same weights.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click
import torch
from transformers import PreTrainedModel

from ingest.checkpoints import STORED, finetune
from ingest.checkpoints.batches import Batches, mask, next_tokens
from ingest.checkpoints.build import initial_model, token_losses
from ingest.checkpoints.material import Material, prepare
from ingest.checkpoints.recipes import RECIPES, TUNINGS, WINDOW, Recipe, Tuning, recipe_of
from ingest.checkpoints.record import RECORD, store
from ingest.checkpoints.steps import SAVE_EVERY, descend, run_steps, saved_state
from ingest.checkpoints.text import read_reviews, read_texts
from ingest.tokens import tokenizer_fingerprint
from warehouse.errors import LenshouseError

WORK: Final = Path(".checkpoints-work")
"""What is half trained, below the folder where the command is given."""


def train(
    recipe: Recipe, material: Material, work: Path, *, window: int = WINDOW, save_every: int = SAVE_EVERY
) -> tuple[PreTrainedModel, float]:
    """A model after its last step, and the seconds of all its steps.

    Goes on from the last step that is saved under `work` for this recipe and text. torch must run on one thread for the
    weights to be the same every time.
    """
    model = initial_model(recipe, material.counts, window).train()
    batches = Batches(material.training, recipe.batch, recipe.seed, window)
    identity = [recipe.fingerprint(), tokenizer_fingerprint(material.tokenizer), material.texts.source]

    def make_step(optimizer: torch.optim.Optimizer, step: int) -> float:
        return _make_step(model, optimizer, recipe, batches, step)

    seconds = run_steps(recipe, model, identity, make_step, work, save_every)
    return model.eval(), seconds


def _make_step(model: Any, optimizer: torch.optim.Optimizer, recipe: Recipe, batches: Batches, step: int) -> float:
    """One step of the optimizer; its loss, in nats a target."""
    ids = batches(step)
    if recipe.kind == "masked":
        inputs, targets = mask(ids, recipe.masked_share, recipe.seed, step)
    else:
        inputs, targets = ids, next_tokens(ids)
    loss = token_losses(model, recipe.kind, torch.from_numpy(inputs), torch.from_numpy(targets)).mean()
    return descend(model, optimizer, recipe, step, loss)


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME ...]")
@click.option("--list", "only_list", is_flag=True, help="Show the names, and which are stored already.")
@click.option("--again", is_flag=True, help="Train stored ones anew.")
@click.option("--work", type=click.Path(path_type=Path), default=WORK, show_default=True, help="For half trained ones.")
@click.option("--out", type=click.Path(path_type=Path), default=STORED, help="Where checkpoints are stored.")
def main(names: Sequence[str], only_list: bool, again: bool, work: Path, out: Path) -> None:
    """Train the checkpoints of these names, or all; those that are stored already are left alone.

    A tuned one is trained on from its base, which has to be stored, or named before it.
    """
    try:
        recipes = [recipe_of(name) for name in names or (*RECIPES, *TUNINGS)]
        stored = [recipe.name for recipe in recipes if (out / recipe.name / RECORD).is_file()]
        if only_list:
            for recipe in recipes:
                click.echo(f"{recipe.name}  {'stored' if recipe.name in stored else 'not trained yet'}")
        else:
            _train_all([recipe for recipe in recipes if again or recipe.name not in stored], work, out)
    except LenshouseError as error:
        raise click.ClickException(str(error)) from error


def _train_all(recipes: Sequence[Recipe | Tuning], work: Path, out: Path) -> None:
    if not recipes:
        click.echo("all of them are stored already; --again trains them anew")
        return
    torch.set_num_threads(1)
    material = prepare(read_texts())
    for recipe in recipes:
        if isinstance(recipe, Tuning):
            click.echo(f"{recipe.name}: {_tuned(recipe, work, out)}")
        else:
            click.echo(f"{recipe.name}: {_trained(recipe, material, work, out)}")
        saved_state(work, recipe).unlink()


def _trained(recipe: Recipe, material: Material, work: Path, out: Path) -> str:
    model, seconds = train(recipe, material, work)
    record = store(recipe, material, model, seconds, out)
    return f"{record['below_unigram']:.2f} nats a token below the unigram entropy"


def _tuned(tuning: Tuning, work: Path, out: Path) -> str:
    base, reviews = finetune.stored_base(tuning, out), read_reviews()
    model, seconds = finetune.finetune(tuning, base, reviews, work)
    held_out = finetune.store(tuning, base, reviews, model, seconds, out)["held_out"]
    return f"{held_out['accuracy_after']:.1%} of the held-out reviews right, {held_out['majority_share']:.1%} by chance"


if __name__ == "__main__":
    main()
