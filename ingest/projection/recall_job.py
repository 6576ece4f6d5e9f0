"""How much of hidden states the active parameters recall, over a corpus, into the warehouse."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import polars as pl
import torch
from torch import Tensor

import warehouse
from ingest.attribution.states import layer_states
from ingest.capture import LengthGroup, forward_by_layer, length_groups
from ingest.compute import padded
from ingest.corpus import limit, open_corpus
from ingest.identity import identity_of
from ingest.models import LoadedModel
from ingest.plan import batches
from ingest.prepare import Prepared, prepare
from ingest.progress import Progress
from ingest.projection.parameters import components_of, vectors
from ingest.projection.recall import (
    Reader,
    RecallComponent,
    UnitItems,
    activities,
    hits,
    most_active,
    recalls,
)
from ingest.projection.vocabulary import Vocabulary, vocabulary_of
from ingest.rows import TokenSequence
from ingest.scratch import scratch_folder
from ingest.verify import N_TRIED, verify
from warehouse.analysis.part import Options
from warehouse.analysis.resample import bootstrap, intervals, ratio
from warehouse.errors import CorpusError, NumericsError, UsageError
from warehouse.recalls import RecallSet, store, stored

_HELD: Final = 1_000
"""Sequences whose tokens are in memory at once."""


@dataclass(frozen=True)
class RecallConfig:
    """Of what the recall is measured, beside the model."""

    corpus: str
    warehouse: Path
    text_column: str | None = None
    limit: int | None = None
    """A random sample of so many texts; all where it is None."""
    sample_seed: int = 0
    top_k: int = 50
    n_units: int = 5
    options: Options = field(default_factory=Options)
    replace: bool = False


@dataclass(frozen=True)
class Outcome:
    """What a job did."""

    key: RecallSet
    model_id: int
    is_new: bool
    """False where all was stored already."""


def measure(model: LoadedModel, tokenizer: Any, config: RecallConfig, progress: Progress) -> Outcome:
    """Measure a model's recall over a corpus and store it: a row per layer and component, in one transaction.

    What is stored for the same texts, k and number of units by this version is left alone unless `replace` is set; a
    kill leaves nothing. Raises LenshouseError: for a corpus, a model that the core cannot follow, a k or a number of
    units beyond what the model has, and states that are not finite.
    """
    corpus = open_corpus(config.corpus, text_column=config.text_column)
    warehouse.make_usable(config.warehouse)
    vocabulary = vocabulary_of(model, tokenizer)
    _require_possible(model, vocabulary, config)
    identity = identity_of(model, tokenizer)
    progress.phase("tokenising the corpus")
    with scratch_folder(warehouse.parts_folder(config.warehouse)) as scratch:
        records = corpus.records()
        if config.limit is not None:
            records = limit(records, config.limit, config.sample_seed)
        prepared = prepare(records, tokenizer, scratch, max_tokens=model.max_tokens, too_long="truncate")
        texts = corpus.name, prepared.corpus_sha256
        key = RecallSet(*texts, config.top_k, config.n_units, model.dtype, config.options)
        there = None if config.replace else stored(config.warehouse, identity, key)
        if there is not None:
            return Outcome(key, there, is_new=False)
        progress.phase("checking that pieces sum to the model's states")
        verify(model, prepared.first(N_TRIED), ff_bias="path")
        started = time.perf_counter()
        sums = _Sums(model, vocabulary, config, len(prepared.lengths))
        progress.phase("comparing parameters and states", len(prepared.lengths) * len(model.layers))
        for batch in _batches(model, prepared):
            _run(model, batch, sums, progress)
    rows = _rows(sums, config.options, corpus.source)
    about = {
        "embedding_source": vocabulary.source,
        "n_truncated": prepared.counts.n_truncated,
        "seconds": time.perf_counter() - started,
    }
    rows = rows.with_columns(pl.lit(value).alias(name) for name, value in about.items())
    return Outcome(key, store(config.warehouse, identity, key, rows), is_new=True)


def recall_components(model: LoadedModel) -> tuple[RecallComponent, ...]:
    """Those of a model's components whose units have an activation at a token."""
    return tuple(c for c in components_of(model) if c != "w_q" and c != "w_k")


def _require_possible(model: LoadedModel, vocabulary: Vocabulary, config: RecallConfig) -> None:
    n_items = len(vocabulary.ids)
    if config.top_k > n_items:
        msg = f"--top-k {config.top_k}: {model.name} has {n_items:,} vocabulary items; give at most that"
        raise UsageError(msg)
    least = min(model.weights_of(1).w_v.shape[1], model.weights_of(1).w_out.shape[0])
    if config.n_units > least:
        msg = f"--units {config.n_units}: a component of {model.name} has {least:,}; give at most that"
        raise UsageError(msg)


