"""ELECTRA (Clark et al. 2020), discriminator or generator: BERT's layers, embeddings that may be narrower."""

from typing import Any

from torch import Tensor
from transformers import ElectraConfig

from ingest.architectures._bert_layout import TINY, BertLayout
from ingest.architectures._family import matrix


class Electra(BertLayout):
    name = "electra"
    model_types = ("electra",)
    output_weight = ("generator_lm_head.weight",)
    output_bias = ("generator_lm_head.bias",)

    def tiny_config(self, **overrides: Any) -> ElectraConfig:
        return ElectraConfig(**(TINY | {"embedding_size": 10} | overrides))

    def widening(self, model: Any) -> Tensor | None:
        return matrix(model.embeddings_project) if hasattr(model, "embeddings_project") else None


FAMILY = Electra()
