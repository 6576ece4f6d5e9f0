"""Load a model so that its numbers can be trusted: safetensors only, no hub code, every weight accounted for."""

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, cast, get_args

import torch
from torch import Tensor, nn
from transformers import AutoModel, PretrainedConfig, PreTrainedModel

from ingest.architectures import Family, family_of
from ingest.attribution.weights import COMPONENT_ORDER, FoldedLayer, LayerWeights, fold
from ingest.gguf import converted, is_gguf
from ingest.lineage import Base, base_of
from ingest.model_files import UNUSED, config_of, folder_of, module_of, sha256, tokenizer_of, weight_files
from ingest.tokens import MOST_TOKENS
from warehouse.errors import ModelError, UsageError

Dtype = Literal["float32", "tf32", "bfloat16", "float16"]
"""tf32: float32 with matrix products of the model and of the core on a GPU's TF32 units (10 bits of mantissa, sums in
float32); where the device has none it is float32."""


@dataclass(frozen=True)
class LoadedModel:
    """A base model in eager attention and evaluation mode, with its family and what a run records of it."""

    module: PreTrainedModel
    family: Family
    name: str
    revision: str | None
    weights_sha256: str
    dtype: Dtype
    device: torch.device
    family_label: str | None
    seed: int | None
    base: Base | None = None
    """The model that this one was trained on from, where its files tell."""
    weight_files: tuple[Path, ...] = ()
    """The safetensors that it was loaded from, which may hold a head too; none for a model that was in memory."""

    @property
    def config(self) -> PretrainedConfig:
        return self.module.config

    @cached_property
    def layers(self) -> list[FoldedLayer]:
        modules = self.family.layers(self.module)
        with _float32_products("highest"):
            folded = {m: fold(self.family.weights(m, self.config)) for m in dict.fromkeys(modules)}  # some share one
        return [folded[m] for m in modules]

    @property
    def n_layer(self) -> int:
        return len(self.family.layers(self.module))

    def weights_of(self, layer: int) -> LayerWeights:
        """A layer's parameters, layers counted from 1; UsageError for one that the model does not have."""
        return self.family.weights(self._layer(layer), self.config)

    def d_head(self, layer: int) -> int:
        """Coordinates of each of a layer's heads; layers and errors as `weights_of`."""
        weights = self.weights_of(layer)
        return weights.w_o.shape[0] // weights.n_head

    def query_key_of(self, layer: int) -> tuple[Tensor, Tensor]:
        """A layer's w_q (d, H * dh) and w_k (d, Hkv * dh); layers and errors as `weights_of`."""
        return self.family.query_key(self._layer(layer), self.config)

    def _layer(self, layer: int) -> nn.Module:
        modules = self.family.layers(self.module)
        if not 1 <= layer <= len(modules):
            msg = f"layer {layer}: {self.name} has layers 1 to {len(modules)}"
            raise UsageError(msg)
        return modules[layer - 1]

    def products(self) -> AbstractContextManager[None]:
        """Matrix products of float32 values as this model's precision has them, whatever the process had set."""
        return _float32_products("high" if self.dtype == "tf32" else "highest")

    @property
    def max_tokens(self) -> int:
        """Longest sequence that the model has positions for and the tables have room for."""
        return min(self.family.max_tokens(self.config), MOST_TOKENS)

    @property
    def is_causal(self) -> bool:
        return self.family.is_causal(self.config)

    def describe(self) -> dict[str, Any]:
        """The row of the `model` table, without its key."""
        config, first = self.config, self.weights_of(1)
        return {
            "name": self.name,
            "revision": self.revision,
            "weights_sha256": self.weights_sha256,
            "family": self.family_label,
            "model_type": config.model_type,
            "placement": first.placement,
            "component_order": ",".join(COMPONENT_ORDER[first.placement]),
            "is_causal": self.is_causal,
            "n_layer": self.n_layer,
            "n_head": first.n_head,
            "n_kv_head": first.n_kv_head,
            "d_model": first.w_out.shape[1],
            "d_ff": first.w_out.shape[0],
            "activation": self.family.activation(config),
            "is_gated": first.is_gated,
            "norm_type": "layernorm" if first.ln_ff.centred else "rmsnorm",
            "vocab_size": config.vocab_size,
            "tied_embeddings": bool(getattr(config, "tie_word_embeddings", True)),
            "seed": self.seed,
            "base_model": None if self.base is None else self.base.name,
            "n_params": sum(p.numel() for name, p in self.module.named_parameters() if not UNUSED.search(name)),
        }


