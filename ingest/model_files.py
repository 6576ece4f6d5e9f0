"""A model's folder: found or downloaded, its files read with no code of theirs run, and every weight accounted for."""

import hashlib
import json
import re
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, AutoModel, AutoTokenizer, PretrainedConfig, PreTrainedModel
from transformers.utils import logging as transformers_logging

from ingest.architectures import family_named, family_of
from warehouse.errors import LenshouseError, ModelError, UsageError

TOKENIZER_FILES = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "tokenizer.model",
    "sentencepiece.bpe.model",
    "spiece.model",
)
_PICKLED = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".h5", ".msgpack")
UNUSED = re.compile(r"(^|\.)pooler\.|position_ids$")
"""Parameters that a base model may lack: no layer reads them."""

_MASKS = re.compile(r"\.attn\.(attention\.)?(masked_)?bias$")
"""Causal masks that old GPT-2 and GPT-Neo checkpoints carry among their weights."""


def folder_of(spec: str, revision: str | None) -> tuple[Path, str | None]:
    """The local folder of a model, and the hub's commit where it came from there."""
    folder = local_folder(spec, revision)
    return (folder, None) if folder else _download(spec, revision)


def local_folder(spec: str, revision: str | None) -> Path | None:
    """The folder that a model is; None for what may be a hub id. Raises ModelError for what is neither."""
    path = Path(spec).expanduser()
    if not spec.strip():
        msg = "the model's name is empty: give a folder, or a hub id such as bert-base-uncased"
        raise ModelError(msg)
    if path.is_dir():
        if revision is not None:
            msg = f"--revision {revision} is for hub models, and {spec} is a folder: leave it out"
            raise UsageError(msg)
        return path
    if path.is_file():
        msg = f"{spec}: a model is a folder, a hub id or a .gguf file, not another file"
        raise ModelError(msg)
    if not re.fullmatch(r"[\w.-]+(/[\w.-]+)?", spec) or spec.startswith("."):
        msg = f"{spec}: no such folder, and not a hub id such as bert-base-uncased or org/name"
        raise ModelError(msg)
    return None


def _download(spec: str, revision: str | None) -> tuple[Path, str | None]:
    from huggingface_hub import snapshot_download  # only here: a local folder needs no network code

    try:
        found = snapshot_download(
            spec,
            revision=revision,
            allow_patterns=["*.json", "*.safetensors", "*.txt", "*.model"],
            ignore_patterns=["*/*"],
        )
    except Exception as error:
        at = f" at revision '{revision}'" if revision else ""
        msg = (
            f"{spec}{at}: no local folder, and the hub did not give it ({_reason(error)}); "
            "check the name and the network"
        )
        raise ModelError(msg) from error
    folder = Path(found)
    return folder, folder.name


def config_of(folder: Path, spec: str) -> PretrainedConfig:
    path = folder / "config.json"
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        model_type = raw["model_type"]
    except FileNotFoundError as error:
        msg = f"{spec}: no config.json there; give the folder that model.save_pretrained(folder) wrote"
        raise ModelError(msg) from error
    except (ValueError, KeyError, TypeError) as error:
        msg = f"{path}: not a model configuration ({_reason(error)}); it must be JSON with a model_type"
        raise ModelError(msg) from error
    family_named(model_type, needs_code="auto_map" in raw)
    if "quantization_config" in raw:
        msg = (
            f"{spec}: its weights are quantised, which is not supported; give the model in float32, bfloat16 or float16"
        )
        raise ModelError(msg)
    if (folder / "adapter_config.json").exists():
        msg = f"{spec}: holds an adapter; merge it into its base model and save that with save_pretrained(folder)"
        raise ModelError(msg)
    return quietly(lambda: AutoConfig.from_pretrained(folder, trust_remote_code=False), spec, "its configuration")


def weight_files(folder: Path, spec: str) -> list[Path]:
    """The files that hold the weights, exactly those that are loaded: one, or the shards that an index names."""
    files = [folder / "model.safetensors"]
    index = folder / "model.safetensors.index.json"
    if index.is_file() and not files[0].is_file():
        files = _shard_files(index)
    if not all(file.is_file() for file in files):
        pickled = sorted(p.name for p in folder.iterdir() if p.suffix in _PICKLED)
        if pickled:
            msg = (
                f"{spec}: has only pickled weights ({pickled[0]}), which can run code when they are read; "
                "save it with model.save_pretrained(folder), which writes safetensors"
            )
        else:
            msg = f"{spec}: no .safetensors weights there; save the model with model.save_pretrained(folder)"
        raise ModelError(msg)
    return files


