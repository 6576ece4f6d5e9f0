"""Statistics from stored maps: effects of patterns, changes, correlations, with intervals over sequences.

`runner.analyze` computes what is missing or stale. SQL sums the large tables up to one row per layer and sequence;
numpy resamples those sums.
"""

from warehouse.analysis.part import Frames, Options, Part, Subject
from warehouse.analysis.runner import Analysis, analyze

__all__ = ["Analysis", "Frames", "Options", "Part", "Subject", "analyze"]
