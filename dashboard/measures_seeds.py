"""What the page about seeds and sizes shows: equations and sources, as help (markdown)."""

from typing import Final

AGREEMENT: Final = (
    "ff_amp: Pearson's r of FF-amp over the same token pairs, of runs that share a tokenizer. ff_amp_words: the same "
    "over pairs of words (view v_word_pair), of runs whose tokenizers differ. pattern_profile: r of the effects of "
    "patterns, over layers × patterns, special left out. change_curve: r of the change by FF, over layers. Ours, for "
    "claim F6."
)

LAYER: Final = (
    "A layer of the run with the lower number; the other's stands at the same relative depth, layer / layers."
)

MATRIX: Final = (
    "Pearson's r of every two runs. Of all layers: the mean over them, without an interval. Of one layer, or of a "
    "profile: point at a cell for the 95% interval by bootstrap over sequences."
)

LINES: Final = (
    "A line for every two runs: within a group of seeds, or across groups of other sizes or kinds. Point at a value "
    "for its 95% interval by bootstrap over sequences."
)

MEASURE: Final = (
    "change: mean of 1 − Spearman's ρ by a component. surviving_share: change by BLOCK over change by FF. "
    "norm_change: ρ of FF's output norm and its change, over rows. ln_weight: ρ of |LN weight| and FF's mean size, "
    "over dimensions. pattern_effect: FF-amp of a pattern's pairs less that of the same sequence's others. agreement: "
    "r of two runs."
)

GROUP: Final = (
    "The mean over the runs of a group (one family over one corpus). Band: 95% by the Multi-Bootstrap, which draws "
    "seeds and sequences together; the deviation of seeds is widened for few of them (ours). Agreement: by the "
    "jackknife over runs. Source: Sellam et al. 2022."
)

DIFFERENCE: Final = (
    "Mean of one group less mean of the other, at the same relative depth; 95% by the Multi-Bootstrap: seeds "
    "unpaired, sequences paired. Depths are not adjusted for how many there are. Source: Sellam et al. 2022."
)

TITLES: Final[dict[str, tuple[str, float]]] = {
    "change": ("Change, 1 − Spearman's ρ", 0),
    "surviving_share": ("Surviving share", 1),
    "norm_change": ("Spearman's ρ", 0),
    "ln_weight": ("Spearman's ρ", 0),
    "pattern_effect": ("Effect (FF-amp)", 0),
    "agreement": ("Pearson's r", 0),
}
"""Of each measure of groups the title of its axis, and the value that means nothing happens."""
