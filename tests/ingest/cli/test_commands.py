"""What the commands show and write: help, tables in a terminal, files, runs, checks."""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import click
import polars as pl
import pytest
from click.testing import CliRunner
from polars import selectors

import warehouse
from ingest import cli
from ingest.cli import app
from ingest.cli.demo import QUESTIONS
from ingest.cli.runs import _DEFAULTS, _brief, _special
from ingest.cli.text import Visible
from ingest.config import IngestConfig
from tests.ingest.tiny import corpus, counts, leftovers, lenshouse, refused, tables
from warehouse import connect

NASTY = (
    "red [red]alert[/red] [link=http://x]y[/link]",
    "esc \x1b[31mred\x1b[0m \x1b]0;title\x07 bell",
    "rtl \u202e\u200f end",
    "cr \r over",
)


@pytest.fixture(scope="module")
def filled(models, tmp_path_factory) -> Path:
    """Two models' runs over texts that a terminal must not obey."""
    root = tmp_path_factory.mktemp("filled")
    path = root / "lens.duckdb"
    texts = corpus(root, (*NASTY, "the cat sat on the mat."), "nasty.txt")
    for name in ("gpt2", "bert"):
        done = lenshouse("ingest", "--model", models[name], "--corpus", texts, "--warehouse", path)
        assert done.code == 0, done
    return path


@pytest.fixture
def house(filled, tmp_path) -> Path:
    """A copy that a test may change."""
    path = tmp_path / "lens.duckdb"
    path.write_bytes(filled.read_bytes())
    return path


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


# Help.


def commands() -> dict[str, click.Command]:
    found: dict[str, click.Command] = {}
    for name in cli.COMMANDS:
        command = app.get_command(click.Context(app), name)
        assert command is not None
        found[name] = command
        if isinstance(command, click.Group):
            found |= {f"{name} {sub}": each for sub, each in command.commands.items()}
    return found


@pytest.mark.parametrize("name", commands())
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_names_every_option(name, flag) -> None:
    done = lenshouse(*name.split(), flag)
    assert (done.code, done.err) == (0, "")
    for parameter in commands()[name].params:
        for option in parameter.opts if isinstance(parameter, click.Option) else [parameter.human_readable_name]:
            assert option in done.out, option
        assert not isinstance(parameter, click.Option) or parameter.help, parameter.name
    assert all(len(line) <= 100 for line in done.out.splitlines())


@pytest.mark.parametrize("name", commands())
def test_help_shows_an_example(name) -> None:
    assert f"lenshouse {name} " in lenshouse(*name.split(), "--help").out.split("\n", 1)[1]


def test_help_of_all() -> None:
    for arguments in ((), ("--help",)):
        done = lenshouse(*arguments)
        assert (done.code, done.err) == (0, "")
        assert all(f"\n  {name} " in done.out for name in cli.COMMANDS)
        assert "lenshouse ingest --model bert-base-uncased --corpus sst2.tsv" in done.out
    assert lenshouse("--version").out.startswith("lenshouse, version ")


def test_help_says_what_holds() -> None:
    words = " ".join(lenshouse("ingest", "--help").out.split())
    assert "[default: LENSHOUSE_WAREHOUSE, or lenshouse.duckdb]" in words
    assert ".conllulex" in words
    assert "instead of the terminal" not in lenshouse("export", "--help").out
    assert "instead of the terminal" in lenshouse("sql", "--help").out


def test_the_group_of_runs_shows_its_commands() -> None:
    assert all(name in lenshouse("runs").out for name in ("list", "remove", "show"))


# Tables.


@pytest.mark.parametrize("width", ["60", "250"])
def test_a_table_cannot_act_on_the_terminal(filled, width, monkeypatch) -> None:
    """Control characters, escape sequences and marks that turn the line are shown as escapes; markup is text."""
    monkeypatch.setenv("COLUMNS", width)
    done = lenshouse("sql", "SELECT text FROM sequence ORDER BY seq_id", "--warehouse", filled)
    assert (done.code, done.err) == (0, "")
    assert all(c.isprintable() or c == "\n" for c in done.out)
    for shown in (NASTY[0], r"\x1b[31mred\x1b[0m", r"\x1b]0;title\x07", r"\u202e\u200f", r"cr \r over"):
        assert shown in done.out


