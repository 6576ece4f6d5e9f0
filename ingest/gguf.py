"""Models in GGUF files: converted once into a folder of safetensors, which is then loaded like any other."""

import io
import os
from contextlib import redirect_stderr
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from transformers import (
    MODEL_FOR_CAUSAL_LM_MAPPING,
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoTokenizer,
)

from ingest.architectures import family_of
from ingest.model_files import quietly, sha256
from ingest.scratch import scratch_folder
from warehouse.errors import ModelError


def is_gguf(spec: str) -> bool:
    return spec.lower().endswith(".gguf") and Path(spec).expanduser().is_file()


def converted(spec: str) -> Path:
    """The folder that a GGUF file is converted into: float32 safetensors, configuration and tokenizer.

    It is kept in the user's cache under the file's SHA-256, so that the next call finds it. Quantised weights become
    the float32 values that they stand for; a language model's output embeddings are among them.
    """
    path = Path(spec).expanduser()
    if find_spec("gguf") is None or find_spec("accelerate") is None:
        msg = f"{spec}: reading GGUF needs two more packages: pip install 'lenshouse[gguf]'"
        raise ModelError(msg)
    folder = cache_folder() / sha256([path])
    if not folder.is_dir():
        with scratch_folder(folder.parent) as scratch:
            partial = scratch / "model"
            partial.mkdir()
            _convert(path, spec, partial)
            try:
                partial.rename(folder)
            except OSError:
                if not folder.is_dir():  # else another process was faster
                    raise
    return folder


def cache_folder() -> Path:
    """`lenshouse/gguf-lm` in XDG_CACHE_HOME, or in ~/.cache; `gguf` had models without output embeddings."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lenshouse" / "gguf-lm"


def _convert(path: Path, spec: str, folder: Path) -> None:
    parent = path.parent
    options: dict[str, Any] = {"gguf_file": path.name, "local_files_only": True}
    with redirect_stderr(io.StringIO()):  # its progress bar knows no terminal from a file
        config = quietly(lambda: AutoConfig.from_pretrained(parent, **options), spec, "its configuration")
        family_of(config)
        tokenizer = quietly(lambda: AutoTokenizer.from_pretrained(parent, **options), spec, "its tokenizer")
        whole = AutoModelForCausalLM if type(config) in MODEL_FOR_CAUSAL_LM_MAPPING else AutoModel
        module = quietly(
            lambda: whole.from_pretrained(parent, config=config, dtype=torch.float32, **options),
            spec,
            "its weights",
        )
    del module.config.quantization_config, module.hf_quantizer  # the weights are no longer quantised
    module.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
