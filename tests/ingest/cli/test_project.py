"""`lenshouse project` and `lenshouse search`: what they tell, resume, remove and refuse."""

import pytest

import warehouse
from ingest.projection import job
from tests.ingest.tiny import counts, die_at, lenshouse, refused
from warehouse.check import check

COMPONENTS = ("--components", "ff_key,ff_value,w_o", "--top-k", 5)


@pytest.fixture(scope="module")
def filled(models, tmp_path_factory):
    """Two models of one tokenizer, and a GPT-2."""
    path = tmp_path_factory.mktemp("filled") / "lens.duckdb"
    for name in models.values():
        done = lenshouse("project", "--model", name, "--warehouse", path, *COMPONENTS)
        assert done.code == 0, done.err
    return path


def die_while_storing(when: str, nth: int) -> None:
    """Setup: a store after every part, and kill -9 before or after the nth."""
    job.STORE_SECONDS = 0
    die_at(10**6, "warehouse.projections.store", when, nth)


@pytest.mark.parametrize(("when", "nth"), [("before", 1), ("after", 1), ("before", 4), ("after", 9)])
def test_killed_and_given_again(when, nth, models, filled, nursery, house):
    arguments = ("project", "--model", models["bert"], "--warehouse", house, *COMPONENTS)
    child = nursery.start(*arguments, setup=die_while_storing, options=(when, nth))
    assert child.wait() == -9
    n_stored = nth - (when == "before")
    done = lenshouse(*arguments)
    assert done.code == 0
    if n_stored == 9:
        assert "has all 9 parts already: nothing to do" in done.out
    else:
        assert f"in {9 - n_stored} part" in done.out
        assert ("were there" in done.out or "was there" in done.out) == (n_stored > 0)
    columns = "* EXCLUDE (seconds, computed_at)"
    for query in ("FROM projection", f"SELECT {columns} FROM projection_part"):
        mine, undisturbed = (
            warehouse.open(path).sql(f"{query} WHERE model_id = 1 ORDER BY ALL").rows() for path in (house, filled)
        )
        assert mine == undisturbed
    assert all(finding.level == "ok" for finding in check(house))


def test_what_it_tells(models, house):
    done = lenshouse("project", "--model", models["bert"], "--warehouse", house, "--layers", "1-2,3", *COMPONENTS)
    assert "model 1 (tiny-bert) projected: 312 units in 9 parts" in done.out
    assert "its INPUT embeddings: the weight files hold no output embeddings" in done.out
    assert "vocabulary filter: all, 92 items" in done.out
    assert f"ask: lenshouse search TOKEN --warehouse {house}" in done.out
    tied = lenshouse("project", "--model", models["gpt2"], "--warehouse", house, "--vocab-filter", "ascii", *COMPONENTS)
    assert "its output embeddings, which are its input embeddings" in tied.out


def test_a_run_and_a_projection_share_their_model(models, texts, house):
    """Entered by either, found by the other; each may be removed without the other."""
    ingest = ("ingest", "--model", models["bert"], "--corpus", texts, "--warehouse", house, "--annotate", "none")
    project = ("project", "--model", models["bert"], "--warehouse", house, *COMPONENTS)
    lenshouse(*project)
    lenshouse(*ingest)
    found = counts(house)
    assert (found["model"], found["tokenizer"]) == (1, 1)
    assert lenshouse("runs", "remove", "1", "--yes", "--warehouse", house).code == 0
    left = counts(house)
    assert (left["run"], left["token_pair"], left["model"]) == (0, 0, 1)
    assert (left["vocab"], left["projection"]) == (found["vocab"], found["projection"]) != (0, 0)
    lenshouse(*ingest)
    done = lenshouse("project", "--model", models["bert"], "--remove", "--yes", "--warehouse", house)
    assert "removed the projections of model 1 (tiny-bert, 312 units)" in done.out
    left = counts(house)
    assert [left[t] for t in ("projection", "projection_part", "vocab_filter")] == [0, 0, 0]
    assert [left[t] for t in ("model", "run", "tokenizer")] == [1, 1, 1]
    lenshouse("runs", "remove", "tiny-bert on corpus", "--yes", "--warehouse", house)
    assert {n for table, n in counts(house).items() if not table.startswith("schema_")} == {0}


