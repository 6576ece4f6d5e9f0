"""ModernBERT (Warner et al. 2024): Pre-LN encoder, gated FF, one matrix for q, k and v; most layers slide."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn
from transformers import ModernBertConfig, PretrainedConfig

from ingest.architectures._family import Family, layer_weights, linear, matrix, norm
from ingest.architectures._masks import check_layer_types
from ingest.attribution.weights import LayerWeights


class ModernBert(Family):
    name = "modernbert"
    model_types = ("modernbert",)
    placement = "pre_ln"
    output_weight = ("decoder.weight",)
    output_bias = ("decoder.bias",)

    def tiny_config(self, **overrides: Any) -> ModernBertConfig:
        sizes = {
            "vocab_size": 97,
            "hidden_size": 24,
            "num_hidden_layers": 3,
            "num_attention_heads": 3,
            "intermediate_size": 40,
            "max_position_embeddings": 48,
            "local_attention": 8,
            "pad_token_id": 0,
            "bos_token_id": 1,
            "eos_token_id": 2,
            "cls_token_id": 1,
            "sep_token_id": 2,
        }
        return ModernBertConfig(**(sizes | overrides))

    def layers(self, model: Any) -> Sequence[nn.Module]:
        return list(model.layers)

    def attention(self, layer: Any) -> nn.Module:
        return layer.attn

    def weights(self, layer: Any, config: PretrainedConfig) -> LayerWeights:
        w_qkv, b_qkv = linear(layer.attn.Wqkv)
        (w_gate, w_up), (b_gate, b_up) = (t.chunk(2, -1) for t in linear(layer.mlp.Wi))
        has_norm = isinstance(layer.attn_norm, nn.LayerNorm)  # the first layer has none: the embeddings end with one
        return layer_weights(
            self.placement,
            config.num_attention_heads,
            value=(w_qkv.chunk(3, -1)[2], b_qkv.chunk(3, -1)[2]),
            attn_out=linear(layer.attn.Wo),
            ln_attn=norm(layer.attn_norm) if has_norm else None,
            ff_in=(w_gate, b_gate),
            ff_up=(w_up, b_up),
            act=layer.mlp.act,
            ff_out=linear(layer.mlp.Wo),
            ln_ff=norm(layer.mlp_norm),
            reach=config.sliding_window if layer.attention_type == "sliding_attention" else None,
        )

    def query_key(self, layer: Any, config: PretrainedConfig) -> tuple[Tensor, Tensor]:
        w_q, w_k, _ = matrix(layer.attn.Wqkv).chunk(3, -1)
        return w_q, w_k

    def activation(self, config: PretrainedConfig) -> str:
        return str(config.hidden_activation)

    def check(self, config: PretrainedConfig) -> None:
        check_layer_types(config)


FAMILY = ModernBert()