def test_names_of_columns_cannot_act_on_it_either(filled) -> None:
    done = lenshouse("sql", """SELECT 1 AS "[red]\x1b[31m", NULL AS "[/]" """, "--warehouse", filled)
    assert r"[red]\x1b[31m" in done.out
    assert "[/]" in done.out
    assert "–" in done.out
    assert "\x1b" not in done.out


def test_errors_cannot_act_on_it_either(filled) -> None:
    """A query is quoted in DuckDB's message."""
    done = lenshouse("sql", 'SELECT * FROM "no\x1b[31m\nsuch"', "--warehouse", filled)
    assert done.code == 2
    assert done.err.count("\n") == 1


def test_errors_cannot_act_on_a_terminal(filled) -> None:
    done = lenshouse("sql", 'SELECT * FROM "no\x1b[31msuch"', "--warehouse", filled, terminal=True)
    assert done.code == 2
    assert "\x1b[31m" not in done.err


def test_tokens_are_readable(filled) -> None:
    done = lenshouse("sql", "SELECT DISTINCT query_token FROM v_token_pair", "--warehouse", filled, "--limit", 500)
    assert all(c.isprintable() or c == "\n" for c in done.out)


def test_a_table_that_is_cut_says_so(filled) -> None:
    for n_rows, cut in ((39, False), (40, False), (41, True)):
        done = lenshouse("sql", f"SELECT * FROM token_pair LIMIT {n_rows}", "--warehouse", filled)
        assert len(done.out.splitlines()) >= min(n_rows, 40)
        assert done.err.startswith("CUT: ") == cut
        assert bool(done.err) == cut
    done = lenshouse("sql", "FROM token_pair", "--warehouse", filled, "--limit", 3)
    assert "first 3 rows" in done.err
    assert all(way in done.err for way in ("--limit", "--format csv"))


@pytest.mark.parametrize("form", ["table", "csv", "parquet"])
def test_nothing_is_said_to_be_nothing(form, house, tmp_path) -> None:
    """And that more is to come, while runs are under way."""
    ask = ("sql", "FROM v_token_pair WHERE run_id = 2", "--warehouse", house, "--format", form)
    ask += ("--output", tmp_path / "x.parquet") if form == "parquet" else ()
    assert not lenshouse(*ask).err.startswith("0 rows")
    with connect.write(house) as con:
        con.execute("UPDATE run SET status = 'running' WHERE run_id = 2")
    assert lenshouse(*ask).err == "0 rows; 1 run is under way: views show complete runs only\n"
    with connect.write(house) as con:
        con.execute("UPDATE run SET status = 'running'")
    assert "; 2 runs are under way: " in lenshouse(*ask).err
    with connect.write(house) as con:
        con.execute("UPDATE run SET status = 'complete'")
    assert lenshouse("sql", "FROM v_run WHERE run_id = 7", "--warehouse", house).err == "0 rows\n"


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_demo_asks_about_its_own_run(question, house) -> None:
    """Another run in the file changes no answer."""
    query = QUESTIONS[question].format(run_id=2)
    both = warehouse.open(house).sql(query)
    assert lenshouse("runs", "remove", "1", "--yes", "--warehouse", house).code == 0
    alone = warehouse.open(house).sql(query)
    values = selectors.float()  # which of equal token pairs are the last of ten is left open
    assert both.select(values).equals(alone.select(values))
    may_be_empty = any(name in query for name in ("ff_amp", "v_finding", "v_neuron_activation"))
    assert may_be_empty or not alone.is_empty()


# Files and formats.

QUERY = "SELECT layer, seq_id, query, key, after_ff FROM token_pair WHERE run_id = 2 ORDER BY ALL"


def test_csv_json_and_parquet_hold_the_same(filled, tmp_path) -> None:
    expected = [row[1:5] for row in tables(filled)["token_pair"] if row[0] == 2]
    written = lenshouse("sql", QUERY, "--warehouse", filled, "--format", "csv").out
    assert [tuple(map(int, list(row.values())[:4])) for row in rows(written)] == expected
    shown = json.loads(lenshouse("sql", QUERY, "--warehouse", filled, "--format", "json").out)
    assert [tuple(row.values())[:4] for row in shown] == expected
    for form in ("csv", "json", "parquet"):
        path = tmp_path / f"out.{form}"
        done = lenshouse("sql", QUERY, "--warehouse", filled, "--output", path)
        assert (done.code, done.err) == (0, "")
        assert f"{len(expected):,} rows in {path}" in done.out
        read = {"csv": pl.read_csv, "json": pl.read_json, "parquet": pl.read_parquet}[form]
        frame = read(path)
        assert frame.select("layer", "seq_id", "query", "key").rows() == expected
        assert frame["after_ff"].to_list() == pytest.approx([row["after_ff"] for row in shown])
    assert (tmp_path / "out.csv").read_text() == written
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.csv", "out.json", "out.parquet"]


