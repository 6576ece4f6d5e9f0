"""What parameters say: units and heads as vocabulary, fine-tuned models and seeds compared by it."""

from dashboard import filters, parameter_models, parameter_units

VIEWS = {
    "Unit": parameter_units.unit,
    "Search": parameter_units.by_token,
    "Pairs": parameter_units.pairs,
    "Fine-tuned": parameter_models.tuned,
    "Alignment": parameter_models.aligned,
    "Stitching": parameter_models.stitched,
}

VIEWS[filters.switch("View", tuple(VIEWS), key="view")]()
