"""What the page about linguistic patterns shows: equations and sources, as help (markdown)."""

from typing import Final

EFFECT: Final = (
    "effect: mean over the pattern's pairs of FF-amp less the mean FF-amp of the same sequence's other pairs; above "
    "0, FF amplifies the pattern. Bars: 95% by bootstrap over sequences. P by random signs of the sequences' "
    "contributions, adjusted by Benjamini and Hochberg over the run's layers × patterns. FF-amp = row-normalised map "
    "after FF − before FF, our normalisation. Source: after Kobayashi et al. 2024, section 5.2."
)

LIFT: Final = (
    "lift: the pattern's share among the 1% most amplified pairs of the layer over its share among all pairs; above "
    "1, it is over-represented there. Shares of a map are larger in short sentences, so a pattern that is frequent in "
    "them may have lift without being amplified: effect compares within sentences. Ours."
)

RELATION: Final = (
    "Pairs of a word and its syntactic head, by the dependent's relation; the number as in the chart above. P is "
    "adjusted over the run's layers × relations."
)

UPOS: Final = (
    "The effect (not the lift) for pairs of two different words, by their parts of speech: FF-amp of such pairs less "
    "that of the same sequence's other pairs of content. P by random signs, adjusted by Benjamini and Hochberg over "
    "the run's layers × pairs of parts of speech. View v_upos_effect. Ours."
)

PAIRS: Final = (
    "Pairs of two positions, neither special, that FF amplifies most. `lenshouse analyze` keeps the 50 strongest of "
    "each layer; filters choose among those. Patterns as `lenshouse annotate` found them."
)

MIXING: Final = (
    "Mean mixing ratio ‖Σ v_ij, j ≠ i‖ / (‖Σ v_ij, j ≠ i‖ + ‖v_ii‖) over the tokens of a kind, after a stage. 0: a "
    "token keeps to itself; 1: all comes from other tokens. zipf:N: words whose Zipf frequency has that whole part, 7 "
    "being the most frequent. 95% by bootstrap over sequences. Source: Kobayashi et al. 2021."
)

KINDS: Final = "Kinds of tokens: all and special ones; by part of speech of the word; by the word's Zipf frequency."
