"""Llama (Touvron et al. 2023) and the many models of its type, such as SmolLM2."""

from typing import Any

from transformers import LlamaConfig

from ingest.architectures._llama_layout import TINY, LlamaLayout


class Llama(LlamaLayout):
    name = "llama"
    model_types = ("llama",)

    def tiny_config(self, **overrides: Any) -> LlamaConfig:
        return LlamaConfig(**(TINY | overrides))


FAMILY = Llama()
