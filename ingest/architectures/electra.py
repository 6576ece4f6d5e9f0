"""ELECTRA (Clark et al. 2020), discriminator or generator: BERT's layers, embeddings that may be narrower."""

from typing import Any

from transformers import ElectraConfig

from ingest.architectures._bert_layout import TINY, BertLayout


class Electra(BertLayout):
    name = "electra"
    model_types = ("electra",)

    def tiny_config(self, **overrides: Any) -> ElectraConfig:
        return ElectraConfig(**(TINY | {"embedding_size": 10} | overrides))


FAMILY = Electra()
