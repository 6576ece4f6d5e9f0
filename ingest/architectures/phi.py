"""Phi-1, Phi-1.5 and Phi-2 (Gunasekar et al. 2023): attention and FF side by side, both reading through one norm."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn
from transformers import PhiConfig, PretrainedConfig

from ingest.architectures._decoder_layout import Decoder
from ingest.architectures._family import layer_weights, linear, matrix, norm
from ingest.attribution.weights import LayerWeights


class Phi(Decoder):
    name = "phi"
    model_types = ("phi",)
    placement = "parallel"

    def tiny_config(self, **overrides: Any) -> PhiConfig:
        sizes = {
            "vocab_size": 97,
            "hidden_size": 24,
            "num_hidden_layers": 3,
            "num_attention_heads": 3,
            "intermediate_size": 40,
            "max_position_embeddings": 48,
        }
        return PhiConfig(**(sizes | overrides))

    def layers(self, model: Any) -> Sequence[nn.Module]:
        return list(model.layers)

    def attention(self, layer: Any) -> nn.Module:
        return layer.self_attn

    def weights(self, layer: Any, config: PretrainedConfig) -> LayerWeights:
        ln = norm(layer.input_layernorm)
        return layer_weights(
            self.placement,
            config.num_attention_heads,
            value=linear(layer.self_attn.v_proj),
            attn_out=linear(layer.self_attn.dense),
            ln_attn=ln,
            ff_in=linear(layer.mlp.fc1),
            act=layer.mlp.activation_fn,
            ff_out=linear(layer.mlp.fc2),
            ln_ff=ln,
        )

    def query_key(self, layer: Any, config: PretrainedConfig) -> tuple[Tensor, Tensor]:
        return matrix(layer.self_attn.q_proj), matrix(layer.self_attn.k_proj)

    def activation(self, config: PretrainedConfig) -> str:
        return str(config.hidden_act)


FAMILY = Phi()
