"""The Post-LN layout that BERT introduced and RoBERTa and ELECTRA kept, module names included."""

from collections.abc import Sequence
from typing import Any

from torch import nn
from transformers import PretrainedConfig

from ingest.architectures._family import Family, linear, norm
from ingest.attribution.weights import LayerWeights
from warehouse.errors import ModelError


class BertLayout(Family):
    placement = "post_ln"

    def layers(self, model: Any) -> Sequence[nn.Module]:
        return list(model.encoder.layer)

    def attention(self, layer: Any) -> nn.Module:
        return layer.attention.self

    def weights(self, layer: Any, config: PretrainedConfig) -> LayerWeights:
        w_v, b_v = linear(layer.attention.self.value)
        w_o, b_o = linear(layer.attention.output.dense)
        w_in, b_in = linear(layer.intermediate.dense)
        w_out, b_out = linear(layer.output.dense)
        return LayerWeights(
            placement=self.placement,
            n_head=config.num_attention_heads,
            w_v=w_v,
            b_v=b_v,
            w_o=w_o,
            b_o=b_o,
            ln_attn=norm(layer.attention.output.LayerNorm),
            w_in=w_in,
            b_in=b_in,
            act=layer.intermediate.intermediate_act_fn,
            w_out=w_out,
            b_out=b_out,
            ln_ff=norm(layer.output.LayerNorm),
        )

    def activation(self, config: PretrainedConfig) -> str:
        return str(config.hidden_act)

    def is_causal(self, config: PretrainedConfig) -> bool:
        return bool(getattr(config, "is_decoder", False))

    def check(self, config: PretrainedConfig) -> None:
        kind = getattr(config, "position_embedding_type", None) or "absolute"
        if kind != "absolute":
            # transformers 5 ignores the setting and would compute other attention weights without a word.
            msg = f"position_embedding_type '{kind}' is not supported by this transformers version, only 'absolute'"
            raise ModelError(msg)


TINY = {
    "vocab_size": 97,
    "hidden_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 3,
    "intermediate_size": 40,
    "max_position_embeddings": 48,
    "pad_token_id": 0,
}
"""Sizes of a tiny model under BERT's configuration names."""