def test_texts_survive_csv_and_json(filled) -> None:
    query = "SELECT text FROM sequence ORDER BY seq_id"
    found = [row["text"] for row in rows(lenshouse("sql", query, "--warehouse", filled, "--format", "csv").out)]
    assert [text.replace("\r", "") for text in found[:4]] == [text.replace("\r", "") for text in NASTY]
    shown = json.loads(lenshouse("sql", query, "--warehouse", filled, "--format", "json").out)
    assert [row["text"] for row in shown[:4]] == list(NASTY)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--format", "parquet"), ("parquet is binary", "--output")),
        (("--output", "x.xlsx"), ("x.xlsx", ".csv, .json or .parquet")),
        (("--format", "table", "--output", "x.txt"), ("table is for the terminal",)),
    ],
    ids=" ".join,
)
def test_formats_that_do_not_go_together(arguments, words, filled, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    refused(lenshouse("sql", QUERY, "--warehouse", filled, *arguments), 2, *words)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written(filled, tmp_path) -> None:
    path = tmp_path / "none" / "x.csv"
    done = lenshouse("sql", QUERY, "--warehouse", filled, "--output", path)
    refused(done, 1, str(path), "cannot be written", f"the folder {path.parent} does not exist; create it")


def test_queries_from_a_file_and_from_standard_input(filled, tmp_path, monkeypatch) -> None:
    file = tmp_path / "q.sql"
    file.write_text("SELECT 6 * 7 AS answer")
    flags = ("--warehouse", filled, "--format", "csv")
    assert lenshouse("sql", f"@{file}", *flags).out == "answer\n42\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO("SELECT 6 * 7 AS answer"))
    assert lenshouse("sql", "-", *flags).out == "answer\n42\n"
    refused(lenshouse("sql", f"@{tmp_path}/no.sql", *flags), 2, "no.sql", "cannot be read")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELEKT 1", ("syntax error",)),
        ("FROM v_token_pairs", ("no table or view v_token_pairs", "did you mean v_token_pair?")),
        ("FROM pg_clas", ("no table or view pg_clas", "ask SHOW TABLES")),
        ("DESCRIBE token_pare", ("did you mean token_pair?",)),
        ("SELECT layr FROM token_pair", ("layr", "layer")),
        ("", ("no rows",)),
        ("DROP TABLE token_pair", ("only read",)),
        ("INSERT INTO run SELECT * FROM run", ("only read",)),
        ("UPDATE model SET name = 'x'", ("only read",)),
        ("COPY run TO 'x.csv'", ("only read",)),
        ("FROM read_csv('/etc/passwd')", ("only read",)),
        ("FROM '/etc/passwd'", ("no table or view /etc/passwd",)),
        ("SELECT * FROM read_text('/etc/hostname')", ("only read",)),
        ("SELECT * FROM glob('/*')", ("only read",)),
        ("ATTACH 'x.duckdb'", ("only read",)),
        ("SET enable_external_access = true", ("only read",)),
        ("INSTALL httpfs", ("only read",)),
        ("EXPORT DATABASE 'x'", ("only read",)),
        ("SELECT 1 / 0, error('my own error')", ("my own error",)),
        ("SELECT CAST('x' AS INTEGER)", ("x",)),
        ("SELECT 1; SELECT 2", ("2 statements", "one by one")),
        ("SELECT 1; DROP TABLE run", ("2 statements",)),
        ("SELECT finished_at - started_at AS took FROM v_run", ("column took", "cast it to VARCHAR")),
        ("SELECT DATE 'infinity' AS d", ("column d", "cast it to VARCHAR")),
        ("SELECT DATE '99999-01-01' AS d", ("column d", "cast it to VARCHAR")),
    ],
)
def test_wrong_and_forbidden_queries(query, words, filled, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    before = filled.read_bytes()
    done = lenshouse("sql", query, "--warehouse", filled)
    refused(done, 2, *words)
    assert done.out == ""
    assert filled.read_bytes() == before
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
@pytest.mark.parametrize(
    "query",
    ["SELECT finished_at - started_at AS x FROM v_run",
     "SELECT CASE WHEN range = 249999 THEN error('late') ELSE range END AS x FROM range(250000)",
     "SELECT 'x'::BLOB AS x", "SELECT DATE 'infinity' AS x"],
)  # fmt: skip
def test_a_result_that_fails_leaves_nothing(query, form, filled, tmp_path, capfd) -> None:
    """Neither half of it on standard output, nor a file; and only one line is said."""
    if form == "parquet" and ("BLOB" in query or "DATE" in query):
        pytest.skip("Parquet holds these")
    path = tmp_path / f"x.{form}"
    refused(lenshouse("sql", query, "--warehouse", filled, "--output", path), 2)
    assert list(tmp_path.iterdir()) == []
    if form != "parquet":
        done = lenshouse("sql", query, "--warehouse", filled, "--format", form)
        refused(done, 2)
        assert done.out == ""
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_columns_of_one_name_are_numbered(form, filled) -> None:
    query = "SELECT * FROM run JOIN model USING (model_id)"
    done = lenshouse("sql", query, "--warehouse", filled, "--format", form)
    assert (done.code, done.err) == (0, "")
    assert "name_1" in done.out


def test_characters_are_whole_on_a_terminal() -> None:
    """However the stream is cut into pieces."""
    sink = io.BytesIO()
    shown = Visible(sink)
    for byte in "é東\x1b\n🙂".encode():
        shown.write(bytes([byte]))
    assert sink.getvalue().decode() == "é東\\x1b\n🙂"


def test_environment_names_the_warehouse(filled, monkeypatch) -> None:
    monkeypatch.setenv("LENSHOUSE_WAREHOUSE", str(filled))
    assert lenshouse("sql", "SELECT count(*) AS n FROM v_run", "--format", "csv").out == "n\n2\n"


# Export.


def test_export_of_one_run(filled, tmp_path) -> None:
    path = tmp_path / "pairs.parquet"
    n_rows = sum(row[0] == 1 for row in tables(filled)["token_pair"])
    for run in ("1", "tiny-gpt2 on nasty"):
        done = lenshouse("export", "v_token_pair", "--run", run, "--warehouse", filled, "--output", path)
        assert (done.code, done.out) == (0, f"{n_rows:,} rows of v_token_pair in {path}\n")
        frame = pl.read_parquet(path)
        assert frame["run_id"].unique().to_list() == [1]
        assert frame.height == n_rows
        path.unlink()
    assert lenshouse("export", "token_pair", "--warehouse", filled, "--output", path).code == 0
    assert pl.read_parquet(path).height == counts(filled)["token_pair"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("no_such", "--output", "x.csv"), 2, ("no_such", "it holds ", "v_token_pair")),
        (("v_runs", "--output", "x.csv"), 2, ("v_runs", "did you mean v_run?")),
        (("v_run; DROP TABLE run", "--output", "x.csv"), 2, ("there is no table or view",)),
        (("vocab", "--run", "1", "--output", "x.csv"), 2, ("vocab has no run_id", "leave --run out")),
        (("v_run", "--run", "9", "--output", "x.csv"), 1, ("9", "lenshouse runs list")),
        (("v_run",), 2, ("--output",)),
        (("v_run", "--output", "x.doc"), 2, ("x.doc", ".csv")),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_exports_that_cannot_be(arguments, code, words, filled, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    refused(lenshouse("export", *arguments, "--warehouse", filled), code, *words)
    assert list(tmp_path.iterdir()) == []


# Runs.


def test_runs_are_listed(filled) -> None:
    out = lenshouse("runs", "list", "--warehouse", filled).out
    assert out.index("tiny-gpt2 on nasty") < out.index("tiny-bert on nasty")
    assert out.count("complete") == 2


@pytest.fixture
def screen(monkeypatch):
    """A command line on a terminal of so many columns that knows no colours."""

    def screen(columns: int, *arguments: object):
        for name, value in {"COLUMNS": str(columns), "LINES": "50", "TERM": "dumb"}.items():
            monkeypatch.setenv(name, value)
        return lenshouse(*arguments, screen=True)

    return screen


def test_runs_fit_a_terminal(filled, screen) -> None:
    done = screen(100, "runs", "list", "--warehouse", filled)
    assert (done.code, done.err) == (0, "")
    header, *lines = [line.split() for line in done.out.splitlines() if line.strip()]
    assert header == ["run_id", "run_name", "dtype", "status", "n_sequences", "n_pairs", "started", "options"]
    assert sum("tiny-gpt2" in line for line in lines) == 1
    assert "…" not in done.out
    assert "fingerprint" in lenshouse("runs", "list", "--warehouse", filled).out


def test_runs_of_one_name_are_told_apart(models, filled, house, screen) -> None:
    again = ("ingest", "--model", models["bert"], "--corpus", filled.parent / "nasty.txt", "--warehouse", house)
    assert lenshouse(*again, "--limit", 3, "--ff-bias", "constant").code == 0
    gpt2, first, second = [run[-1] for run in _brief(warehouse.open(house).runs()).rows()]
    assert (gpt2, first, second) == ("", "", "limit 3, ff_bias constant")
    out = " ".join(screen(100, "runs", "list", "--warehouse", house).out.split())
    assert "limit 3" in out
    assert "constant" in out


def test_what_has_a_default_is_an_option() -> None:
    defaults = {field.name: field.default for field in fields(IngestConfig)}
    assert defaults | _DEFAULTS == defaults


def test_lengths_of_namesakes_are_shown() -> None:
    usual = _DEFAULTS | {"corpus": "a/c.txt", "sample_seed": None}
    runs = [usual | {"max_tokens": 9}, usual | {"max_tokens": 8}, usual | {"max_tokens": 7}]
    assert _special(["x", "x", "y"], runs) == ["max_tokens 9", "max_tokens 8", ""]


def test_columns_without_room_are_named(filled, screen) -> None:
    for columns in (40, 100):
        done = screen(columns, "sql", "FROM v_run", "--warehouse", filled)
        assert done.code == 0
        assert done.err.startswith("CUT: no room for ")
        shown = done.out.split("\n")[1].split()
        assert shown[0] == "run_id"
        named = done.err.split("columns: ")[1].split(";")[0].split(", ")
        assert [*shown, *named] == warehouse.open(filled).describe("v_run")["column"].to_list()
        assert "…" not in done.out
        assert all(len(line) <= columns for line in done.out.splitlines())
    assert lenshouse("sql", "FROM v_run", "--warehouse", filled).err == ""


def test_no_runs_yet(tmp_path) -> None:
    path = tmp_path / "lens.duckdb"
    with connect.write(path):
        pass
    assert "holds no runs yet: start with `lenshouse ingest" in lenshouse("runs", "list", "--warehouse", path).out


@pytest.mark.parametrize("run", ["2", "tiny-bert on nasty"])
def test_a_run_is_shown(run, filled) -> None:
    out = lenshouse("runs", "show", run, "--warehouse", filled).out
    shown = dict(line.split(None, 1) for line in out.splitlines() if len(line.split(None, 1)) == 2)
    assert shown["model_name"].strip() == "tiny-bert"
    assert shown["ff_bias"].strip() == "path"
    assert shown["max_tokens"].strip() == "48"
    assert shown["n_sequences"].strip() == "5"
    assert shown["status"].strip() == "complete"


def test_removal_asks(house) -> None:
    before = tables(house)
    asked = CliRunner().invoke(app, ["runs", "remove", "1", "--warehouse", str(house)], input="n\n")
    assert "Remove run 1 (tiny-gpt2 on nasty" in asked.output
    assert asked.exit_code == 1
    assert tables(house) == before
    asked = CliRunner().invoke(app, ["runs", "remove", "1", "--warehouse", str(house)], input="y\n")
    assert asked.exit_code == 0
    assert len(tables(house)["run"]) == 1


def test_a_removal_that_is_declined_says_that_nothing_was_done(house, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
    done = lenshouse("runs", "remove", "1", "--warehouse", house)
    assert done.code != 0
    assert "goes on" not in done.err


@pytest.mark.parametrize(("run", "left"), [("1", 2), ("tiny-bert on nasty", 1)])
def test_removal_leaves_nothing_of_the_run(run, left, house) -> None:
    """No row of it in any table, and no text, model or tokenizer that no other run needs."""
    before, removed = tables(house), 3 - left
    done = lenshouse("runs", "remove", run, "--yes", "--warehouse", house)
    assert (done.code, done.err) == (0, "")
    assert f"removed run {removed}" in done.out
    after = tables(house)
    with connect.read(house) as con:
        query = (
            "SELECT DISTINCT c.table_name FROM duckdb_columns() c JOIN duckdb_tables() t USING (table_name) "
            "WHERE c.column_name = 'run_id'"
        )
        owned = [table for (table,) in con.sql(query).fetchall()]
        assert "token_pair" in owned
        for table in owned:
            assert con.sql(f"SELECT DISTINCT run_id FROM {table}").fetchall() in ([(left,)], []), table
    assert after["token_pair"] == [row for row in before["token_pair"] if row[0] == left]
    assert {row[0] for row in after["vocab"]} == {row[0] for row in after["tokenizer"]}
    assert len(after["model"]) == len(after["tokenizer"]) == 1
    assert after["sequence"] == before["sequence"]
    assert lenshouse("doctor", "--warehouse", house).code == 0
    assert lenshouse("runs", "remove", str(left), "--yes", "--warehouse", house).code == 0
    assert sum(counts(house)[t] for t in counts(house) if not t.startswith("schema_")) == 0
    assert leftovers(house) == []


def test_removal_of_what_is_not_there(house) -> None:
    refused(lenshouse("runs", "remove", "7", "--yes", "--warehouse", house), 1, "7", "1 tiny-gpt2 on nasty")


def test_a_removed_run_can_be_made_again(models, house, filled) -> None:
    texts = filled.parent / "nasty.txt"
    before = tables(house)
    lenshouse("runs", "remove", "2", "--yes", "--warehouse", house)
    assert lenshouse("ingest", "--model", models["bert"], "--corpus", texts, "--warehouse", house).code == 0
    assert [row[1:] for row in tables(house)["token_pair"]] == [row[1:] for row in before["token_pair"]]


# Doctor.


def test_doctor_finds_nothing(filled) -> None:
    done = lenshouse("doctor", "--warehouse", filled)
    assert (done.code, done.err) == (0, "")
    found = json.loads(lenshouse("doctor", "--json", "--warehouse", filled).out)
    assert {finding["level"] for finding in found} <= {"ok", "warning"}
    assert any("torch" in finding["what"] for finding in found)
    assert set(found[0]) == {"level", "what", "where", "todo"}


def test_doctor_before_there_is_a_warehouse(tmp_path) -> None:
    done = lenshouse("doctor", "--warehouse", tmp_path / "lens.duckdb")
    assert done.code == 0
    assert "no warehouse yet" in done.out
    assert not (tmp_path / "lens.duckdb").exists()


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("DELETE FROM token_pair WHERE run_id = 1 AND layer = 2", ("run 1 tiny-gpt2 on nasty has", "runs remove 1")),
        ("UPDATE token_pair SET atb = 'nan' WHERE run_id = 2 AND layer = 1", ("NaN or infinity",)),
        ("UPDATE run SET max_completeness_error = 0.5 WHERE run_id = 2", ("5.0e-01", "do not use this run")),
        ("DELETE FROM corpus", ("corpus ids that are not there",)),
    ],
    ids=["rows", "nan", "completeness", "orphans"],
)
def test_doctor_finds_what_is_wrong(damage, words, house) -> None:
    with connect.write(house) as con:
        con.execute(damage)
    done = lenshouse("doctor", "--warehouse", house)
    assert done.code == 1
    assert all(word in done.out for word in words), done.out
    refused(done, 1, "checks failed")
    found = lenshouse("doctor", "--json", "--warehouse", house)
    assert found.code == 1
    assert "error" in {finding["level"] for finding in json.loads(found.out)}


@pytest.mark.parametrize("share", [0.5, 0.2, 0.01])
def test_a_warehouse_cut_short(share, house, models) -> None:
    """Every command says that the file is damaged; doctor says it in its table."""
    filled = [name for name, n in counts(house).items() if n]
    every_value = ", ".join(f"(SELECT bit_xor(hash({name})) FROM {name})" for name in filled)
    whole = house.read_bytes()
    house.write_bytes(whole[: int(share * len(whole))])
    done = lenshouse("doctor", "--warehouse", house)
    assert "damaged" in done.out
    refused(done, 1, "checks failed: the message in the table says what to do")
    refused(lenshouse("sql", f"SELECT {every_value}", "--warehouse", house), 1, "damaged")
    if share < 0.5:
        job = ("ingest", "--model", models["bert"], "--corpus", "demo", "--limit", 2)
        refused(lenshouse(*job, "--warehouse", house), 1, "damaged")


# Pipes.

LENSHOUSE = f"{shlex.quote(sys.executable)} -c 'from ingest.cli import main; main()'"


def pipe(command: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, env=environment, check=False
    )


@pytest.mark.parametrize("form", ["csv", "json", "table"])
def test_a_reader_that_has_had_enough(form, filled) -> None:
    """`| head -1` ends the command quietly."""
    done = pipe(f"{into_pipe(filled, form)} | head -1")
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize("form", ["csv", "json"])
def test_a_reader_that_has_had_enough_is_no_failure(form, filled) -> None:
    """As `run` says: 0, so that `set -o pipefail` scripts go on."""
    assert pipe(f"{into_pipe(filled, form)} | head -1 > /dev/null").returncode == 0


def into_pipe(house: Path, form: str) -> str:
    """A command whose output is larger than a pipe holds."""
    query = "FROM token_pair, range(40) LIMIT 1500"
    return f'{LENSHOUSE} sql "{query}" --warehouse {shlex.quote(str(house))} --format {form} --limit 1500'


def test_errors_do_not_enter_the_pipe(filled) -> None:
    done = pipe(f'{LENSHOUSE} sql "SELECT nothing" --warehouse {shlex.quote(str(filled))} --format csv')
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("lenshouse: ")


def test_the_library_says_the_same(filled) -> None:
    """The command line and `warehouse.open` give one answer."""
    out = lenshouse("sql", "SELECT count(*) AS n FROM token_norm", "--warehouse", filled, "--format", "csv").out
    assert int(out.split()[1]) == warehouse.open(filled).sql("SELECT count(*) FROM token_norm").item()


# The analysis.


def test_analyze_tells_what_it_did(house) -> None:
    """Without words, and with five texts, which are too few for intervals: one line each that says so."""
    with connect.write(house) as con:
        con.execute("DELETE FROM annotation")
    first = lenshouse("analyze", "--warehouse", house, "--resamples", 100)
    assert (first.code, first.err) == (0, "")
    lines = first.out.splitlines()
    assert lines[0].startswith("computed 15 results in ") and lines[0].endswith(", 0 up to date, 2 skipped")
    skipped = [line for line in lines if line.startswith("  skipped pattern_effect of run ")]
    assert len(skipped) == 2 and all("`lenshouse annotate`" in line for line in skipped)
    assert sum("5 sequences: no intervals" in line for line in lines) == 2
    assert "\x1b" not in first.out and "strongest" not in first.out
    again = lenshouse("analyze", "--warehouse", house, "--resamples", 100)
    assert again.out.startswith("computed 0 results in ") and ", 15 up to date, 2 skipped" in again.out
    forced = lenshouse("analyze", "1", "--warehouse", house, "--resamples", 100, "--force", "--seed", 4)
    assert forced.out.startswith("computed 7 results in ") and "run 2" not in forced.out
    seeds = warehouse.open(house).sql("SELECT DISTINCT run_id, seed FROM estimate ORDER BY run_id")
    assert seeds.rows() == [(1, 4), (2, 0)]


def test_analyze_shows_the_strongest_effects(house) -> None:
    with connect.write(house) as con:
        con.execute("DELETE FROM annotation")
        con.execute("DELETE FROM pair_pattern")
        con.execute("INSERT INTO annotation SELECT corpus_id, 'gold', '1', 'en', NULL, 1, now()::TIMESTAMP FROM corpus")
        con.execute("""
            INSERT INTO pair_pattern BY NAME
            SELECT a.corpus_id, a.tokenizer_id, a.seq_id, a.pos AS query, b.pos AS key, 'adjacent' AS pattern
            FROM token AS a JOIN token AS b USING (corpus_id, tokenizer_id, seq_id) WHERE abs(a.pos - b.pos) = 1
        """)
    told = lenshouse("analyze", "--warehouse", house, "--resamples", 100).out
    assert "0 skipped" in told and "strongest effects of patterns" in told and "adjacent" in told
    [most] = warehouse.open(house).strongest_effects([2], limit=1).rows(named=True)
    everything = warehouse.open(house).sql("SELECT max(abs(effect)) AS most FROM v_pattern_effect WHERE run_id = 2")
    assert (most["run_id"], abs(most["effect"])) == (2, everything["most"].item())


def test_analyze_of_nothing(tmp_path) -> None:
    done = lenshouse("analyze", "--warehouse", tmp_path / "none.duckdb")
    assert done.code == 1 and "no warehouse" in done.err and not list(tmp_path.iterdir())
