"""The encoder of an encoder-decoder model. It runs alone; the decoder, whose layers read two sequences, is left out."""

from typing import Any, ClassVar

from torch import Tensor
from transformers import PretrainedConfig

from ingest.architectures._family import Family
from warehouse.errors import ModelError


class EncoderOfTwo(Family):
    unread: ClassVar[tuple[str, ...]] = ("decoder",)

    def check(self, config: PretrainedConfig) -> None:
        if getattr(config, "is_decoder", False):
            msg = (
                f"'{config.model_type}' as a decoder alone is not supported, only its encoder: "
                "use a checkpoint that holds the encoder"
            )
            raise ModelError(msg)

    def forward(self, model: Any, input_ids: Tensor, attention_mask: Tensor) -> None:
        model.encoder(input_ids=input_ids, attention_mask=attention_mask)
