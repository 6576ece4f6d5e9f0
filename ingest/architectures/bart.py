"""BART's encoder (Lewis et al. 2020): Post-LN, learned positions that count from the first column of a row."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn
from transformers import BartConfig, PretrainedConfig

from ingest.architectures._encoder_layout import EncoderOfTwo
from ingest.architectures._family import layer_weights, linear, matrix, norm
from ingest.attribution.weights import LayerWeights
from warehouse.errors import ModelError


class Bart(EncoderOfTwo):
    name = "bart"
    model_types = ("bart",)
    placement = "post_ln"
    left_padding = False

    def tiny_config(self, **overrides: Any) -> BartConfig:
        sizes = {
            "vocab_size": 97,
            "d_model": 24,
            "encoder_layers": 3,
            "encoder_attention_heads": 3,
            "encoder_ffn_dim": 40,
            "decoder_layers": 2,
            "decoder_attention_heads": 3,
            "decoder_ffn_dim": 40,
            "max_position_embeddings": 48,
        }
        return BartConfig(**(sizes | overrides))

    def layers(self, model: Any) -> Sequence[nn.Module]:
        return list(model.encoder.layers)

    def attention(self, layer: Any) -> nn.Module:
        return layer.self_attn

    def weights(self, layer: Any, config: PretrainedConfig) -> LayerWeights:
        return layer_weights(
            self.placement,
            config.encoder_attention_heads,
            value=linear(layer.self_attn.v_proj),
            attn_out=linear(layer.self_attn.out_proj),
            ln_attn=norm(layer.self_attn_layer_norm),
            ff_in=linear(layer.fc1),
            act=layer.activation_fn,
            ff_out=linear(layer.fc2),
            ln_ff=norm(layer.final_layer_norm),
        )

    def query_key(self, layer: Any, config: PretrainedConfig) -> tuple[Tensor, Tensor]:
        return matrix(layer.self_attn.q_proj), matrix(layer.self_attn.k_proj)

    def activation(self, config: PretrainedConfig) -> str:
        return str(config.activation_function)

    def check(self, config: PretrainedConfig) -> None:
        super().check(config)
        if getattr(config, "normalize_before", False):
            # transformers ignores the setting and would compute other states without a word.
            msg = "'bart' with normalize_before is not supported by this transformers version, only norms after"
            raise ModelError(msg)


FAMILY = Bart()
