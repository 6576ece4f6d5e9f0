"""Do the parameters that are active at a token say what its hidden state says? Recall of the state's top items.

After Dar et al. 2023 ("Hidden states and parameters"): at every token the units that are most active, the k items that
each of them promotes, and their union; recall is the share of the k items that the token's hidden state, as it leaves
the layer, scores highest, that lie in this union. States and units alike are read with the output embeddings alone.

What multiplies a unit at a token, by whose size the most active are chosen, and what turns its items around (ours
where the paper leaves it open):

| component | units | the most active by | turned around where this is negative |
|---|---|---|---|
| ff_value | neurons | the neuron's activation | the activation, which multiplies the vector |
| ff_key | neurons | the neuron's activation | what the key makes of FF's input (gated: of up) |
| ff_gate | neurons | the neuron's activation | the gate's pre-activation |
| w_v | coordinates of key/value heads | the coordinate of the token's own value | the same |
| w_o | coordinates of query heads | the coordinate of what attention sums up | the same, which multiplies the vector |

A unit that nothing multiplies (ReLU) is not active and has no items. Chance is what the same union recalls of the
states of the other tokens of its own sequence, the mean over all of them: what shuffling the positions within the
sequence gives on average, without drawing. Words that come twice, and what all of a text has in common, are in it.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from ingest.attribution.neurons import neuron_activations
from ingest.attribution.states import LayerStates
from ingest.attribution.weights import LayerWeights
from ingest.projection.top_k import GROUP, block_rows, top

RecallComponent = Literal["ff_key", "ff_gate", "ff_value", "w_v", "w_o"]
"""Components whose units have an activation at a token."""

_TOKENS = 128
"""Tokens whose unions are held at once, and are compared with so many states."""


class Activity(NamedTuple):
    """What the units of a component do at each token, both (B, T, n_units)."""

    size: Tensor
    """What multiplies a unit, with its sign: the most active have the largest absolute values."""
    direction: Tensor
    """Its sign says which end of the unit's vector takes part."""


class ActiveUnits(NamedTuple):
    """The most active units of each token, both (T, m)."""

    unit: Tensor  # int64
    sign: Tensor  # int64: 1 or -1; 0 where nothing multiplies the unit


def activities(states: LayerStates, alpha: Tensor, w: LayerWeights) -> dict[RecallComponent, Activity]:
    """What every unit of a layer does at B sequences of length T; ff_gate only where FF is gated.

    Args: states and alpha (B, H, T, T) of `layer_states`. FF's output is size of ff_value @ w_out + b_out, attention's
    size of w_o @ w_o + b_o, before any norm.
    """
    found: dict[RecallComponent, Activity] = {}
    ff_in = states.ff_in.whole
    neuron, read = neuron_activations(ff_in, w), ff_in @ w.w_in + w.b_in
    if w.w_up is None or w.b_up is None:
        found["ff_key"] = Activity(neuron, read)
    else:
        found["ff_key"], found["ff_gate"] = Activity(neuron, ff_in @ w.w_up + w.b_up), Activity(neuron, read)
    found["ff_value"] = Activity(neuron, neuron)
    own = states.values[:, :, :: w.n_head // w.n_kv_head].flatten(2)  # query heads of one group have the same values
    summed = torch.einsum("bhqk,bkhe->bqhe", alpha, states.values).flatten(2)
    found["w_v"], found["w_o"] = Activity(own, own), Activity(summed, summed)
    return found


def most_active(size: Tensor, direction: Tensor, m: int) -> ActiveUnits:
    """The m units with the largest |size| at each token: (T, n_units), (T, n_units) -> (T, m), m at most n_units."""
    unit = size.abs().topk(m).indices
    is_active = size.gather(1, unit) != 0
    return ActiveUnits(unit, direction.gather(1, unit).sign().long() * is_active)


class Reader:
    """Reads vectors with embeddings (V, d): their k highest items, 1 <= k <= V, as rows of the embeddings."""

    def __init__(self, embeddings: Tensor, k: int) -> None:
        self.n_items, self.k = len(embeddings), k
        self._padded = torch.nn.functional.pad(embeddings, (0, 0, 0, -len(embeddings) % GROUP))

    def highest(self, vectors: Tensor) -> Tensor:
        """(n, d) -> (n, k) int64, the highest first; of equal ones the lower row. One block of scores is held."""
        blocks = vectors.split(block_rows(self.n_items))
        return torch.cat([top(block @ self._padded.T, self.n_items, self.k, largest=True).columns for block in blocks])


class UnitItems:
    """The k items at either end of the units of a component, found when a unit is first asked for."""

    def __init__(self, vectors: Callable[[], Tensor], n_units: int, reader: Reader, device: torch.device) -> None:
        self._vectors, self._n_units, self._reader = vectors, n_units, reader
        self._items = torch.zeros(2 * n_units, reader.k, dtype=torch.int32, device=device)
        self._is_known = torch.zeros(2 * n_units, dtype=torch.bool, device=device)

    def of(self, active: ActiveUnits) -> Tensor:
        """(T, m, k) int64: the items that each unit promotes in the direction of its sign; any where the sign is 0."""
        keys = active.unit + self._n_units * (active.sign < 0)
        missing = keys[~self._is_known[keys]].unique()
        if len(missing):
            ends = 1.0 - 2.0 * (missing >= self._n_units)
            rows = self._vectors()[missing % self._n_units] * ends[:, None]
            self._items[missing] = self._reader.highest(rows).int()
            self._is_known[missing] = True
        return self._items[keys].long()


def hits(unit_items: Tensor, sign: Tensor, state_items: Tensor, n_items: int) -> Tensor:
    """(T, T) int64: how many items of the state of token j (columns) the active units of token i (rows) promote.

    Args: unit_items (T, m, k); sign (T, m), 0 for units that do not take part; state_items (T, k), each once a token.
    """
    blocks = zip(unit_items.split(_TOKENS), sign.split(_TOKENS), strict=True)
    return torch.cat([_hits(items, signs, state_items, n_items) for items, signs in blocks])


def _hits(unit_items: Tensor, sign: Tensor, state_items: Tensor, n_items: int) -> Tensor:
    """`hits` of some rows."""
    union = torch.zeros(len(unit_items), n_items, dtype=torch.bool, device=unit_items.device)
    token, unit = sign.nonzero(as_tuple=True)
    union[token[:, None], unit_items[token, unit]] = True
    return torch.cat([union[:, items].sum(-1) for items in state_items.split(_TOKENS)], 1)


def recalls(found: Tensor, k: int) -> tuple[float, float]:
    """Sums over the tokens of a sequence: of their recall, and of its mean at the other tokens' states.

    Args: found (T, T) of `hits`, T at least 2; k items of a state.
    """
    own = int(found.diagonal().sum())
    others = int(found.sum()) - own
    return own / k, others / (k * (len(found) - 1))
