"""Qwen3, dense (Yang et al. 2025): Llama's layers with norms on queries and keys; upper layers may slide."""

from typing import Any

from transformers import Qwen3Config

from ingest.architectures._llama_layout import TINY, WindowedLlamaLayout


class Qwen3(WindowedLlamaLayout):
    name = "qwen3"
    model_types = ("qwen3",)

    def tiny_config(self, **overrides: Any) -> Qwen3Config:
        sliding = {"use_sliding_window": True, "sliding_window": 4, "max_window_layers": 1}
        return Qwen3Config(**(TINY | {"head_dim": 8} | sliding | overrides))


FAMILY = Qwen3()
