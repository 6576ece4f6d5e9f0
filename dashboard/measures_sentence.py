"""What the page about a sentence shows: equations, sources and units, as help (markdown)."""

from typing import Final

MAPS: Final = (
    "A cell is what the key's token contributes to the query's position, in the order in which the model computes: "
    "`attn`, the attention weight (mean over heads); `attn_norm`, ‖Σₕ αʰᵢⱼ fʰ(xⱼ)‖, attention's output without the "
    "residual connection; `atb`, after the attention block, residual and its LayerNorm (Post-LN) included; then "
    "`after_ff`, `after_res` and `after_ln` in the model's own order. The pieces of a query sum to the model's own "
    "state. Empty cells: pairs that are left out, or that the layer's attention does not see (later keys of causal "
    "models, keys beyond a window); they are not 0. Source: Kobayashi et al. 2020, 2021, 2024."
)

VALUES: Final = (
    "row-normalised: the value divided by its sum over all keys of the query, those that are not shown included, so "
    "that all maps have one unit and one colour scale. raw: norms as they are; `attn` is a weight and has a scale of "
    "its own. FF-amp and differences are of row-normalised maps always. By word there are no raw values: norms of "
    "several tokens do not add up to the norm of a word."
)

UNIT: Final = (
    "token: sub-tokens, as the model sees them. word: what a word contributes is the sum over its tokens, what it "
    "receives the mean over its tokens (view v_word_pair); tokens without a word, special ones too, are left out."
)

FF_AMP: Final = (
    "FF-amp = row-normalised map after FF − row-normalised map before FF. Above 0 (orange), the feed-forward network "
    "amplifies what the key contributes to the query; below 0 (blue), it takes from it. Over all keys of a query it "
    "sums to 0. The paper's own normalisation is not public; this one is ours. Source: after Kobayashi et al. 2024."
)

DIFFERENCE: Final = (
    "The second run's value less the first one's, pair by pair, both row-normalised: where both see the same text in "
    "the same pieces. Orange: more in the second run. Each run in the layer that is chosen for it."
)

FLOW: Final = (
    "A line for each pair, from the key on the left to the query on the right, as thick as its value; of signed values "
    "orange is above 0, blue below. Lines of less than 5% of the largest value are not drawn. Point at a token to see "
    "its lines alone."
)

PAIRS: Final = (
    "The pairs of the whole sentence in this layer with the largest values of the map that is looked at; of FF-amp "
    "whichever their sign. Patterns as `lenshouse annotate` found them; none where there are none, or no words."
)

SIZE: Final = "small: maps fit into a window 1,280 pixels wide. large: into one of 1,920."

TYPED: Final = (
    "Runs the model of this run over your text and adds it to the warehouse, as a run over a corpus named typed "
    "(`lenshouse runs remove` takes it out again). What is beyond 256 tokens is cut."
)
