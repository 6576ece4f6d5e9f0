"""Measures that two sides can be compared in, and the difference of two runs where it has an interval of its own."""

from typing import Final

import polars as pl

from dashboard.data import Answer, ask
from warehouse.analysis.paired import change_differences, share_differences

MEASURES: Final = {
    "change": ("Change by component", "Change, 1 − Spearman's ρ"),
    "surviving_share": ("Surviving share of FF's change", "Change by BLOCK / change by FF"),
    "pattern_effect": ("Effect of a pattern on FF-amp", "Effect (FF-amp)"),
    "norm_change": ("FF output norm and change", "Spearman's ρ"),
    "norm_change_partial": ("The same, attention's norm held", "Partial Spearman's ρ"),
    "ln_weight": ("LN weight and FF's input or output", "Spearman's ρ"),
    "mixing": ("Mixing ratio", "Mean mixing ratio"),
}
"""measure -> what it is called, and the title of its axis."""


def paired(a: int, b: int, measure: str, item: str, pair_filter: str) -> Answer:
    """The difference of two runs over the same sequences by layer: layer, value, low, high, n_sequences."""
    components = [item] if measure == "change" else ["FF", "BLOCK"]
    answer = ask("compare/paired", a=a, b=b, pair_filter=pair_filter, components=components)
    if measure == "change":
        found = change_differences(answer.frame)
    else:
        wide = [
            answer.frame.filter(component=component).select(
                "layer", "seq_id", pl.col("change_a").alias(f"{name}_a"), pl.col("change_b").alias(f"{name}_b")
            )
            for component, name in (("FF", "ff"), ("BLOCK", "block"))
        ]
        found = share_differences(wide[0].join(wide[1], on=["layer", "seq_id"]))
    return Answer(found.rename({"difference": "value"}), answer.sql)
