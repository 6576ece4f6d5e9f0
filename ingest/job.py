"""The main job: a model over a corpus, into parts, into the warehouse. Killed anywhere, the same call goes on."""

import dataclasses
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import warehouse
from ingest import plan as planning
from ingest.compute import ShardResult, compute
from ingest.config import IngestConfig
from ingest.corpus import Corpus, Record, limit, open_corpus
from ingest.display import readable_vocab
from ingest.models import LoadedModel, load_model
from ingest.parts import RunFolder
from ingest.plan import Shard, pair_rows
from ingest.prepare import Prepared, prepare
from ingest.provenance import describe_run, fingerprint, layer_weight, manifest
from ingest.verify import verify
from warehouse.contract import INTEGER
from warehouse.errors import CorpusError, PartsError, UsageError
from warehouse.load import remove_folder
from warehouse.locks import claim, is_claimed
from warehouse.parts import read_run

_OPPORTUNE_WAIT = 0.2
"""Seconds to wait for a busy warehouse between shards; computing goes on, and the shard is loaded later."""


_NEW = ".new-"
"""How the name of a scratch folder begins before it is claimed."""

_VERIFIED = 4
"""Sequences on whose beginnings the decomposition is checked before the job begins."""

State = Literal["done", "resumed", "already complete"]


class Progress(Protocol):
    """Who is told how far a job is: phases, and rows within the one that takes long."""

    def phase(self, what: str, total: int | None = None) -> None: ...
    def advance(self, n: int) -> None: ...


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


@dataclass
class Clock:
    """Wall time by phase."""

    seconds: dict[str, float] = field(default_factory=dict)

    def add(self, phase: str, seconds: float) -> None:
        self.seconds[phase] = self.seconds.get(phase, 0.0) + seconds

    @contextmanager
    def phase(self, phase: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.add(phase, time.perf_counter() - started)


def ingest(config: IngestConfig, progress: Progress) -> Outcome:
    """Run one job to its end: load and verify the model, tokenise, compute what is missing, load into the warehouse.

    Raises LenshouseError; what was finished before stays, and the same configuration goes on from there.
    """
    clock = Clock()
    corpus = open_corpus(config.corpus, text_column=config.text_column, label_column=config.label_column)
    warehouse.make_usable(config.warehouse)
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
    _require_storable_seed(model)
    max_tokens = _max_tokens(config, model)
    progress.phase("tokenising the corpus")
    with _scratch_folder(warehouse.parts_folder(config.warehouse)) as scratch:
        with clock.phase("tokenize"):
            prepared = _prepared(config, corpus, tokenizer, scratch, max_tokens)
        identity = fingerprint(model, prepared, config)
        folder = RunFolder(scratch.parent / identity)
        run = _complete_run(config, identity)
        if run is not None:
            _tidy(folder)
            return _outcome(run, "already complete", prepared, clock)
        progress.phase("checking that pieces sum to the model's states")
        with clock.phase("verify"):
            first = prepared.sequences(0, min(_VERIFIED, len(prepared.lengths)) - 1)
            verify(model, first, ff_bias=config.ff_bias)
        with claim(folder.path):
            if _complete_run(config, identity) is None:  # else another process was faster
                beginning = _Beginning(model, tokenizer, corpus, prepared, config, identity, max_tokens)
                plan, prepared = beginning.write(folder, clock.seconds["tokenize"])
                state, worst = _compute_and_load(folder, model, prepared, plan, config, identity, clock, progress)
            else:
                state, worst = "already complete", None
        _tidy(folder)
        run = _complete_run(config, identity)
        assert run is not None  # completed above
        return _outcome(run, state, prepared, clock, worst)


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


def _complete_run(config: IngestConfig, identity: str) -> warehouse.RunRecord | None:
    run = warehouse.find_run(config.warehouse, identity)
    return run if run is not None and run.status == "complete" else None


def _tidy(folder: RunFolder) -> None:
    """Remove what a kill after a run's completion left behind; parts that were to be kept stay."""
    with suppress(PartsError):  # a damaged run.json, of a run that needs it no more
        if folder.has("run.json") and read_run(folder.path).run.get("keep_parts"):
            return
    if not is_claimed(folder.path):
        remove_folder(folder.path)


@dataclass(frozen=True)
class _Beginning:
    """What a run's folder begins with."""

    model: LoadedModel
    tokenizer: Any
    corpus: Corpus
    prepared: Prepared
    config: IngestConfig
    fingerprint: str
    max_tokens: int

    def write(self, folder: RunFolder, seconds_tokenize: float) -> tuple[list[Shard], Prepared]:
        """Write what the shards are about, unless a run in the warehouse has it; returns the run's plan and its tokens.

        run.json comes last, so that where it is, all of it is. That of a run which never got into the warehouse is
        written anew: labels are those of the command that enters it, and only the size of its shards stays.
        """
        folder.clear_unfinished()
        shard_rows = planning.SHARD_ROWS
        if folder.has("run.json"):
            shard_rows = read_run(folder.path).run.get("shard_rows", shard_rows)
            if warehouse.find_run(self.config.warehouse, self.fingerprint) is not None:
                return self._plan(shard_rows), self.prepared
        plan = self._plan(shard_rows)
        for name in ("sequence", "token"):
            folder.take(self.prepared.folder / f"{name}.parquet")
        folder.write_table("vocab", readable_vocab(self.tokenizer))
        folder.write_table("layer_weight", layer_weight(self.model))
        description = describe_run(
            self.model,
            self.corpus,
            self.prepared,
            self.config,
            fingerprint=self.fingerprint,
            max_tokens=self.max_tokens,
            shard_rows=shard_rows,
            n_shards=len(plan),
            seconds_tokenize=seconds_tokenize,
        )
        folder.write_json("run.json", description)
        return plan, dataclasses.replace(self.prepared, folder=folder.path)

    def _plan(self, shard_rows: int) -> list[Shard]:
        return planning.shards(
            self.prepared.lengths,
            n_layer=len(self.model.layers),
            is_causal=self.model.is_causal,
            most_rows=shard_rows,
        )


def _compute_and_load(
    folder: RunFolder,
    model: LoadedModel,
    prepared: Prepared,
    plan: list[Shard],
    config: IngestConfig,
    identity: str,
    clock: Clock,
    progress: Progress,
) -> tuple[State, float | None]:
    path = config.warehouse
    warehouse.register_run(path, folder.path)
    loaded = warehouse.loaded_shards(path, identity)
    folder.keep_records()
    _require_records(folder, loaded)
    finished = loaded | folder.shards_on_disk()

    def rows(part: list[Shard]) -> int:
        return len(model.layers) * sum(int(pair_rows(s.lengths, is_causal=model.is_causal).sum()) for s in part)

    missing = [shard for shard in plan if shard.number not in finished]
    progress.phase("attributing token pairs", rows(plan))
    progress.advance(rows(plan) - rows(missing))
    for shard in missing:
        sequences = prepared.sequences(shard.first_seq, shard.last_seq)
        result = compute(model, sequences, ff_bias=config.ff_bias, on_progress=progress.advance)
        clock.add("forward", result.seconds.forward)
        clock.add("core", result.seconds.core)
        with clock.phase("write"):
            folder.write_shard(shard.number, result.tables, _record(shard, result))
            folder.keep_records()
        with clock.phase("load"):
            warehouse.load_shards(path, folder.path, keep_parts=config.keep_parts, wait=_OPPORTUNE_WAIT, if_busy="stop")
    totals = manifest(identity, len(plan), folder.records())
    folder.write_json("manifest.json", totals)
    progress.phase("loading into the warehouse")
    with clock.phase("load"):
        warehouse.load_shards(path, folder.path, keep_parts=config.keep_parts)
        warehouse.complete_run(path, folder.path, keep_parts=config.keep_parts)
    return "resumed" if finished else "done", totals["max_completeness_error"]


def _record(shard: Shard, result: ShardResult) -> dict[str, Any]:
    return {
        "first_seq": shard.first_seq,
        "last_seq": shard.last_seq,
        "seconds": {"forward": result.seconds.forward, "core": result.seconds.core},
        "max_completeness_error": result.max_completeness_error,
    }


def _require_records(folder: RunFolder, loaded: set[int]) -> None:
    """A shard that is loaded must have left its record, or the totals of the run could not be told."""
    lost = loaded - {record["shard"] for record in folder.records()}
    if lost:
        msg = (
            f"{folder.path} was emptied while its run was unfinished ({len(lost)} loaded shards have no record left): "
            "`lenshouse runs remove` the run, then run ingest again"
        )
        raise PartsError(msg)


def _outcome(
    run: warehouse.RunRecord, state: State, prepared: Prepared, clock: Clock, worst: float | None = None
) -> Outcome:
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
    )


