"""Align models that share a vocabulary, every two of them: component by component, and what is there is left alone."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import polars as pl
from torch import Tensor

import warehouse
from ingest.identity import identity_of
from ingest.models import LoadedModel, load_model
from ingest.progress import Progress
from ingest.projection.alignment import Alignment, Matches, Measure, Metric, Space, align, assign, metric, own_index_p
from ingest.projection.parameters import Component, components_of, vectors
from ingest.projection.vocabulary import Vocabulary, vocabulary_of
from ingest.projection.vocabulary_check import require_same_kind, require_same_vocabulary
from warehouse.alignments import Aligned, ids_of, store, stored
from warehouse.errors import ModelError, UsageError, require_choice
from warehouse.models import ModelIdentity

_MEASURES: Final[tuple[Measure, ...]] = ("score", "best_match")


@dataclass(frozen=True)
class AlignConfig:
    """Which models are aligned, in what."""

    models: tuple[str, ...]
    warehouse: Path
    components: tuple[Component, ...] = ()
    """All that both models have where none is named."""
    replace: bool = False
    device: str = "auto"


@dataclass(frozen=True)
class Outcome:
    """What became of two models; `notes` say what could not be compared."""

    a: str
    b: str
    computed: tuple[str, ...]
    already: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Side:
    """A model with what reads its vectors."""

    spec: str
    model: LoadedModel
    vocabulary: Vocabulary
    identity: ModelIdentity


def align_models(config: AlignConfig, progress: Progress) -> tuple[list[int], list[Outcome]]:
    """Align every two of the models; returns their ids, and what became of each two.

    At most two models are in memory at once. Raises LenshouseError; what was stored before stays, and the same
    configuration goes on from there.
    """
    for component in config.components:
        require_choice("component", component, Component)
    if len(config.models) < 2:
        msg = "one model alone cannot be aligned: give two or more, such as the seeds of one family"
        raise UsageError(msg)
    warehouse.make_usable(config.warehouse)
    shelf = _Shelf(config.device, progress)
    ids = _enter(config, shelf)
    outcomes = []
    for (a, _), (b, _) in combinations(sorted(ids.items(), key=lambda item: item[1]), 2):
        outcomes.append(_align_two(config, shelf.take(a), shelf.take(b, beside=a), progress))
    return sorted(ids.values()), outcomes


class _Shelf:
    """The models that were used last, two at most."""

    def __init__(self, device: str, progress: Progress) -> None:
        self._device, self._progress = device, progress
        self._sides: dict[str, _Side] = {}

    def take(self, spec: str, *, beside: str | None = None) -> _Side:
        """A model; when a third is loaded, the one that is not `beside` goes."""
        if spec not in self._sides:
            for other in [other for other in self._sides if other != beside][: max(0, len(self._sides) - 1)]:
                del self._sides[other]
            self._progress.phase(f"loading {spec}")
            model, tokenizer = load_model(spec, device=self._device)
            self._sides[spec] = _Side(spec, model, vocabulary_of(model, tokenizer), identity_of(model, tokenizer))
        return self._sides[spec]


def _enter(config: AlignConfig, shelf: _Shelf) -> dict[str, int]:
    """Every model's id by its spec, all of one vocabulary; nothing is entered before that is known of all."""
    first = shelf.take(config.models[0])
    names, identities = {first.model.name: first.spec}, {first.spec: first.identity}
    for spec in config.models[1:]:
        side = shelf.take(spec, beside=first.spec)
        if spec in identities or side.identity.model == first.identity.model:
            msg = f"{spec} is given twice: a model cannot be aligned with itself"
            raise UsageError(msg)
        require_same_vocabulary(first.vocabulary, side.vocabulary, first.model.name, side.model.name)
        require_same_kind(first.vocabulary, side.vocabulary, first.model.name, side.model.name)
        if side.model.name in names:
            msg = f"{names[side.model.name]} and {spec} are both called {side.model.name}: rename a folder"
            raise UsageError(msg)
        names[side.model.name], identities[spec] = spec, side.identity
        _components(config, first.model, side.model)
    ids = ids_of(config.warehouse, list(identities.values()))
    return dict(zip(identities, ids, strict=True))


