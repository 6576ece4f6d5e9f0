"""A typed sentence becomes a run, by the command line in a process of its own; or one line says why not."""

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import warehouse
from dashboard import typed
from dashboard.server import HOST
from ingest.checkpoints import path_of
from warehouse.errors import UsageError, WarehouseBusyError

MODEL = "lens-masked-64-seed0"
TEXT = "It's <script>alert(1)</script> --help\n\"; DROP TABLE run; $(touch owned)"
MADE: dict[str, Any] = {
    "source": str(path_of(MODEL)), "model_name": MODEL, "revision": None, "family": "lens-masked-64", "seed": 0,
    "dtype": "float32", "ff_bias": "path", "max_tokens": 32, "corpus_annotation": "split",
}  # fmt: skip


def request_for(path: Path, text: str = TEXT, **changes: Any) -> typed.Request:
    made = MADE | changes
    return typed.Request(text, changes.get("model", made["source"]), made, path)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(
    ("host", "word"),
    [("localhost", None), ("127.0.0.1", None), ("::1", None), ("0.0.0.0", "--host"), ("", "--host"),
     ("192.168.0.7", "--host"), (None, "not started by")],
)  # fmt: skip
def test_only_this_machine_may_type(monkeypatch: pytest.MonkeyPatch, host: str | None, word: str | None) -> None:
    monkeypatch.delenv(HOST, raising=False)
    if host is not None:
        monkeypatch.setenv(HOST, host)
    why = typed.closed()
    assert (why is None) if word is None else (why is not None and word in why)


def test_a_sentence_becomes_a_run(tmp_path: Path) -> None:
    path, lines = tmp_path / "lens.duckdb", []
    run_id = typed.ingest(request_for(path), lines.append)
    house = warehouse.open(path)
    row = house.sql("SELECT * FROM v_run").row(0, named=True)
    assert (row["run_id"], row["model_name"], row["corpus_name"]) == (run_id, MODEL, "typed")
    assert (row["family"], row["seed"], row["corpus_source"]) == ("lens-masked-64", 0, "typed.jsonl")
    options = json.loads(row["options"])
    assert options["model"] == str(path_of(MODEL)) and options["max_tokens"] == 32
    [text] = house.sql("SELECT text FROM sequence")["text"]
    assert TEXT.startswith(text) and len(text) > 20
    assert lines and all(line.startswith("Loading the model") for line in lines)


def test_the_command_is_a_list_with_a_value_to_each_option(tmp_path: Path) -> None:
    hostile = MADE | {"model_name": "--warehouse=/etc; rm -rf ~", "corpus_annotation": "spacy:--help"}
    request = typed.Request("x", "org/name", hostile | {"revision": "abc", "seed": None}, tmp_path / "a.duckdb")
    command = typed.arguments(request, "typed.jsonl")
    assert command[0] == sys.executable and command[4] == "ingest"
    given = dict(word.removeprefix("--").split("=", 1) for word in command[5:])
    assert given == {
        "model": "org/name", "revision": "abc", "corpus": "typed.jsonl", "warehouse": str(tmp_path / "a.duckdb"),
        "name": "--warehouse=/etc; rm -rf ~", "family": "lens-masked-64", "ff-bias": "path", "dtype": "float32",
        "max-tokens": "32", "annotate": "spacy:--help",
    }  # fmt: skip


def test_longer_texts_are_cut_and_gold_words_are_none_of_a_typed_one(tmp_path: Path) -> None:
    command = typed.arguments(request_for(tmp_path, max_tokens=4_096, corpus_annotation="gold"), "typed.jsonl")
    assert "--max-tokens=256" in command and "--annotate=auto" in command
    assert "--revision=abc" not in typed.arguments(request_for(tmp_path, revision="abc"), "typed.jsonl"), "a folder"


def test_the_commands_own_error_is_told(tmp_path: Path) -> None:
    with pytest.raises(typed.IngestError, match="'--dtype': 'float99'") as caught:
        typed.ingest(request_for(tmp_path / "lens.duckdb", dtype="float99"), lambda _: None)
    assert "\n" not in str(caught.value) and not str(caught.value).startswith("lenshouse:")


@pytest.mark.parametrize(("text", "words"), [("", "no text"), (" \n\t", "no text"), ("x" * 1_001, "1,001 characters")])
def test_a_text_must_be_one_of_a_page(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        typed.ingest(request_for(tmp_path / "lens.duckdb", text), lambda _: None)
    assert not (tmp_path / "lens.duckdb").exists()


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A command that writes the ids of itself and a child into this file, and never ends."""
    pids = tmp_path / "pids"
    child = "import time; time.sleep(600)"
    code = (
        f"import os, subprocess, sys; c = subprocess.Popen([sys.executable, '-c', {child!r}])\n"
        f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{c.pid}}'); c.wait()"
    )
    monkeypatch.setattr(typed, "arguments", lambda request, corpus: [sys.executable, "-c", code])
    return pids


def gone(pids: Path) -> bool:
    return pids.exists() and not any(alive(int(pid)) for pid in pids.read_text().split())


def test_one_that_takes_too_long_is_stopped_with_its_children(
    tmp_path: Path, slow: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(typed, "TIMEOUT", 4.0)
    with pytest.raises(typed.IngestError, match="longer than 4 s"):
        typed.ingest(request_for(tmp_path), lambda _: None)
    time.sleep(0.2)
    assert gone(slow)


def test_leaving_the_page_stops_it(tmp_path: Path, slow: Path) -> None:
    def leave(_: str) -> None:
        if slow.exists() and len(slow.read_text().split()) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        typed.ingest(request_for(tmp_path), leave)
    time.sleep(0.2)
    assert gone(slow)
    assert typed._TURN.acquire(timeout=0), "the next one may begin"
    typed._TURN.release()


def test_a_second_one_waits_for_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typed, "TIMEOUT", 0.7)
    lines: list[str] = []
    with typed._TURN, pytest.raises(WarehouseBusyError, match="try again"):
        typed.ingest(request_for(tmp_path), lines.append)
    assert lines and lines[0].startswith("Waiting for another sentence")


def test_where_a_model_was_loaded_from() -> None:
    assert typed.source_of(MADE) == str(path_of(MODEL))
    assert typed.source_of(MADE | {"source": None}) is None, "a name is no place"
    assert typed.source_of(MADE | {"source": None, "revision": "abc", "model_name": "org/name"}) == "org/name"
    assert typed.is_here(str(path_of(MODEL))) and typed.is_here("org/name") and typed.is_here("gpt2")
    assert not any(map(typed.is_here, ("", " ", "/no/such/folder", "--help=x", "a b", "org/name/more", "../x")))
