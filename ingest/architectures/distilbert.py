"""DistilBERT (Sanh et al. 2019): Post-LN like BERT, under names of its own."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn
from transformers import DistilBertConfig, PretrainedConfig

from ingest.architectures._family import Family, layer_weights, linear, matrix, norm
from ingest.attribution.weights import LayerWeights


class DistilBert(Family):
    name = "distilbert"
    model_types = ("distilbert",)
    placement = "post_ln"
    output_weight = ("vocab_projector.weight",)
    output_bias = ("vocab_projector.bias",)

    def tiny_config(self, **overrides: Any) -> DistilBertConfig:
        sizes = {
            "vocab_size": 97,
            "dim": 24,
            "n_layers": 3,
            "n_heads": 3,
            "hidden_dim": 40,
            "max_position_embeddings": 48,
        }
        return DistilBertConfig(**(sizes | overrides))

    def layers(self, model: Any) -> Sequence[nn.Module]:
        return list(model.transformer.layer)

    def attention(self, layer: Any) -> nn.Module:
        return layer.attention

    def weights(self, layer: Any, config: PretrainedConfig) -> LayerWeights:
        return layer_weights(
            self.placement,
            config.n_heads,
            value=linear(layer.attention.v_lin),
            attn_out=linear(layer.attention.out_lin),
            ln_attn=norm(layer.sa_layer_norm),
            ff_in=linear(layer.ffn.lin1),
            act=layer.ffn.activation,
            ff_out=linear(layer.ffn.lin2),
            ln_ff=norm(layer.output_layer_norm),
        )

    def query_key(self, layer: Any, config: PretrainedConfig) -> tuple[Tensor, Tensor]:
        return matrix(layer.attention.q_lin), matrix(layer.attention.k_lin)

    def activation(self, config: PretrainedConfig) -> str:
        return str(config.activation)


FAMILY = DistilBert()
