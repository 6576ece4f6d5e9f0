"""The Post-LN layout that BERT introduced and RoBERTa and ELECTRA kept, module names included."""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from torch import Tensor, nn
from transformers import PretrainedConfig

from ingest.architectures._family import Family, layer_weights, linear, matrix, norm
from ingest.architectures._masks import mask_is_causal
from ingest.attribution.weights import LayerWeights
from warehouse.errors import ModelError


class AttentionBlock(NamedTuple):
    """The modules of a layer's attention block."""

    query: nn.Module
    key: nn.Module
    value: nn.Module
    out: nn.Module
    ln: nn.Module


class BertLayout(Family):
    placement = "post_ln"
    forward_options: ClassVar[dict[str, Any]] = {"use_cache": False}

    def layers(self, model: Any) -> Sequence[nn.Module]:
        return list(model.encoder.layer)

    def attention(self, layer: Any) -> nn.Module:
        return layer.attention.self

    def attention_block(self, layer: Any) -> AttentionBlock:
        reads, output = layer.attention.self, layer.attention.output
        return AttentionBlock(reads.query, reads.key, reads.value, output.dense, output.LayerNorm)

    def weights(self, layer: Any, config: PretrainedConfig) -> LayerWeights:
        block = self.attention_block(layer)
        return layer_weights(
            self.placement,
            config.num_attention_heads,
            value=linear(block.value),
            attn_out=linear(block.out),
            ln_attn=norm(block.ln),
            ff_in=linear(layer.intermediate.dense),
            act=layer.intermediate.intermediate_act_fn,
            ff_out=linear(layer.output.dense),
            ln_ff=norm(layer.output.LayerNorm),
        )

    def query_key(self, layer: Any, config: PretrainedConfig) -> tuple[Tensor, Tensor]:
        block = self.attention_block(layer)
        return matrix(block.query), matrix(block.key)

    def activation(self, config: PretrainedConfig) -> str:
        return str(config.hidden_act)

    def is_causal(self, config: PretrainedConfig) -> bool:
        return bool(getattr(config, "is_decoder", False)) and mask_is_causal(config)

    def check(self, config: PretrainedConfig) -> None:
        require_absolute_positions(config)


def require_absolute_positions(config: PretrainedConfig) -> None:
    """Raise ModelError for a `position_embedding_type` that is not 'absolute'."""
    kind = getattr(config, "position_embedding_type", None) or "absolute"
    if kind != "absolute":
        # transformers 5 ignores the setting and would compute other attention weights without a word.
        msg = f"position_embedding_type '{kind}' is not supported by this transformers version, only 'absolute'"
        raise ModelError(msg)


TINY = {
    "vocab_size": 97,
    "hidden_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 3,
    "intermediate_size": 40,
    "max_position_embeddings": 48,
    "pad_token_id": 0,
}
"""Sizes of a tiny model under BERT's configuration names."""
