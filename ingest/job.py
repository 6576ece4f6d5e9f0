"""The main job: a model over a corpus, into parts, into the warehouse. Killed anywhere, the same call goes on."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import warehouse
from ingest.annotate.for_ingest import annotate_stored, require_agreeing, words_for
from ingest.annotate.job import Annotated
from ingest.config import IngestConfig
from ingest.corpus import Corpus, Record, limit, open_corpus
from ingest.corpus.hub import PREFIX as HUB_PREFIX
from ingest.gguf import is_gguf
from ingest.model_files import local_folder
from ingest.models import LoadedModel, load_model
from ingest.parts import RunFolder
from ingest.prepare import Prepared, prepare
from ingest.progress import Clock, Progress
from ingest.provenance import fingerprint
from ingest.run import Run, State
from ingest.scratch import scratch_folder
from ingest.verify import N_TRIED, verify
from warehouse.contract import INTEGER
from warehouse.errors import CorpusError, PartsError, PartsFormatError, UsageError, WarehouseError
from warehouse.load import remove_folder
from warehouse.locks import claim, is_claimed
from warehouse.parts import read_run


@dataclass(frozen=True)
class Outcome:
    """What a job did; `seconds` is wall time by phase, of this call alone."""

    run_id: int
    name: str
    state: State
    n_sequences: int
    n_truncated: int
    n_chunked: int
    n_skipped: int
    n_pairs: int
    seconds: dict[str, float]
    max_completeness_error: float | None
    """None where nothing was computed."""
    kept_labels: dict[str, str | int | None]
    """Name, family and seed of the stored run, where this command gave others: it was entered by an earlier one."""
    annotated: Annotated | None
    """What became of the corpus's words; None with --annotate none."""


def require_inputs(configs: Iterable[IngestConfig]) -> None:
    """Raise LenshouseError for a corpus that cannot be read here, or a model's folder that is not there.

    For several jobs, before the first; what comes from the hub is left to its job.
    """
    for config in configs:
        if not config.corpus.startswith(HUB_PREFIX):
            open_corpus(config.corpus, text_column=config.text_column, label_column=config.label_column)
        if not is_gguf(config.model):
            local_folder(config.model, config.revision)


def ingest(config: IngestConfig, progress: Progress) -> Outcome:
    """Run one job to its end: load and verify the model, tokenise, compute what is missing, load into the warehouse.

    Raises LenshouseError; what was finished before stays, and the same configuration goes on from there.
    """
    clock = Clock()
    corpus = open_corpus(config.corpus, text_column=config.text_column, label_column=config.label_column)
    warehouse.make_usable(config.warehouse)
    words = words_for(config, corpus)
    progress.phase("loading the model")
    with clock.phase("load_model"):
        model, tokenizer = load_model(
            config.model,
            revision=config.revision,
            device=config.device,
            dtype=config.dtype,
            name=config.name,
            family=config.family,
            seed=config.seed,
        )
    require_storable_seed(model)
    max_tokens = _max_tokens(config, model)
    progress.phase("tokenising the corpus")
    with scratch_folder(warehouse.parts_folder(config.warehouse)) as scratch:
        with clock.phase("tokenize"):
            prepared = _prepared(config, corpus, tokenizer, scratch, max_tokens)
        require_agreeing(config, prepared.corpus_sha256, words)
        identity = fingerprint(model, prepared, config)
        folder = RunFolder(scratch.parent / identity)
        if _is_complete(config, identity):
            _tidy(folder)
            with clock.phase("annotate"):
                annotated = annotate_stored(config, prepared.corpus_sha256, words, progress)
            return _outcome(config, identity, "already complete", prepared, clock, annotated)
        progress.phase("checking that pieces sum to the model's states")
        with clock.phase("verify"):
            verify(model, prepared.first(N_TRIED), ff_bias=config.ff_bias)
        run = Run(model, tokenizer, corpus, prepared, config, identity, max_tokens, folder, clock, progress)
        state: State = "already complete"
        worst = None
        with _claimed(folder.path, f"{model.name} on {corpus.name}"):
            is_missing = not _is_complete(config, identity)  # else another process was faster
            plan = run.enter() if is_missing else None
            with clock.phase("annotate"):
                annotated = annotate_stored(config, prepared.corpus_sha256, words, progress)
            if plan is not None:
                state, worst = run.finish(plan)
        _tidy(folder)
        return _outcome(config, identity, state, prepared, clock, annotated, worst)


