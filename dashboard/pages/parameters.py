"""What parameters say of the vocabulary: units, tokens, pairs, fine-tunings, alignments, stitching."""

from dashboard import filters
from dashboard.parameter_views import VIEWS

VIEWS[filters.switch("View", tuple(VIEWS), key="view")]()
