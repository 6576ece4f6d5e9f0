"""What the oracle needs to know of one layer: which of its modules does what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Module = Any  # torch types attributes of modules as Tensor | Module; here they are looked up by name


@dataclass
class Parts:
    """One layer's modules. What a module reads or gives is caught by hooks on it."""

    placement: str
    layer: Module
    attention: Module
    """Returns a tuple that holds alpha."""
    value: Module
    """The projection that gives the values; what it reads is the value input."""
    attn_dense: Module
    ff_1: Module
    """Reads FF's input; gives the (gate) pre-activations."""
    act: Module
    ff_2: Module
    ff_norm: Module | None
    """The norm whose output FF reads: of y, in 'parallel' of x; None in 'res_post'."""
    ff_up: Module | None = None
    """Gives the other factor of a gated FF, where it has its own projection."""
    ff_1_is_fused: bool = False
    """ff_1 gives (gate, up) side by side."""
    total_norm: Module | None = None
    """The norm after FF's residual ('post')."""
    attn_out_norm: Module | None = None
    """The norm on the attention's output, before the residual ('sandwich', 'res_post')."""
    ff_out_norm: Module | None = None
    """The norm on FF's output, before the residual ('sandwich', 'res_post')."""
    value_layout: Literal["own", "thirds", "by_head"] = "own"
    """Columns of `value`: values only; q, k, v in turn; or q, k, v in turn within each head."""
    alpha_index: int = 1
    """Where `attention` returns alpha."""
    causal: bool = False
    reach: int | None = None
    """Largest |query - key| that attention sees; None: no limit."""
