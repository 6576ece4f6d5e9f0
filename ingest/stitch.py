"""The stitching job: how well do a classifier's last layers work on another model's first ones?

The same command again computes what is missing, model by model: each one's rows are stored in one transaction.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

import warehouse
from ingest.classifiers import Classifier, class_ids, load_classifier
from ingest.corpus import Corpus, limit, open_corpus
from ingest.identity import identity_of
from ingest.models import LoadedModel, load_model
from ingest.progress import Progress
from ingest.projection.stitching import predictions, random_kernel, stitched_predictions, translation
from ingest.projection.vocabulary import Vocabulary, vocabulary_of
from ingest.projection.vocabulary_check import require_same_kind, require_same_vocabulary
from ingest.splice import Spliced, states_of
from ingest.tokens import CorpusHash, Counts, encode, tokenizer_fingerprint
from warehouse.analysis.part import Options
from warehouse.errors import ModelError, NumericsError, UsageError
from warehouse.stitchings import Answers, Asked, Kind, Stitching, is_stored, store

_BATCH_TOKENS: Final = 4096

Kernel = tuple[Kind, int | None, Tensor]
"""Kind, draw and matrix (d_a, d_b)."""


@dataclass(frozen=True)
class StitchConfig:
    """What is stitched, and onto what."""

    models: tuple[str, ...]
    """Those whose first layers are taken."""
    classifier: str
    corpus: str
    warehouse: Path
    text_column: str | None = None
    label_column: str | None = None
    skip_other_labels: bool = False
    """Leave texts out whose label is none of the classifier's classes; else they are an error."""
    limit: int | None = None
    sample_seed: int = 0
    max_tokens: int | None = None
    draws: int = 5
    """Random kernels."""
    seed: int = 0
    """Of random kernels and resamples."""
    resamples: int = 1000
    device: str = "auto"


@dataclass(frozen=True)
class Outcome:
    """What became of one model."""

    model: str
    classifier: str
    state: Literal["complete", "already complete"]


@dataclass(frozen=True)
class Labelled:
    """The texts of a corpus that have a class, tokenised."""

    corpus: Corpus
    sha256: str
    ids: list[npt.NDArray[np.int32]]
    classes: npt.NDArray[np.int64]
    n_other: int
    """Texts left out, since their label is of no class or missing."""
    n_truncated: int


def stitch(config: StitchConfig, progress: Progress) -> tuple[Labelled, list[Outcome]]:
    """Stitch every model onto the classifier and store the accuracies of all cuts, with their baselines.

    Raises LenshouseError; what was stored of earlier models stays, and the same configuration goes on from there.
    """
    corpus = open_corpus(config.corpus, text_column=config.text_column, label_column=config.label_column)
    warehouse.make_usable(config.warehouse)
    progress.phase("loading the classifier")
    classifier, tokenizer = load_classifier(config.classifier, device=config.device)
    own = vocabulary_of(classifier.model, tokenizer)
    progress.phase("reading the corpus")
    texts = read_labelled(config, corpus, classifier, tokenizer)
    outcomes = []
    for number, spec in enumerate(config.models, start=1):
        progress.phase(f"loading model {number} of {len(config.models)}")
        model, its_tokenizer = load_model(spec, device=config.device)
        vocabulary = vocabulary_of(model, its_tokenizer)
        require_stitchable(model, vocabulary, classifier.model, own)
        _require_room(model, texts)
        about = Stitching(
            model_a=identity_of(model, its_tokenizer),
            model_b=identity_of(classifier.model, tokenizer),
            corpus_name=corpus.name,
            corpus_sha256=texts.sha256,
            n_classes=len(classifier.labels),
            n_draws=config.draws,
            options=Options(config.seed, config.resamples),
        )
        if is_stored(config.warehouse, about):
            outcomes.append(Outcome(model.name, classifier.model.name, "already complete"))
            continue
        progress.phase(f"translating {model.name} through the vocabulary")
        kernels = kernels_of(vocabulary, own, config.draws, config.seed)
        progress.phase(f"stitching {model.name}", len(texts.ids))
        store(config.warehouse, about, answers_of(texts, model, classifier, kernels, progress))
        outcomes.append(Outcome(model.name, classifier.model.name, "complete"))
    return texts, outcomes


def read_labelled(config: StitchConfig, corpus: Corpus, classifier: Classifier, tokenizer: Any) -> Labelled:
    """Tokenise the texts that have a class; UsageError where none has a label, and for labels of no class."""
    records = list(corpus.records())
    if all(record.label is None for record in records):
        msg = f"{corpus.source} has no labels to compare with: name their column with --label-column"
        raise UsageError(msg)
    unlabelled = [record for record in records if record.label is None]
    if unlabelled and not config.skip_other_labels:
        msg = (
            f"{corpus.source}: the text of {unlabelled[0].source_id} has no label: "
            "label it, or leave such texts out with --skip-other-labels"
        )
        raise UsageError(msg)
    records = [record for record in records if record.label is not None and record.text.strip()]
    numbers = class_ids(
        [str(record.label) for record in records],
        classifier.labels,
        corpus.source,
        skip_other=config.skip_other_labels,
    )
    known = [record for record, number in zip(records, numbers, strict=True) if number is not None]
    if config.limit is not None:
        known = list(limit(known, config.limit, config.sample_seed))
    by_label = dict(zip((record.label for record in records), numbers, strict=True))
    longest = _max_tokens(config, classifier.model)
    counts, digest = Counts(), CorpusHash(tokenizer_fingerprint(tokenizer), longest, "truncate")
    ids, classes = [], []
    for sequence in encode(known, tokenizer, max_tokens=longest, too_long="truncate", counts=counts):
        digest.update(sequence)
        ids.append(sequence.ids)
        classes.append(by_label[sequence.label])
    n_other = len(unlabelled) + sum(number is None for number in numbers)
    return Labelled(corpus, digest.hexdigest(), ids, np.array(classes, np.int64), n_other, counts.n_truncated)


