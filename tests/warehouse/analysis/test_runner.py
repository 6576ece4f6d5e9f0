"""What is computed, what is up to date, what is skipped, and what goes when its run or its words go."""

from pathlib import Path

import pytest

import warehouse
from tests.warehouse.analysis.support import ALL, OF_RUNS, annotate, execute, shape
from tests.warehouse.conftest import House
from warehouse import connect
from warehouse.analysis import Frames, Options, Part, Subject, runner
from warehouse.errors import UsageError, WarehouseError

RANDOM = ALL - {"outlier_dim", "top_pair"}
WORDS = {"pattern_effect", "mixing"}
FAR = "UPDATE layer_dim SET ln_ff_gamma = -9 WHERE dim = 17"  # an outlier dimension
TABLES = ("pattern_effect", "estimate", "outlier_dim", "top_pair", "analysis")


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One annotated run that is analysed."""
    house = House(tmp_path_factory.mktemp("analysed") / "lens.duckdb")
    house.ingest(shape())
    execute(house, FAR)
    annotate(house)
    analyze(house)
    return house.path


@pytest.fixture
def filled(analysed: Path, house: House) -> House:
    """A copy of it that a test may change."""
    house.path.write_bytes(analysed.read_bytes())
    return house


def analyze(house: House, *runs: str | int, **options) -> warehouse.Analysis:
    return warehouse.analyze(house.path, runs, **{"n_resamples": 100, "parts": OF_RUNS} | options)


def parts(entries: list[tuple]) -> set[str]:
    assert len(entries) == len({entry[:2] for entry in entries})
    return {entry[0] for entry in entries}


def content(house: House, table: str) -> list[tuple]:
    return house.rows(f"SELECT * FROM {table} ORDER BY ALL")


def test_nothing_is_computed_twice(filled: House) -> None:
    before = {table: content(filled, table) for table in TABLES}
    assert all(before.values())
    again = analyze(filled)
    assert (again.computed, parts(again.up_to_date), again.skipped, again.notes) == ([], ALL, [], [])
    assert {table: content(filled, table) for table in TABLES} == before


def test_the_same_seed_gives_the_same_numbers(filled: House) -> None:
    before = {table: content(filled, table) for table in TABLES[:-1]}
    assert parts(analyze(filled, force=True).computed) == ALL
    assert {table: content(filled, table) for table in TABLES[:-1]} == before


def test_a_new_seed_computes_what_is_random(filled: House) -> None:
    for options in ({"seed": 1}, {"seed": 1, "n_resamples": 120}):
        assert parts(analyze(filled, **options).computed) == RANDOM
    assert set(filled.rows("SELECT seed FROM pattern_effect UNION ALL SELECT seed FROM estimate")) == {(1,)}
    rows = filled.rows("SELECT part, seed, n_resamples, method_version FROM analysis")
    assert {row[0] for row in rows if row[1:3] == (1, 120)} == RANDOM and len(rows) == len(ALL)
    assert {row[1:3] for row in rows if row[0] not in RANDOM} == {(None, None)} and {row[3] for row in rows} == {"1"}


def test_a_new_annotation_computes_what_uses_words(filled: House) -> None:
    annotate(filled, seed=1)
    assert parts(analyze(filled).computed) == WORDS
    execute(filled, "DELETE FROM pair_pattern WHERE pattern = 'subword'")
    assert "pattern_effect" in parts(analyze(filled).computed)
    assert ("subword",) not in filled.rows("SELECT DISTINCT pattern FROM pattern_effect")


def test_without_annotation(filled: House) -> None:
    """Results that rested on words that are gone go too; what needs none stays."""
    execute(filled, "DELETE FROM annotation", "DELETE FROM pair_pattern", "UPDATE token SET word_id = NULL")
    found = analyze(filled)
    assert found.skipped == [("pattern_effect", "run 1 (run)", found.skipped[0][2])]
    assert "no annotation" in found.skipped[0][2] and "`lenshouse annotate`" in found.skipped[0][2]
    assert parts(found.computed) == {"mixing"}
    assert filled.rows("SELECT count(*) FROM pattern_effect") == [(0,)]
    assert filled.rows("SELECT count(*) FROM estimate WHERE item LIKE '%upos%'") == [(0,)]
    assert filled.rows("SELECT count(*) FROM analysis WHERE part = 'pattern_effect'") == [(0,)]
    assert parts(analyze(filled).up_to_date) == ALL - {"pattern_effect"}


def test_words_of_another_tokenizer_do_not_count(filled: House) -> None:
    filled.ingest(shape(tokenizer="letters", model="other"))
    execute(filled, "DELETE FROM pair_pattern WHERE tokenizer_id = 2")
    found = analyze(filled)
    [(part, title, reason)] = found.skipped
    assert (part, title) == ("pattern_effect", "run 2 (run)") and "for this tokenizer" in reason


def test_three_sentences_have_no_interval(house: House) -> None:
    house.ingest(shape(lengths=(6, 7, 5), shards=(3,)))
    annotate(house)
    found = analyze(house)
    assert parts(found.computed) == ALL
    [note] = found.notes
    assert "3 sequences" in note and "no intervals" in note and "at least 8" in note and "\n" not in note
    ends = "count(mean_amp_low), count(effect_high), count(lift_low)"
    assert house.rows(f"SELECT {ends}, count(effect) > 0, count(p_value) > 0 FROM pattern_effect") == [
        (0, 0, 0, True, True)
    ]
    assert house.rows(
        "SELECT count(low), count(high), count(value) > 0 FROM estimate WHERE measure <> 'ln_weight'"
    ) == [(0, 0, True)]
    assert analyze(house).notes == [note], "said whenever the numbers are there"


def test_runs_are_chosen_by_name_or_id(filled: House) -> None:
    filled.ingest(shape(name="other", seed=5, model="other"))
    filled.ingest(shape(name="third", seed=6, model="third"))
    some = {"parts": [part for part in runner.PARTS if part.name in ("change", "outlier_dim")]}
    found = analyze(filled, "other", **some)
    assert parts(found.computed) == {"change", "outlier_dim"} and found.up_to_date == [] and found.run_ids == [2]
    assert {title for _, title in found.computed} == {"run 2 (other)"}
    assert {title for _, title in analyze(filled, 1, 3, **some).computed} == {"run 3 (third)"}


def test_no_run_at_all(house: House) -> None:
    house.ingest()
    warehouse.remove_run(house.path, 1)
    found = analyze(house)
    assert (found.computed, found.up_to_date, found.skipped) == ([], [], [])


def test_what_cannot_be_asked(filled: House, tmp_path: Path) -> None:
    warehouse.register_run(filled.path, filled.parts(shape(name="unfinished", seed=9)))
    with pytest.raises(WarehouseError, match=r"run 2 \(unfinished\) is not complete"):
        analyze(filled, "unfinished")
    with pytest.raises(WarehouseError, match="no run"):
        analyze(filled, "nobody")
    with pytest.raises(WarehouseError, match="no warehouse"):
        warehouse.analyze(tmp_path / "none.duckdb")
    for options in ({"seed": -1}, {"seed": 2**31}, {"n_resamples": 99}, {"n_resamples": 10**9}, {"seed": 0.5}):
        with pytest.raises(UsageError, match=next(iter(options))):
            analyze(filled, **options)
    assert parts(analyze(filled).up_to_date) == ALL, "runs under way do not count"


def test_removing_a_run_takes_its_results(filled: House) -> None:
    before = filled.counts()
    filled.ingest(shape(name="goes", seed=4, model="goes"))
    execute(filled, FAR)
    analyze(filled)
    assert all(filled.counts()[table] > before[table] for table in TABLES)
    warehouse.remove_run(filled.path, "goes")
    assert filled.counts() == before
    assert parts(analyze(filled).up_to_date) == ALL


def test_progress_is_told(filled: House) -> None:
    told: list[tuple[str, int, int]] = []
    analyze(filled, watch=lambda *step: told.append(step))
    assert [done for _, done, _ in told] == list(range(7)) and {total for *_, total in told} == {7}
    assert all("run 1 (run)" in what for what, *_ in told)


def test_data_that_changes_meanwhile(filled: House) -> None:
    """What was computed from words that are others by now is not stored, and said to be out of date."""
    real = runner.PARTS[0]

    def compute(con, subject: Subject, options: Options) -> Frames:
        frames = real.compute(con, subject, options)
        con.close()
        annotate(filled, seed=7)
        return frames

    before = content(filled, "pattern_effect")
    found = analyze(filled, force=True, parts=[Part(real.name, real.subjects, compute, real.clear)])
    assert found.computed == [] and "changed while it was computed" in found.skipped[0][2]
    assert content(filled, "pattern_effect") == before
    assert parts(analyze(filled).computed) == WORDS


def test_a_failure_leaves_what_was_there(filled: House, monkeypatch) -> None:
    before = {table: content(filled, table) for table in TABLES}
    real = runner.PARTS[1]

    def compute(con, subject: Subject, options: Options) -> Frames:
        return {"estimate": real.compute(con, subject, options)["estimate"].with_columns(n=None)}

    with pytest.raises(WarehouseError, match="NOT NULL"):
        analyze(filled, seed=3, parts=[Part(real.name, real.subjects, compute, real.clear)])
    assert {table: content(filled, table) for table in TABLES} == before


def test_later_parts_read_what_earlier_ones_wrote(filled: House) -> None:
    """A part over two runs: fingerprinted by the records of other parts, cleared when a run of its is gone."""
    filled.ingest(shape(name="second", seed=8, model="second"))

    def subjects(con) -> list[Subject]:
        seen = con.execute("SELECT subject, fingerprint FROM analysis WHERE part = 'outlier_dim' ORDER BY ALL")
        depends = dict(seen.fetchall())
        return (
            [Subject({"run_a": 1, "run_b": 2}, "runs 1 and 2", frozenset([1, 2]), depends)] if len(depends) > 1 else []
        )

    def compute(con, subject: Subject, options: Options) -> Frames:
        return {}

    late = Part("late", subjects, compute, (), is_random=False)
    assert "late" in parts(analyze(filled, parts=[*OF_RUNS, late]).computed)
    assert "late" in parts(analyze(filled, parts=[*OF_RUNS, late]).up_to_date)
    assert parts(analyze(filled, 1, parts=[*OF_RUNS, late]).up_to_date) == ALL, "run 2 was not asked for"
    warehouse.remove_run(filled.path, "second")
    with connect.read(filled.path) as con:
        assert con.execute("SELECT count(*) FROM analysis WHERE part = 'late'").fetchall() == [(0,)]
