"""What users get wrong: one line on standard error that says what, where and what to do; and nothing half-made."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import duckdb
import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.ingest.tiny import TEXTS, corpus, leftovers, lenshouse, refused, tables
from warehouse import connect


@pytest.fixture
def folder(models, tmp_path) -> Path:
    """A BERT of the test's own, to damage."""
    return Path(shutil.copytree(models["bert"], tmp_path / "model"))


def edit_config(folder: Path, **changes) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def edit_weights(folder: Path, change) -> None:
    path = folder / "model.safetensors"
    weights = load_file(path)
    change(weights)
    save_file(weights, path, metadata={"format": "pt"})


def unknown_family(folder: Path) -> None:
    edit_config(folder, model_type="bertt")


def pickled(folder: Path) -> None:
    torch.save({}, folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()


def remote_code(folder: Path) -> None:
    edit_config(folder, model_type="mine", auto_map={"AutoModel": "modeling.Mine"})
    (folder / "modeling.py").write_text("raise SystemExit('remote code was run')")


def no_tokenizer(folder: Path) -> None:
    for path in folder.glob("*token*"):
        path.unlink()


def nan(folder: Path) -> None:
    edit_weights(folder, lambda weights: weights["encoder.layer.1.output.dense.weight"].index_fill_(
        0, torch.tensor([3]), torch.nan))  # fmt: skip


def huge(folder: Path) -> None:
    """Finite weights whose products are not."""
    edit_weights(folder, lambda weights: weights["encoder.layer.1.intermediate.dense.weight"].mul_(1e38))


def cut_short(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1000])


def another_shape(folder: Path) -> None:
    edit_config(folder, intermediate_size=41)


def no_config(folder: Path) -> None:
    (folder / "config.json").unlink()


BAD_MODELS = {
    unknown_family: ("'bertt'", "nearest: bert", "known: "),
    pickled: ("pickled weights (pytorch_model.bin)", "save_pretrained"),
    remote_code: ("'mine'", "never run"),
    no_tokenizer: ("no tokenizer file", "tokenizer.json", "same folder"),
    nan: ("encoder.layer.1.output.dense.weight", "NaN"),
    huge: ("layer 2", "refused"),
    cut_short: ("weights cannot be loaded",),
    another_shape: (),
    no_config: ("no config.json",),
}


@pytest.mark.parametrize("damage", BAD_MODELS, ids=lambda damage: damage.__name__)
def test_models(damage, folder, texts, house) -> None:
    damage(folder)
    done = lenshouse("ingest", "--model", folder, "--corpus", texts, "--warehouse", house)
    line = refused(done, 1, *BAD_MODELS[damage])
    assert str(folder) in line or "model:" in line or damage in (unknown_family, remote_code)
    assert not house.exists()
    assert done.out == ""


@pytest.mark.parametrize(
    "damage",
    [huge, nan],
    ids=lambda damage: damage.__name__,
)
def test_a_refused_model_leaves_nothing(damage, folder, texts, house) -> None:
    damage(folder)
    assert lenshouse("ingest", "--model", folder, "--corpus", texts, "--warehouse", house).code == 1
    assert leftovers(house) == []


def test_names_of_models(texts, house) -> None:
    for spec, words in (("./nowhere", ("no such folder",)), (str(texts), ("not another file",))):
        refused(lenshouse("ingest", "--model", spec, "--corpus", texts, "--warehouse", house), 1, spec, *words)
    assert leftovers(house) == []


def test_overflow_in_a_layer_during_the_run(models, tmp_path, house) -> None:
    """A model that passes its verification, and a token whose state no layer can hold: layer and sequence are named,
    the run is not shown, and other runs are left alone."""
    folder = Path(shutil.copytree(models["gpt2"], tmp_path / "model"))

    def poison(weights) -> None:
        # '~' is in none of the first sequences, which a model is verified on.
        weights["wte.weight"][1 + ord("~") - ord("!")] = 1e25

    edit_weights(folder, poison)
    assert lenshouse("ingest", "--model", models["bert"], "--corpus", corpus(tmp_path), "--warehouse", house).code == 0
    before = tables(house)
    bad = corpus(tmp_path, (*TEXTS[:6], "a ~ here"), "bad.txt")
    done = lenshouse("ingest", "--model", folder, "--corpus", bad, "--warehouse", house)
    line = refused(done, 1, "layer ", "sequence 6", "nothing of this shard is stored")
    assert "refused" not in line
    assert lenshouse("sql", "SELECT count(*) FROM v_run", "--warehouse", house, "--format", "csv").out.split()[1] == "1"
    assert tables(house)["token_pair"] == before["token_pair"]


