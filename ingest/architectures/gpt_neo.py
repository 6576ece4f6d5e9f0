"""GPT-Neo (Black et al. 2021): GPT-2's order; every other layer attends to a sliding window."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn
from transformers import GPTNeoConfig, PretrainedConfig

from ingest.architectures._decoder_layout import Decoder
from ingest.architectures._family import layer_weights, linear, matrix, norm
from ingest.attribution.weights import LayerWeights


class GPTNeo(Decoder):
    name = "gpt_neo"
    model_types = ("gpt_neo",)
    placement = "pre_ln"

    def tiny_config(self, **overrides: Any) -> GPTNeoConfig:
        sizes: dict[str, Any] = {
            "vocab_size": 97,
            "hidden_size": 24,
            "num_layers": 3,
            "attention_types": [[["global", "local"], 1], [["local"], 1]],
            "window_size": 4,
            "num_heads": 3,
            "intermediate_size": 40,
            "max_position_embeddings": 48,
            "bos_token_id": 1,
            "eos_token_id": 1,
        }
        return GPTNeoConfig(**(sizes | overrides))

    def layers(self, model: Any) -> Sequence[nn.Module]:
        return list(model.h)

    def attention(self, layer: Any) -> nn.Module:
        return layer.attn.attention

    def weights(self, layer: Any, config: PretrainedConfig) -> LayerWeights:
        attention = layer.attn.attention
        return layer_weights(
            self.placement,
            config.num_heads,
            value=linear(attention.v_proj),
            attn_out=linear(attention.out_proj),
            ln_attn=norm(layer.ln_1),
            ff_in=linear(layer.mlp.c_fc),
            act=layer.mlp.act,
            ff_out=linear(layer.mlp.c_proj),
            ln_ff=norm(layer.ln_2),
            reach=config.window_size - 1 if attention.attention_type == "local" else None,
        )

    def query_key(self, layer: Any, config: PretrainedConfig) -> tuple[Tensor, Tensor]:
        return matrix(layer.attn.attention.q_proj), matrix(layer.attn.attention.k_proj)

    def activation(self, config: PretrainedConfig) -> str:
        return str(config.activation_function)

    def is_causal(self, config: PretrainedConfig) -> bool:
        return True  # by a mask of its own, whatever the configuration says


FAMILY = GPTNeo()
