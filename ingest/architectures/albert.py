"""ALBERT (Lan et al. 2020): Post-LN like BERT; its layers share their parameters in groups."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn
from transformers import AlbertConfig, PretrainedConfig

from ingest.architectures._bert_layout import TINY, require_absolute_positions
from ingest.architectures._family import Family, layer_weights, linear, matrix, norm
from ingest.attribution.weights import LayerWeights


class Albert(Family):
    name = "albert"
    model_types = ("albert",)
    placement = "post_ln"
    output_weight = ("predictions.decoder.weight",)
    output_bias = ("predictions.decoder.bias", "predictions.bias")

    def tiny_config(self, **overrides: Any) -> AlbertConfig:
        return AlbertConfig(**(TINY | {"embedding_size": 10} | overrides))

    def layers(self, model: Any) -> Sequence[nn.Module]:
        groups, config = model.encoder.albert_layer_groups, model.config
        per_group = config.num_hidden_layers / config.num_hidden_groups
        return [layer for i in range(config.num_hidden_layers) for layer in groups[int(i / per_group)].albert_layers]

    def attention(self, layer: Any) -> nn.Module:
        return layer.attention

    def weights(self, layer: Any, config: PretrainedConfig) -> LayerWeights:
        return layer_weights(
            self.placement,
            config.num_attention_heads,
            value=linear(layer.attention.value),
            attn_out=linear(layer.attention.dense),
            ln_attn=norm(layer.attention.LayerNorm),
            ff_in=linear(layer.ffn),
            act=layer.activation,
            ff_out=linear(layer.ffn_output),
            ln_ff=norm(layer.full_layer_layer_norm),
        )

    def query_key(self, layer: Any, config: PretrainedConfig) -> tuple[Tensor, Tensor]:
        return matrix(layer.attention.query), matrix(layer.attention.key)

    def widening(self, model: Any) -> Tensor | None:
        into = model.encoder.embedding_hidden_mapping_in
        return matrix(into) if into.in_features != into.out_features else None

    def activation(self, config: PretrainedConfig) -> str:
        return str(config.hidden_act)

    def check(self, config: PretrainedConfig) -> None:
        require_absolute_positions(config)


FAMILY = Albert()
