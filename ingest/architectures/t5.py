"""T5's encoder (Raffel et al. 2020): Pre-LN with RMSNorm, ReLU or gated FF, relative positions without a limit."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn
from transformers import PretrainedConfig, T5Config

from ingest.architectures._encoder_layout import EncoderOfTwo
from ingest.architectures._family import layer_weights, linear, matrix, rms_norm
from ingest.attribution.weights import LayerWeights


class T5(EncoderOfTwo):
    name = "t5"
    model_types = ("t5",)
    placement = "pre_ln"

    def tiny_config(self, **overrides: Any) -> T5Config:
        sizes = {
            "vocab_size": 97,
            "d_model": 24,
            "d_kv": 6,
            "d_ff": 40,
            "num_layers": 3,
            "num_decoder_layers": 2,
            "num_heads": 3,
            "n_positions": 48,
            "decoder_start_token_id": 0,
        }
        return T5Config(**(sizes | overrides))

    def layers(self, model: Any) -> Sequence[nn.Module]:
        return list(model.encoder.block)

    def attention(self, layer: Any) -> nn.Module:
        return layer.layer[0].SelfAttention

    def alpha_of(self, output: Any) -> Tensor | None:
        return output[2]  # after the position bias

    def weights(self, layer: Any, config: PretrainedConfig) -> LayerWeights:
        attention, ff = layer.layer
        dense = ff.DenseReluDense
        return layer_weights(
            self.placement,
            config.num_heads,
            value=linear(attention.SelfAttention.v),
            attn_out=linear(attention.SelfAttention.o),
            ln_attn=rms_norm(attention.layer_norm),
            ff_in=linear(dense.wi_0 if config.is_gated_act else dense.wi),
            ff_up=linear(dense.wi_1) if config.is_gated_act else None,
            act=dense.act,
            ff_out=linear(dense.wo),
            ln_ff=rms_norm(ff.layer_norm),
        )

    def query_key(self, layer: Any, config: PretrainedConfig) -> tuple[Tensor, Tensor]:
        attention = layer.layer[0].SelfAttention
        return matrix(attention.q), matrix(attention.k)

    def activation(self, config: PretrainedConfig) -> str:
        return str(config.dense_act_fn)

    def max_tokens(self, config: PretrainedConfig) -> int:
        return int(getattr(config, "n_positions", None) or 512)


FAMILY = T5()