def _require_storable_seed(model: LoadedModel) -> None:
    """A seed that was given is checked with the other options; one may also be read off a name."""
    if model.seed is not None and not INTEGER[0] <= model.seed <= INTEGER[1]:
        msg = f"{model.name}: the seed {model.seed} in its name is more than a table can hold: give --seed"
        raise UsageError(msg)


def _max_tokens(config: IngestConfig, model: LoadedModel) -> int:
    longest = model.max_tokens
    if config.max_tokens is None:
        return longest
    if config.max_tokens > longest:
        msg = f"--max-tokens {config.max_tokens}: {model.name} has positions for {longest} tokens at most"
        raise UsageError(msg)
    return config.max_tokens


@contextmanager
def _scratch_folder(parts: Path) -> Iterator[Path]:
    """A folder beside the runs' parts for the tokenised corpus; what killed processes left there is removed."""
    for leftover in [*parts.glob(".prepare-*"), *parts.glob(".removed-*")]:
        if not is_claimed(leftover):
            shutil.rmtree(leftover, ignore_errors=True)
    new = _new_folder(parts)
    scratch = new.with_name(f".prepare-{new.name.removeprefix(_NEW)}")
    try:
        with claim(new):
            new.rename(scratch)  # claimed before it bears the name that others tidy
            yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        with suppress(OSError):  # other runs have parts there
            parts.rmdir()


def _new_folder(parts: Path) -> Path:
    while True:
        parts.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):  # another job removed the empty parts folder in between
            return Path(tempfile.mkdtemp(prefix=_NEW, dir=parts))