class _Sums:
    """Sums over the tokens of every sequence, and what is needed to add to them."""

    def __init__(self, model: LoadedModel, vocabulary: Vocabulary, config: RecallConfig, n_sequences: int) -> None:
        self.components = recall_components(model)
        self.k, self.n_units = config.top_k, config.n_units
        self.reader = Reader(vocabulary.embeddings[vocabulary.ids], config.top_k)
        self.items = {
            (layer, component): _unit_items(model, layer, component, self.reader)
            for layer in range(1, model.n_layer + 1)
            for component in self.components
        }
        shape = n_sequences, model.n_layer, len(self.components)
        self.recall: npt.NDArray[np.float64] = np.zeros(shape)
        self.shuffled: npt.NDArray[np.float64] = np.zeros(shape)
        self.n_tokens: npt.NDArray[np.int64] = np.zeros(n_sequences, np.int64)


def _unit_items(model: LoadedModel, layer: int, component: RecallComponent, reader: Reader) -> UnitItems:
    w = model.weights_of(layer)
    n_units = {"w_v": w.w_v.shape[1], "w_o": w.w_o.shape[0]}.get(component, w.w_out.shape[0])
    return UnitItems(lambda: vectors(model, layer, component), n_units, reader, model.device)


def _batches(model: LoadedModel, prepared: Prepared) -> Iterator[list[TokenSequence]]:
    n_head = model.weights_of(1).n_head
    for first in range(0, len(prepared.lengths), _HELD):
        held = prepared.sequences(first, min(first + _HELD, len(prepared.lengths)) - 1)
        for batch in batches([len(s.ids) for s in held], n_head, model.device):
            yield [held[i] for i in batch]


@torch.no_grad()
def _run(model: LoadedModel, batch: list[TokenSequence], sums: _Sums, progress: Progress) -> None:
    ids, mask, special = padded(batch, model.device)
    groups = length_groups(mask)

    def on_layer(index: int, x: Tensor, alpha: Tensor, output: Tensor) -> None:
        for group in groups:
            sequences = [batch[row] for row in group.rows.tolist()]
            _add(model, sums, index, group, sequences, (x, alpha, output), group.states(special))
        progress.advance(len(batch))

    with model.products():
        forward_by_layer(model.module, model.family, ids, mask, on_layer)


def _add(
    model: LoadedModel,
    sums: _Sums,
    index: int,
    group: LengthGroup,
    sequences: list[TokenSequence],
    states: tuple[Tensor, Tensor, Tensor],
    special: Tensor,
) -> None:
    """Add one layer of sequences of one length, special tokens left out; of fewer than two tokens none is left."""
    x, output = group.states(states[0]).float(), group.states(states[2]).float()
    alpha = group.alpha(states[1]).float()
    layer = model.layers[index]
    active = activities(layer_states(x, alpha, layer, "path"), alpha, layer.weights)
    for nth, sequence in enumerate(sequences):
        content = ~special[nth]
        n_tokens = int(content.sum())
        if n_tokens < 2:
            continue
        own = output[nth, content]
        if not own.isfinite().all():
            msg = (
                f"layer {index + 1}, sequence {sequence.seq_id}: the model's states are NaN or infinite; "
                "use --dtype float32"
            )
            raise NumericsError(msg)
        state_items = sums.reader.highest(own)
        sums.n_tokens[sequence.seq_id] = n_tokens
        for column, component in enumerate(sums.components):
            size, direction = active[component]
            units = most_active(size[nth, content], direction[nth, content], sums.n_units)
            promoted = sums.items[index + 1, component].of(units)
            found = recalls(hits(promoted, units.sign, state_items, sums.reader.n_items), sums.k)
            place = sequence.seq_id, index, column
            sums.recall[place], sums.shuffled[place] = found


def _rows(sums: _Sums, options: Options, source: str) -> pl.DataFrame:
    """One row per layer and component: means over tokens, with intervals over sequences."""
    counted = sums.n_tokens > 0
    if not counted.any():
        msg = f"{source}: no text has two tokens that are not special, so positions cannot be shuffled"
        raise CorpusError(msg)
    _, n_layer, n_component = sums.recall.shape
    n = n_layer * n_component
    recall, shuffled = (of[counted].reshape(-1, n) for of in (sums.recall, sums.shuffled))
    tokens = sums.n_tokens[counted, None].astype(np.float64)

    def means(totals: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Recall, and what it is above that of shuffled positions, of each layer and component."""
        of_tokens = totals[..., -1:]
        return np.concatenate(
            [ratio(totals[..., :n], of_tokens), ratio(totals[..., :n] - totals[..., n : 2 * n], of_tokens)], -1
        )

    low, high = intervals(bootstrap(np.hstack([recall, shuffled, tokens]), means, options), tokens)
    n_tokens = int(tokens.sum())
    return pl.DataFrame(
        {
            "layer": np.repeat(np.arange(1, n_layer + 1), n_component),
            "component": list(sums.components) * n_layer,
            "recall": recall.sum(0) / n_tokens,
            "low": low[:n],
            "high": high[:n],
            "shuffled": shuffled.sum(0) / n_tokens,
            "gain": (recall - shuffled).sum(0) / n_tokens,
            "gain_low": low[n:],
            "gain_high": high[n:],
            "n_tokens": n_tokens,
            "n_sequences": int(counted.sum()),
        }
    ).with_columns(pl.col("low", "high", "gain_low", "gain_high").fill_nan(None))
