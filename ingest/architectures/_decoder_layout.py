"""What causal language models share."""

from typing import Any, ClassVar

from transformers import PretrainedConfig

from ingest.architectures._family import Family
from ingest.architectures._masks import mask_is_causal


class Decoder(Family):
    forward_options: ClassVar[dict[str, Any]] = {"use_cache": False}
    output_weight: ClassVar[tuple[str, ...]] = ("lm_head.weight",)
    output_bias: ClassVar[tuple[str, ...]] = ("lm_head.bias",)
    is_lm = True

    def is_causal(self, config: PretrainedConfig) -> bool:
        return mask_is_causal(config)
