"""One run on its way from tokens to the warehouse: what it is about, its shards, their loading, its completion."""

import dataclasses
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import warehouse
from ingest import plan as planning
from ingest.compute import ShardResult, compute
from ingest.config import IngestConfig
from ingest.corpus import Corpus
from ingest.display import readable_vocab
from ingest.models import LoadedModel
from ingest.parts import RunFolder
from ingest.plan import Shard, pair_rows
from ingest.precision import measured_cost
from ingest.prepare import Prepared
from ingest.progress import Clock, Progress
from ingest.provenance import describe_run, layer_weight, manifest
from ingest.verify import N_TRIED
from warehouse.errors import PartsError
from warehouse.parts import read_run

_OPPORTUNE_WAIT: Final = 0.2
"""Seconds to wait for a busy warehouse between shards; computing goes on, and the shard is loaded later."""

State = Literal["done", "resumed", "already complete"]

Plan: TypeAlias = tuple[list[Shard], Prepared]
"""All shards of a run, and its tokens."""


@dataclass(frozen=True)
class Run:
    """What is computed, where its parts lie, and who is told of it. The caller has claimed the folder."""

    model: LoadedModel
    tokenizer: Any
    corpus: Corpus
    prepared: Prepared
    config: IngestConfig
    fingerprint: str
    max_tokens: int
    folder: RunFolder
    clock: Clock
    progress: Progress

    def enter(self) -> Plan:
        """Enter it into the warehouse, with texts and tokens, unless it is there; returns what is to be computed."""
        plan = self._begin()
        warehouse.register_run(self.config.warehouse, self.folder.path)
        return plan

    def finish(self, plan_and_tokens: Plan) -> tuple[State, float]:
        """Do what is missing of what `enter` gave; returns how it was, and its worst completeness error."""
        plan, prepared = plan_and_tokens
        path = self.config.warehouse
        loaded = warehouse.loaded_shards(path, self.fingerprint)
        self.folder.keep_records()
        self._require_records(loaded)
        finished = loaded | self.folder.shards_on_disk()
        missing = [shard for shard in plan if shard.number not in finished]
        self.progress.phase("attributing token pairs", self._rows(plan))
        self.progress.advance(self._rows(plan) - self._rows(missing))
        for shard in missing:
            self._compute(shard, prepared)
        return "resumed" if finished else "done", self._complete(len(plan))

    def _begin(self) -> Plan:
        """Write what the shards are about, unless a run in the warehouse has it; returns the run's plan and its tokens.

        run.json comes last, so that where it is, all of it is. That of a run which never got into the warehouse is
        written anew: labels are those of the command that enters it, and only the size of its shards stays.
        """
        folder = self.folder
        folder.clear_unfinished()
        shard_rows = planning.SHARD_ROWS
        if folder.has("run.json"):
            shard_rows = read_run(folder.path).run.get("shard_rows", shard_rows)
            if warehouse.find_run(self.config.warehouse, self.fingerprint) is not None:
                return self._plan(shard_rows), self.prepared
        plan = self._plan(shard_rows)
        cost = self._precision_cost()  # while its tokens are still where they were prepared
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
            seconds_tokenize=self.clock.seconds["tokenize"],
            precision_cost=cost,
        )
        folder.write_json("run.json", description)
        return plan, dataclasses.replace(self.prepared, folder=folder.path)

    def _precision_cost(self) -> dict[str, Any] | None:
        if self.model.dtype == "float32":
            return None
        self.progress.phase("measuring what the precision costs")
        with self.clock.phase("verify"):
            return measured_cost(self.model, self.config, self.prepared.first(N_TRIED))

    def _plan(self, shard_rows: int) -> list[Shard]:
        return planning.shards(
            self.prepared.lengths,
            n_layer=len(self.model.layers),
            is_causal=self.model.is_causal,
            most_rows=shard_rows,
            extra_rows=self.config.extras.rows_per_pair(len(self.model.layers), self.model.layers[0].weights.n_head),
        )

    def _rows(self, part: list[Shard]) -> int:
        per_layer = sum(int(pair_rows(s.lengths, is_causal=self.model.is_causal).sum()) for s in part)
        return len(self.model.layers) * per_layer

    def _require_records(self, loaded: set[int]) -> None:
        """A shard that is loaded must have left its record, or the totals of the run could not be told."""
        lost = loaded - {record["shard"] for record in self.folder.records()}
        if lost:
            msg = (
                f"{self.folder.path} was emptied while its run was unfinished ({len(lost)} loaded shards have no "
                "record left): `lenshouse runs remove` the run, then run ingest again"
            )
            raise PartsError(msg)

    def _compute(self, shard: Shard, prepared: Prepared) -> None:
        """Compute a shard, write it, and load it if nobody else has the warehouse."""
        sequences = prepared.sequences(shard.first_seq, shard.last_seq)
        result = compute(
            self.model,
            sequences,
            ff_bias=self.config.ff_bias,
            extras=self.config.extras,
            on_progress=self.progress.advance,
        )
        self.clock.add("forward", result.seconds.forward)
        self.clock.add("core", result.seconds.core)
        with self.clock.phase("write"):
            self.folder.write_shard(shard.number, result.tables, _record(shard, result))
            self.folder.keep_records()
        with self.clock.phase("load"):
            warehouse.load_shards(
                self.config.warehouse,
                self.folder.path,
                keep_parts=self.config.keep_parts,
                wait=_OPPORTUNE_WAIT,
                if_busy="stop",
            )

    def _complete(self, n_shards: int) -> float:
        """Load what is left and show the run; returns its worst completeness error."""
        totals = manifest(self.fingerprint, n_shards, self.folder.records())
        self.folder.write_json("manifest.json", totals)
        self.progress.phase("loading into the warehouse")
        path, keep_parts = self.config.warehouse, self.config.keep_parts
        with self.clock.phase("load"):
            warehouse.load_shards(path, self.folder.path, keep_parts=keep_parts)
            warehouse.complete_run(path, self.folder.path, keep_parts=keep_parts)
        worst: float = totals["max_completeness_error"]
        return worst


def _record(shard: Shard, result: ShardResult) -> dict[str, Any]:
    return {
        "first_seq": shard.first_seq,
        "last_seq": shard.last_seq,
        "seconds": {"forward": result.seconds.forward, "core": result.seconds.core},
        "max_completeness_error": result.max_completeness_error,
    }
