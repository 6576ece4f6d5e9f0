"""The difference of a fine-tuned model and its base: how far parameters moved, and what the largest shifts say."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import polars as pl
from torch import Tensor

import warehouse
from ingest.classifiers import Classifier, is_classifier, load_headed
from ingest.identity import identity_of
from ingest.models import LoadedModel, load_model
from ingest.progress import Progress
from ingest.projection.heads import class_difference, class_directions
from ingest.projection.parameters import components_of, vectors
from ingest.projection.shift import Shift, extremes, largest, measure
from ingest.projection.vocabulary import Vocabulary, vocabulary_of
from ingest.projection.vocabulary_check import require_same_vocabulary
from warehouse.diffs import DIFF, SHIFT, Diff, store, stored
from warehouse.errors import ModelError, NumericsError, UsageError

UNRELATED: Final = 1.0
"""Shift over the base's norm from which two models look unrelated, whose matrices of one norm differ by about 1.41 of
it; training on, with the usual learning rates, moves far less. (Ours.)"""

_SHAPE: Final = ("n_layer", "d_model", "d_ff", "n_head", "n_kv_head", "is_gated", "placement", "model_type")


@dataclass(frozen=True)
class DiffConfig:
    """What is compared, and what is kept of it."""

    base: str
    tuned: str
    warehouse: Path
    n_largest: int = 20
    """Units of each layer and component."""
    top_k: int = 20
    """Items of each sign."""
    fold_ln: bool = False
    device: str = "auto"


@dataclass(frozen=True)
class Outcome:
    """What was found. `relative` is the whole shift over the base's whole norm, None where all was there already."""

    state: Literal["complete", "already complete"]
    base: str
    tuned: str
    base_id: int
    tuned_id: int
    relative: float | None
    notes: tuple[str, ...]


def diff(config: DiffConfig, progress: Progress) -> Outcome:
    """Compare two models and store what was found; nothing is computed where it is there already.

    Raises ModelError for models of other shapes or vocabularies, and for a tuned model whose files say that its base
    has other weights; NumericsError for a score that is not finite.
    """
    warehouse.make_usable(config.warehouse)
    progress.phase("loading the base")
    base, tokenizer = load_model(config.base, device=config.device)
    progress.phase("loading the tuned model")
    tuned, its_tokenizer, classifier = _load_tuned(config)
    require_base(base, tuned)
    require_same_shape(base, tuned)
    vocabulary = vocabulary_of(base, tokenizer)
    require_same_vocabulary(vocabulary, vocabulary_of(tuned, its_tokenizer), base.name, tuned.name)
    if config.top_k > len(vocabulary.ids):
        msg = f"--top-k {config.top_k}: {base.name} has {len(vocabulary.ids):,} items; give at most that"
        raise UsageError(msg)
    about = Diff(
        base=identity_of(base, tokenizer),
        tuned=identity_of(tuned, its_tokenizer),
        n_largest=config.n_largest,
        top_k=config.top_k,
        vocab_filter="all",
        ln_folded=config.fold_ln,
    )
    notes = _doubts(base, tuned)
    if (ids := stored(config.warehouse, about)) is not None:
        return Outcome("already complete", base.name, tuned.name, *ids, None, notes)
    found = _Found(config, base, tuned, vocabulary)
    progress.phase("comparing layers", base.n_layer)
    for layer in range(1, base.n_layer + 1):
        found.add_layer(layer)
        progress.advance(1)
    found.add_embeddings()
    if classifier is not None:
        found.add_head(classifier)
    relative = found.relative()
    if relative > UNRELATED:
        notes += (
            f"the shift is {relative:.2f} of the base's norm, as between unrelated models: is BASE the right one?",
        )
    base_id, tuned_id = store(config.warehouse, about, found.shift(), found.items())
    return Outcome("complete", base.name, tuned.name, base_id, tuned_id, relative, notes)


def require_base(base: LoadedModel, tuned: LoadedModel) -> None:
    """Raise ModelError where the tuned model's record names a base of other weights, or the base's the tuned model."""
    if base.base is not None and base.base.weights_sha256 == tuned.weights_sha256:
        msg = f"{base.name} was trained on from {tuned.name}: give the two the other way round, the base first"
        raise ModelError(msg)
    claimed = tuned.base
    wanted = claimed.weights_sha256 if claimed is not None else None
    if claimed is not None and wanted is not None and wanted != base.weights_sha256:
        msg = (
            f"{tuned.name} was trained on from {claimed.name} (weights {wanted[:12]}…), and {base.name} has other "
            f"weights ({base.weights_sha256[:12]}…): give that model as the base"
        )
        raise ModelError(msg)


def require_same_shape(base: LoadedModel, tuned: LoadedModel) -> None:
    """Raise ModelError, naming the first difference, for models whose parameters do not correspond."""
    a, b = base.describe(), tuned.describe()
    for name in _SHAPE:
        if a[name] != b[name]:
            msg = (
                f"{base.name} and {tuned.name} have no corresponding parameters: {name} is {a[name]} in the one and "
                f"{b[name]} in the other; give a model and one that was trained on from it"
            )
            raise ModelError(msg)


