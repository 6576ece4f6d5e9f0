"""The same job again, under another name, with other options, with other models: what is one run and what is two."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import warehouse
from ingest.config import IngestConfig
from ingest.job import ingest as ingest_job
from tests.ingest.tiny import TEXTS, Done, corpus, counts, leftovers, lenshouse, refused, tables
from warehouse.errors import WarehouseError


def ingest(model: Path, texts: Path, house: Path, *flags: object) -> Done:
    done = lenshouse("ingest", "--model", model, "--corpus", texts, "--warehouse", house, *flags)
    assert (done.code, done.err) == (0, ""), done
    return done


@pytest.fixture(scope="module")
def once(models, tmp_path_factory) -> Path:
    """A warehouse with one run of BERT over `texts`, to be copied."""
    folder = tmp_path_factory.mktemp("once")
    ingest(models["bert"], corpus(folder), folder / "lens.duckdb")
    return folder / "lens.duckdb"


@pytest.fixture
def filled(once, house) -> Path:
    """A warehouse of the test's own in which BERT has been run over `texts`."""
    shutil.copy(once, house)
    return house


class Silent:
    """Progress that remembers phases and adds up rows."""

    def __init__(self) -> None:
        self.phases: list[tuple[str, int | None]] = []
        self.rows = 0

    def phase(self, what: str, total: int | None = None) -> None:
        self.phases.append((what, total))

    def advance(self, n: int) -> None:
        if self.phases[-1][0] == "attributing token pairs":
            self.rows += n


def test_again_changes_nothing(models, texts, filled) -> None:
    before, size = tables(filled), filled.stat().st_size
    again = ingest(models["bert"], texts, filled)
    assert "run 1 (tiny-bert on corpus) is complete" in again.out
    assert "nothing to do" in again.out
    assert tables(filled) == before
    assert filled.stat().st_size == size
    assert leftovers(filled) == []


@pytest.mark.parametrize(
    "flags",
    [
        ("--name", "another"),
        ("--family", "f", "--seed", "4"),
        ("--too-long", "chunk", "--max-tokens", "40", "--ff-bias", "path", "--dtype", "float32"),
        ("--limit", "100"),
        ("--keep-parts",),
        ("--heads", "none", "--rollout", "none", "--no-inliers", "--neurons", "0"),
    ],
    ids=lambda flags: flags[0],
)
def test_what_gives_the_same_numbers_is_the_same_run(flags, models, texts, filled) -> None:
    """No text reaches 40 tokens, and there are fewer than 100 of them."""
    before = tables(filled)
    assert "nothing to do" in ingest(models["bert"], texts, filled, *flags).out
    assert tables(filled) == before


@pytest.mark.parametrize(
    "flags",
    [
        ("--ff-bias", "constant"),
        ("--max-tokens", "6"),
        ("--max-tokens", "6", "--too-long", "chunk"),
        ("--limit", "3"),
        ("--dtype", "bfloat16"),
        ("--heads", "norms"),
        ("--heads", "weights"),
        ("--rollout", "attn"),
        ("--inliers",),
        ("--neurons", "2"),
    ],
    ids=" ".join,
)
def test_what_gives_other_numbers_is_another_run(flags, models, texts, filled) -> None:
    first = tables(filled)
    assert "run 2 " in ingest(models["bert"], texts, filled, *flags).out
    both = tables(filled)
    assert len(both["run"]) == 2
    assert [row for row in both["token_pair"] if row[0] == 1] == first["token_pair"]
    assert both["token_pair"] != first["token_pair"]
    if flags[0] in ("--heads", "--rollout", "--inliers", "--neurons"):
        assert [row[1:] for row in both["token_pair"] if row[0] == 2] == [row[1:] for row in first["token_pair"]]
    if flags[0] == "--ff-bias":
        ours = [row[1:] for row in both["token_pair"] if row[0] == 2]
        assert len(ours) == len(first["token_pair"])
        assert ours != [row[1:] for row in first["token_pair"]]
    assert "nothing to do" in ingest(models["bert"], texts, filled, *flags).out
    assert lenshouse("doctor", "--warehouse", filled).code == 0


