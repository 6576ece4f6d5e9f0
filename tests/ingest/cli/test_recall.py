"""`lenshouse recall`: what it tells, resume, kills, removal, and what it refuses."""

from __future__ import annotations

import pytest

import warehouse
from tests.ingest.tiny import TEXTS, corpus, counts, die_at, leftovers, lenshouse, refused
from warehouse.check import check

SMALL = ("--top-k", 5, "--units", 2)


def recall(model, texts, house, *more):
    return lenshouse("recall", "--model", model, "--corpus", texts, "--warehouse", house, *SMALL, *more)


def stored(house):
    return warehouse.open(house).sql("SELECT * EXCLUDE (seconds, computed_at) FROM recall ORDER BY ALL").rows()


def test_it_is_stored_once(models, texts, house) -> None:
    done = recall(models["bert"], texts, house)
    assert (done.code, done.err) == (0, "")
    assert "model 1 (tiny-bert) on corpus: 12 rows stored" in done.out
    assert "share of a state's 5 items that its 2 most active units promote" in done.out
    before = stored(house)
    again = recall(models["bert"], texts, house)
    assert again.code == 0 and "is there already: nothing to do" in again.out and "12 rows stored" not in again.out
    assert again.out.splitlines()[1:] == done.out.splitlines()[1:]
    replaced = recall(models["bert"], texts, house, "--replace")
    assert "12 rows stored" in replaced.out and stored(house) == before
    assert leftovers(house) == []
    assert all(finding.level == "ok" for finding in check(house))


def test_other_texts_and_options_are_kept_beside(models, texts, house) -> None:
    recall(models["bert"], texts, house)
    assert "rows stored" in recall(models["bert"], texts, house, "--limit", 3).out
    assert "rows stored" in recall(models["bert"], texts, house, "--top-k", 4).out
    assert counts(house)["recall"] == 36
    assert "rows stored" in recall(models["bert"], texts, house, "--resample-seed", 1).out  # in the place of the first
    rows = warehouse.open(house).sql("SELECT DISTINCT n_sequences, k, seed FROM recall ORDER BY ALL").rows()
    assert rows == [(3, 5, 0), (8, 4, 0), (8, 5, 1)]


@pytest.mark.parametrize(("when", "n_rows"), [("before", 0), ("after", 12)])
def test_killed_and_given_again(when, n_rows, models, texts, house, nursery) -> None:
    arguments = ("recall", "--model", models["bert"], "--corpus", texts, "--warehouse", house, *SMALL)
    target = "ingest.projection.recall_job.store"
    assert nursery.start(*arguments, setup=die_at, options=(10**6, target, when, 1)).wait() == -9
    assert (counts(house)["recall"] if house.exists() else 0) == n_rows
    done = recall(models["bert"], texts, house)
    assert done.code == 0 and ("nothing to do" in done.out) == (n_rows > 0)
    assert leftovers(house) == []
    other = house.with_name("other.duckdb")
    recall(models["bert"], texts, other)
    assert stored(house) == stored(other)


def test_a_run_and_recall_share_their_model(models, texts, house) -> None:
    recall(models["bert"], texts, house)
    lenshouse("ingest", "--model", models["bert"], "--corpus", texts, "--warehouse", house, "--annotate", "none")
    found = warehouse.open(house).sql("SELECT DISTINCT corpus.name FROM recall JOIN corpus ON sha256 = corpus_sha256")
    assert found.rows() == [("corpus",)] and counts(house)["model"] == 1
    assert lenshouse("runs", "remove", "1", "--yes", "--warehouse", house).code == 0
    assert (counts(house)["model"], counts(house)["recall"]) == (1, 12)
    done = lenshouse("recall", "--model", models["bert"], "--remove", "--yes", "--warehouse", house)
    assert done.out == "removed the recall of model 1 (tiny-bert, 1 corpus)\n"
    assert {n for table, n in counts(house).items() if not table.startswith("schema_")} == {0}


def test_what_is_refused(models, texts, tmp_path, house) -> None:
    bert = models["bert"]
    refused(lenshouse("recall", "--model", bert, "--warehouse", house), 2, "no corpus")
    refused(recall(bert, tmp_path / "none.txt", house), 1, "none.txt")
    refused(recall(tmp_path / "nothing", texts, house), 1, "nothing")
    refused(recall(bert, texts, house, "--top-k", 500), 2, "--top-k 500: tiny-bert has 92 vocabulary items")
    refused(recall(bert, texts, house, "--units", 500), 2, "--units 500")
    refused(recall(bert, texts, house, "--yes"), 2, "--yes is for --remove")
    refused(recall(bert, corpus(tmp_path, ("cat", "the"), "one.txt"), house), 1, "no text has two tokens")
    assert not house.exists() and leftovers(house) == []
    recall(bert, texts, house, "--limit", len(TEXTS))
    refused(lenshouse("recall", "--model", "who", "--remove", "--warehouse", house), 1, "it holds 1 tiny-bert")
