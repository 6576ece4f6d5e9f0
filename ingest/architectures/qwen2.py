"""Qwen2 and Qwen2.5 (Yang et al. 2024): Llama's layers with biases on q, k and v; upper layers may slide."""

from typing import Any

from transformers import Qwen2Config

from ingest.architectures._llama_layout import TINY, WindowedLlamaLayout


class Qwen2(WindowedLlamaLayout):
    name = "qwen2"
    model_types = ("qwen2",)

    def tiny_config(self, **overrides: Any) -> Qwen2Config:
        sliding = {"use_sliding_window": True, "sliding_window": 4, "max_window_layers": 1}
        return Qwen2Config(**(TINY | sliding | overrides))


FAMILY = Qwen2()
