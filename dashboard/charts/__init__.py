"""Charts: polars frame in, altair chart out; no query, no file, no page.

Colours are those of Okabe and Ito, which people with any colour vision tell apart; shapes repeat them.
"""

from dashboard.charts.agreement import agreement_by_layer, agreement_matrix
from dashboard.charts.groups import by_group, differences
from dashboard.charts.layers import by_layer, small_multiples
from dashboard.charts.parameters import alignment, bars, items, shifts, stitching
from dashboard.charts.theme import on_screen, png, svg, svg_file

__all__ = [
    "agreement_by_layer",
    "agreement_matrix",
    "alignment",
    "bars",
    "by_group",
    "by_layer",
    "differences",
    "items",
    "on_screen",
    "png",
    "shifts",
    "small_multiples",
    "stitching",
    "svg",
    "svg_file",
]
