"""Charts: polars frame in, altair chart out; no query, no file, no page.

Colours are those of Okabe and Ito, which people with any colour vision tell apart; shapes repeat them.
"""

from dashboard.charts.agreement import agreement_by_layer, agreement_matrix
from dashboard.charts.cloud import cloud
from dashboard.charts.effects import cells, dots
from dashboard.charts.groups import by_group, difference_by_layer, differences
from dashboard.charts.layers import by_layer, small_multiples
from dashboard.charts.panels import panels
from dashboard.charts.phases import seconds_by_phase
from dashboard.charts.quick import quick
from dashboard.charts.spread import MOST_POINTS, spread
from dashboard.charts.theme import Chart, on_screen, png, svg, svg_file
from dashboard.charts.verdicts import verdict_matrix

__all__ = [
    "MOST_POINTS",
    "Chart",
    "agreement_by_layer",
    "agreement_matrix",
    "by_group",
    "by_layer",
    "cells",
    "cloud",
    "difference_by_layer",
    "differences",
    "dots",
    "on_screen",
    "panels",
    "png",
    "quick",
    "seconds_by_phase",
    "small_multiples",
    "spread",
    "svg",
    "svg_file",
    "verdict_matrix",
]
