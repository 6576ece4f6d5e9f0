"""Blocks must not matter, nothing large is held, and the diagonal is a piece like any other."""

from __future__ import annotations

import weakref
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from ingest.attribution import bases as key_bases
from ingest.attribution.layer import attribute_layer
from ingest.attribution.normalisation import Norm
from ingest.attribution.weights import LayerWeights, Placement, fold
from tests.ingest.attribution.support import assert_layer, assert_same, attribute, random_ids, tiny_model
from tests.oracle.maps import oracle_layers

PER_KEY = (3 + 1) * 40 * 4
"""Bytes of one key's basis in the tiny models: H + 1 rows of d_ff float32."""
BASES = {"a key": 1, "five keys": 5 * PER_KEY, "one and a half sequences": 35 * PER_KEY,
         "two sequences": 46 * PER_KEY, "all": 32 * 2**20}  # fmt: skip


@pytest.fixture(scope="module", params=["bert", "gpt2"])
def five_sequences(request):
    model, ids = tiny_model(request.param).float(), random_ids(5, 23)
    return model, ids, [attribute(model, ids[row : row + 1]) for row in range(5)]


@pytest.mark.parametrize("n_bytes", BASES.values(), ids=BASES.keys())
@pytest.mark.parametrize("rows", [1, 7, 64, 500, 100_000])
def test_blocks_do_not_matter(five_sequences, rows, n_bytes, monkeypatch):
    """However the pairs are cut into blocks, each sequence's maps are those it has alone."""
    model, ids, alone = five_sequences
    monkeypatch.setitem(key_bases.BASIS_BYTES, "cpu", n_bytes)
    ids = ids[:2] if rows == 1 else ids
    found = attribute(model, ids, rows=rows)
    for index, layer in enumerate(found):
        for row in range(len(ids)):
            assert_same(layer[row], alone[row][index][0], 1e-6)
            assert layer[row].norms["completeness_error"].max() < 1e-5


@pytest.mark.parametrize("name", ["bert", "gpt2"])
def test_small_blocks_are_right_too(name, monkeypatch):
    monkeypatch.setitem(key_bases.BASIS_BYTES, "cpu", 5 * 8 * PER_KEY)
    model, ids = tiny_model(name), random_ids(23)
    for layer, expected in zip(
        attribute(model, ids, rows=50, dtype=torch.float64), oracle_layers(model, ids), strict=True
    ):
        assert_layer(layer[0], expected, 1e-10)


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("n_keys", [1, 4, 9, 14, 100])
@pytest.mark.parametrize("rows", [1, 7, 40, 1000])
def test_blocks_tile_the_visible_pairs(rows, n_keys, is_causal):
    """Every pair that can be seen lies in exactly one block, and its key in the basis at hand."""
    n_batch, n_pos = 3, 9
    seen = torch.zeros(n_batch, n_pos, n_pos, dtype=torch.int)
    for bases in key_bases.basis_blocks(n_batch, n_pos, n_keys):
        assert (bases.batch.stop - bases.batch.start) * (bases.keys.stop - bases.keys.start) <= n_keys
        for block in key_bases.pair_blocks(bases, n_pos, rows, is_causal=is_causal):
            assert bases.batch.start <= block.batch.start < block.batch.stop <= bases.batch.stop
            assert bases.keys.start <= block.keys.start < block.keys.stop <= bases.keys.stop
            seen[block.batch, block.queries, block.keys] += 1
    visible = torch.ones(n_pos, n_pos, dtype=torch.bool)
    if is_causal:
        visible = visible.tril()
        # Steps of an eighth of the keys: far from all of the upper half is skipped, but most of it.
        assert seen.triu(1).sum() <= (0.25 * visible.triu(1).numel() * n_batch)
    assert (seen[:, visible] == 1).all()
    assert seen.max() == 1


class Ledger(TorchDispatchMode):
    """Bytes of the storages that operations create while it watches: the largest, and the most alive at once."""

    def __init__(self) -> None:
        super().__init__()
        self.largest = self.live = self.peak = 0
        self.known: set[int] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = {leaf.untyped_storage()._cdata for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)}
        result = func(*args, **(kwargs or {}))
        for leaf in tree_leaves(result):
            if isinstance(leaf, Tensor):
                storage = leaf.untyped_storage()
                if storage._cdata not in given | self.known:
                    self._enter(storage)
        return result

    def _enter(self, storage: torch.UntypedStorage) -> None:
        key, size = storage._cdata, storage.nbytes()
        self.known.add(key)
        self.largest = max(self.largest, size)
        self.live += size
        self.peak = max(self.peak, self.live)
        weakref.finalize(storage, self._leave, key, size)

    def _leave(self, key: int, size: int) -> None:
        self.known.discard(key)
        self.live -= size


def random_layer(placement: Placement, n_head: int, d: int, d_ff: int) -> LayerWeights:
    generator = torch.Generator().manual_seed(0)

    def normal(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator) / shape[0] ** 0.5

    def norm() -> Norm:
        return Norm(torch.randn(d, generator=generator), normal(d), 1e-5)

    return LayerWeights(
        placement, n_head, normal(d, d), normal(d), normal(d, d), normal(d), norm(),
        normal(d, d_ff), normal(d_ff), torch.nn.GELU(), normal(d_ff, d), normal(d), norm(),
    )  # fmt: skip


def test_the_ledger_counts():
    """What the memory test stands on: views and in-place operations are free, what dies is given back."""
    with Ledger() as ledger:
        kept = torch.zeros(1000)
        view = kept.view(10, 100)[2:].mul_(2)
        assert (ledger.live, ledger.peak) == (4000, 4000)
        other = kept + 1
        assert ledger.live == 8000
        del other
        assert (ledger.live, ledger.peak, ledger.largest) == (4000, 8000, 4000)
        del kept
        assert ledger.live == 4000, "the view holds it"
        del view
        assert ledger.live == 0


@pytest.mark.parametrize("placement", ["post_ln", "pre_ln"])
def test_memory_of_a_layer(placement):
    """d = 768, H = 12, T = 128: at most 100 MiB more than the inputs; (H, T, T, d) would be 576, (T, T, dff) 192."""
    n_head, n_pos, d, d_ff = 12, 128, 768, 3072
    layer = fold(random_layer(placement, n_head, d, d_ff))
    x, output = torch.randn(1, n_pos, d), torch.randn(1, n_pos, d)
    alpha = torch.rand(1, n_head, n_pos, n_pos).softmax(-1)
    is_causal = placement == "pre_ln"
    if is_causal:
        alpha = alpha.tril()
    special = torch.zeros(1, n_pos, dtype=torch.bool)
    with Ledger() as ledger:
        attribute_layer(x, alpha, output, special, layer, is_causal=is_causal)
    assert ledger.peak <= 100 * 2**20, f"{ledger.peak / 2**20:.0f} MiB"
    assert ledger.largest <= 32 * 2**20, f"{ledger.largest / 2**20:.0f} MiB in one tensor"


def test_a_sharp_head_leaves_no_false_ties():
    """Weights down to 1e-30: such a piece is small, not nothing, at every stage; equal zeros would be ties of ranks."""
    model, ids = tiny_model("bert"), random_ids(16, seed=10)
    with torch.no_grad():
        for layer in model.encoder.layer:
            layer.attention.self.query.weight.mul_(12)
    model.float().double()
    expected = oracle_layers(model, ids)
    assert 1e-34 < min(layer["attn"].min() for layer in expected) < 1e-28
    for layer, truth in zip(attribute(model, ids), expected, strict=True):
        assert_layer(layer[0], truth, 1e-5)
