"""Before a model is used, its decomposition must hold on it: pieces sum to the model's own states in every layer."""

from collections.abc import Sequence

import polars as pl

from ingest.attribution.states import FFBias
from ingest.compute import compute
from ingest.models import LoadedModel
from ingest.rows import TokenSequence
from warehouse.contract import COMPLETENESS_VERIFIED
from warehouse.errors import ModelError, NumericsError

BOUND = COMPLETENESS_VERIFIED

_MOST_TOKENS = 64


def verify(model: LoadedModel, sequences: Sequence[TokenSequence], *, ff_bias: FFBias) -> float:
    """Worst completeness error over the beginnings of some sequences, run as one padded batch where they differ.

    Raises ModelError, naming the layer, where it is above BOUND: the family's reading of this model is wrong.
    """
    short = [TokenSequence(s.seq_id, s.ids[:_MOST_TOKENS], s.is_special[:_MOST_TOKENS]) for s in sequences]
    try:
        norms = compute(model, short, ff_bias=ff_bias).tables["token_norm"]
    except NumericsError as error:
        what = str(error).split(":")[0]
        msg = f"{model.name}: refused, on the first texts {what}; get the weights again, or report the model"
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
