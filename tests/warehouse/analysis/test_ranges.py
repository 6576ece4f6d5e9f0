"""Intervals over few seeds are widened, but not beyond what a measure can be."""

import numpy as np

from warehouse.analysis.by_sequence import Cell
from warehouse.analysis.groups import Measured


def test_ends_stay_within_the_measures_range() -> None:
    kinds = ("ln_weight", "change", "surviving_share", "mixing", "pattern_effect")
    cells = tuple(Cell(kind, 1, "x", None) for kind in kinds)
    draws = np.repeat(np.linspace(-3, 3, 999)[:, None], len(cells), axis=1)
    low, high = Measured(cells, np.zeros((2, len(cells))), draws, np.ones((40, len(cells)))).ends()
    assert low[:4].tolist() == [-1, 0, 0, 0] and high[[0, 1, 3]].tolist() == [1, 2, 1]
    assert high[2] > 2.5 and low[4] < -2.5 and high[4] > 2.5, "what has no bound is left alone"
