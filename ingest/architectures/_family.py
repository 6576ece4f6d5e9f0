"""What a family must say about its models."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from transformers import PretrainedConfig, PreTrainedModel

from ingest.attribution.normalisation import LayerNorm
from ingest.attribution.weights import LayerWeights, Placement


class Family(ABC):
    """Where the parts of a model lie. Tensors that leave a family are float32, vectors are rows (x @ w + b)."""

    name: ClassVar[str]
    model_types: ClassVar[tuple[str, ...]]
    placement: ClassVar[Placement]

    @abstractmethod
    def tiny_config(self, **overrides: Any) -> PretrainedConfig:
        """A configuration small enough for tests; `overrides` are the family's own configuration names."""

    @abstractmethod
    def layers(self, model: Any) -> Sequence[nn.Module]:
        """The layers of a base model, first to last; each takes hidden states first and returns them."""

    @abstractmethod
    def attention(self, layer: nn.Module) -> nn.Module:
        """The submodule whose output's second item is the attention weights (B, H, T, T)."""

    @abstractmethod
    def weights(self, layer: nn.Module, config: PretrainedConfig) -> LayerWeights:
        """A layer's parameters."""

    @abstractmethod
    def activation(self, config: PretrainedConfig) -> str:
        """Name of the feed-forward activation."""

    def check(self, config: PretrainedConfig) -> None:  # noqa: B027 - most families have nothing to refuse
        """Raise ModelError for an option that the decomposition does not hold for."""

    def is_causal(self, config: PretrainedConfig) -> bool:
        return False

    def first_position(self, config: PretrainedConfig) -> int:
        """Index of the first real token's position embedding."""
        return 0

    def max_tokens(self, config: PretrainedConfig) -> int:
        """Longest sequence the position embeddings allow."""
        return int(config.max_position_embeddings) - self.first_position(config)

    def forward(self, model: PreTrainedModel, input_ids: Tensor, attention_mask: Tensor) -> None:
        """Run a padded batch; positions count real tokens only, whichever side is padded."""
        positions = (attention_mask.cumsum(-1) - 1).clamp_min(0) + self.first_position(model.config)
        model(input_ids=input_ids, attention_mask=attention_mask, position_ids=positions)


def linear(module: nn.Module) -> tuple[Tensor, Tensor]:
    """(w, b) of an nn.Linear with y = x @ w + b; a missing bias is zero."""
    w = param(module.weight).T
    return w, param(module.bias) if module.bias is not None else w.new_zeros(w.shape[1])


def norm(module: nn.Module) -> LayerNorm:
    gamma = param(module.weight)
    beta = param(module.bias) if module.bias is not None else torch.zeros_like(gamma)
    return LayerNorm(gamma, beta, float(module.eps))  # type: ignore[arg-type]


def param(p: Any) -> Tensor:
    return p.detach().float()
