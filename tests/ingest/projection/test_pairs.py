"""Top pairs against the whole product in double precision, sorted."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.projection import pairs
from ingest.projection.balance import balanced
from ingest.projection.pairs import TopPairs, top_pairs
from warehouse.errors import NumericsError, UsageError


@pytest.fixture
def small_tiles(monkeypatch):
    """Many tiles even of small matrices."""
    monkeypatch.setattr(pairs, "_TILE_ROWS", 16)
    monkeypatch.setattr(pairs, "_TILE_COLS", 32)


def allowed_pairs(left, right, keep_rows=None, keep_cols=None, exclude_same=False):
    allowed = np.ones((len(left), len(right)), bool)
    if keep_rows is not None:
        allowed &= keep_rows[:, None]
    if keep_cols is not None:
        allowed &= keep_cols[None, :]
    if exclude_same:
        np.fill_diagonal(allowed, False)
    return allowed


def dense(left, right, **options):
    """All allowed pairs (row, col) and their scores, best first, equal ones by row and column."""
    scores = left @ right.T
    row, col = allowed_pairs(left, right, **options).nonzero()
    order = np.lexsort((col, row, -scores[row, col]))
    return row[order], col[order], scores[row, col][order]


def assert_top(found: TopPairs, left, right, k, **options):
    """Its scores are the k largest, each is its pair's, no pair comes twice, and equal ones are in order."""
    row, col, score = (x.numpy() for x in (found.row, found.col, found.score))
    product = left.astype(np.float64) @ right.astype(np.float64).T
    allowed = allowed_pairs(left, right, **options)
    best = np.sort(-np.partition(-product[allowed], k - 1)[:k])[::-1]
    size = np.abs(product).max()
    np.testing.assert_allclose(score, best, rtol=0, atol=1e-12 * size)
    np.testing.assert_allclose(score, product[row, col], rtol=0, atol=1e-12 * size)
    assert allowed[row, col].all()
    keys = list(zip((-score).tolist(), row.tolist(), col.tolist(), strict=True))
    assert keys == sorted(set(keys))


def run(left, right, k, **options) -> TopPairs:
    masks = {key: torch.from_numpy(value) if isinstance(value, np.ndarray) else value for key, value in options.items()}
    return top_pairs(torch.from_numpy(left), torch.from_numpy(right), k, **masks)


def trained_like(rng, n, r, dtype=np.float64):
    """Rows of very different norms, with a common direction and a decaying spectrum."""
    rows = rng.normal(size=(n, r)) * np.geomspace(1, 0.05, r) + rng.normal(size=r)
    return (rows * rng.lognormal(sigma=0.7, size=(n, 1))).astype(dtype)


@pytest.mark.parametrize("k", [1, 7, 50, 600, 5000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_against_the_whole_product(k, dtype, small_tiles):
    rng = np.random.default_rng(k)
    left, right = trained_like(rng, 300, 9, dtype), trained_like(rng, 270, 9, dtype)
    assert_top(run(left, right, k), left, right, k)


def test_with_the_tiles_that_are_used():
    rng = np.random.default_rng(1)
    left, right = trained_like(rng, 3000, 16), trained_like(rng, 3000, 16)
    found = run(left, right, 50, exclude_same=True)
    assert_top(found, left, right, 50, exclude_same=True)
    assert found.cost.share_multiplied < 0.2
    assert found.cost.n_pairs == 3000 * 3000


@pytest.mark.parametrize("exclude_same", [False, True])
@pytest.mark.parametrize("share", [0.05, 0.5, 1.0])
def test_masks(share, exclude_same, small_tiles):
    rng = np.random.default_rng(5)
    left, right = trained_like(rng, 200, 6), trained_like(rng, 200, 6)
    left[:], right[::3] = right, 2 * right[::3]  # the largest scores are then of the same id
    options = {
        "keep_rows": rng.random(200) < share,
        "keep_cols": rng.random(200) < share,
        "exclude_same": exclude_same,
    }
    k = min(40, allowed_pairs(left, right, **options).sum())
    found = run(left, right, k, **options)
    assert_top(found, left, right, k, **options)
    assert found.cost.n_pairs == options["keep_rows"].sum() * options["keep_cols"].sum()


def whole_numbers(shape):
    return st.lists(st.integers(-2, 2), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]).map(
        lambda values: np.array(values, np.float64).reshape(shape)
    )


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_ties_are_ordered_by_ids(data):
    """Whole numbers have no rounding: many equal scores, duplicated rows, rows of zeros, factors without rank."""
    n, m, r = (data.draw(st.integers(1, most)) for most in (12, 12, 3))
    left, right = data.draw(whole_numbers((n, r))), data.draw(whole_numbers((m, r)))
    exclude_same = data.draw(st.booleans())
    row, col, score = dense(left, right, exclude_same=exclude_same)
    if len(row):
        k = data.draw(st.integers(1, len(row)))
        found = run(left, right, k, exclude_same=exclude_same)
        assert found.row.tolist() == row[:k].tolist()
        assert found.col.tolist() == col[:k].tolist()
        assert found.score.tolist() == score[:k].tolist()


@pytest.mark.parametrize("most", [1 << 16, 64])
def test_many_ties_across_tiles(most, small_tiles, monkeypatch):
    """More equal scores than are held at once: float64 decides in steps, the ids still in order."""
    monkeypatch.setattr(pairs, "_MOST_CANDIDATES", most)
    rng = np.random.default_rng(2)
    left, right = (rng.integers(-1, 2, size=(150, 2)).astype(np.float64) for _ in range(2))
    row, col, _ = dense(left, right)
    found = run(left, right, 300)
    assert (found.row.tolist(), found.col.tolist()) == (row[:300].tolist(), col[:300].tolist())


@pytest.mark.parametrize("zero", ["left", "right", "both", "product"])
def test_a_product_of_zeros(zero):
    """The ids decide. `product`: neither factor is zero, but they have no direction in common."""
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=(9, 4)), rng.normal(size=(5, 4))
    if zero == "product":
        left[:, 2:] = right[:, :2] = 0
    else:
        left, right = left * (zero == "right"), right * (zero == "left")
    for exclude_same in (False, True):
        row, col, score = dense(np.zeros((9, 4)), right, exclude_same=exclude_same)
        found = run(left, right, len(row), exclude_same=exclude_same)
        assert found.row.tolist() == row.tolist() and found.col.tolist() == col.tolist()
        assert (found.score == 0).all() and (score == 0).all()


