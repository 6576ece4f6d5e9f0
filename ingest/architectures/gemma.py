"""Gemma (Gemma team 2024): Llama's layers; its norms multiply by 1 + weight."""

from typing import Any

from transformers import GemmaConfig, PretrainedConfig

from ingest.architectures._gemma_layout import refuse_both_directions
from ingest.architectures._llama_layout import TINY, LlamaLayout


class Gemma(LlamaLayout):
    name = "gemma"
    model_types = ("gemma",)
    plus_one = True

    def tiny_config(self, **overrides: Any) -> GemmaConfig:
        return GemmaConfig(**(TINY | {"head_dim": 8} | overrides))

    def check(self, config: PretrainedConfig) -> None:
        refuse_both_directions(config)


FAMILY = Gemma()