@contextmanager
def _float32_products(precision: Literal["high", "highest"]) -> Iterator[None]:
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision(precision)
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def resolve_device(device: str) -> torch.device:
    """'auto' takes a GPU when there is one."""
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        resolved = torch.device(device)
    except RuntimeError:
        resolved = torch.device("meta")
    if resolved.type not in ("cpu", "cuda"):
        msg = f"device '{device}' is not supported: use auto, cpu, cuda or cuda:N"
        raise UsageError(msg)
    if resolved.type == "cuda" and (resolved.index or 0) >= torch.cuda.device_count():
        msg = f"device '{device}' was asked for, but torch sees {torch.cuda.device_count()} GPUs: use --device cpu"
        raise UsageError(msg)
    return resolved


def load_model(
    spec: str,
    *,
    revision: str | None = None,
    device: str = "auto",
    dtype: Dtype = "float32",
    name: str | None = None,
    family: str | None = None,
    seed: int | None = None,
) -> tuple[LoadedModel, Any]:
    """Load a model and its tokenizer from a local folder or the hub.

    Raises ModelError, in one line, for whatever would make its numbers wrong: pickled weights, remote code, an unknown
    architecture, parameters that the files lack, weights that are not finite, a tokenizer of another vocabulary.
    """
    options = {"revision": revision, "device": device, "dtype": dtype, "name": name, "family": family, "seed": seed}
    _, model, tokenizer = load_with_head(spec, AutoModel, **options)  # type: ignore[arg-type]
    return model, tokenizer


def load_with_head(
    spec: str,
    auto: Any,
    *,
    revision: str | None = None,
    device: str = "auto",
    dtype: Dtype = "float32",
    name: str | None = None,
    family: str | None = None,
    seed: int | None = None,
) -> tuple[Any, LoadedModel, Any]:
    """What a class of transformers such as AutoModelForSequenceClassification loads, the base model inside it, and the
    tokenizer. Errors as `load_model`, and for a head that the files lack."""
    target = resolve_device(device)
    folder, commit = (converted(spec), None) if is_gguf(spec) else folder_of(spec, revision)
    config = config_of(folder, spec)
    known = family_of(config)
    files = weight_files(folder, spec)
    tokenizer = tokenizer_of(folder, spec, config)
    module: Any = module_of(folder, spec, config, torch_dtype(dtype), auto)
    module.to(target)
    local = Path(spec).stem if is_gguf(spec) else folder.resolve().name
    label = name or (spec if commit else local)
    inferred_family, inferred_seed = infer_family_and_seed(label)
    if inferred_seed is None:
        inferred_family, inferred_seed = infer_family_and_seed(spec)
    model = LoadedModel(
        module=module if auto is AutoModel else module.base_model,
        family=known,
        name=label,
        revision=commit,
        weights_sha256=sha256(files),
        dtype=dtype,
        device=target,
        family_label=family if family is not None else inferred_family,
        seed=seed if seed is not None else inferred_seed,
        base=base_of(folder, label),
        weight_files=tuple(files),
    )
    return module, model, tokenizer


def torch_dtype(dtype: Dtype) -> torch.dtype:
    """What the model's parameters are held in."""
    kind: torch.dtype = torch.float32 if dtype == "tf32" else getattr(torch, dtype)
    return kind


def dtype_of(module: PreTrainedModel) -> Dtype:
    """The precision of a loaded model; ModelError for one that is not supported."""
    name = str(module.dtype).removeprefix("torch.")
    if name not in get_args(Dtype):
        msg = f"{type(module).__name__} is in {name}: use model.to(...) with one of {', '.join(get_args(Dtype))}"
        raise ModelError(msg)
    return cast(Dtype, name)


def infer_family_and_seed(name: str) -> tuple[str | None, int | None]:
    """'google/multiberts-seed_3' -> ('multiberts', 3); (None, None) where the name shows no seed."""
    found = re.fullmatch(r"(.+?)[-_.]seed[-_]?(\d+)(.*)", name.rsplit("/", 1)[-1])
    return (found[1] + found[3], int(found[2])) if found else (None, None)
