"""Before a model is used, its decomposition must hold on it: pieces sum to the model's own states in every layer."""

from typing import Any

import polars as pl

from ingest.compute import compute
from ingest.corpus.record import Record
from ingest.models import Dtype, LoadedModel
from ingest.rows import TokenSequence
from ingest.tokens import encode
from warehouse.errors import ModelError, NumericsError

BOUND: dict[Dtype, float] = {"float32": 1e-4, "bfloat16": 0.1, "float16": 0.05}
"""Relative completeness error a model may show on the texts below."""

TEXTS = (
    "The model's maps are checked on this sentence, and on a shorter one beside it.",
    "It must add up.",
)


def verify(model: LoadedModel, tokenizer: Any) -> float:
    """Worst completeness error over two short texts in one padded batch.

    Raises ModelError, naming the layer, where it is above BOUND: the family's reading of this model is wrong.
    """
    max_tokens = min(64, model.family.max_tokens(model.config))
    records = [Record(text, None, str(number)) for number, text in enumerate(TEXTS)]
    encoded = encode(records, tokenizer, max_tokens=max_tokens, too_long="truncate")
    sequences = [TokenSequence(seq_id, e.ids, e.is_special) for seq_id, e in enumerate(encoded)]
    try:
        norms = compute(model, sequences, ff_bias="path").tables["token_norm"]
    except NumericsError as error:
        msg = f"{model.name}: refused, its decomposition does not hold: {error}"
        raise ModelError(msg) from error
    by_layer = norms.group_by("layer").agg(pl.col("completeness_error").max()).sort("completeness_error")
    layer, worst = by_layer.row(-1)
    if worst > BOUND[model.dtype]:
        msg = (
            f"{model.name}: refused, the pieces of layer {layer} miss the model's state by {worst:.1e} "
            f"(bound {BOUND[model.dtype]:.0e} in {model.dtype}); try --dtype float32, or report the model"
        )
        raise ModelError(msg)
    return float(worst)
