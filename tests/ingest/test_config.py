"""--config files: several models and corpora, flags over file, and one line for what is wrong."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

import warehouse
from ingest.config import IngestConfig, job, read_config
from tests.ingest.tiny import corpus, lenshouse, refused
from warehouse.errors import UsageError

FILE = """
max_tokens = 20
too_long = "chunk"
warehouse = "study.duckdb"
[[model]]
model = "a"
seed = 1
[[model]]
model = "b"
family = "bs"
[[corpus]]
corpus = "one.txt"
[[corpus]]
corpus = "two.tsv"
text_column = "words"
"""


@pytest.fixture
def write(tmp_path):
    def write(text: str) -> Path:
        path = tmp_path / "run.toml"
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
        return path

    return write


def test_every_model_over_every_corpus(write) -> None:
    shared = {"max_tokens": 20, "too_long": "chunk", "warehouse": Path("study.duckdb")}
    a, b = {"model": "a", "seed": 1}, {"model": "b", "family": "bs"}
    one, two = {"corpus": "one.txt"}, {"corpus": "two.tsv", "text_column": "words"}
    assert read_config(write(FILE)) == [shared | m | c for m in (a, b) for c in (one, two)]


@pytest.mark.parametrize(
    "text",
    ['model = "a"\ncorpus = "c"', '[model]\nmodel = "a"\n[corpus]\ncorpus = "c"',
     '[[model]]\nmodel = "a"\n[[corpus]]\ncorpus = "c"'],
)  # fmt: skip
def test_one_model_may_be_written_in_three_ways(text, write) -> None:
    assert read_config(write(text)) == [{"model": "a", "corpus": "c"}]


def test_flags_win(write) -> None:
    config = job(read_config(write(FILE))[0], {"max_tokens": 9, "seed": None, "keep_parts": False, "model": "z"})
    assert (config.max_tokens, config.seed, config.model, config.too_long) == (9, 1, "z", "chunk")


@pytest.mark.parametrize("key", ["model", "corpus"])
def test_a_flag_does_not_replace_tables(key, write, tmp_path) -> None:
    """It would run one model as often as there are tables, under their names."""
    other = {"model": "corpus", "corpus": "model"}[key]
    for n_tables in (1, 2):
        config = write("".join(f'[[{key}]]\n{key} = "{n}"\n' for n in range(n_tables)))
        done = lenshouse("ingest", "--config", config, f"--{key}", "x", f"--{other}", "y")
        refused(done, 2, f"[[{key}]] tables", f"leave --{key} out")
    config = write(f'{key} = "one"')
    assert read_config(config, {key: "x"}) == [{key: "one"}]


def test_four_jobs_in_one_warehouse(models, write, tmp_path) -> None:
    (tmp_path / "t.tsv").write_text("words\tmood\nthe cat\tx\na dog\ty\n")
    config = write(
        f"""
        max_tokens = 30
        ff_bias = "constant"
        [[model]]
        model = "{models["bert"]}"
        name = "first"
        seed = 7
        [[model]]
        model = "{models["seed_3"]}"
        [[corpus]]
        corpus = "{corpus(tmp_path, ("yes", "on the mat"))}"
        [[corpus]]
        corpus = "{tmp_path / "t.tsv"}"
        text_column = "words"
        label_column = "mood"
        """
    )
    house = tmp_path / "lens.duckdb"
    done = lenshouse("ingest", "--config", config, "--warehouse", house, "--max-tokens", 25)
    assert (done.code, done.err) == (0, "")
    assert [f"[{n} of 4]" in done.out for n in range(1, 5)] == [True] * 4
    rows = warehouse.open(house).sql(
        "SELECT model_name, seed, corpus_name, options->>'ff_bias', (options->>'max_tokens')::INT FROM v_run "
        "ORDER BY run_id"
    )
    assert rows.rows() == [
        (name, seed, texts, "constant", 25)
        for name, seed in (("first", 7), ("tinybert-seed_3", 3))
        for texts in ("corpus", "t")
    ]
    assert warehouse.open(house).sql("SELECT DISTINCT label FROM sequence ORDER BY 1").rows() == [
        ("x",), ("y",), (None,)
    ]  # fmt: skip
    assert lenshouse("ingest", "--config", config, "--warehouse", house).out.count("nothing to do") == 4


def test_a_job_that_fails_says_which_jobs_were_not_run(models, write, tmp_path) -> None:
    texts = [corpus(tmp_path, ("yes",), name) for name in ("a.txt", "b.txt", "c.txt")]
    texts[1].write_bytes(b"yes\ncaf\xe9")
    tables = "".join(f'[[corpus]]\ncorpus = "{path}"\n' for path in texts)
    config = write(f'model = "{models["bert"]}"\n{tables}')
    done = lenshouse("ingest", "--config", config, "--warehouse", tmp_path / "lens.duckdb")
    refused(done, 1, "b.txt", "UTF-8")
    assert [line for line in done.out.splitlines() if line.endswith("not run")] == [
        f"[3 of 3] {models['bert']} over {texts[2]}: not run"
    ]


@pytest.mark.parametrize(
    ("key", "second", "word"),
    [("corpus", "{0}/none.txt", "none.txt"), ("model", "{0}/no-model", "no-model")],
)
def test_what_a_later_job_lacks_is_known_before_the_first(key, second, word, models, write, texts, tmp_path) -> None:
    have = {"model": models["bert"], "corpus": texts}
    tables = "".join(f'[[{key}]]\n{key} = "{one}"\n' for one in (have[key], second.format(tmp_path)))
    other = {"model": "corpus", "corpus": "model"}[key]
    house = tmp_path / "lens.duckdb"
    done = lenshouse("ingest", "--config", write(tables), f"--{other}", have[other], "--warehouse", house)
    refused(done, 1, word)
    assert done.out == ""
    assert not house.exists()


def test_titles_show_names_and_counts_are_in_number(models, write, tmp_path) -> None:
    tables = f'[[model]]\nmodel = "{models["bert"]}"\nname = "first"\n[[model]]\nmodel = "{models["gpt2"]}"\n'
    flags = ("--corpus", corpus(tmp_path, ("yes",)), "--warehouse", tmp_path / "lens.duckdb")
    out = lenshouse("ingest", "--config", write(tables), *flags).out
    assert f"[1 of 2] first ({models['bert']}) over " in out
    assert f"[2 of 2] {models['gpt2']} over " in out
    assert out.count("complete: 1 sequence, ") == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("max_token = 3", ["unknown key 'max_token'", "did you mean 'max_tokens'?"]),
        ("zzz = 3", ["unknown key 'zzz'", "known: ", "max_tokens"]),
        ('[[model]]\nmodel = "a"\nsede = 3', ["[[model]]", "'sede'", "'seed'"]),
        ('[[model]]\nmodel = "a"\nmax_tokens = 3', ["[[model]]", "'max_tokens'"]),
        ('[[model]]\nname = "a"', ["[[model]] table lacks its model"]),
        ("[[corpus]]\ntext_column = 'a'", ["[[corpus]] table lacks its corpus"]),
        ('[[corpus]]\ncorpus = "a"\nlimit = 3', ["[[corpus]]", "'limit'", "belongs at the top"]),
        ('[[corpus]]\ncorpus = "a"\ntext = "x"', ["[[corpus]]", "'text'", "text_column"]),
        ('model = ["a", "b"]', ["[[model]] table"]),
        ("max_tokens = ", ["run.toml", "not a TOML file"]),
        ("name = '\udcff'", ["not a TOML file"]),
        ('max_tokens = "many"', ["max_tokens = 'many'", "whole number"]),
        ("max_tokens = true", ["max_tokens = True", "whole number"]),
        ("keep_parts = 1", ["keep_parts = 1", "true or false"]),
        ("device = 0", ["device = 0", "text in quotes"]),
        ('too_long = "cut"', ["too_long = 'cut'", "truncate, chunk, error"]),
        ('dtype = "float64"', ["dtype = 'float64'", "float32"]),
        ("limit = 0", ["limit = 0", "at least 1"]),
        ("seed = 3000000000", ["seed = 3000000000", "at most 2,147,483,647"]),
        ("sample_seed = 99999999999999999999", ["sample_seed", "at most"]),
        ("max_tokens = 99999", ["max_tokens = 99999", "at most 32,767"]),
        ('family = ""', ["family is empty"]),
        ("max_tokens = 0", ["max", "0"]),
        ('device = "gpu"', ["device 'gpu'", "cuda"]),
        ("warehouse = 3", ["warehouse = 3"]),
        ('heads = "all"', ["heads = 'all'", "none, norms, weights"]),
        ("neurons = -1", ["neurons = -1", "at least 0"]),
        ("neurons = 1001", ["neurons = 1001", "at most 1,000"]),
        ('neurons = "3"', ["neurons = '3'", "whole number"]),
        ("neurons = true", ["neurons = True", "whole number"]),
        ("heads = true", ["heads = True", "text in quotes"]),
        ('rollout = "attn"', ["rollout = 'attn'", "list of texts in quotes"]),
        ("rollout = [1]", ["rollout = [1]", "list of texts in quotes"]),
        ('rollout = ["attn", "atf"]', ["rollout = 'atf'", "attn, attn_norm, atb, after_ff, after_res, after_ln"]),
        ("model = 3", ["[[model]] table"]),
        ("model = []", ["no model"]),
    ],
)
def test_what_is_wrong_is_told(text, words, write, models, texts, house) -> None:
    """The file, what is wrong in it, and the nearest right thing; wrong usage, so exit code 2; nothing is made."""
    model = () if text.startswith(("model", "[[model")) else ("--model", models["bert"])
    data = () if text.startswith("[[corpus") else ("--corpus", texts)
    where = () if text.startswith("warehouse") else ("--warehouse", house)
    refused(lenshouse("ingest", "--config", write(text), *model, *data, *where), 2, *words)
    assert sorted(path.name for path in house.parent.iterdir()) == ["corpus.txt", "run.toml"]


@pytest.mark.parametrize(("missing", "given"), [("model", "corpus"), ("corpus", "model")])
def test_model_and_corpus_are_needed(missing, given) -> None:
    refused(lenshouse("ingest", f"--{given}", "x"), 2, f"no {missing} given", f"--{missing}", "--config")


def test_no_such_file(tmp_path) -> None:
    refused(lenshouse("ingest", "--config", tmp_path / "none.toml"), 2, "none.toml", "no such")


def test_every_option_is_a_flag_and_a_key() -> None:
    """The command line, the file and the class name the same things."""
    from ingest.cli.ingest import command

    flags = {parameter.name for parameter in command.params} - {"config", "verbose"}
    assert flags == {field.name for field in fields(IngestConfig)}


def test_maps_to_roll_out(write) -> None:
    """A list in the file, commas on the command line, any order, each once; a flag can take back what a file asks."""
    text = 'rollout = ["after_ln", "attn", "attn"]\nheads = "norms"\nmodel = "a"\ncorpus = "c"'
    [options] = read_config(write(text))
    assert (job(options, {}).rollout, job(options, {}).heads) == (("attn", "after_ln"), "norms")
    assert job(options, {"rollout": [], "heads": "none"}).extras == IngestConfig("a", "c", Path("w")).extras
    assert IngestConfig("a", "c", Path("w"), rollout=["atb"]).rollout == ("atb",)  # type: ignore[arg-type]


def test_values_are_checked_in_python_too() -> None:
    with pytest.raises(UsageError, match="ff_bias = 'both': use one of path, constant"):
        IngestConfig("m", "c", Path("w"), ff_bias="both")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="seed = 2147483648: must be at most"):
        IngestConfig("m", "c", Path("w"), seed=2**31)
    with pytest.raises(UsageError, match="rollout = 'attn': must be a list"):
        IngestConfig("m", "c", Path("w"), rollout="attn")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="limit = True: must be a whole number"):
        IngestConfig("m", "c", Path("w"), limit=True)
