"""DistilBERT (Sanh et al. 2019): Post-LN like BERT, under names of its own."""

from collections.abc import Sequence
from typing import Any

from torch import nn
from transformers import DistilBertConfig, PretrainedConfig

from ingest.architectures._family import Family, linear, norm
from ingest.attribution.weights import LayerWeights


class DistilBert(Family):
    name = "distilbert"
    model_types = ("distilbert",)
    placement = "post_ln"

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
        w_v, b_v = linear(layer.attention.v_lin)
        w_o, b_o = linear(layer.attention.out_lin)
        w_in, b_in = linear(layer.ffn.lin1)
        w_out, b_out = linear(layer.ffn.lin2)
        return LayerWeights(
            placement=self.placement,
            n_head=config.n_heads,
            w_v=w_v,
            b_v=b_v,
            w_o=w_o,
            b_o=b_o,
            ln_attn=norm(layer.sa_layer_norm),
            w_in=w_in,
            b_in=b_in,
            act=layer.ffn.activation,
            w_out=w_out,
            b_out=b_out,
            ln_ff=norm(layer.output_layer_norm),
        )

    def activation(self, config: PretrainedConfig) -> str:
        return str(config.activation)


FAMILY = DistilBert()