def test_models_that_share_a_tokenizer_share_texts_and_tokens(models, texts, house) -> None:
    ingest(models["bert"], texts, house)
    one = counts(house)
    ingest(models["seed_3"], texts, house)
    both = counts(house)
    for shared in ("corpus", "sequence", "token", "tokenizer", "vocab"):
        assert both[shared] == one[shared], shared
    assert both["model"] == both["run"] == 2
    for own in ("token_pair", "token_norm", "map_change", "layer_dim"):
        assert both[own] == 2 * one[own], own
    pairs = warehouse.open(house).sql(
        "SELECT count(*), count(*) FILTER (a.after_ff = b.after_ff) FROM token_pair a JOIN token_pair b "
        "USING (layer, seq_id, query, key) WHERE a.run_id = 1 AND b.run_id = 2"
    )
    assert pairs.row(0)[0] == one["token_pair"]
    assert pairs.row(0)[1] < one["token_pair"] // 10


def test_models_of_two_tokenizers_share_texts_only(models, texts, house) -> None:
    ingest(models["bert"], texts, house)
    one = counts(house)
    ingest(models["gpt2"], texts, house)
    both = counts(house)
    assert (both["corpus"], both["sequence"]) == (1, one["sequence"])
    assert both["tokenizer"] == 2
    assert both["token"] > one["token"]


def test_a_corpus_that_was_cut_is_another_corpus(models, texts, house) -> None:
    """Each model cuts in its own place, so the sequences are not the same texts."""
    for model in ("bert", "gpt2"):
        ingest(models[model], texts, house, "--max-tokens", 6)
    both = tables(house)
    assert len(both["corpus"]) == 2
    assert len(both["sequence"]) == 2 * len(TEXTS)


def test_two_files_of_the_same_texts_are_one_corpus(models, texts, house, tmp_path) -> None:
    ingest(models["bert"], texts, house)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert "nothing to do" in ingest(models["bert"], corpus(elsewhere, name="other.txt"), house).out


def test_chunks_are_sequences_of_their_own(models, texts, house) -> None:
    said = ingest(models["bert"], texts, house, "--max-tokens", 10, "--too-long", "chunk").out
    rows = warehouse.open(house).sql("SELECT source_id, text FROM sequence ORDER BY seq_id").rows()
    split = {name.split("#")[0] for name, _ in rows if "#" in name}
    assert split
    assert f"{len(split)} texts split into chunks" in said
    for name in split:
        parts = "".join(text.strip() for source, text in rows if source.split("#")[0] == name)
        assert parts.replace(" ", "") == TEXTS[int(name) - 1].replace(" ", "")


def test_progress_adds_up(models, texts, house) -> None:
    """Rows told to the bar reach its total, and what was not computed by this call is not left out."""
    told = Silent()
    config = IngestConfig(str(models["bert"]), str(texts), house)
    outcome = ingest_job(config, told)
    (total,) = [total for what, total in told.phases if what == "attributing token pairs"]
    assert told.rows == total == outcome.n_pairs == counts(house)["token_pair"]
    assert outcome.state == "done"
    assert set(outcome.seconds) == {"load_model", "tokenize", "verify", "annotate", "forward", "core", "write", "load"}
    again = ingest_job(config, Silent())
    assert (again.state, again.max_completeness_error, again.n_pairs) == ("already complete", None, outcome.n_pairs)


def test_a_run_that_could_not_be_entered_does_not_spoil_the_next_command(models, texts, house, monkeypatch) -> None:
    """Its folder stays; the run is entered with the labels of the command that enters it."""

    def refuses(*args: object, **kwargs: object) -> int:
        msg = "no"
        raise WarehouseError(msg)

    job = ("ingest", "--model", models["bert"], "--corpus", texts, "--warehouse", house)
    with monkeypatch.context() as patch:
        patch.setattr(warehouse, "register_run", refuses)
        refused(lenshouse(*job, "--name", "wrong", "--seed", 9), 1, "no")
    assert list(warehouse.parts_folder(house).glob("*/run.json"))
    assert lenshouse(*job, "--name", "right").code == 0
    found = warehouse.open(house).sql("SELECT model_name, run_name, seed FROM v_run")
    assert found.rows() == [("right", "right on corpus", None)]
    assert leftovers(house) == []


