"""Gemma 3's text models (Gemma team 2025): Gemma 2's layers with norms on queries and keys; most layers slide."""

from typing import Any

from transformers import Gemma3TextConfig, PretrainedConfig

from ingest.architectures._gemma_layout import Gemma2Layout
from ingest.architectures._llama_layout import TINY


class Gemma3(Gemma2Layout):
    name = "gemma3"
    model_types = ("gemma3_text",)

    def tiny_config(self, **overrides: Any) -> Gemma3TextConfig:
        sliding = {"sliding_window": 4, "sliding_window_pattern": 2}
        return Gemma3TextConfig(**(TINY | {"head_dim": 8, "query_pre_attn_scalar": 8} | sliding | overrides))

    def is_causal(self, config: PretrainedConfig) -> bool:
        return super().is_causal(config) and not config.use_bidirectional_attention


FAMILY = Gemma3()