def _prepared(config: IngestConfig, corpus: Corpus, tokenizer: Any, scratch: Path, max_tokens: int) -> Prepared:
    n_empty = 0

    def counted() -> Iterator[Record]:
        nonlocal n_empty
        for record in corpus.records():
            n_empty += not record.text.strip()
            yield record

    records = counted() if config.limit is None else limit(counted(), config.limit, config.sample_seed)
    try:
        prepared = prepare(records, tokenizer, scratch, max_tokens=max_tokens, too_long=config.too_long)
        if config.limit is not None:  # the sample is drawn from what is not empty
            prepared.counts.n_skipped += n_empty
        return prepared
    except CorpusError as error:
        if corpus.source in str(error):
            raise
        msg = f"{corpus.source}: {error}"
        raise CorpusError(msg) from error


@contextmanager
def _claimed(folder: Path, run: str) -> Iterator[None]:
    """`claim`, which names the run first: its folder's name is a hash."""
    with ExitStack() as stack:
        try:
            stack.enter_context(claim(folder))
        except PartsError as error:
            msg = f"run {run}: {str(error).removeprefix(f'{folder}: ')} (its parts are in {folder})"
            raise PartsError(msg) from error
        yield


def _is_complete(config: IngestConfig, identity: str) -> bool:
    run = warehouse.find_run(config.warehouse, identity)
    return run is not None and run.status == "complete"


def _tidy(folder: RunFolder) -> None:
    """Remove what a kill after a run's completion left behind; parts that were to be kept stay."""
    try:
        if folder.has("run.json") and read_run(folder.path).run.get("keep_parts"):
            return
    except PartsFormatError:  # another version kept them
        return
    except PartsError:  # a damaged run.json, of a run that needs it no more
        pass
    if not is_claimed(folder.path):
        remove_folder(folder.path)


def _outcome(
    config: IngestConfig,
    identity: str,
    state: State,
    prepared: Prepared,
    clock: Clock,
    annotated: Annotated | None,
    worst: float | None = None,
) -> Outcome:
    run = warehouse.find_run(config.warehouse, identity)
    if run is None:
        msg = f"the run was removed from {config.warehouse} just now: run the same command again to make it"
        raise WarehouseError(msg)
    counts = prepared.counts
    return Outcome(
        run_id=run.run_id,
        name=run.name,
        state=state,
        n_sequences=counts.n_sequences,
        n_truncated=counts.n_truncated,
        n_chunked=counts.n_chunked,
        n_skipped=counts.n_skipped,
        n_pairs=run.n_pairs,
        seconds=clock.seconds,
        max_completeness_error=worst,
        kept_labels=_kept_labels(config, run.run_id),
        annotated=annotated,
    )


def _kept_labels(config: IngestConfig, run_id: int) -> dict[str, str | int | None]:
    asked = {"name": config.name, "family": config.family, "seed": config.seed}
    if not any(label is not None for label in asked.values()):
        return {}
    stored = warehouse.open(config.warehouse).run_details(run_id).row(0, named=True)
    stored["name"] = stored["model_name"]
    return {key: stored[key] for key, label in asked.items() if label is not None and label != stored[key]}


def require_storable_seed(model: LoadedModel) -> None:
    """A seed that was given is checked with the other options; one may also be read off a name."""
    if model.seed is not None and not INTEGER[0] <= model.seed <= INTEGER[1]:
        msg = f"{model.name}: the seed {model.seed} in its name is more than a table can hold: give --seed"
        raise UsageError(msg)


def _max_tokens(config: IngestConfig, model: LoadedModel) -> int:
    longest = model.max_tokens
    if config.max_tokens is None:
        return longest
    if config.max_tokens > longest:
        msg = (
            f"--max-tokens {config.max_tokens}: {model.name} has positions for {longest} tokens: give at most that, or "
            "leave it out; --too-long says what becomes of longer texts"
        )
        raise UsageError(msg)
    return config.max_tokens
