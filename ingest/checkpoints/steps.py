"""The steps of a training, whatever is trained: stopped at any moment, it goes on from the last that is saved."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click
import torch
from torch import Tensor
from transformers import PreTrainedModel

from ingest.checkpoints import state
from ingest.checkpoints.recipes import Recipe, Tuning

SAVE_EVERY: Final = 100
"""Steps; less than a minute of work."""

_BETAS: Final = (0.9, 0.98)

MakeStep = Callable[[torch.optim.Optimizer, int], float]
"""Makes one step, by its number from 0, and returns its loss in nats. It depends on nothing but the number."""


def run_steps(
    recipe: Recipe | Tuning,
    model: PreTrainedModel,
    identity: list[Any],
    make_step: MakeStep,
    work: Path,
    save_every: int = SAVE_EVERY,
) -> float:
    """Make all steps that are missing, in place; returns the seconds of all steps, earlier calls included.

    Goes on from the last step that is saved under `work` for the same `identity`.
    """
    optimizer = _optimizer(model, recipe)
    saved = saved_state(work, recipe)
    step, before = 0, 0.0
    about = state.read_about(saved)
    if about is not None and about["identity"] == identity:
        step, before = about["step"], about["seconds"]
        state.restore(saved, model, optimizer, step)
    started = time.monotonic()
    while step < recipe.steps:
        loss = make_step(optimizer, step)
        step += 1
        if step % save_every == 0 or step == recipe.steps:
            seconds = before + time.monotonic() - started
            state.save(saved, model, optimizer, {"identity": identity, "step": step, "seconds": seconds})
            click.echo(f"{recipe.name}: step {step} of {recipe.steps}, loss {loss:.3f}, {seconds:.0f} s")
    return before + time.monotonic() - started


def saved_state(work: Path, recipe: Recipe | Tuning) -> Path:
    """Where a training that is under way keeps its last saved step."""
    return work / f"{recipe.name}.safetensors"


def descend(
    model: torch.nn.Module, optimizer: torch.optim.Optimizer, recipe: Recipe | Tuning, step: int, loss: Tensor
) -> float:
    """Move the weights down the gradient of a step's loss, at the step's learning rate; returns the loss."""
    for group in optimizer.param_groups:
        group["lr"] = learning_rate(recipe, step)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
    optimizer.step()
    return loss.item()


def learning_rate(recipe: Recipe | Tuning, step: int) -> float:
    """Of a step, from 0: up to the peak in `warmup` steps, then straight down, to 0 behind the last."""
    rising = (step + 1) / recipe.warmup
    falling = (recipe.steps - step) / max(1, recipe.steps - recipe.warmup)
    return recipe.peak_lr * min(rising, falling, 1.0)


def _optimizer(model: torch.nn.Module, recipe: Recipe | Tuning) -> torch.optim.AdamW:
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    return torch.optim.AdamW(
        [
            {"params": [p for p in parameters if p.ndim > 1], "weight_decay": recipe.weight_decay},
            {"params": [p for p in parameters if p.ndim == 1], "weight_decay": 0.0},
        ],
        lr=recipe.peak_lr,
        betas=_BETAS,
    )
