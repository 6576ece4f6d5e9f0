"""The decoder layout that Llama made common, module names included: RMSNorm, gated FF, grouped keys and values."""

from collections.abc import Sequence
from typing import Any, ClassVar

from torch import Tensor, nn
from transformers import PretrainedConfig

from ingest.architectures._decoder_layout import Decoder
from ingest.architectures._family import layer_weights, linear, matrix, rms_norm
from ingest.architectures._masks import check_layer_types, window_reach
from ingest.attribution.normalisation import Norm
from ingest.attribution.weights import LayerWeights, Placement


class LlamaLayout(Decoder):
    placement: ClassVar[Placement] = "pre_ln"

    plus_one: ClassVar[bool] = False
    """Whether the norms multiply by 1 + their weight."""

    def layers(self, model: Any) -> Sequence[nn.Module]:
        return list(model.layers)

    def attention(self, layer: Any) -> nn.Module:
        return layer.self_attn

    def norms(self, layer: Any) -> dict[str, Norm]:
        """A layer's norms by their names in LayerWeights."""
        return self.named_norms(ln_attn=layer.input_layernorm, ln_ff=layer.post_attention_layernorm)

    def named_norms(self, **modules: nn.Module) -> dict[str, Norm]:
        return {name: rms_norm(module, plus_one=self.plus_one) for name, module in modules.items()}

    def reach(self, layer: Any, config: PretrainedConfig) -> int | None:
        """How far a layer's attention reaches, as in LayerWeights."""
        return None

    def weights(self, layer: Any, config: PretrainedConfig) -> LayerWeights:
        parts: dict[str, Any] = self.norms(layer)
        return layer_weights(
            self.placement,
            config.num_attention_heads,
            value=linear(layer.self_attn.v_proj),
            attn_out=linear(layer.self_attn.o_proj),
            ff_in=linear(layer.mlp.gate_proj),
            ff_up=linear(layer.mlp.up_proj),
            act=layer.mlp.act_fn,
            ff_out=linear(layer.mlp.down_proj),
            reach=self.reach(layer, config),
            **parts,
        )

    def query_key(self, layer: Any, config: PretrainedConfig) -> tuple[Tensor, Tensor]:
        return matrix(layer.self_attn.q_proj), matrix(layer.self_attn.k_proj)

    def activation(self, config: PretrainedConfig) -> str:
        return str(config.hidden_act)


class WindowedLlamaLayout(LlamaLayout):
    """Some layers attend to a sliding window only: those that `layer_types` says."""

    def reach(self, layer: Any, config: PretrainedConfig) -> int | None:
        return window_reach(layer.self_attn.sliding_window, config)

    def check(self, config: PretrainedConfig) -> None:
        check_layer_types(config)


TINY = {
    "vocab_size": 97,
    "hidden_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 40,
    "max_position_embeddings": 48,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
"""Sizes of a tiny model under Llama's configuration names."""