def test_removed_and_made_again_is_the_same(models, filled, tmp_path):
    path = tmp_path / "copy.duckdb"
    path.write_bytes(filled.read_bytes())
    before = counts(path)
    assert lenshouse("project", "--model", "tinybert-seed_3", "--remove", "--yes", "--warehouse", path).code == 0
    after = counts(path)
    assert after["projection"] == before["projection"] * 2 // 3
    assert (after["model"], after["tokenizer"]) == (2, 2)
    assert all(finding.level == "ok" for finding in check(path))
    refused(
        lenshouse("project", "--model", "seed_3", "--remove", "--yes", "--warehouse", path), 1, "it holds 1 tiny-bert"
    )


def test_min_count_counts_the_warehouses_texts(models, texts, house):
    lenshouse("ingest", "--model", models["bert"], "--corpus", texts, "--warehouse", house, "--annotate", "none")
    project = ("project", "--model", models["bert"], "--warehouse", house, "--vocab-filter", "min-count:4", *COMPONENTS)
    assert lenshouse(*project).code == 0
    house_ = warehouse.open(house)
    frequent = house_.sql("SELECT token_id FROM token GROUP BY ALL HAVING count(*) >= 4")["token_id"].to_list()
    assert set(house_.sql("SELECT token_id FROM projection")["token_id"]) <= set(frequent)
    [(name, n)] = house_.sql("SELECT name, n_items FROM vocab_filter").rows()
    assert (name, n) == ("min-count:4", len(frequent))
    more = texts.with_name("more.txt")
    more.write_text("dog dog dog dog dog dog\nzoo zoo zoo zoo\n")
    lenshouse("ingest", "--model", models["bert"], "--corpus", more, "--warehouse", house, "--annotate", "none")
    refused(lenshouse(*project), 1, "min-count:4 stood for", "give the list another name")


def test_a_list_of_one_name_is_one_list(models, house, tmp_path):
    file = tmp_path / "words.txt"
    file.write_text("cat\ndog\nmat\nsat\nthe\non\n")
    project = ("project", "--model", models["bert"], "--warehouse", house, "--vocab-filter", file, *COMPONENTS)
    assert lenshouse(*project).code == 0
    assert "nothing to do" in lenshouse(*project).out
    file.write_text("cat\nmat\nsat\nthe\non\n")
    refused(lenshouse(*project), 1, "list:words stood for 6 items", "now for 5")


def test_searching(filled):
    """Against a plain query of the view."""
    house = warehouse.open(filled)
    words = ("cat", "dog", "mat", "sat", "on")
    done = lenshouse("search", *words, "--warehouse", filled, "--sign", "promote", "--limit", 5000)
    told = [line.split() for line in done.out.splitlines() if "tiny" in line]
    rows = house.sql(
        "SELECT model_name, count(*) AS n FROM v_projection "
        "WHERE list_contains($words, display) AND sign = 1 GROUP BY model_id, model_name, layer, component, unit "
        "ORDER BY n DESC",
        {"words": list(words)},
    )
    assert [int(cells[6]) for cells in told] == rows["n"].to_list(), "units with most of them first"
    assert max(rows["n"]) > 1
    assert sorted(cells[0] for cells in told) == sorted(rows["model_name"])
    assert len(set(rows["model_name"])) == 3
    one = lenshouse("search", "cat", "--warehouse", filled, "--model", "tiny-gpt2", "--layer", 2, "--component", "w_o")
    found = house.sql(
        "SELECT unit, sign, rank, score FROM v_projection WHERE display = 'cat' AND model_name = 'tiny-gpt2' "
        "AND layer = 2 AND component = 'w_o' ORDER BY rank, abs(score) DESC, unit"
    )
    told = [line.split() for line in one.out.splitlines() if "tiny" in line]
    assert [(int(cells[3]), int(cells[5]), float(cells[7])) for cells in told] == found.select(
        "unit", "sign", "rank"
    ).rows()


