"""Charts: polars frame in, altair chart out; no query, no file, no page.

Colours are those of Okabe and Ito, which people with any colour vision tell apart; shapes repeat them.
"""

from dashboard.charts.agreement import agreement_by_layer, agreement_matrix
from dashboard.charts.groups import by_group, difference_by_layer, differences
from dashboard.charts.layers import by_layer, small_multiples
from dashboard.charts.phases import seconds_by_phase
from dashboard.charts.quick import quick
from dashboard.charts.theme import Chart, on_screen, png, svg, svg_file
from dashboard.charts.verdicts import verdict_matrix

__all__ = [
    "Chart",
    "agreement_by_layer",
    "agreement_matrix",
    "by_group",
    "by_layer",
    "difference_by_layer",
    "differences",
    "on_screen",
    "png",
    "quick",
    "seconds_by_phase",
    "small_multiples",
    "svg",
    "svg_file",
    "verdict_matrix",
]
