"""Ranks against scipy, rho against scipy, by hand, and where it is not defined."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ConstantInputWarning, rankdata, spearmanr

from ingest.attribution.change import Ordered, comparisons, map_changes, pair_filters
from tests.oracle.maps import COMPONENTS, PAIR_FILTERS, change

STAGES = ("atb", "after_ff", "after_res", "after_ln")


@given(
    values=st.lists(st.tuples(st.integers(-2, 2), st.booleans()), min_size=1, max_size=40),
    scale=st.sampled_from([1.0, 1e-30, 1e30, 0.1]),
)
@settings(max_examples=200, deadline=None)
def test_ranks_with_heavy_ties_and_masks(values, scale):
    numbers = torch.tensor([v for v, _ in values]) * scale
    mask = torch.tensor([m for _, m in values])
    found = Ordered.of(numbers).ranks(mask)
    assert found.dtype == torch.float64
    np.testing.assert_array_equal(found[mask], rankdata(numbers[mask].numpy(), method="average"))


def test_ranks_of_many_rows_at_once():
    """Masks broadcast, and rows do not mix."""
    generator = torch.Generator().manual_seed(0)
    values = torch.randint(0, 9, (3, 4, 500), generator=generator).float()
    mask = torch.rand(1, 4, 500, generator=generator) < torch.tensor([1.0, 0.5, 0.01, 0.0]).view(1, 4, 1)
    found = Ordered.of(values).ranks(mask)
    assert found.shape == (3, 4, 500)
    for i in range(3):
        for j in range(4):
            chosen = mask[0, j]
            np.testing.assert_array_equal(found[i, j][chosen], rankdata(values[i, j][chosen].numpy()))


def test_neighbouring_floats_are_no_tie():
    big = torch.tensor([3e38, torch.finfo(torch.float32).max, 1.0, np.nextafter(np.float32(1), np.float32(2))])
    assert Ordered.of(big).ranks(torch.ones(4, dtype=torch.bool)).tolist() == [3.0, 4.0, 1.0, 2.0]


def random_maps(n_batch: int, n_pos: int, seed: int, kind: str) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    shape = (n_batch, n_pos, n_pos)
    if kind == "ties":
        return {stage: torch.randint(0, 4, shape, generator=generator).float() for stage in STAGES}
    if kind == "large":
        return {stage: 1e37 * torch.rand(shape, generator=generator) for stage in STAGES}
    return {stage: torch.rand(shape, generator=generator) for stage in STAGES}


@pytest.mark.parametrize("kind", ["plain", "ties", "large"])
@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize(("placement", "short"), [("post_ln", "post"), ("pre_ln", "pre")])
@given(
    special=st.lists(st.lists(st.booleans(), min_size=7, max_size=7), min_size=1, max_size=4), seed=st.integers(0, 9)
)
@settings(max_examples=25, deadline=None)
def test_rho_is_scipys(placement, short, is_causal, kind, special, seed):
    is_special = torch.tensor(special)
    maps = random_maps(len(special), 7, seed, kind)
    filters = pair_filters(is_special, is_causal=is_causal)
    assert tuple(filters) == PAIR_FILTERS
    found = map_changes(maps, filters, placement)
    assert set(found) == set(COMPONENTS[short])
    for component, (before, after) in COMPONENTS[short].items():
        assert found[component].dtype == torch.float64
        for b in range(len(special)):
            for nth, name in enumerate(PAIR_FILTERS):
                mask = filters[name][b].numpy()
                rho = found[component][b, nth].item()
                one, two = maps[before][b].numpy()[mask], maps[after][b].numpy()[mask]
                if mask.sum() < 2 or np.ptp(one) == 0 or np.ptp(two) == 0:
                    assert np.isnan(rho)
                    continue
                if mask.sum() > 2:  # for two pairs scipy's p-value divides by zero
                    assert rho == pytest.approx(spearmanr(one, two).statistic, abs=1e-12)
                expected = change(maps[before][b].numpy(), maps[after][b].numpy(), name, special[b], is_causal)
                assert 1 - rho == pytest.approx(expected, abs=1e-12)


def test_pair_filters_by_hand():
    masks = pair_filters(torch.tensor([[True, False, False], [False, False, True]]), is_causal=True)
    lower = [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert masks["all"].int().tolist() == [lower, lower]
    assert masks["content"].int().tolist() == [[[0, 0, 0], [0, 1, 0], [0, 1, 1]], [[1, 0, 0], [1, 1, 0], [0, 0, 0]]]
    assert masks["offdiag"].int().tolist() == [[[0, 0, 0], [0, 0, 0], [0, 1, 0]], [[0, 0, 0], [1, 0, 0], [0, 0, 0]]]
    both = pair_filters(torch.tensor([[True, False, False]]), is_causal=False)
    assert both["all"].all()
    assert both["offdiag"].int().tolist() == [[[0, 0, 0], [0, 0, 1], [0, 1, 0]]]


def test_a_constant_map_has_no_rho():
    maps = random_maps(1, 5, 0, "plain")
    maps["after_ff"] = torch.full((1, 5, 5), 0.7)
    every = pair_filters(torch.zeros(1, 5, dtype=torch.bool), is_causal=False)
    found = map_changes(maps, every, "post_ln")
    assert found["FF"].isnan().all()
    assert found["RES"].isnan().all()
    assert not found["LN"].isnan().any()
    with pytest.warns(ConstantInputWarning):
        assert np.isnan(spearmanr(maps["atb"].flatten(), maps["after_ff"].flatten()).statistic)


def test_too_few_pairs_have_no_rho():
    alone = pair_filters(torch.zeros(1, 1, dtype=torch.bool), is_causal=True)
    found = map_changes({stage: torch.ones(1, 1, 1) for stage in STAGES}, alone, "pre_ln")
    assert all(rho.isnan().all() for rho in found.values())
    all_special = pair_filters(torch.ones(1, 4, dtype=torch.bool), is_causal=False)
    found = map_changes(random_maps(1, 4, 0, "plain"), all_special, "pre_ln")
    assert all(rho.isnan().tolist() == [[False, True, True]] for rho in found.values())


@pytest.mark.parametrize("kind", ["plain", "ties"])
@pytest.mark.parametrize("n_pos", [2, 3, 8, 20, 64])
def test_equal_maps_have_rho_one_exactly(n_pos, kind):
    """A component that changes nothing has change 0, not 1e-16, and opposite maps have -1."""
    (same, *_) = random_maps(4, n_pos, n_pos, kind).values()
    maps = {"atb": same, "after_ff": same.clone(), "after_res": 2 * same, "after_ln": -same}
    filters = pair_filters(torch.zeros(4, n_pos, dtype=torch.bool), is_causal=False)
    found = map_changes(maps, filters, "post_ln")
    assert found["FF"].unique().tolist() == [1.0]
    assert found["RES"].unique().tolist() == [1.0]
    assert found["LN"].unique().tolist() == [-1.0]


def test_a_long_sequence_keeps_its_digits():
    """262,144 pairs: sums of squared ranks reach 1e15."""
    generator = torch.Generator().manual_seed(0)
    base = torch.rand(1, 512, 512, generator=generator)
    maps = {
        stage: base + sd * torch.randn(1, 512, 512, generator=generator)
        for stage, sd in zip(STAGES, (0, 0.01, 0.1, 1), strict=True)
    }
    mask = {"all": torch.ones(1, 512, 512, dtype=torch.bool)}
    for component, rho in map_changes(maps, mask, "post_ln").items():
        before, after = comparisons("post_ln")[component]
        expected = spearmanr(maps[before].flatten(), maps[after].flatten()).statistic
        assert rho.item() == pytest.approx(expected, abs=1e-11)
