"""Gemma 2 (Gemma team 2024): norms around each branch; every other layer slides; capped attention scores."""

from typing import Any

from transformers import Gemma2Config, PretrainedConfig

from ingest.architectures._gemma_layout import Gemma2Layout, refuse_both_directions
from ingest.architectures._llama_layout import TINY


class Gemma2(Gemma2Layout):
    name = "gemma2"
    model_types = ("gemma2",)

    def tiny_config(self, **overrides: Any) -> Gemma2Config:
        return Gemma2Config(**(TINY | {"head_dim": 8, "sliding_window": 4, "query_pre_attn_scalar": 8} | overrides))

    def check(self, config: PretrainedConfig) -> None:
        super().check(config)
        refuse_both_directions(config)


FAMILY = Gemma2()