def _align_two(config: AlignConfig, a: _Side, b: _Side, progress: Progress) -> Outcome:
    wanted, notes = _components(config, a.model, b.model)
    there = set() if config.replace else stored(config.warehouse, a.identity, b.identity)
    missing = [component for component in wanted if component not in there]
    spaces: list[Space] = ["embedding", "feature"]
    if a.model.module.config.hidden_size != b.model.module.config.hidden_size:
        spaces.remove("feature")
        notes.append("no feature space: the models are of different widths")
    if missing:
        n_steps = len(missing) * len(spaces) * a.model.n_layer * b.model.n_layer
        progress.phase(f"aligning {a.model.name} and {b.model.name}", n_steps)
        keep = a.vocabulary.ids
        shared = metric(_kept(a.vocabulary), _kept(b.vocabulary))
        for component in missing:
            aligned = _align_component(component, spaces, a, b, shared, len(keep), progress)
            store(config.warehouse, a.identity, b.identity, component, aligned)
    already = tuple(component for component in wanted if component in there)
    return Outcome(a.model.name, b.model.name, tuple(missing), already, tuple(notes))


def _kept(vocabulary: Vocabulary) -> Tensor:
    """Embeddings of the items that take part; no copy where all do, which would only take memory."""
    return vocabulary.embeddings if vocabulary.keep.all() else vocabulary.embeddings[vocabulary.ids]


def _components(config: AlignConfig, a: LoadedModel, b: LoadedModel) -> tuple[list[Component], list[str]]:
    """Components that both have, and a note about those that one has alone."""
    both = [component for component in components_of(a) if component in components_of(b)]
    alone = sorted({*components_of(a)} ^ {*components_of(b)})
    for component in config.components:
        if component not in both:
            msg = f"component {component}: {a.name} and {b.name} do not both have it; they share {', '.join(both)}"
            raise ModelError(msg)
    note = [f"{', '.join(alone)} of one of them alone"] if alone and not config.components else []
    return [component for component in both if component in (config.components or both)], note


def _align_component(
    component: Component, spaces: Sequence[Space], a: _Side, b: _Side, shared: Metric, n_items: int, progress: Progress
) -> Aligned:
    pairs, summaries, matches = [], [], []
    for space in spaces:
        started = time.perf_counter()
        found = align(
            _layers(a.model, component),
            _layers(b.model, component),
            shared if space == "embedding" else None,
            lambda: progress.advance(1),
        )
        pairs.append(_pairs(found, space))
        about = {
            "space": space,
            "n_items": n_items,
            "embedding_a": a.vocabulary.source,
            "embedding_b": b.vocabulary.source,
            "seconds": time.perf_counter() - started,
        }
        summaries += [_summary(found, measure) | about for measure in _MEASURES]
        if space == "embedding":
            matches = [_match(layer, of) for layer, of in enumerate(found.matches, start=1)]
    return Aligned(pl.concat(pairs), pl.DataFrame(summaries), pl.concat(matches))


def _layers(model: LoadedModel, component: Component) -> Iterator[Any]:
    return (vectors(model, layer, component) for layer in range(1, model.n_layer + 1))


def _pairs(found: Alignment, space: Space) -> pl.DataFrame:
    """One row per two layers."""
    assigned = {measure: assign(found.of(measure)) for measure in _MEASURES}
    n_a, n_b = found.score.shape
    return pl.DataFrame(
        {
            "space": [space] * (n_a * n_b),
            "layer_a": [row + 1 for row in range(n_a) for _ in range(n_b)],
            "layer_b": [column + 1 for _ in range(n_a) for column in range(n_b)],
            "score": found.score.ravel(),
            "best_match": found.best_match.ravel(),
            "assigned": assigned["score"].ravel(),
            "assigned_by_best": assigned["best_match"].ravel(),
        }
    )


def _summary(found: Alignment, measure: Measure) -> dict[str, Any]:
    n_a, n_b = found.score.shape
    n_own = int(assign(found.of(measure)).diagonal().sum())
    p_value = own_index_p(n_own, n_a, n_b)
    return {"measure": measure, "n_layer_a": n_a, "n_layer_b": n_b, "n_own": n_own, "p_value": p_value}


def _match(layer: int, matches: Matches) -> pl.DataFrame:
    """One row per unit of a layer of A."""
    return pl.DataFrame(
        {
            "layer_a": [layer] * len(matches.r),
            "unit_a": range(len(matches.r)),
            "layer_b": (matches.layer + 1).cpu().numpy(),
            "unit_b": matches.unit.cpu().numpy(),
            "r": matches.r.cpu().numpy(),
        }
    )
