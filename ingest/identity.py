"""What the warehouse knows a model by when no run enters it: the same rows as a run of it would."""

from typing import Any

from ingest.display import readable_vocab
from ingest.models import LoadedModel
from ingest.tokens import tokenizer_fingerprint
from warehouse.models import ModelIdentity


def identity_of(model: LoadedModel, tokenizer: Any) -> ModelIdentity:
    names = {"name": model.name, "fingerprint": tokenizer_fingerprint(tokenizer)}
    return ModelIdentity(model.describe(), names, readable_vocab(tokenizer))
