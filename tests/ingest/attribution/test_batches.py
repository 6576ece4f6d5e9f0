"""A batch gives each of its sequences what the sequence has alone, wherever the padding lies."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.architectures import families
from ingest.capture import length_groups
from tests.ingest.attribution.support import FAMILY_NAMES, assert_same, attribute, random_ids, tiny_model

MODELS = {name: tiny_model(name).float() for name in FAMILY_NAMES}
sequences = st.lists(st.tuples(st.integers(1, 12), st.sampled_from(["left", "right", "both"])), min_size=1, max_size=6)


def padded(rows, pad_id):
    """[(ids (1, n), side)] -> ids, mask (B, T)."""
    width = max(ids.shape[1] for ids, _ in rows)
    batch = torch.full((len(rows), width), pad_id)
    mask = torch.zeros_like(batch)
    for row, (ids, side) in enumerate(rows):
        free = width - ids.shape[1]
        start = {"left": free, "right": 0, "both": free // 2}[side]
        batch[row, start : start + ids.shape[1]] = ids[0]
        mask[row, start : start + ids.shape[1]] = 1
    return batch, mask


@pytest.mark.parametrize("name", FAMILY_NAMES)
@given(data=st.data())
@settings(max_examples=10, deadline=None)
def test_padding_and_order_do_not_matter(name, data):
    model = MODELS[name]
    rows = [
        (random_ids(n, seed=seed), side if families()[name].left_padding else "right")
        for seed, (n, side) in enumerate(data.draw(sequences, label="length, side"))
    ]
    rows = data.draw(st.permutations(rows), label="order")
    pad_id = model.config.pad_token_id if model.config.pad_token_id is not None else 1
    batch, mask = padded(rows, pad_id)
    found = attribute(model, batch, mask=mask)
    for row, (ids, _) in enumerate(rows):
        alone = attribute(model, ids)
        for together, by_itself in zip(found, alone, strict=True):
            assert_same(together[row], by_itself[0], 1e-5)
            assert together[row].norms["completeness_error"].max() < 1e-5
            assert torch.equal(together[row].n_pairs, by_itself[0].n_pairs)


@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_what_stands_in_the_padding_does_not_matter(name):
    model = MODELS[name]
    first = "left" if families()[name].left_padding else "right"
    rows = [(random_ids(n, seed=n), side) for n, side in ((3, first), (8, "right"), (5, "right"))]
    (one, mask), (other, _) = padded(rows, 5), padded(rows, 60)
    assert not torch.equal(one, other)
    if name == "roberta":
        assert model.config.pad_token_id not in (5, 60)
    for a, b in zip(attribute(model, one, mask=mask), attribute(model, other, mask=mask), strict=True):
        for row in range(3):
            assert_same(a[row], b[row], 1e-5)


@pytest.mark.parametrize("name", ["bert", "gpt2"])
def test_an_empty_row_harms_no_other(name):
    model, ids = MODELS[name], random_ids(2, 6)
    mask = torch.tensor([[0] * 6, [1] * 6])
    found = attribute(model, ids, mask=mask)
    for layer, alone in zip(found, attribute(model, ids[1:]), strict=True):
        assert set(layer) == {1}
        assert_same(layer[1], alone[0], 1e-5)


def test_one_batch_of_many_against_many_of_one():
    model, ids = MODELS["bert"], random_ids(40, 6)
    found = attribute(model, ids)
    for row in range(0, 40, 7):
        for layer, alone in zip(found, attribute(model, ids[row : row + 1]), strict=True):
            assert_same(layer[row], alone[0], 1e-5)


@given(lengths=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=8))
@settings(deadline=None)
def test_length_groups_hold_every_real_token_once(lengths):
    """Random masks with gaps anywhere: groups have one length each, shortest first, and miss and repeat nothing."""
    generator = torch.Generator().manual_seed(sum(9 * n + salt for n, salt in lengths))
    mask = torch.stack([(torch.randperm(9, generator=generator) < n).long() for n, _ in lengths])
    groups = length_groups(mask)
    sizes = [group.positions.shape[1] for group in groups]
    assert sizes == sorted({n for n, _ in lengths if n})
    seen = []
    for group in groups:
        assert group.positions.shape[0] == len(group.rows)
        for row, positions in zip(group.rows.tolist(), group.positions.tolist(), strict=True):
            assert positions == [at for at in range(9) if mask[row, at]]
            seen.append(row)
    assert sorted(seen) == [row for row, (n, _) in enumerate(lengths) if n]


def test_length_groups_take_states_and_attention():
    mask = torch.tensor([[0, 1, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0], [1, 0, 0, 1]])
    two, four = length_groups(mask)
    assert two.rows.tolist() == [0, 3]
    assert four.rows.tolist() == [1]
    x = torch.arange(4 * 4 * 3).view(4, 4, 3)
    assert torch.equal(two.states(x), torch.stack([x[0, 1:3], x[3, [0, 3]]]))
    alpha = torch.arange(4 * 2 * 4 * 4).view(4, 2, 4, 4)
    taken = two.alpha(alpha)
    assert taken.shape == (2, 2, 2, 2)
    assert torch.equal(taken[0], alpha[0, :, 1:3, 1:3])
    assert torch.equal(taken[1], alpha[3][:, [0, 3]][:, :, [0, 3]])
    assert torch.equal(four.alpha(alpha)[0], alpha[1])


def test_no_rows_no_groups():
    assert length_groups(torch.zeros(3, 4, dtype=torch.long)) == []
    assert length_groups(torch.zeros(0, 4, dtype=torch.long)) == []