def test_a_display_goes_before_a_spelling(filled):
    """`the` begins a word: in GPT-2 it is Ġthe, though there is an item spelled `the`, which continues one."""
    house = warehouse.open(filled)
    item = house.sql("SELECT token_id FROM vocab WHERE token = 'Ġthe'").item()
    done = lenshouse("search", "the", "--model", "tiny-gpt2", "--warehouse", filled, "--limit", 5000)
    n_units = house.sql(
        "SELECT count(*) FROM projection WHERE model_id = 3 AND token_id = $item", {"item": item}
    ).item()
    assert sum("tiny-gpt2" in line for line in done.out.splitlines()) == n_units


def test_what_a_neuron_says(filled):
    done = lenshouse("search", "--model", "tiny-bert", "--layer", 2, "--neuron", 7, "--warehouse", filled)
    items = (
        warehouse.open(filled)
        .sql(
            "SELECT display FROM v_projection WHERE model_name = 'tiny-bert' AND layer = 2 AND unit = 7 "
            "AND component = 'ff_value' AND sign = -1 ORDER BY rank"
        )["display"]
        .to_list()
    )
    lines = done.out.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == ["ff_key (all)", "ff_value (all)"]
    assert lines[-1] == f"  lowest   {' '.join(items)}"
    short = lenshouse("search", "--model", 1, "--layer", 2, "--neuron", 7, "--warehouse", filled, "--limit", 2)
    assert short.out.splitlines()[-1] == f"  lowest   {' '.join(items[:2])}"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("cats",), "'cats' is not one vocabulary item of any projected model; search for its pieces: cat …s"),
        (("cat", "€"), "'€' is not one vocabulary item of any projected model; no items spell it"),
        ((), "give a TOKEN"),
        (("cat", "--neuron", 3), "give --model and --layer"),
        (("cat", "--layer", 99), "no projections of layer 99 of any model: layers count from 1"),
        (("cat", "--layer", 9, "--model", "tiny-bert"), "no projections of layer 9 of this model"),
        (("cat", "--component", "ff_keys"), "projections of a component ff_keys: it holds ff_key, ff_value, w_o"),
    ],
)
def test_searches_that_are_refused(arguments, words, filled):
    refused(lenshouse("search", *arguments, "--warehouse", filled), 2, words)


def test_searching_what_is_not_there(filled, house):
    refused(lenshouse("search", "cat", "--model", "no", "--warehouse", filled), 1, "no model with projections")
    far = ("search", "--model", "tiny-bert", "--layer", 9, "--neuron", 7, "--warehouse", filled)
    refused(lenshouse(*far), 1, "no FF component of unit 7 in layer 9")
    refused(lenshouse("search", "cat", "--warehouse", house), 1, "there is no warehouse")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--layers", "2-1"), "such as 1-4,7"),
        (("--layers", "x"), "such as 1-4,7"),
        (("--layers", "1-99999"), "so many layers"),
        (("--layers", "7"), "layers 1 to 3"),
        (("--components", "ff_keys"), "use one of ff_key"),
        (("--top-k", "93"), "leaves 92 items"),
        (("--top-k", "0"), "range"),
        (("--vocab-filter", "nosuch.txt"), "use all, ascii"),
        (("--seed", str(2**40)), "--seed"),
        (("--yes",), "--remove"),
    ],
)
def test_options_that_are_refused(options, words, models, house):
    refused(lenshouse("project", "--model", models["bert"], "--warehouse", house, *options), 2, words)
    assert not house.exists()


def test_the_same_job_in_two_warehouses_is_the_same(models, filled, house):
    for name in models.values():
        lenshouse("project", "--model", name, "--warehouse", house, *COMPONENTS)
    columns = "* EXCLUDE (seconds, computed_at)"
    for table, what in (("projection", "*"), ("projection_part", columns), ("vocab", "*"), ("model", "*")):
        query = f"SELECT {what} FROM {table} ORDER BY ALL"
        assert warehouse.open(house).sql(query).rows() == warehouse.open(filled).sql(query).rows()
