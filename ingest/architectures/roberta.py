"""RoBERTa (Liu et al. 2019) and XLM-R, CamemBERT: BERT's layers; positions start after the padding index."""

from typing import Any

from transformers import PretrainedConfig, RobertaConfig

from ingest.architectures._bert_layout import TINY, BertLayout
from warehouse.errors import ModelError


class Roberta(BertLayout):
    name = "roberta"
    model_types = ("roberta", "xlm-roberta", "camembert")
    output_weight = ("lm_head.decoder.weight",)
    output_bias = ("lm_head.decoder.bias", "lm_head.bias")

    def tiny_config(self, **overrides: Any) -> RobertaConfig:
        return RobertaConfig(**(TINY | {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2} | overrides))

    def check(self, config: PretrainedConfig) -> None:
        super().check(config)
        if config.pad_token_id is None:
            msg = "config.json has no pad_token_id, after which RoBERTa's positions begin: add it (1 in roberta-base)"
            raise ModelError(msg)

    def first_position(self, config: PretrainedConfig) -> int:
        return int(config.pad_token_id) + 1


FAMILY = Roberta()
