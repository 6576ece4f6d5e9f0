"""What a model's files say of the model that it was trained on from."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

RECORD: Final = "training.json"
"""The record of a training beside the weights, as our own checkpoints carry it: `base_model` is a name, and
`base_weights_sha256` what `ingest.model_files.sha256` gave for its weight files."""

_HUB_ID: Final = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")
_STEP_OF_A_TRAINING: Final = re.compile(r"checkpoint-\d+")


@dataclass(frozen=True)
class Base:
    """The model that another was trained on from."""

    name: str
    weights_sha256: str | None
    """None where only its name is known."""


def base_of(folder: Path, name: str) -> Base | None:
    """The base of the model in a folder, which is called `name`; None where nothing tells it.

    The record of its training goes first. Else it is `_name_or_path` in config.json, where transformers kept what a
    model was loaded from before it was trained: a hub id other than the model's own, not a path of that machine.
    """
    record = _read(folder / RECORD)
    if isinstance(base := record.get("base_model"), str) and base:
        sha256 = record.get("base_weights_sha256")
        return Base(base, sha256 if isinstance(sha256, str) else None)
    loaded_from = _read(folder / "config.json").get("_name_or_path")
    if isinstance(loaded_from, str) and _is_another(loaded_from, name):
        return Base(loaded_from, None)
    return None


def _is_another(loaded_from: str, name: str) -> bool:
    return (
        _HUB_ID.fullmatch(loaded_from) is not None
        and _STEP_OF_A_TRAINING.fullmatch(loaded_from.rsplit("/", 1)[-1]) is None
        and loaded_from.rsplit("/", 1)[-1].lower() != name.rsplit("/", 1)[-1].lower()
    )


def _read(path: Path) -> dict[str, Any]:
    """A JSON object; empty where there is none. Other readers refuse a damaged configuration."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