def require_stitchable(model: LoadedModel, its: Vocabulary, onto: LoadedModel, own: Vocabulary) -> None:
    """Raise ModelError where the two models' layers do not correspond, or no vocabulary translates between them."""
    require_same_vocabulary(its, own, model.name, onto.name)
    require_same_kind(its, own, model.name, onto.name)
    n_a, n_b = model.n_layer, onto.n_layer
    if n_a != n_b:
        msg = (
            f"{model.name} has {n_a} layers and {onto.name} {n_b}, so no cut leaves both at the same depth: "
            "give a model with as many layers"
        )
        raise ModelError(msg)


def kernels_of(vocabulary: Vocabulary, own: Vocabulary, draws: int, seed: int) -> list[Kernel]:
    """Kind, draw and matrix (d_a, d_b) of the translation and its baselines; identity where the widths are equal."""
    kernel = translation(vocabulary.embeddings[vocabulary.ids], own.embeddings[own.ids])
    generator = torch.Generator().manual_seed(seed)
    kernels: list[Kernel] = [("stitched", None, kernel)]
    if kernel.shape[0] == kernel.shape[1]:
        kernels.append(("identity", None, torch.eye(len(kernel), dtype=kernel.dtype, device=kernel.device)))
    return kernels + [("random", draw, random_kernel(kernel, generator)) for draw in range(draws)]


def answers_of(
    texts: Labelled, model: LoadedModel, classifier: Classifier, kernels: Sequence[Kernel], progress: Progress
) -> Answers:
    """The class of every text, and what the classifier says of it by itself and from every cut under every kernel."""
    n_cuts = model.n_layer + 1
    own = np.empty(len(texts.ids), np.int64)
    stitched = np.empty((len(texts.ids), n_cuts, len(kernels)), np.int64)
    matrices = [matrix for _, _, matrix in kernels]
    for rows in batches_of_one_length(texts.ids, classifier.batch_limit):
        ids = torch.from_numpy(np.stack([texts.ids[row] for row in rows])).long().to(classifier.model.device)
        spliced = Spliced(classifier, ids)

        def finish(cut: int, states: Tensor, spliced: Spliced = spliced, rows: list[int] = rows) -> Tensor:
            return _finite(spliced.logits_from(cut, states), f"from cut {cut} on {model.name}", rows)

        own[rows] = predictions(_finite(spliced.logits, "of its own", rows)).cpu().numpy()
        said = stitched_predictions(states_of(model, ids), matrices, finish)
        stitched[rows] = said.permute(2, 0, 1).cpu().numpy()
        progress.advance(len(rows))
    cuts = [Asked(kind, cut, draw) for cut in range(n_cuts) for kind, draw, _ in kernels]
    said_of_all = np.column_stack([own, stitched.reshape(len(own), -1)])
    return Answers(texts.classes, (Asked("classifier", None, None), *cuts), said_of_all)


def batches_of_one_length(ids: Sequence[npt.NDArray[np.int32]], most: int | None = None) -> list[list[int]]:
    """Indices of the texts in batches without padding, by length, of at most `most` texts each; all of them once.

    Without padding no model has to be told where a text ends, and none can read past it.
    """
    by_length = sorted(range(len(ids)), key=lambda row: len(ids[row]))
    batches = []
    for length, group in groupby(by_length, key=lambda row: len(ids[row])):
        rows = list(group)
        size = min(most or len(rows), max(1, _BATCH_TOKENS // length))
        batches += [rows[at : at + size] for at in range(0, len(rows), size)]
    return batches


def _max_tokens(config: StitchConfig, model: LoadedModel) -> int:
    if config.max_tokens is None:
        return model.max_tokens
    if config.max_tokens > model.max_tokens:
        msg = (
            f"--max-tokens {config.max_tokens}: {model.name} has positions for {model.max_tokens} tokens: "
            "give at most that, or leave it out"
        )
        raise UsageError(msg)
    return config.max_tokens


def _require_room(model: LoadedModel, texts: Labelled) -> None:
    longest = max(map(len, texts.ids))
    if longest > model.max_tokens:
        msg = (
            f"{model.name} has positions for {model.max_tokens} tokens, and a text has {longest}: "
            f"use --max-tokens {model.max_tokens}"
        )
        raise UsageError(msg)


def _finite(logits: Tensor, which: str, rows: Sequence[int]) -> Tensor:
    bad = ~logits.isfinite().all(-1)
    if bad.any():
        msg = f"the classifier's logits {which} are not finite for text {rows[int(bad.nonzero()[0])]} (from 0)"
        raise NumericsError(msg)
    return logits
