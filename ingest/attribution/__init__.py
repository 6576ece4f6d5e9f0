"""Exact token-pair attributions of one Transformer layer: pure tensor functions, no I/O, no configuration.

Axes, named once and used everywhere (DESIGN.md section 1 gives the method):

    B  sequences of equal length        H    query heads
    T  positions; Q queries, K keys     d    model width
    dh head width                       dff  feed-forward width

`weights` holds a layer's parameters, `states` its true hidden states and their constant parts, `pieces` the
T vectors that sum to them, `measures` and `change` what is stored. `layer.attribute_layer` is the way in.
"""