BAD_TEXTS = {
    "empty.txt": (b"", 1, ("empty.txt", "holds no texts")),
    "blank.txt": (b"\n \n\t\n", 1, ("none of 3 texts gave a token",)),
    "latin.txt": ("the cat\ncaf\xe9\n".encode("latin-1"), 1, ("latin.txt, line 2", "0xE9", "UTF-8")),
    "columns.tsv": (b"words\tmood\nthe cat\tx\n", 2, ("columns.tsv", "--text-column", "'words', 'mood'")),
    "ragged.csv": (b"text,label\na,b\na,b,c\n", 1, ("ragged.csv, line 3", "3 fields", "2")),
    "lines.jsonl": (b'{"text": "a"}\n{"text": \n', 1, ("lines.jsonl", "line 2")),
    "texts.doc": (b"the cat", 2, ("texts.doc", "no known format", ".txt")),
    "texts.txt.gz": (b"\x1f\x8b", 2, ("texts.txt.gz", "packed")),
    "table.parquet": (b"PAR1 not", 1, ("table.parquet",)),
}


@pytest.mark.parametrize("name", BAD_TEXTS)
def test_texts(name, models, house) -> None:
    content, code, words = BAD_TEXTS[name]
    path = house.parent / name
    path.write_bytes(content)
    done = lenshouse("ingest", "--model", models["bert"], "--corpus", path, "--warehouse", house)
    refused(done, code, *words)
    assert [found.name for found in house.parent.iterdir()] == [name]


