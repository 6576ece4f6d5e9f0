"""RoBERTa (Liu et al. 2019) and XLM-R, CamemBERT: BERT's layers; positions start after the padding index."""

from typing import Any

from transformers import PretrainedConfig, RobertaConfig

from ingest.architectures._bert_layout import TINY, BertLayout


class Roberta(BertLayout):
    name = "roberta"
    model_types = ("roberta", "xlm-roberta", "camembert")

    def tiny_config(self, **overrides: Any) -> RobertaConfig:
        return RobertaConfig(**(TINY | {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2} | overrides))

    def first_position(self, config: PretrainedConfig) -> int:
        return int(config.pad_token_id) + 1


FAMILY = Roberta()
