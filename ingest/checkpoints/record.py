"""Store a trained model: fp16 weights, the tokenizer, and a record of the training with what it has learnt.

The losses in the record are those of the stored files: fp16 weights, loaded again in float32.
"""

import json
import platform
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import torch
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, PreTrainedModel

from ingest.checkpoints.build import initial_model
from ingest.checkpoints.evaluate import held_out_loss, unigram_entropy
from ingest.checkpoints.material import Material
from ingest.checkpoints.recipes import WINDOW, Kind, Recipe
from ingest.model_files import quietly
from ingest.tokens import tokenizer_fingerprint

RECORD: Final = "training.json"
ONE_DOCUMENT_IN: Final = 20
"""Of the held-out ones, for a second loss in the record that is quick to check."""

_START: Final = {
    "masked": "random weights, helped by ingest/checkpoints/kindle.py: two heads of layer 1 began with a view of the "
    "tokens to the left and right, and word embeddings with which tokens follow which",
    "causal": "random weights; position embeddings began as sinusoids",
}
"""For whoever reads the weights: what was not learnt from nothing."""

_LIBRARIES: Final = ("torch", "transformers", "tokenizers", "safetensors", "numpy")
_CLASSES: Final = {"masked": AutoModelForMaskedLM, "causal": AutoModelForCausalLM}


def store(
    recipe: Recipe, material: Material, model: PreTrainedModel, seconds: float, out: Path, *, window: int = WINDOW
) -> dict[str, Any]:
    """Write `out`/NAME, whole or not at all, in place of what was there; returns the record.

    Turns `model` into fp16.
    """
    return write_checkpoint(
        recipe.name, model, material.tokenizer, out, lambda folder: _record(recipe, material, folder, seconds, window)
    )


def write_checkpoint(
    name: str, model: PreTrainedModel, tokenizer: Any, out: Path, describe: Callable[[Path], dict[str, Any]]
) -> dict[str, Any]:
    """Write `out`/NAME, whole or not at all: fp16 weights, tokenizer, and what `describe` says of the new folder."""
    folder, new = out / name, out / f".new-{name}"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    quietly(lambda: model.half().save_pretrained(new), name, "its weights")
    load_in_float32(new / "config.json")
    tokenizer.save_pretrained(new)
    record = describe(new)
    (new / RECORD).write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    new.rename(folder)
    return record


def load_in_float32(config: Path) -> None:
    """Let a configuration ask for float32 whatever the files hold: `from_pretrained` then needs no dtype."""
    raw = json.loads(config.read_text(encoding="utf-8")) | {"dtype": "float32"}
    config.write_text(json.dumps(raw, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def stored_model(folder: Path, kind: Kind) -> Any:
    """A stored checkpoint with the head that it was trained with, in float32."""
    load = _CLASSES[kind].from_pretrained
    return quietly(lambda: load(folder, dtype=torch.float32, local_files_only=True), folder.name, "its weights").eval()


def quick_part(documents: Sequence[list[int]]) -> Sequence[list[int]]:
    """The held-out documents of the quick check."""
    return documents[::ONE_DOCUMENT_IN]


def _record(recipe: Recipe, material: Material, folder: Path, seconds: float, window: int) -> dict[str, Any]:
    held_out, counts = material.held_out, material.counts
    stored = stored_model(folder, recipe.kind)
    entropy = unigram_entropy(held_out, counts.unigram)
    before = held_out_loss(initial_model(recipe, counts, window).eval(), recipe.kind, held_out, window)
    after = held_out_loss(stored, recipe.kind, held_out, window)
    return {
        "name": recipe.name,
        "model_class": type(stored).__name__,
        "n_params": stored.num_parameters(),
        "below_unigram": round(entropy - after, 4),
        "held_out": {
            "unit": "nats a token; special tokens are not counted",
            "n_tokens": sum(map(len, held_out)),
            "unigram_entropy": round(entropy, 4),
            "loss_before": round(before, 4),
            "loss_after": round(after, 4),
            "quick_loss_after": round(held_out_loss(stored, recipe.kind, quick_part(held_out), window), 4),
            "quick_documents": f"one in {ONE_DOCUMENT_IN}",
        },
        "text": material.texts.source,
        "start": _START[recipe.kind],
        "training": {
            **asdict(recipe),
            "n_head": recipe.n_head,
            "d_ff": recipe.d_ff,
            "window": window,
            "vocab_size": counts.vocab_size,
            "text_tokens": sum(map(len, material.training)),
            "tokens_seen": recipe.steps * recipe.batch * window,
            "threads": torch.get_num_threads(),
            "seconds": round(seconds),
        },
        "tokenizer_fingerprint": tokenizer_fingerprint(material.tokenizer),
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    """Of what decides a training's numbers."""
    return {"python": platform.python_version(), **{name: version(name) for name in _LIBRARIES}}
