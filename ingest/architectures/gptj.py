"""GPT-J (Wang and Komatsuzaki 2021): attention and FF side by side, both reading through the layer's only norm."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn
from transformers import GPTJConfig, PretrainedConfig

from ingest.architectures._decoder_layout import Decoder
from ingest.architectures._family import layer_weights, linear, matrix, norm
from ingest.attribution.weights import LayerWeights


class GPTJ(Decoder):
    name = "gptj"
    model_types = ("gptj",)
    placement = "parallel"

    def tiny_config(self, **overrides: Any) -> GPTJConfig:
        sizes = {
            "vocab_size": 97,
            "n_embd": 24,
            "n_layer": 3,
            "n_head": 3,
            "n_inner": 40,
            "n_positions": 48,
            "rotary_dim": 4,
            "bos_token_id": 1,
            "eos_token_id": 1,
        }
        return GPTJConfig(**(sizes | overrides))

    def layers(self, model: Any) -> Sequence[nn.Module]:
        return list(model.h)

    def attention(self, layer: Any) -> nn.Module:
        return layer.attn

    def weights(self, layer: Any, config: PretrainedConfig) -> LayerWeights:
        ln = norm(layer.ln_1)
        return layer_weights(
            self.placement,
            config.n_head,
            value=linear(layer.attn.v_proj),
            attn_out=linear(layer.attn.out_proj),
            ln_attn=ln,
            ff_in=linear(layer.mlp.fc_in),
            act=layer.mlp.act,
            ff_out=linear(layer.mlp.fc_out),
            ln_ff=ln,
        )

    def query_key(self, layer: Any, config: PretrainedConfig) -> tuple[Tensor, Tensor]:
        return matrix(layer.attn.q_proj), matrix(layer.attn.k_proj)

    def activation(self, config: PretrainedConfig) -> str:
        return str(config.activation_function)


FAMILY = GPTJ()
