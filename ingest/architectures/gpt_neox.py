"""GPT-NeoX (Black et al. 2022) and Pythia: attention and FF side by side, or Pre-LN; one matrix for q, k and v."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn
from transformers import GPTNeoXConfig, PretrainedConfig

from ingest.architectures._decoder_layout import Decoder
from ingest.architectures._family import layer_weights, linear, matrix, norm
from ingest.attribution.weights import LayerWeights, Placement


class GPTNeoX(Decoder):
    name = "gpt_neox"
    model_types = ("gpt_neox",)
    placement = "parallel"
    output_weight = ("embed_out.weight", "lm_head.weight")

    def tiny_config(self, **overrides: Any) -> GPTNeoXConfig:
        sizes = {
            "vocab_size": 97,
            "hidden_size": 24,
            "num_hidden_layers": 3,
            "num_attention_heads": 3,
            "intermediate_size": 40,
            "max_position_embeddings": 48,
        }
        return GPTNeoXConfig(**(sizes | overrides))

    def placement_in(self, config: PretrainedConfig) -> Placement:
        return "parallel" if config.use_parallel_residual else "pre_ln"

    def layers(self, model: Any) -> Sequence[nn.Module]:
        return list(model.layers)

    def attention(self, layer: Any) -> nn.Module:
        return layer.attention

    def weights(self, layer: Any, config: PretrainedConfig) -> LayerWeights:
        n_head = config.num_attention_heads
        w_qkv, b_qkv = (t.unflatten(-1, (n_head, 3, -1)) for t in linear(layer.attention.query_key_value))
        return layer_weights(
            self.placement_in(config),
            n_head,
            value=(w_qkv[..., 2, :].flatten(-2), b_qkv[..., 2, :].flatten(-2)),
            attn_out=linear(layer.attention.dense),
            ln_attn=norm(layer.input_layernorm),
            ff_in=linear(layer.mlp.dense_h_to_4h),
            act=layer.mlp.act,
            ff_out=linear(layer.mlp.dense_4h_to_h),
            ln_ff=norm(layer.post_attention_layernorm),
        )

    def query_key(self, layer: Any, config: PretrainedConfig) -> tuple[Tensor, Tensor]:
        heads = matrix(layer.attention.query_key_value).unflatten(-1, (config.num_attention_heads, 3, -1))
        return heads[..., 0, :].flatten(-2), heads[..., 1, :].flatten(-2)

    def activation(self, config: PretrainedConfig) -> str:
        return str(config.hidden_act)


FAMILY = GPTNeoX()
