"""`lenshouse project --pairs`: what it tells, resumes, removes and refuses."""

import pytest

import warehouse
from ingest.projection import job
from tests.ingest.tiny import counts, die_at, lenshouse, refused
from warehouse.check import check

PAIRS = ("--pairs", "--pair-top-k", 6)


@pytest.fixture(scope="module")
def filled(models, tmp_path_factory):
    path = tmp_path_factory.mktemp("filled") / "lens.duckdb"
    done = lenshouse("project", "--model", models["bert"], "--warehouse", path, *PAIRS)
    assert done.code == 0, done.err
    return path


def die_while_storing(when: str, nth: int) -> None:
    """Setup: a store after every part, and kill -9 before or after the nth."""
    job.STORE_SECONDS = 0
    die_at(10**6, "warehouse.pair_projections.store", when, nth)


@pytest.mark.parametrize(("when", "nth"), [("before", 1), ("before", 4), ("after", 6)])
def test_killed_and_given_again(when, nth, models, filled, nursery, house):
    arguments = ("project", "--model", models["bert"], "--warehouse", house, *PAIRS)
    child = nursery.start(*arguments, setup=die_while_storing, options=(when, nth))
    assert child.wait() == -9
    n_stored = nth - (when == "before")
    done = lenshouse(*arguments)
    assert done.code == 0
    if n_stored == 6:
        assert "has all 6 parts already: nothing to do" in done.out
    else:
        assert f"in {6 - n_stored} part" in done.out
    for query in ("FROM pair_projection", "SELECT * EXCLUDE (seconds, computed_at) FROM pair_projection_part"):
        mine, undisturbed = (warehouse.open(path).sql(f"{query} ORDER BY ALL").rows() for path in (house, filled))
        assert mine == undisturbed
    assert all(finding.level == "ok" for finding in check(house))


def test_what_it_tells(models, house):
    done = lenshouse("project", "--model", models["gpt2"], "--warehouse", house, *PAIRS, "--layers", "2")
    n_head = warehouse.open(house).sql("SELECT count(*) FROM pair_projection_part").item()
    assert f"projected: pairs of {n_head} head products in 2 parts" in done.out
    assert "of the pairs were multiplied" in done.out
    assert "FROM v_pair_projection" in done.out


def test_vectors_and_pairs_share_their_model(models, house):
    """Either holds model, tokenizer and filter; --remove takes both, and then nothing is left."""
    model = ("project", "--model", models["bert"], "--warehouse", house)
    lenshouse(*model, *PAIRS)
    remove = (*model, "--remove", "--yes")
    n_products = warehouse.open(house).sql("SELECT count(*) FROM pair_projection_part").item()
    assert f"(tiny-bert, pairs of {n_products} head products)" in lenshouse(*remove).out
    assert {n for table, n in counts(house).items() if not table.startswith("schema_")} == {0}
    lenshouse(*model, *PAIRS)
    lenshouse(*model, "--components", "w_o", "--top-k", 5)
    found = counts(house)
    assert (found["model"], found["tokenizer"], found["vocab_filter"]) == (1, 1, 1)
    assert f"units, pairs of {n_products} head products" in lenshouse(*remove).out
    assert {n for table, n in counts(house).items() if not table.startswith("schema_")} == {0}


def test_a_model_with_pairs_stays_with_its_last_run(models, texts, house):
    ingest = ("ingest", "--model", models["bert"], "--corpus", texts, "--warehouse", house, "--annotate", "none")
    lenshouse(*ingest)
    lenshouse("project", "--model", models["bert"], "--warehouse", house, *PAIRS, "--vocab-filter", "alphabetic")
    before = counts(house)
    assert lenshouse("runs", "remove", "1", "--yes", "--warehouse", house).code == 0
    left = counts(house)
    assert (left["run"], left["model"], left["vocab_filter"]) == (0, 1, 1)
    assert (left["pair_projection"], left["vocab"]) == (before["pair_projection"], before["vocab"])
    assert all(finding.level == "ok" for finding in check(house))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--pairs", "--top-k", 3), "with --pairs it is --pair-top-k"),
        (("--pairs", "--components", "w_o"), "--components is for single vectors"),
        (("--pair-top-k", 3), "--pair-top-k is for --pairs"),
        (("--exclude-same",), "--exclude-same is for --pairs"),
        (("--pairs", "--pair-top-k", 92**2 + 1), "leaves 8,464 pairs"),
    ],
)
def test_options_that_do_not_go_together(options, words, models, house):
    refused(lenshouse("project", "--model", models["bert"], "--warehouse", house, *options), 2, words)
    assert not house.exists()