@pytest.mark.parametrize(
    ("flags", "code", "words"),
    [
        (("--text-column", "txt"), 2, ("'txt'", "nearest: 'text'", "--text-column")),
        (("--label-column", "mood"), 2, ("'mood'", "--label-column")),
        (("--max-tokens", "49"), 2, ("--max-tokens 49", "48")),
        (("--max-tokens", "2"), 2, ("--max-tokens 2", "3")),
        (("--max-tokens", "0"), 2, ("--max-tokens", "0")),
        (("--max-tokens", "many"), 2, ("--max-tokens", "many")),
        (("--too-long", "error", "--max-tokens", "5"), 1, ("text of 2", "more than 5", "--too-long")),
        (("--too-long", "cut"), 2, ("--too-long", "'cut'", "truncate")),
        (("--device", "cuda:7"), 2, ("'cuda:7'", "--device cpu")),
        (("--device", "tpu"), 2, ("'tpu'", "cuda:N")),
        (("--dtype", "float64"), 2, ("--dtype", "float32")),
        (("--limit", "0"), 2, ("--limit",)),
        (("--limit", "3000000000"), 2, ("limit = 3000000000", "at most 2,147,483,647")),
        (("--seed", "3000000000"), 2, ("seed = 3000000000", "at most 2,147,483,647")),
        (("--seed", "-3000000000"), 2, ("seed = -3000000000", "at least -2,147,483,648")),
        (("--sample-seed", "3000000000"), 2, ("sample_seed = 3000000000", "at most")),
        (("--name", ""), 2, ("name is empty",)),
        (("--family", ""), 2, ("family is empty",)),
        (("--colour",), 2, ("--colour",)),
        (("--modle", "x"), 2, ("--modle", "--model")),
        (("extra",), 2, ("extra",)),
        (("--ff-bias",), 2, ("--ff-bias",)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_options(flags, code, words, models, house) -> None:
    path = house.parent / "texts.csv"
    path.write_text("text,label\nyes,a\nthe cat sat on the mat,b\n")
    done = lenshouse("ingest", "--model", models["bert"], "--corpus", path, "--warehouse", house, *flags)
    refused(done, code, *words)
    assert [found.name for found in house.parent.iterdir()] == ["texts.csv"]


def test_a_seed_in_a_name_that_no_table_holds(models, texts, tmp_path, house) -> None:
    folder = Path(shutil.copytree(models["bert"], tmp_path / "tiny-seed_3000000000"))
    job = ("ingest", "--model", folder, "--corpus", texts, "--warehouse", house)
    refused(lenshouse(*job), 2, "seed 3000000000", "give --seed")
    assert leftovers(house) == []
    assert lenshouse(*job, "--seed", 3).code == 0


def test_a_folder_and_a_file_that_is_missing(models, house) -> None:
    for path, words in ((house.parent, ("is a folder",)), (house.parent / "no.txt", ("is not there",))):
        line = refused(
            lenshouse("ingest", "--model", models["bert"], "--corpus", path, "--warehouse", house), 1, *words
        )
        assert str(path) in line


def test_an_empty_line_among_others_is_counted(models, tmp_path, house) -> None:
    path = corpus(tmp_path, ("yes", "", "the cat", "   ", "a dog"))
    done = lenshouse("ingest", "--model", models["bert"], "--corpus", path, "--warehouse", house)
    assert (done.code, done.err) == (0, "")
    assert "3 sequences" in done.out
    assert "2 texts skipped as empty" in done.out
    found = lenshouse("sql", "SELECT n_sequences, n_skipped FROM v_run", "--warehouse", house, "--format", "csv")
    assert found.out.split() == ["n_sequences,n_skipped", "3,2"]


def a_folder(path: Path) -> None:
    path.mkdir()


def no_database(path: Path) -> None:
    path.write_text("these are my notes\n" * 500)


def another_database(path: Path) -> None:
    with duckdb.connect(str(path)) as con:
        con.execute("CREATE TABLE mine (a INTEGER)")


def newer_schema(path: Path) -> None:
    with connect.write(path) as con:
        con.execute("INSERT INTO schema_migration VALUES (99, '0099_later', now()::TIMESTAMP)")


BAD_HOUSES = {
    a_folder: ("is a folder, not a warehouse", "--warehouse"),
    no_database: ("is not a DuckDB file",),
    another_database: ("not a Lenshouse warehouse", "--warehouse"),
    newer_schema: ("has schema 99", "pip install --upgrade lenshouse"),
}


@pytest.mark.parametrize("damage", BAD_HOUSES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize(
    "command",
    [("ingest",), ("sql", "FROM v_run"), ("export", "v_run", "--output", "x.csv"), ("runs", "list"),
     ("runs", "remove", "1", "--yes"), ("doctor",)],
    ids=" ".join,
)  # fmt: skip
def test_warehouses(command, damage, models, texts, tmp_path, monkeypatch) -> None:
    """Every command says the same of a file that is none of ours, and leaves it as it was."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "lens.duckdb"
    damage(path)
    before = path.read_bytes() if path.is_file() else None
    if command == ("ingest",):
        command = ("ingest", "--model", models["bert"], "--corpus", texts)
    done = lenshouse(*command, "--warehouse", path)
    if command == ("doctor",):
        assert done.code == 1
        assert all(word in done.out for word in BAD_HOUSES[damage])
        assert done.err.count("\n") == 1
    else:
        refused(done, 1, str(path), *BAD_HOUSES[damage])
    assert (path.read_bytes() if path.is_file() else None) == before
    assert leftovers(path) == []


def test_an_empty_file_becomes_a_warehouse(models, texts, house) -> None:
    """As a kill or a full disk leaves it in the moment the file is made, or `mktemp`."""
    house.touch()
    done = lenshouse("ingest", "--model", models["bert"], "--corpus", texts, "--warehouse", house)
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("command", [("sql", "FROM v_run"), ("runs", "list"), ("runs", "show", "1")], ids=" ".join)
def test_no_warehouse_yet(command, house) -> None:
    refused(lenshouse(*command, "--warehouse", house), 1, str(house), "lenshouse ingest")
    assert not house.exists()


def test_a_missing_folder(models, texts, tmp_path) -> None:
    path = tmp_path / "no" / "such" / "lens.duckdb"
    done = lenshouse("ingest", "--model", models["bert"], "--corpus", texts, "--warehouse", path)
    refused(done, 1, str(path.parent), "does not exist", "create it")
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ingets",), ("ingets", "--help")),
        (("--colour",), ("--colour", "--help")),
        (("sql",), ("QUERY", "lenshouse sql --help")),
        (("sql", "FROM v_run", "--format", "xml"), ("xml", "csv")),
        (("sql", "FROM v_run", "--limit", "0"), ("--limit",)),
        (("runs", "lst"), ("lst",)),
        (("runs", "show"), ("RUN",)),
    ],
    ids=lambda value: " ".join(value),
)
def test_commands(arguments, words) -> None:
    refused(lenshouse(*arguments), 2, *words)


def test_a_command_that_is_nearly_right() -> None:
    refused(lenshouse("ingets"), 2, "ingest")


def test_verbose_adds_the_traceback(house) -> None:
    done = lenshouse("sql", "FROM v_run", "--warehouse", house, "--verbose")
    assert done.code == 1
    assert "Traceback" in done.err
    assert done.err.splitlines()[-1].startswith("lenshouse: there is no warehouse")
    assert "Traceback" not in lenshouse("sql", "FROM v_run", "--warehouse", house).err
