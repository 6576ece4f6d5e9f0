"""MPNet (Song et al. 2020): BERT's layers with relative positions added; its padding index is 1, always."""

from typing import Any, ClassVar

from torch import nn
from transformers import MPNetConfig, PretrainedConfig

from ingest.architectures._bert_layout import TINY, AttentionBlock, BertLayout


class MPNet(BertLayout):
    name = "mpnet"
    model_types = ("mpnet",)
    output_weight = ("lm_head.decoder.weight",)
    output_bias = ("lm_head.decoder.bias", "lm_head.bias")
    forward_options: ClassVar[dict[str, Any]] = {"output_attentions": True}  # or attention does not give its weights

    def tiny_config(self, **overrides: Any) -> MPNetConfig:
        return MPNetConfig(**(TINY | {"pad_token_id": 1} | overrides))

    def attention(self, layer: Any) -> nn.Module:
        return layer.attention.attn

    def attention_block(self, layer: Any) -> AttentionBlock:
        heads = layer.attention.attn
        return AttentionBlock(heads.q, heads.k, heads.v, heads.o, layer.attention.LayerNorm)

    def is_causal(self, config: PretrainedConfig) -> bool:
        return False

    def first_position(self, config: PretrainedConfig) -> int:
        return 2


FAMILY = MPNet()
