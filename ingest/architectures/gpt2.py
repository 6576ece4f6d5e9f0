"""GPT-2 (Radford et al. 2019): Pre-LN, causal; its matrices are stored input-first (Conv1D), one for q, k and v."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn
from transformers import GPT2Config, PretrainedConfig

from ingest.architectures._decoder_layout import Decoder
from ingest.architectures._family import Affine, layer_weights, norm, param
from ingest.attribution.weights import LayerWeights


class GPT2(Decoder):
    name = "gpt2"
    model_types = ("gpt2",)
    placement = "pre_ln"

    def tiny_config(self, **overrides: Any) -> GPT2Config:
        sizes = {
            "vocab_size": 97,
            "n_embd": 24,
            "n_layer": 3,
            "n_head": 3,
            "n_inner": 40,
            "n_positions": 48,
            "bos_token_id": 1,
            "eos_token_id": 1,
        }
        return GPT2Config(**(sizes | overrides))

    def layers(self, model: Any) -> Sequence[nn.Module]:
        return list(model.h)

    def attention(self, layer: Any) -> nn.Module:
        return layer.attn

    def weights(self, layer: Any, config: PretrainedConfig) -> LayerWeights:
        d = config.n_embd
        w_qkv, b_qkv = _conv1d(layer.attn.c_attn)
        return layer_weights(
            self.placement,
            config.n_head,
            value=(w_qkv[:, 2 * d :], b_qkv[2 * d :]),
            attn_out=_conv1d(layer.attn.c_proj),
            ln_attn=norm(layer.ln_1),
            ff_in=_conv1d(layer.mlp.c_fc),
            act=layer.mlp.act,
            ff_out=_conv1d(layer.mlp.c_proj),
            ln_ff=norm(layer.ln_2),
        )

    def query_key(self, layer: Any, config: PretrainedConfig) -> tuple[Tensor, Tensor]:
        w_q, w_k, _ = param(layer.attn.c_attn.weight).chunk(3, -1)
        return w_q, w_k

    def activation(self, config: PretrainedConfig) -> str:
        return str(config.activation_function)

    def max_tokens(self, config: PretrainedConfig) -> int:
        return int(config.n_positions)


def _conv1d(module: Any) -> Affine:
    return param(module.weight), param(module.bias)


FAMILY = GPT2()