@pytest.mark.parametrize(
    ("flags", "kept"),
    [
        ((), None),
        (("--name", "first", "--seed", "4"), None),
        (("--name", "another"), "name first"),
        (("--name", "first", "--family", "f", "--seed", "5"), "family NULL, seed 4"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_labels_of_a_stored_run_stay_and_that_is_said(flags, kept, models, texts, house) -> None:
    assert "labels of" not in ingest(models["bert"], texts, house, "--name", "first", "--seed", 4).out
    said = ingest(models["bert"], texts, house, *flags).out
    line = f"  labels of a stored run stay: {kept}; remove it and ingest again to change them\n"
    assert said.endswith(line) if kept else "labels of" not in said
    found = warehouse.open(house).sql("SELECT model_name, family, seed FROM v_run")
    assert found.rows() == [("first", None, 4)]


def test_labels_of_a_run_under_way_stay_too(models, texts, house, monkeypatch) -> None:
    def refuses(*args: object, **kwargs: object) -> int:
        msg = "no"
        raise WarehouseError(msg)

    job = ("ingest", "--model", models["bert"], "--corpus", texts, "--warehouse", house)
    with monkeypatch.context() as patch:
        patch.setattr(warehouse, "complete_run", refuses)
        refused(lenshouse(*job, "--name", "first"), 1, "no")
    said = ingest(models["bert"], texts, house, "--name", "second").out
    assert "resumed and completed" in said
    assert "labels of a stored run stay: name first" in said


def test_keep_parts(models, texts, house) -> None:
    """The parts stay, whole; without the flag nothing does. Kept parts do not disturb the same command."""
    ingest(models["bert"], texts, house, "--keep-parts")
    (folder,) = warehouse.parts_folder(house).iterdir()
    assert {p.name for p in folder.iterdir()} >= {"run.json", "manifest.json", "shard-00000", "token.parquet"}
    assert "nothing to do" in ingest(models["bert"], texts, house, "--keep-parts").out
    findings = lenshouse("doctor", "--warehouse", house)
    assert findings.code == 0
    assert "parts of a complete run, kept as --keep-parts asks" in findings.out
    assert "warning" not in findings.out


def test_a_model_that_fails_leaves_no_folder(models, house, tmp_path) -> None:
    """Too long for --too-long error: the job ends before a run begins."""
    long = corpus(tmp_path, ("yes", "the cat " * 30), "long.txt")
    done = lenshouse(
        *("ingest", "--model", models["bert"], "--corpus", long, "--warehouse", house, "--too-long", "error")
    )
    refused(done, 1, "text of 2", "48", "--too-long truncate or chunk")
    assert leftovers(house) == []
    assert not house.exists()


def test_a_model_of_another_configuration_is_another_model(models, texts, house, tmp_path) -> None:
    """The same weights under an edited config.json give other numbers: v_run must not describe them by the old row."""
    folder = Path(shutil.copytree(models["bert"], tmp_path / "model"))
    job = ("ingest", "--model", folder, "--corpus", texts, "--warehouse", house)
    assert lenshouse(*job).code == 0
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"hidden_act": "relu", "is_decoder": True}))
    assert lenshouse(*job).code == 0
    found = warehouse.open(house).sql("SELECT activation, is_causal FROM v_run ORDER BY run_id")
    assert found.rows() == [("gelu", False), ("relu", True)]


def test_empty_texts_beside_a_sample_are_counted(models, house, tmp_path) -> None:
    corpus = tmp_path / "gaps.txt"
    corpus.write_text("the cat\n\na dog\n  \nyes\n")
    assert (
        lenshouse("ingest", "--model", models["bert"], "--corpus", corpus, "--limit", 2, "--warehouse", house).code == 0
    )
    assert warehouse.open(house).sql("SELECT n_sequences, n_skipped FROM v_run").row(0) == (2, 2)
