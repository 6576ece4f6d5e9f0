"""What one ingest job does: the options of the command line and of a --config file are the fields of this class."""

import difflib
import tomllib
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from ingest.annotate.source import require_source
from ingest.attribution.states import FFBias
from ingest.extra_rows import MOST_ACTIVATIONS, Extras, Heads, known_measures
from ingest.models import Dtype
from ingest.tokens import MOST_TOKENS, TooLong
from warehouse.contract import INTEGER
from warehouse.errors import UsageError, require_choice, require_whole
from warehouse.paths import warehouse_path


@dataclass(frozen=True)
class IngestConfig:
    """One model over one corpus into one warehouse."""

    model: str
    """Hub id, or folder with config.json, safetensors and tokenizer."""
    corpus: str
    """File (.txt .tsv .csv .jsonl .parquet .conllu .conllulex), hf:dataset:split:column, or demo."""
    warehouse: Path
    """DuckDB file; its parts lie beside it while the job runs."""
    revision: str | None = None
    """Branch, tag or commit of a hub model."""
    name: str | None = None
    """What to call the model in tables and charts; its id or folder otherwise."""
    family: str | None = None
    """Group of models that differ in seed only; read off names such as multiberts-seed_3."""
    seed: int | None = None
    """Training seed of the model; read off its name otherwise."""
    text_column: str | None = None
    """Column that holds the texts."""
    label_column: str | None = None
    """Column that holds labels."""
    limit: int | None = None
    """Take a random sample of this many texts."""
    sample_seed: int = 0
    """Seed of that sample."""
    max_tokens: int | None = None
    """Longest sequence, special tokens included; the model's own limit otherwise."""
    too_long: TooLong = "truncate"
    """What becomes of a longer text."""
    ff_bias: FFBias = "path"
    """Biases on the integration path as one more input, or as its start."""
    heads: Heads = "none"
    """Of single heads, store nothing, the norms of their values, or these and their attention weights."""
    rollout: tuple[str, ...] = ()
    """Maps to roll out over the layers, out of PAIR_MEASURES; a list does too."""
    inliers: bool = False
    """Store also how the maps change when dimensions with outlying LayerNorm weights are left out."""
    neurons: int = 0
    """Store so many of the strongest activations of each feed-forward neuron, of each sign."""
    device: str = "auto"
    """auto, cpu, cuda or cuda:N."""
    dtype: Dtype = "float32"
    """Precision of the model's forward pass; attributions accumulate in float32."""
    keep_parts: bool = False
    """Keep the Parquet parts after they are loaded."""
    annotate: str = "auto"
    """Words for a corpus that has none: auto (gold for .conllu and .conllulex, else split), none, gold, split or
    spacy:PIPELINE. No part of the run: its numbers do not depend on it."""
    language: str = "en"
    """Language whose word frequencies are looked up."""
    lexicon: str | None = None
    """File of multi-word expressions: a WordNet index, or a list."""

    def __post_init__(self) -> None:
        for name, allowed in (("too_long", TooLong), ("ff_bias", FFBias), ("heads", Heads), ("dtype", Dtype)):
            require_choice(name, getattr(self, name), allowed)
        require_source("annotate", self.annotate, "auto", "none")
        for name, (least, most) in _WHOLE.items():
            if getattr(self, name) is not None:
                require_whole(name, getattr(self, name), least, most)
        object.__setattr__(self, "rollout", known_measures(self.rollout))
        object.__setattr__(self, "warehouse", warehouse_path(self.warehouse))
        for name, value in vars(self).items():
            if isinstance(value, str):
                _require_writable(name, value)

    @property
    def extras(self) -> Extras:
        return Extras(self.heads, self.rollout, self.inliers, self.neurons)


_WHOLE = {
    "seed": INTEGER,
    "sample_seed": INTEGER,
    "limit": (1, INTEGER[1]),
    "max_tokens": (1, MOST_TOKENS),
    "neurons": (0, MOST_ACTIVATIONS),
}
"""Options that are whole numbers, and what their columns hold."""


