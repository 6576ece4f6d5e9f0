"""Two runs over the same sequences: the difference of their changes, sequence by sequence, with its interval.

Groups of runs have theirs in `group_difference`; of two runs it is computed when it is asked for, from a row a
sequence. Nothing is stored.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
import polars as pl

from warehouse.analysis.part import Options
from warehouse.analysis.resample import Floats, bootstrap, intervals, ratio

_OPTIONS: Final = Options()
_SCHEMA: Final = pl.Schema(
    {"layer": pl.Int16, "difference": pl.Float64, "low": pl.Float64, "high": pl.Float64, "n_sequences": pl.Int64}
)


def change_differences(frame: pl.DataFrame, options: Options = _OPTIONS) -> pl.DataFrame:
    """Mean over sequences of b's change less a's, by layer, with a 95% interval by bootstrap over sequences.

    Args: frame, rows of layer, seq_id, change_a, change_b, both defined. Returns rows of layer, difference, low, high
    (NULL with too few sequences), n_sequences.
    """
    return _by_layer(frame, ["change_a", "change_b"], lambda total: total[..., 1] - total[..., 0], options)


def share_differences(frame: pl.DataFrame, options: Options = _OPTIONS) -> pl.DataFrame:
    """b's surviving share less a's, by layer: each is mean change by BLOCK over mean change by FF, over the same
    sequences, as in v_surviving_share; NULL where a mean change by FF is 0.

    Args: frame, rows of layer, seq_id, ff_a, block_a, ff_b, block_b, all defined. Returns as change_differences.
    """

    def statistic(mean: Floats) -> Floats:
        return ratio(mean[..., 3], mean[..., 2]) - ratio(mean[..., 1], mean[..., 0])

    return _by_layer(frame, ["ff_a", "block_a", "ff_b", "block_b"], statistic, options)


def _by_layer(
    frame: pl.DataFrame, columns: list[str], statistic: Callable[[Floats], Floats], options: Options
) -> pl.DataFrame:
    rows = []
    for (layer,), own in frame.sort("layer", "seq_id").group_by("layer", maintain_order=True):
        values = own.select(columns).to_numpy()  # (S, columns)
        sums = np.column_stack([values, np.ones(len(values))])

        def of_totals(totals: Floats) -> Floats:
            return statistic(totals[..., :-1] / totals[..., -1:])[..., None]

        low, high = intervals(bootstrap(sums, of_totals, options), np.ones((len(values), 1)))
        value = of_totals(sums.sum(0))
        rows.append((layer, float(value[0]), float(low[0]), float(high[0]), len(values)))
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row").with_columns(pl.col(pl.Float64).fill_nan(None))
