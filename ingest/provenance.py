"""What a run records of itself, and the fingerprint that tells whether two runs would give the same numbers."""

import hashlib
import importlib.metadata
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import polars as pl
import torch
import transformers

from ingest.attribution.normalisation import Norm
from ingest.config import IngestConfig
from ingest.corpus import Corpus
from ingest.models import LoadedModel
from ingest.plan import pair_rows
from ingest.prepare import Prepared
from warehouse.contract import METHOD_VERSION, PARTS_FORMAT, RUN_TABLES


def fingerprint(model: LoadedModel, prepared: Prepared, config: IngestConfig) -> str:
    """SHA-256 (hex) of everything that decides a run's numbers: weights, configuration, tokens, options, device.

    Names and labels of the model are not part of it: the same numbers under another name are the same run.
    """
    settings = model.config.to_diff_dict()
    for volatile in ("_name_or_path", "transformers_version", "dtype", "architectures"):
        settings.pop(volatile, None)
    content = {
        "method": METHOD_VERSION,
        "weights": model.weights_sha256,
        "settings": settings,
        "tokenizer": prepared.tokenizer_fingerprint,
        "corpus": prepared.corpus_sha256,
        "ff_bias": config.ff_bias,
        "dtype": model.dtype,
        "device": model.device.type,
    }
    content |= _extras(config)
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()


def _extras(config: IngestConfig) -> dict[str, Any]:
    """What is asked for beside the usual tables: without it, a run is the one that it was before there were any."""
    heads = {"heads": config.heads} if config.heads != "none" else {}
    inliers = {"inliers": True} if config.inliers else {}
    neurons = {"neurons": config.neurons} if config.neurons else {}
    return heads | inliers | neurons | ({"rollout": list(config.rollout)} if config.rollout else {})


def describe_run(
    model: LoadedModel,
    corpus: Corpus,
    prepared: Prepared,
    config: IngestConfig,
    *,
    fingerprint: str,
    max_tokens: int,
    shard_rows: int,
    n_shards: int,
    seconds_tokenize: float,
    precision_cost: dict[str, Any] | None,
) -> dict[str, Any]:
    """The content of run.json."""
    counts = prepared.counts
    n_pairs = int(pair_rows(prepared.lengths, is_causal=model.is_causal).sum()) * len(model.layers)
    return {
        "format": PARTS_FORMAT,
        "fingerprint": fingerprint,
        "model": model.describe(),
        "tokenizer": {"name": model.name, "fingerprint": prepared.tokenizer_fingerprint},
        "corpus": {
            "name": corpus.name,
            "source": corpus.source,
            "sha256": prepared.corpus_sha256,
            "license": corpus.license,
            "annotation": "none",
            "n_sequences": counts.n_sequences,
        },
        "run": {
            "name": f"{model.name} on {corpus.name}",
            "options": {
                "model": _found_again(config.model),
                "corpus": config.corpus,
                "text_column": config.text_column,
                "label_column": config.label_column,
                "limit": config.limit,
                "sample_seed": config.sample_seed if config.limit is not None else None,
                "max_tokens": max_tokens,
                "too_long": config.too_long,
                "ff_bias": config.ff_bias,
                "precision_cost": precision_cost,
                "heads": config.heads,
                "rollout": list(config.rollout),
                "inliers": config.inliers,
                "neurons": config.neurons,
            },
            "method_version": METHOD_VERSION,
            "lenshouse_version": importlib.metadata.version("lenshouse"),
            "torch_version": torch.__version__,
            "transformers_version": transformers.__version__,
            "device": _device_name(model.device),
            "dtype": model.dtype,
            "started_at": datetime.now(UTC).isoformat(),
            "n_sequences": counts.n_sequences,
            "n_truncated": counts.n_truncated,
            "n_chunked": counts.n_chunked,
            "n_skipped": counts.n_skipped,
            "n_tokens": counts.n_tokens,
            "n_pairs": n_pairs,
            "keep_parts": config.keep_parts,
            "shard_rows": shard_rows,
            "n_shards": n_shards,
            "seconds_tokenize": seconds_tokenize,
        },
    }


def _found_again(spec: str) -> str:
    """The hub id, or a path that leads to the model from any folder."""
    path = Path(spec).expanduser()
    return str(path.absolute()) if path.exists() else spec


def layer_weight(model: LoadedModel) -> pl.DataFrame:
    """LayerNorm weights of every layer and dimension, in the schema of the part of that name."""
    frames = []
    for number, layer in enumerate(model.layers, start=1):
        w = layer.weights
        d_model = w.w_out.shape[1]
        columns = {
            "layer": [number] * d_model,
            "dim": range(d_model),
            **{
                f"{name}_{part}": _values(norm, part)
                for name, norm in (("ln_attn", w.ln_attn), ("ln_ff", w.ln_ff))
                for part in ("gamma", "beta")
            },
        }
        frames.append(pl.DataFrame(columns, schema=RUN_TABLES["layer_weight"]))
    return pl.concat(frames)


def _values(norm: Norm | None, part: Literal["gamma", "beta"]) -> Any:
    """A norm's weights or biases; None where it has none."""
    if norm is None or (part == "beta" and not norm.centred):
        return None
    return getattr(norm, part).cpu().numpy()


def manifest(fingerprint: str, n_shards: int, records: list[dict[str, Any]]) -> dict[str, Any]:
    """The content of manifest.json: totals over the records (shard.json) of all shards."""

    def total(section: str, of: str, entry: str | None = None) -> Any:
        return sum(r[section][of][entry] if entry else r[section][of] for r in records)

    return {
        "fingerprint": fingerprint,
        "n_shards": n_shards,
        "rows": {table: total("tables", table, "rows") for table in records[0]["tables"]},
        "seconds": {phase: total("seconds", phase) for phase in records[0]["seconds"]},
        "finished_at": datetime.now(UTC).isoformat(),
        "max_completeness_error": max(r["max_completeness_error"] for r in records),
    }


def _device_name(device: torch.device) -> str:
    if device.type == "cuda":
        return f"cuda ({torch.cuda.get_device_name(device)})"
    return f"cpu ({_cpu_name()})"


def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return "unknown"
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else "unknown"