def _require_writable(name: str, value: str) -> None:
    if value == "" and name in ("revision", "name", "family"):
        msg = f"{name} is empty: leave it out, or give one"
        raise UsageError(msg)
    if "\0" in value or any("\ud800" <= c <= "\udfff" for c in value):  # so bytes that are not UTF-8 come in
        msg = f"{name} = {value!a}: no table can hold what is not UTF-8, or NUL: write it otherwise"
        raise UsageError(msg)


_PER_MODEL = {"model", "revision", "name", "family", "seed"}
_PER_CORPUS = {"corpus", "text_column", "label_column"}


def read_config(path: Path, flags: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """The jobs of a TOML file, every [[model]] over every [[corpus]], as options of IngestConfig.

    Options stand at the top; a [[model]] table takes model, revision, name, family and seed, a [[corpus]] table corpus,
    text_column and label_column. Raises UsageError for an unknown key, with the nearest known one, for a table without
    its model or corpus, and for tables of what the flags give too: it would replace that of every table.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        msg = f"{path}: no such configuration file"
        raise UsageError(msg) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        msg = f"{path}: not a TOML file ({error})"
        raise UsageError(msg) from error
    models, corpora = _tables(content, "model", _PER_MODEL, path), _tables(content, "corpus", _PER_CORPUS, path)
    for key in ("model", "corpus"):
        if (flags or {}).get(key) is not None and isinstance(content.get(key), (list, dict)):
            msg = f"{path} has [[{key}]] tables, which --{key} would replace: put it into one, or leave --{key} out"
            raise UsageError(msg)
    shared = {key: value for key, value in content.items() if key not in ("model", "corpus")}
    _require_known(shared, {f.name for f in fields(IngestConfig)} | {"model", "corpus"}, str(path))
    if isinstance(shared.get("warehouse"), str):
        shared["warehouse"] = Path(shared["warehouse"])
    return [shared | model | corpus for model in models for corpus in corpora]


def _tables(content: dict[str, Any], key: str, allowed: set[str], path: Path) -> list[dict[str, Any]]:
    """[[key]] tables, or the one that `key = "..."` stands for, or one that leaves it to the flags."""
    value = content.get(key, {})
    tables: list[Any] = (value or [{}]) if isinstance(value, list) else [value]
    if isinstance(value, str):
        tables = [{key: value}]
    for table in tables:
        if not isinstance(table, dict):
            msg = f"{path}: write each {key} as a [[{key}]] table"
            raise UsageError(msg)
        _require_known(table, allowed, f"{path} [[{key}]]")
        if value and key not in table:
            msg = f'{path}: a [[{key}]] table lacks its {key}: write {key} = "..." into it'
            raise UsageError(msg)
    return tables


def _require_known(table: dict[str, Any], known: set[str], where: str) -> None:
    everywhere = {f.name for f in fields(IngestConfig)} - _PER_MODEL - _PER_CORPUS
    for key in table:
        if key not in known and key in everywhere:
            msg = f"{where}: unknown key '{key}'; it belongs at the top of the file, for every model and corpus"
            raise UsageError(msg)
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(sorted(known))}"
            msg = f"{where}: unknown key '{key}'; {hint}"
            raise UsageError(msg)


def job(options: dict[str, Any], flags: dict[str, Any]) -> IngestConfig:
    """One job from a file's options and the command line's flags; flags that were given (not None) win.

    Raises UsageError for a missing model or corpus, and for a value of the wrong type.
    """
    merged = options | {key: value for key, value in flags.items() if value is not None}
    if merged.get("warehouse") is None:
        merged["warehouse"] = warehouse_path()
    for required in ("model", "corpus"):
        if not merged.get(required):
            msg = f"no {required} given: use --{required}, or a [[{required}]] table in the --config file"
            raise UsageError(msg)
    words = {int: "whole number", bool: "true or false", str: "text in quotes", Path: "path in quotes"}
    words |= {list: "list of texts in quotes"}
    kinds: dict[str, type] = dict.fromkeys(_WHOLE, int) | {"keep_parts": bool, "inliers": bool, "rollout": list}
    for key, value in merged.items():
        kind = kinds.get(key, Path if key == "warehouse" else str)
        if value is not None and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
            msg = f"{key} = {value!r}: must be a {words[kind]}"
            raise UsageError(msg)
    return replace(IngestConfig(merged["model"], merged["corpus"], merged["warehouse"]), **merged)
