"""BERT (Devlin et al. 2019): Post-LN, learned positions."""

from typing import Any

from transformers import BertConfig

from ingest.architectures._bert_layout import TINY, BertLayout


class Bert(BertLayout):
    name = "bert"
    model_types = ("bert",)
    output_weight = ("cls.predictions.decoder.weight",)
    output_bias = ("cls.predictions.decoder.bias", "cls.predictions.bias")

    def tiny_config(self, **overrides: Any) -> BertConfig:
        return BertConfig(**(TINY | overrides))


FAMILY = Bert()