class _Found:
    """Rows of both tables, layer by layer."""

    def __init__(self, config: DiffConfig, base: LoadedModel, tuned: LoadedModel, vocabulary: Vocabulary) -> None:
        self._config, self._base, self._tuned = config, base, tuned
        self._ids = vocabulary.ids
        self._embeddings = vocabulary.embeddings[self._ids].double()
        self._shifts: list[dict[str, Any]] = []
        self._items: list[pl.DataFrame] = []

    def add_layer(self, layer: int) -> None:
        for component in components_of(self._base):
            before, after = (
                vectors(model, layer, component, fold_ln=self._config.fold_ln) for model in (self._base, self._tuned)
            )
            shift = measure(before, after)
            self._add_shift(layer, component, shift)
            units = largest(shift.unit_norms, self._config.n_largest)
            moved = (after[units].double() - before[units].double()).to(self._embeddings.device)
            width = self._base.d_head(layer) if component.startswith("w_") else None
            self._add_items(layer, component, units, shift.unit_norms[units], moved, width)

    def add_embeddings(self) -> None:
        modules: list[Any] = [self._base.module, self._tuned.module]
        before, after = (module.get_input_embeddings().weight.detach()[self._ids] for module in modules)
        self._add_shift(0, "embedding", measure(before, after))

    def add_head(self, classifier: Classifier) -> None:
        rows = class_directions(classifier)
        for component, directions in (("classifier", rows), ("classifier_difference", class_difference(rows))):
            if directions is not None:
                norms = directions.double().norm(dim=1)
                units = largest(norms, len(norms))
                self._add_items(0, component, units, norms[units], directions[units].double(), None)

    def relative(self) -> float:
        """The whole shift over the base's whole norm, embeddings included."""
        norm, base = (sum(row[name] ** 2 for row in self._shifts) for name in ("norm", "base_norm"))
        return float((norm / base) ** 0.5)

    def shift(self) -> pl.DataFrame:
        return pl.DataFrame(self._shifts, schema=SHIFT).with_columns(pl.col("relative", "cosine").fill_nan(None))

    def items(self) -> pl.DataFrame:
        return pl.concat([pl.DataFrame(schema=DIFF), *self._items])

    def _add_shift(self, layer: int, component: str, shift: Shift) -> None:
        self._shifts.append(
            {
                "layer": layer,
                "component": component,
                "n_units": len(shift.unit_norms),
                "norm": shift.norm,
                "base_norm": shift.base_norm,
                "relative": shift.relative,
                "cosine": shift.cosine,
                "mean_unit_norm": float(shift.unit_norms.mean()),
                "max_unit_norm": float(shift.unit_norms.max()),
            }
        )

    def _add_items(
        self, layer: int, component: str, units: Tensor, norms: Tensor, directions: Tensor, d_head: int | None
    ) -> None:
        scores = directions @ self._embeddings.T
        if not scores.isfinite().all():
            msg = f"layer {layer} {component} of {self._tuned.name}: scores are NaN or infinite; get the model again"
            raise NumericsError(msg)
        for sign, (columns, best) in zip((1, -1), extremes(scores, self._config.top_k), strict=True):
            self._items += _frames(layer, component, units, norms, d_head, sign, self._ids[columns], best)


def _frames(
    layer: int,
    component: str,
    units: Tensor,
    norms: Tensor,
    d_head: int | None,
    sign: int,
    token_ids: Tensor,
    scores: Tensor,
) -> Iterator[pl.DataFrame]:
    for shift_rank, unit in enumerate(units.tolist(), start=1):
        at = shift_rank - 1
        yield pl.DataFrame(
            {
                "layer": layer,
                "component": component,
                "unit": unit,
                "head": None if d_head is None else unit // d_head,
                "shift_rank": shift_rank,
                "shift_norm": float(norms[at]),
                "sign": sign,
                "rank": range(1, token_ids.shape[1] + 1),
                "token_id": token_ids[at].cpu().numpy(),
                "score": scores[at].cpu().numpy(),
            },
        ).cast(DIFF)


def _load_tuned(config: DiffConfig) -> tuple[LoadedModel, Any, Classifier | None]:
    if is_classifier(config.tuned):
        classifier, tokenizer = load_headed(config.tuned, device=config.device)
        return classifier.model, tokenizer, classifier
    model, tokenizer = load_model(config.tuned, device=config.device)
    return model, tokenizer, None


def _doubts(base: LoadedModel, tuned: LoadedModel) -> tuple[str, ...]:
    """Where only a name is known of the tuned model's base, and it is another's."""
    claimed = tuned.base
    if claimed is None or claimed.weights_sha256 is not None:
        return ()
    if claimed.name.rsplit("/", 1)[-1].lower() == base.name.rsplit("/", 1)[-1].lower():
        return ()
    return (f"the files of {tuned.name} say that it was trained on from {claimed.name}: is {base.name} the same?",)
