"""What may be written for files: links, ~, colons, patterns, bytes that are no text; and streams that are closed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import warehouse
from tests.ingest.tiny import corpus, leftovers, lenshouse, refused

COMMANDS = {
    "ingest": ("ingest", "--model", "m", "--corpus", "demo"),
    "sql": ("sql", "FROM v_run"),
    "export": ("export", "v_run", "--output", "x.csv"),
    "list": ("runs", "list"),
    "show": ("runs", "show", "1"),
    "remove": ("runs", "remove", "1", "--yes"),
    "doctor": ("doctor",),
    "analyze": ("analyze",),
    "demo": ("demo",),
    "stitch": ("stitch", "a", "--classifier", "b", "--corpus", "demo:held-out"),
    "diff": ("diff", "a", "b"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", [":memory:", "md:x", "", "a\\b.duckdb", "a?.duckdb", "caf\udce9.duckdb"], ids=ascii)
def test_a_warehouse_that_is_no_file(command, name, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    refused(lenshouse(*COMMANDS[command], "--warehouse", name), 2, "--warehouse" if name[:1] in ":m" else "name")
    if name:
        monkeypatch.setenv("LENSHOUSE_WAREHOUSE", name)
        if command != "demo":
            refused(lenshouse(*COMMANDS[command]), 2)
    assert list(tmp_path.iterdir()) == []


def test_a_configuration_file_whose_warehouse_is_no_file(models, texts, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    config = tmp_path / "run.toml"
    for name in (":memory:", "md:x", "a?b.duckdb"):
        config.write_text(f'warehouse = "{name}"\nmodel = "{models["bert"]}"\ncorpus = "{texts}"')
        refused(lenshouse("ingest", "--config", config), 2, name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.txt", "run.toml"]


@pytest.mark.parametrize("name", ["./run:1.duckdb", "pre:fix.duckdb", "lens[1].duckdb", "~/lens.duckdb", "link.duckdb"])
def test_a_job_with_every_name(name, models, tmp_path, monkeypatch) -> None:
    """A link that leads nowhere yet becomes the warehouse that it leads to."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    (tmp_path / "link.duckdb").symlink_to("home/file.duckdb")
    texts = corpus(tmp_path, ("yes",))
    job = ("ingest", "--model", models["bert"], "--corpus", texts, "--warehouse", name)
    assert lenshouse(*job).err == ""
    assert "nothing to do" in lenshouse(*job).out
    out = lenshouse("sql", "SELECT count(*) AS n FROM v_run", "--warehouse", name, "--format", "csv", "-o", "~/n.csv")
    assert (out.code, out.err) == (0, "")
    assert (tmp_path / "home" / "n.csv").read_text() == "n\n1\n"
    made = {"~/lens.duckdb": "home/lens.duckdb", "link.duckdb": "home/file.duckdb"}.get(name, name)
    assert (tmp_path / made).is_file() and not (tmp_path / made).is_symlink()
    assert (tmp_path / "link.duckdb").is_symlink()
    assert leftovers(tmp_path / made) == []


def test_a_link_and_its_file_share_parts_and_locks(models, texts, tmp_path) -> None:
    path, link = tmp_path / "lens.duckdb", tmp_path / "link.duckdb"
    link.symlink_to(path)
    job = ("ingest", "--model", models["bert"], "--corpus", texts)
    assert lenshouse(*job, "--warehouse", link, "--keep-parts").code == 0
    assert "nothing to do" in lenshouse(*job, "--warehouse", path).out
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "corpus.txt",
        "lens.duckdb",
        "lens.duckdb.parts",
        "link.duckdb",
    ]
    assert "--keep-parts asks" in lenshouse("doctor", "--warehouse", link).out


@pytest.mark.parametrize("option", ["--name", "--family", "--corpus", "--model"])
def test_text_that_is_not_utf_8(option, models, texts, house) -> None:
    """Bytes of the command line that are not UTF-8 come in as surrogates."""
    job = {"--model": models["bert"], "--corpus": texts, "--warehouse": house} | {option: "caf\udce9.txt"}
    refused(lenshouse("ingest", *(word for pair in job.items() for word in pair)), 2, option[2:], r"caf\udce9", "UTF-8")
    assert leftovers(house) == []


def test_queries_and_files_that_are_not_utf_8(tmp_path) -> None:
    path = tmp_path / "lens.duckdb"
    warehouse.connect.write(path).__enter__()
    flags = ("--warehouse", path)
    refused(lenshouse("sql", "SELECT 'caf\udce9'", *flags), 2, "UTF-8")
    refused(lenshouse("export", "caf\udce9", "-o", tmp_path / "x.csv", *flags), 2, "UTF-8")
    refused(lenshouse("runs", "show", "caf\udce9", *flags), 1, r"caf\udce9")
    refused(lenshouse("sql", "@caf\udce9.sql", *flags), 2, "cannot be read")
    done = lenshouse("sql", "SELECT 1 AS a", *flags, "-o", tmp_path / "caf\udce9.csv")
    assert (done.code, done.err) == (0, "")
    assert (tmp_path / "caf\udce9.csv").read_text() == "a\n1\n"


def test_an_output_of_another_encoding(tmp_path) -> None:
    path = tmp_path / "lens.duckdb"
    warehouse.connect.write(path).__enter__()
    done = _python("sql", "SELECT '東' AS a", "--warehouse", str(path), env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 1
    assert done.stderr == r"lenshouse: the output is in ascii, which has no '\u6771': set PYTHONIOENCODING=utf-8" + "\n"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams(closed, tmp_path) -> None:
    """What a closed stream would have shown is lost, and nothing else: no file takes its place."""
    path = tmp_path / "lens.duckdb"
    warehouse.connect.write(path).__enter__()
    done = _python("sql", "SELECT 1 AS a", "--format", "csv", "--warehouse", str(path), redirect=closed)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == ("" if ">&-" in closed.replace("2>&-", "") else "a\n1\n")
    done = _python("sql", "-", "--warehouse", str(path), redirect=closed)
    assert done.returncode == 2
    assert done.stderr.count("\n") == (0 if "2>&-" in closed else 1)
    assert warehouse.open(path).runs().is_empty()


def _python(*arguments: str, redirect: str = "", env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    code = "from ingest.cli import main; main()"
    return subprocess.run(
        ["bash", "-c", f'"$@" {redirect}', "bash", sys.executable, "-c", code, *arguments],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, env=os.environ | (env or {}),
    )  # fmt: skip
