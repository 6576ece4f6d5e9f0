"""OLMo 2 (OLMo team 2024): Llama's parts, with norms on what attention and FF give and none on what they read."""

from typing import Any

from transformers import Olmo2Config

from ingest.architectures._llama_layout import TINY, LlamaLayout
from ingest.attribution.normalisation import Norm


class Olmo2(LlamaLayout):
    name = "olmo2"
    model_types = ("olmo2",)
    placement = "res_post_ln"

    def tiny_config(self, **overrides: Any) -> Olmo2Config:
        return Olmo2Config(**(TINY | overrides))

    def norms(self, layer: Any) -> dict[str, Norm]:
        return self.named_norms(ln_attn=layer.post_attention_layernorm, ln_ff=layer.post_feedforward_layernorm)


FAMILY = Olmo2()
