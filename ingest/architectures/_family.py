"""What a family must say about its models."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from transformers import PretrainedConfig, PreTrainedModel

from ingest.attribution.activation import Activation
from ingest.attribution.normalisation import Norm
from ingest.attribution.weights import LayerWeights, Placement

Affine = tuple[Tensor, Tensor]
"""(w, b) of y = x @ w + b."""


class Family(ABC):
    """Where the parts of a model lie. Tensors that leave a family are float32, vectors are rows (x @ w + b)."""

    name: ClassVar[str]
    model_types: ClassVar[tuple[str, ...]]
    placement: ClassVar[Placement]

    left_padding: ClassVar[bool] = True
    """Whether a row that is padded on the left gives the states of the row alone. Not where positions count from the
    row's first column and cannot be given; such a model wants its padding on the right."""

    unread: ClassVar[tuple[str, ...]] = ()
    """Submodules of the base model that run after its layers only: weights may lack them, and loading drops them."""

    forward_options: ClassVar[Mapping[str, Any]] = {}
    """What the model's forward takes beside ids, mask and positions."""

    output_weight: ClassVar[tuple[str, ...]] = ()
    output_bias: ClassVar[tuple[str, ...]] = ()
    """Names under which weight files hold the output embeddings (V, width of the embeddings) and their bias (V,); the
    first that is there counts."""

    is_lm: ClassVar[bool] = False
    """Whether every model of the family has output embeddings, which are the input ones where its configuration ties
    them. Of the other families only those have them whose weight files hold an output bias."""

    @abstractmethod
    def tiny_config(self, **overrides: Any) -> PretrainedConfig:
        """A configuration small enough for tests; `overrides` are the family's own configuration names."""

    def placement_in(self, config: PretrainedConfig) -> Placement:
        """The placement under a configuration; the family's own unless options change it."""
        return self.placement

    @abstractmethod
    def layers(self, model: Any) -> Sequence[nn.Module]:
        """The layers of a base model, first to last, one that is shared as often as it runs.

        Each takes hidden states first and returns them.
        """

    @abstractmethod
    def attention(self, layer: nn.Module) -> nn.Module:
        """The submodule that computes attention, and gives its weights with its output."""

    def alpha_of(self, output: Any) -> Tensor | None:
        """The attention weights (B, H, T, T) in what `attention` returns; None where it gave none."""
        return output[1]

    @abstractmethod
    def weights(self, layer: nn.Module, config: PretrainedConfig) -> LayerWeights:
        """A layer's parameters."""

    @abstractmethod
    def query_key(self, layer: nn.Module, config: PretrainedConfig) -> tuple[Tensor, Tensor]:
        """(w_q (d, H * dh), w_k (d, Hkv * dh)) of a layer: queries are input @ w_q, before a bias, a norm of their own
        or a rotation; keys likewise. The input is what the values read, heads lie one after the other."""

    @abstractmethod
    def activation(self, config: PretrainedConfig) -> str:
        """Name of the feed-forward activation."""

    def widening(self, model: Any) -> Tensor | None:
        """(e, d): a map from embeddings that are narrower than the states to the states; None where none is needed.

        The one on the model's way out where it has one of its own there, else the one on its way in.
        """
        return None

    def check(self, config: PretrainedConfig) -> None:  # noqa: B027 - most families have nothing to refuse
        """Raise ModelError for an option that the decomposition does not hold for."""

    def is_causal(self, config: PretrainedConfig) -> bool:
        return False

    def first_position(self, config: PretrainedConfig) -> int:
        """Index of the first real token's position embedding."""
        return 0

    def max_tokens(self, config: PretrainedConfig) -> int:
        """Longest sequence the position embeddings allow, or the model is said to be good for."""
        return int(config.max_position_embeddings) - self.first_position(config)

    def forward(self, model: PreTrainedModel, input_ids: Tensor, attention_mask: Tensor) -> None:
        """Run a padded batch; positions count real tokens only, whichever side is padded."""
        positions = (attention_mask.cumsum(-1) - 1).clamp_min(0) + self.first_position(model.config)
        model(input_ids=input_ids, attention_mask=attention_mask, position_ids=positions, **self.forward_options)


def layer_weights(
    placement: Placement,
    n_head: int,
    *,
    value: Affine,
    attn_out: Affine,
    ln_attn: Norm | None,
    ff_in: Affine,
    act: Activation,
    ff_out: Affine,
    ln_ff: Norm,
    ff_up: Affine | None = None,
    ln_attn_out: Norm | None = None,
    ln_ff_out: Norm | None = None,
    reach: int | None = None,
) -> LayerWeights:
    """The parameters of a layer from its maps; LayerWeights says what each is. `ff_up`: gated FF only."""
    w_up, b_up = ff_up if ff_up is not None else (None, None)
    return LayerWeights(
        placement=placement,
        n_head=n_head,
        w_v=value[0],
        b_v=value[1],
        w_o=attn_out[0],
        b_o=attn_out[1],
        ln_attn=ln_attn,
        w_in=ff_in[0],
        b_in=ff_in[1],
        act=act,
        w_out=ff_out[0],
        b_out=ff_out[1],
        ln_ff=ln_ff,
        w_up=w_up,
        b_up=b_up,
        ln_attn_out=ln_attn_out,
        ln_ff_out=ln_ff_out,
        reach=reach,
    )


def linear(module: nn.Module) -> Affine:
    """(w, b) of an nn.Linear with y = x @ w + b; a missing bias is zero."""
    w = param(module.weight).T
    return w, param(module.bias) if module.bias is not None else w.new_zeros(w.shape[1])


def matrix(module: nn.Module) -> Tensor:
    """The w of an nn.Linear with y = x @ w + b."""
    return param(module.weight).T


def norm(module: nn.Module, device: torch.device | None = None) -> Norm:
    """The Norm of an nn.LayerNorm; weight and bias may be missing, and without a weight `device` says where to be."""
    d = module.normalized_shape[0]  # type: ignore[index]
    gamma = param(module.weight) if module.weight is not None else torch.ones(d, device=device)
    beta = param(module.bias) if module.bias is not None else torch.zeros_like(gamma)
    return Norm(gamma, beta, float(module.eps))  # type: ignore[arg-type]


def rms_norm(module: nn.Module, *, plus_one: bool = False) -> Norm:
    """The Norm of a model's RMSNorm; `plus_one` where the module multiplies by 1 + its weight (Gemma)."""
    gamma = param(module.weight) + (1.0 if plus_one else 0.0)
    eps = module.variance_epsilon if hasattr(module, "variance_epsilon") else module.eps
    return Norm(gamma, torch.zeros_like(gamma), float(eps), centred=False)  # type: ignore[arg-type]


def param(p: Any) -> Tensor:
    return p.detach().float()
