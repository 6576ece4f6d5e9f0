"""OPT (Zhang et al. 2022): Pre-LN, and Post-LN in the one size (350m) whose norms come after; learned positions."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn
from transformers import OPTConfig, PretrainedConfig

from ingest.architectures._decoder_layout import Decoder
from ingest.architectures._family import layer_weights, linear, matrix, norm, param
from ingest.attribution.weights import LayerWeights, Placement


class OPT(Decoder):
    name = "opt"
    model_types = ("opt",)
    placement = "pre_ln"

    def tiny_config(self, **overrides: Any) -> OPTConfig:
        sizes = {
            "vocab_size": 97,
            "hidden_size": 24,
            "word_embed_proj_dim": 10,
            "num_hidden_layers": 3,
            "num_attention_heads": 3,
            "ffn_dim": 40,
            "max_position_embeddings": 48,
        }
        return OPTConfig(**(sizes | overrides))

    def placement_in(self, config: PretrainedConfig) -> Placement:
        return "pre_ln" if config.do_layer_norm_before else "post_ln"

    def layers(self, model: Any) -> Sequence[nn.Module]:
        return list(model.decoder.layers)

    def attention(self, layer: Any) -> nn.Module:
        return layer.self_attn

    def weights(self, layer: Any, config: PretrainedConfig) -> LayerWeights:
        device = layer.fc1.weight.device
        return layer_weights(
            self.placement_in(config),
            config.num_attention_heads,
            value=linear(layer.self_attn.v_proj),
            attn_out=linear(layer.self_attn.out_proj),
            ln_attn=norm(layer.self_attn_layer_norm, device),
            ff_in=linear(layer.fc1),
            act=layer.activation_fn,
            ff_out=linear(layer.fc2),
            ln_ff=norm(layer.final_layer_norm, device),
        )

    def query_key(self, layer: Any, config: PretrainedConfig) -> tuple[Tensor, Tensor]:
        return matrix(layer.self_attn.q_proj), matrix(layer.self_attn.k_proj)

    def widening(self, model: Any) -> Tensor | None:
        out = model.decoder.project_out
        return param(out.weight) if out is not None else None

    def activation(self, config: PretrainedConfig) -> str:
        return str(config.activation_function)


FAMILY = OPT()