def _shard_files(index: Path) -> list[Path]:
    try:
        names = sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))
        inside = all(Path(name).name == name for name in names)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        msg = f"{index}: not an index of weight files ({_reason(error)}); get the files again"
        raise ModelError(msg) from error
    if not inside:
        msg = f"{index}: names weight files outside its folder, which are never read; get the files again"
        raise ModelError(msg)
    return [index.with_name(name) for name in names]


def tokenizer_of(folder: Path, spec: str, config: PretrainedConfig) -> Any:
    if not any((folder / name).is_file() for name in TOKENIZER_FILES):
        msg = f"{spec}: no tokenizer file ({', '.join(TOKENIZER_FILES)}); save the tokenizer into the same folder"
        raise ModelError(msg)
    tokenizer = quietly(lambda: AutoTokenizer.from_pretrained(folder, trust_remote_code=False), spec, "its tokenizer")
    check_vocabulary(tokenizer, config, spec)
    return tokenizer


def check_vocabulary(tokenizer: Any, config: PretrainedConfig, spec: str) -> None:
    """Raise ModelError where the tokenizer can give an id that the model has no embedding for."""
    highest = max(tokenizer.get_vocab().values(), default=-1)
    if highest >= config.vocab_size:
        msg = (
            f"{spec}: the tokenizer has ids up to {highest}, the model only {config.vocab_size} embeddings: "
            "they do not belong together"
        )
        raise ModelError(msg)
    if highest < 0:
        msg = f"{spec}: the tokenizer's vocabulary is empty"
        raise ModelError(msg)


def module_of(
    folder: Path, spec: str, config: PretrainedConfig, dtype: torch.dtype, auto: Any = AutoModel
) -> PreTrainedModel:
    """A model from its files, every parameter of it and of its layers accounted for.

    `auto` is the class of transformers that loads it: a base model, which may lack what no layer reads, or one with a
    head, which lacks nothing.
    """
    module, info = quietly(
        lambda: auto.from_pretrained(
            folder,
            config=config,
            dtype=dtype,
            attn_implementation="eager",
            use_safetensors=True,
            trust_remote_code=False,
            local_files_only=True,
            output_loading_info=True,
        ),
        spec,
        "its weights",
    )
    unread = family_of(config).unread
    missing = sorted(
        key
        for key in info["missing_keys"]
        if auto is not AutoModel or not (UNUSED.search(key) or key.partition(".")[0] in unread)
    )
    if missing:
        msg = (
            f"{spec}: the weights lack {len(missing)} parameters that the configuration asks for, first {missing[0]}; "
            "get the model again, or correct its config.json"
        )
        raise ModelError(msg)
    extra = _unread_layer_weights(module if auto is AutoModel else module.base_model, config, info["unexpected_keys"])
    if extra:
        msg = (
            f"{spec}: the weights hold {len(extra)} layer parameters that the model would not use, first {extra[0]}; "
            "correct the number of layers or the architecture in config.json"
        )
        raise ModelError(msg)
    for part in unread if auto is AutoModel else ():
        setattr(module, part, None)
    for key, value in module.named_parameters():
        if not bool(torch.isfinite(value).all()):
            msg = f"{spec}: parameter {key} holds NaN or infinity; get the weights again"
            raise ModelError(msg)
    return module.eval()


def _unread_layer_weights(module: Any, config: PretrainedConfig, unexpected: Iterable[str]) -> list[str]:
    """Keys of the files that lie inside the stack of layers, where everything counts, yet are not loaded."""
    first = family_of(config).layers(module)[0]
    name = next(name for name, part in module.named_modules() if part is first)
    steps = [r"\d+" if step.isdecimal() else re.escape(step) for step in name.split(".")]
    inside = re.compile(r"(^|\.)" + r"\.".join([*steps, ""]))
    return sorted(key for key in unexpected if inside.search(key) and not _MASKS.search(key))


def sha256(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as handle:
            digest.update(path.name.encode() + b"\0" + hashlib.file_digest(handle, "sha256").digest())
    return digest.hexdigest()


def quietly(load: Callable[[], Any], spec: str, what: str) -> Any:
    """Run a loader of transformers without its progress bars, any failure as one line."""
    verbosity = transformers_logging.get_verbosity()
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return load()
    except LenshouseError:
        raise
    except Exception as error:
        msg = f"{spec}: {what} cannot be loaded ({_reason(error)}); get the files again, or correct them"
        raise ModelError(msg) from error
    finally:
        transformers_logging.set_verbosity(verbosity)


def _reason(error: Exception) -> str:
    if "ignore_mismatched_sizes" in str(error):
        return "their shapes are not those that config.json says"
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0][:200]}" if lines else type(error).__name__