def test_scores_that_float32_cannot_tell_apart(small_tiles):
    """The order among the best is made by the tenth digit."""
    rng = np.random.default_rng(8)
    direction = rng.normal(size=8)
    left = direction * (1 + 1e-10 * rng.normal(size=(120, 1)))
    right = direction * (1 + 1e-10 * rng.normal(size=(120, 1)))
    row, col, _ = dense(left, right)
    found = run(left, right, 20)
    assert list(zip(found.row.tolist(), found.col.tolist(), strict=True)) == list(
        zip(row[:20].tolist(), col[:20].tolist(), strict=True)
    )


def test_equal_norms_where_the_bound_never_helps(small_tiles):
    """Everything is multiplied, the answer is right, and the cost says so."""
    rng = np.random.default_rng(3)
    left, right = (np.linalg.qr(rng.normal(size=(64, 64)))[0] for _ in range(2))
    found = run(left, right, 30)
    assert_top(found, left, right, 30)
    assert found.cost.share_multiplied == 1


def test_negative_scores_only(small_tiles):
    """The largest are then the smallest in size, which no norm finds."""
    rng = np.random.default_rng(4)
    left, right = rng.random((100, 5)) + 0.1, -rng.random((90, 5)) - 0.1
    found = run(left, right, 25)
    assert_top(found, left, right, 25)
    assert (found.score < 0).all()


@pytest.mark.parametrize("size", [1e-60, 1e-30, 1.0, 1e30, 1e60])
def test_sizes_of_any_kind(size, small_tiles):
    """Scores of 1e-120 to 1e120, beside rows that are 1e-40 of the others: float32 has neither."""
    rng = np.random.default_rng(6)
    left, right = size * trained_like(rng, 80, 4), size * trained_like(rng, 80, 4)
    left[40:] *= 1e-40
    right[30:] *= 1e-25
    for k in (10, 80 * 80):
        found = run(left, right, k)
        row, col, score = dense(left, right)
        np.testing.assert_allclose(found.score.numpy(), score[:k], rtol=1e-9)
        if k == 10:
            assert found.row.tolist() == row[:k].tolist() and found.col.tolist() == col[:k].tolist()


@pytest.mark.parametrize("spread", [1.0, 1e3, 1e6, 1e12])
def test_the_error_of_the_balanced_factors(spread):
    """What `Balanced` promises, of factors near to losing rank: products, bounds, and norms that are no longer."""
    rng = np.random.default_rng(7)
    scales = np.geomspace(1, 1 / spread, 12)
    left = torch.from_numpy(rng.normal(size=(200, 12)) * scales)
    right = torch.from_numpy(rng.normal(size=(150, 12)) * scales[::-1])
    made = balanced(left, right)
    exact = (left @ right.T) / made.scale
    bound = made.row_norm[:, None] * made.col_norm
    off = (made.rows @ made.cols.T).double() - exact
    assert (off.abs() <= made.error * bound + made.tiny).all()
    assert (exact.abs() <= bound * (1 + made.error)).all()
    assert made.error < 1e-3
    before = left.norm() * right.norm() / made.scale
    assert made.row_norm.norm() * made.col_norm.norm() <= 1.001 * before


def test_balanced_rows_have_the_products_nuclear_norm():
    rng = np.random.default_rng(9)
    left, right = trained_like(rng, 100, 6), trained_like(rng, 90, 6)
    made = balanced(torch.from_numpy(left), torch.from_numpy(right))
    nuclear = np.linalg.svd(left @ right.T, compute_uv=False).sum()
    found = float(made.row_norm.norm() * made.col_norm.norm()) * made.scale
    assert found == pytest.approx(nuclear, rel=1e-5)


def test_lower_precision_of_the_process_is_not_taken(small_tiles):
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        rng = np.random.default_rng(11)
        left, right = trained_like(rng, 200, 8), trained_like(rng, 200, 8)
        assert_top(run(left, right, 50), left, right, 50)
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision(before)


@pytest.mark.parametrize("k", [0, -1, 21])
def test_more_pairs_than_there_are(k):
    with pytest.raises(UsageError, match="of 20 that are allowed: ask for 1 to 20"):
        top_pairs(torch.ones(5, 2), torch.ones(5, 2), k, exclude_same=True)


def test_no_pairs_at_all():
    with pytest.raises(UsageError, match="no pair is left"):
        top_pairs(torch.ones(5, 2), torch.ones(5, 2), 1, keep_rows=torch.zeros(5, dtype=torch.bool))


@pytest.mark.parametrize("bad", [torch.nan, torch.inf])
def test_what_is_not_finite_is_refused(bad):
    left = torch.ones(5, 2)
    left[3, 1] = bad
    with pytest.raises(NumericsError, match="NaN or infinity"):
        top_pairs(left, torch.ones(5, 2), 1)
