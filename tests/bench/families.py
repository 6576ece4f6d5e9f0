"""The table of families in README: what each claims, and how exact it was measured to be on tiny random models."""

import torch

from ingest.architectures import families
from ingest.attribution.weights import COMPONENT_ORDER
from tests.ingest.attribution.support import attribute, random_ids, tiny_model
from tests.oracle.maps import oracle_layers

LENGTHS = (1, 7, 23)


def families_table() -> None:
    print(
        "families: worst over 3 layers, lengths 1, 7, 23, random weights; float32 core on a float32 model, and against"
    )
    print("the oracle on the same float64 states")
    print(f"{'family':<11} {'placement':<12} {'order':<10} {'completeness':>13} {'oracle':>8}  model types")
    for name, family in families().items():
        config = family.tiny_config()
        placement = family.placement_in(config)
        sums, gap = measured(name)
        order = ",".join(COMPONENT_ORDER[placement])
        print(f"{name:<11} {placement:<12} {order:<10} {sums:>13.0e} {gap:>8.0e}  {', '.join(family.model_types)}")


def measured(name: str) -> tuple[float, float]:
    """Worst completeness error, and worst relative difference of any map's value from the oracle's."""
    sums = gap = 0.0
    for length in LENGTHS:
        model, ids = tiny_model(name, seed=length), random_ids(length, seed=length)
        for found, expected in zip(attribute(model, ids), oracle_layers(model, ids), strict=True):
            for stage, values in found[0].maps.items():
                truth = torch.from_numpy(expected[stage])
                off = ((values[0].double() - truth).abs() / truth).nan_to_num(0.0)
                gap = max(gap, float(off.max()))
        for layer in attribute(model.float(), ids):
            sums = max(sums, float(layer[0].norms["completeness_error"].max()))
    return sums, gap
