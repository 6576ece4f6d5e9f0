"""What Gemma 2 and Gemma 3 share: norms before and after each branch, each multiplying by 1 + weight."""

from typing import Any

from transformers import PretrainedConfig

from ingest.architectures._llama_layout import WindowedLlamaLayout
from ingest.attribution.normalisation import Norm
from warehouse.errors import ModelError


class Gemma2Layout(WindowedLlamaLayout):
    placement = "sandwich_ln"
    plus_one = True

    def norms(self, layer: Any) -> dict[str, Norm]:
        return self.named_norms(
            ln_attn=layer.input_layernorm,
            ln_attn_out=layer.post_attention_layernorm,
            ln_ff=layer.pre_feedforward_layernorm,
            ln_ff_out=layer.post_feedforward_layernorm,
        )

    def activation(self, config: PretrainedConfig) -> str:
        return str(config.hidden_activation)


def refuse_both_directions(config: PretrainedConfig) -> None:
    """Raise ModelError for `use_bidirectional_attention` where transformers' eager attention stays causal under it."""
    if getattr(config, "use_bidirectional_attention", False):
        msg = (
            f"'{config.model_type}' with use_bidirectional_attention is not supported: this transformers version "
            "masks it causally all the same; use a model without it"
        )
        raise ModelError(msg)
