"""Before a model is used, its decomposition must hold on it: pieces sum to the model's own states in every layer."""

from collections.abc import Sequence

import polars as pl

from ingest.attribution.states import FFBias
from ingest.compute import compute
from ingest.models import LoadedModel
from ingest.rows import TokenSequence
from warehouse.contract import COMPLETENESS_VERIFIED
from warehouse.errors import ModelError, NumericsError

N_TRIED, MOST_TOKENS = 4, 64
"""Sequences on whose beginnings a model is tried before the job begins, and the tokens of a beginning."""


def verify(model: LoadedModel, sequences: Sequence[TokenSequence], *, ff_bias: FFBias) -> float:
    """Worst completeness error over the beginnings of some sequences, run as one padded batch where they differ.

    Raises ModelError, naming the layer, where it is above the bound: the family's reading of this model is wrong.
    """
    short = [s.beginning(MOST_TOKENS) for s in sequences]
    try:
        norms = compute(model, short, ff_bias=ff_bias).tables["token_norm"]
    except NumericsError as error:
        what = str(error).split(":")[0]
        msg = f"{model.name}: refused, on the first texts {what}; get the weights again, or report the model"
        raise ModelError(msg) from error
    by_layer = norms.group_by("layer").agg(pl.col("completeness_error").max()).sort("completeness_error")
    layer, worst = by_layer.row(-1)
    bound = COMPLETENESS_VERIFIED[model.dtype]
    if worst > bound:
        msg = (
            f"{model.name}: refused, the pieces of layer {layer} miss the model's state by {worst:.1e} "
            f"(bound {bound:.0e} in {model.dtype}); try --dtype float32, or report the model"
        )
        raise ModelError(msg)
    return float(worst)
