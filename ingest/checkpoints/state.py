"""A training that is under way, on disk: weights and optimizer moments of the last saved step, replaced in one move."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import torch
from safetensors import safe_open
from safetensors.torch import save_file

_MOMENTS: Final = ("exp_avg", "exp_avg_sq")


def save(path: Path, model: torch.nn.Module, optimizer: torch.optim.Optimizer, about: dict[str, Any]) -> None:
    """Write everything that the next step depends on. Whoever is killed meanwhile leaves the last state whole."""
    tensors = {}
    for name, parameter in _trained(model):
        tensors[f"weight/{name}"] = parameter.detach()
        for moment in _MOMENTS:
            tensors[f"{moment}/{name}"] = optimizer.state[parameter][moment]
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    save_file(tensors, new, metadata={"about": json.dumps(about)})
    new.replace(path)


def read_about(path: Path) -> dict[str, Any] | None:
    """What `save` was told beside the tensors; None where nothing is saved."""
    if not path.is_file():
        return None
    with safe_open(path, "pt") as file:
        about: dict[str, Any] = json.loads(file.metadata()["about"])
    return about


def restore(path: Path, model: torch.nn.Module, optimizer: torch.optim.Optimizer, step: int) -> None:
    """Put a saved state into a model and an AdamW optimizer that has made no step yet."""
    with safe_open(path, "pt") as file, torch.no_grad():
        for name, parameter in _trained(model):
            parameter.copy_(file.get_tensor(f"weight/{name}"))
            optimizer.state[parameter] = {
                "step": torch.tensor(float(step)),
                **{moment: file.get_tensor(f"{moment}/{name}") for moment in _MOMENTS},
            }


def _trained(model: torch.nn.Module) -> Iterator[tuple[str, torch.nn.Parameter]]:
    """Parameters that steps move; others are what they were at the beginning."""
    return ((name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad)
