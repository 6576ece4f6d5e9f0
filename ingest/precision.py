"""What a run in half precision costs: its maps against those of the same files read in float32."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import torch

from ingest.config import IngestConfig
from ingest.models import LoadedModel, load_model
from ingest.probe import precision_cost, probe
from ingest.rows import TokenSequence
from ingest.verify import MOST_TOKENS


def measured_cost(
    model: LoadedModel, config: IngestConfig, sequences: Sequence[TokenSequence]
) -> dict[str, Any] | None:
    """Worst relative error of a map and least Spearman's rho over the beginnings of some sequences.

    None where the device has no room for a second model in float32.
    """
    short = [s.beginning(MOST_TOKENS) for s in sequences]
    try:
        exact, _ = load_model(config.model, revision=config.revision, device=str(model.device), dtype="float32")
        cost = precision_cost(probe(exact, short), probe(model, short), is_causal=model.is_causal)
    except torch.OutOfMemoryError:
        return None
    rho = None if math.isnan(cost.spearman) else cost.spearman
    return dataclasses.asdict(cost) | {"spearman": rho, "n_sequences": len(short)}
