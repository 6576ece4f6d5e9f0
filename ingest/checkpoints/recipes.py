"""What is trained: every number that decides a checkpoint's weights, beside the text and the library versions."""

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from typing import Final, Literal

from warehouse.errors import UsageError

Kind = Literal["masked", "causal"]
"""`masked`: BERT, Post-LN, predicts hidden tokens. `causal`: GPT-2, Pre-LN, predicts the next token."""

VOCAB_SIZE: Final = 1024
"""Small on purpose: pieces are then predictable from their neighbours, which is what so small a model learns first."""

WINDOW: Final = 128
"""Tokens in a training window, special ones included, and the positions that a model has."""


@dataclass(frozen=True)
class Recipe:
    """One checkpoint."""

    kind: Kind
    d_model: int
    seed: int
    """Of the initial weights, the order of the text and the masks; all three differ between seeds."""
    steps: int
    batch: int = 16
    """Windows in a step."""
    peak_lr: float = 2e-3
    """Reached after `warmup` steps, from 0; then linearly down to 0 at the last step."""
    warmup: int = 100
    weight_decay: float = 0.01
    """Of matrices; biases and norms do not decay."""
    clip: float = 1.0
    """Largest norm of a step's gradient."""
    n_layer: int = 4
    init_std: float = 0.05
    masked_share: float = 0.3
    """Of the tokens that are not special, in training; no meaning for a causal model."""

    @property
    def n_head(self) -> int:
        return self.d_model // 32

    @property
    def d_ff(self) -> int:
        return 4 * self.d_model

    @property
    def name(self) -> str:
        return f"lens-{self.kind}-{self.d_model}-seed{self.seed}"

    def fingerprint(self) -> str:
        """Equal for equal recipes only: what was half trained after another recipe is not gone on with."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


LABELS: Final = ("rotten", "fresh")
"""Classes of the tuned checkpoints by their ids."""


@dataclass(frozen=True)
class Tuning:
    """One checkpoint that is trained on from another, to tell favourable reviews from unfavourable ones."""

    base: str
    seed: int
    """Of the head's initial weights, the order of the reviews and dropout."""
    steps: int = 1110
    """Three times all reviews."""
    batch: int = 32
    """Reviews in a step, of similar length."""
    peak_lr: float = 5e-4
    warmup: int = 100
    weight_decay: float = 0.01
    clip: float = 1.0
    dropout: float = 0.1
    """Of hidden states and before the head, not of attention weights."""
    frozen: tuple[str, ...] = ("bert.embeddings.",)
    """Beginnings of the names of parameters that stay the base's: both are then read with the same vocabulary."""

    @property
    def name(self) -> str:
        return f"{self.base}-sentiment"

    def fingerprint(self) -> str:
        """As a recipe's."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


_SEEDS: Final = 3
_FAMILIES: Final = (
    Recipe("masked", 128, seed=0, steps=450, warmup=50, init_std=0.09),
    Recipe("causal", 128, seed=0, steps=700),
    Recipe("masked", 64, seed=0, steps=350, peak_lr=3e-3, warmup=50, init_std=0.1),
    Recipe("causal", 64, seed=0, steps=1400, batch=8, peak_lr=4e-3, warmup=100),
)

RECIPES: Final = {
    recipe.name: recipe for family in _FAMILIES for recipe in (replace(family, seed=seed) for seed in range(_SEEDS))
}

TUNINGS: Final = {
    tuning.name: tuning for tuning in (Tuning(f"lens-masked-128-seed{seed}", seed) for seed in range(_SEEDS))
}


def recipe_of(name: str) -> Recipe | Tuning:
    """The recipe of a checkpoint; UsageError for a name that none has."""
    known: dict[str, Recipe | Tuning] = {**RECIPES, **TUNINGS}
    if name not in known:
        msg = f"{name}: no recipe of that name; there are {', '.join(known)}"
        raise UsageError(msg)
    return known[name]
