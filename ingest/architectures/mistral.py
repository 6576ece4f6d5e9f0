"""Mistral (Jiang et al. 2023): Llama's layers; where a sliding window is set, every layer has it."""

from typing import Any

from transformers import MistralConfig, PretrainedConfig

from ingest.architectures._llama_layout import TINY, LlamaLayout
from ingest.architectures._masks import window_reach
from warehouse.errors import ModelError


class Mistral(LlamaLayout):
    name = "mistral"
    model_types = ("mistral",)

    def tiny_config(self, **overrides: Any) -> MistralConfig:
        return MistralConfig(**(TINY | {"sliding_window": 4} | overrides))

    def reach(self, layer: Any, config: PretrainedConfig) -> int | None:
        return window_reach(config.sliding_window, config)

    def check(self, config: PretrainedConfig) -> None:
        everywhere = "full_attention" if config.sliding_window is None else "sliding_attention"
        if set(getattr(config, "layer_types", None) or ()) - {everywhere}:
            # transformers ignores the setting here and would compute other attention weights without a word.
            msg = (
                "'mistral' with layer_types of its own is not supported by this transformers version: "
                f"it runs every layer as {everywhere}; use a model whose layers are all alike"
            )
            raise ModelError(msg)


FAMILY = Mistral()
