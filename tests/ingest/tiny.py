"""Tiny models with real tokenizers in folders, corpora, the command line in this process and in children to kill."""

from __future__ import annotations

import contextlib
import importlib
import io
import math
import multiprocessing
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Literal

import polars as pl
import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import AutoModel, PreTrainedModel, PreTrainedTokenizerFast

from ingest import cli, plan
from ingest.architectures import families
from tests.oracle.tiny import randomise
from warehouse import connect

torch.set_num_threads(1)

TEXTS = (
    "the cat sat on the mat.",
    "a dog barks, loudly.",
    "unbelievable things happen to small cats and dogs",
    "yes",
    "the mat sat on a cat. the cat did not mind, but the dog barks.",
    "cats and dogs",
    "on the mat",
    "zebras quickly jump over a lazy dog",
)
WORDS = ("the", "cat", "sat", "on", "mat", "a", "dog", "and", "##s", "##ing", "things")
VOCAB_SIZE = 300


def wordpiece() -> PreTrainedTokenizerFast:
    """BERT's kind: [CLS] text [SEP], lower case; every ASCII letter and digit is in the vocabulary."""
    letters = [*"abcdefghijklmnopqrstuvwxyz0123456789"]
    items = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{c}" for c in letters), *".,!?'-", *WORDS]
    inner = Tokenizer(models.WordPiece({item: i for i, item in enumerate(items)}, unk_token="[UNK]"))
    inner.normalizer = normalizers.BertNormalizer(lowercase=True)
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    inner.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    inner.decoder = decoders.WordPiece()
    return PreTrainedTokenizerFast(
        tokenizer_object=inner,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )


def byte_level() -> PreTrainedTokenizerFast:
    """GPT-2's kind: bytes, a few merges, no template."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("c", "a"), ("ca", "t"), ("Ġ", "cat"), ("o", "n")]
    items = ["<|endoftext|>", *alphabet, *("".join(pair) for pair in merges)]
    inner = Tokenizer(models.BPE(vocab={item: i for i, item in enumerate(items)}, merges=merges))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=inner, bos_token="<|endoftext|>", eos_token="<|endoftext|>")


def tokenizer_for(family: str) -> PreTrainedTokenizerFast:
    return byte_level() if family == "gpt2" else wordpiece()


def tiny_model(family: str, seed: int = 0, **overrides: Any) -> PreTrainedModel:
    """A base model in float32, every parameter random."""
    config = families()[family].tiny_config(**({"vocab_size": VOCAB_SIZE} | overrides))
    model = AutoModel.from_config(config, attn_implementation="eager").double().eval()
    return randomise(model, seed).float()


def save(folder: Path, family: str, seed: int = 0, **overrides: Any) -> Path:
    tiny_model(family, seed, **overrides).save_pretrained(folder)
    tokenizer_for(family).save_pretrained(folder)
    return folder


def corpus(folder: Path, texts: tuple[str, ...] = TEXTS, name: str = "corpus.txt") -> Path:
    path = folder / name
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


@dataclass(frozen=True)
class Done:
    """What a command line did: exit code, standard output, standard error."""

    code: int
    out: str
    err: str


def lenshouse(*arguments: object, terminal: bool = False, screen: bool = False) -> Done:
    """A command line in this process. Args: terminal, screen: whether standard error, standard output say they are."""
    out, err = _Text(screen), _Text(terminal)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.run([str(argument) for argument in arguments])
        out.flush()
        err.flush()
    return Done(code, out.text(), err.text())


class _Text(io.TextIOWrapper):
    """A text stream that also has a `buffer`, as standard output does."""

    def __init__(self, terminal: bool = False) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", newline="\n")
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    def text(self) -> str:
        return self.buffer.getvalue().decode()  # type: ignore[attr-defined]


def refused(done: Done, code: int, *words: str) -> str:
    """The one line that a refused command left on standard error, which must hold all `words`."""
    assert done.code == code, done
    lines = done.err.splitlines()
    assert len(lines) == 1, done.err
    assert lines[0].startswith("lenshouse: "), lines[0]
    assert "Traceback" not in done.err
    assert not re.search(r"unexpected \w+(Error|Exception)\b", done.err), done.err
    for word in words:
        assert word in lines[0], lines[0]
    return lines[0]


NOT_NUMBERS = ("started_at", "finished_at", "loaded_at", "applied_at", "annotated_at", "seconds_")
"""Columns that tell when or how long, which no two runs share."""


def tables(path: Path, *, run_ids: bool = True) -> dict[str, list[tuple]]:
    """Every row of every table, sorted; without times."""
    left_out = NOT_NUMBERS if run_ids else (*NOT_NUMBERS, "run_id")
    found = {}
    with connect.read(path) as con:
        names = con.sql("SELECT table_name FROM duckdb_tables() ORDER BY ALL").fetchall()
        for (name,) in names:
            columns = [c for c in con.sql(f"FROM {name} LIMIT 0").columns if not c.startswith(left_out)]
            picked = ", ".join(f'"{c}"' for c in columns)
            found[name] = con.sql(f"SELECT {picked} FROM {name} ORDER BY ALL").fetchall()
    return found


def counts(path: Path) -> dict[str, int]:
    return {name: len(rows) for name, rows in tables(path).items()}


def assert_same_tables(path: Path, other: Path) -> None:
    """Row for row, floats exactly."""
    found, expected = (tables(one, run_ids=False) for one in (path, other))
    assert found.keys() == expected.keys()
    for name, rows in expected.items():
        assert len(found[name]) == len(rows), name
        for got, want in zip(found[name], rows, strict=True):
            assert got == want, name


def leftovers(path: Path) -> list[str]:
    """What lies beside a warehouse file: parts folder and all in it, write-ahead log. Nothing, after a finished job."""
    beside = list(path.parent.glob(f"{path.name}.*"))
    inside = [deep for found in beside for deep in found.rglob("*")]
    return sorted(str(p.relative_to(path.parent)) for p in [*beside, *inside])


def in_order(frame: pl.DataFrame, *keys: str) -> bool:
    return frame.select(keys).rows() == sorted(frame.select(keys).rows())


# Children: forked from a server that has imported everything and run nothing.

Setup = Callable[..., None]


def _child(arguments: list[str], setup: Setup | None, options: tuple[Any, ...], log: str, until: Path | None) -> None:
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115 - a descriptor, not a path
    sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
    if setup is not None:
        setup(*options)
    code = cli.run(arguments)
    while until is not None and not code and not until.exists():
        code = cli.run(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


class Nursery:
    """Children that run a command line in a process of their own, started in milliseconds."""

    def __init__(self, folder: Path) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["tests.ingest.tiny", "ingest.job", "ingest.cli.ingest", "ingest.cli.sql"])
        self._folder = folder
        self._n = 0

    def start(
        self,
        *arguments: object,
        setup: Setup | None = None,
        options: tuple[Any, ...] = (),
        until: Path | None = None,
    ) -> Child:
        """Args: setup, called with `options` before the command line; until, repeat it until this file is there."""
        self._n += 1
        log = self._folder / f"child-{self._n}.log"
        words = [str(argument) for argument in arguments]
        process = self._context.Process(target=_child, args=(words, setup, options, str(log), until), daemon=True)
        process.start()
        return Child(process, log)


@dataclass(frozen=True)
class Child:
    process: BaseProcess
    log: Path

    def wait(self, seconds: float = 60) -> int:
        """Exit code; negative for the signal that killed it."""
        self.process.join(seconds)
        assert self.process.exitcode is not None, f"still running after {seconds} s"
        return self.process.exitcode

    def kill_after(self, seconds: float) -> bool:
        """Kill -9 after a time; False when it had ended before."""
        self.process.join(seconds)
        if self.process.exitcode is not None:
            return False
        self.process.kill()
        self.process.join()
        return self.process.exitcode == -signal.SIGKILL

    def output(self) -> str:
        return self.log.read_text() if self.log.exists() else ""


def small_shards(rows: int) -> None:
    """Setup: shards of at most so many token_pair rows."""
    plan.SHARD_ROWS = rows


def die_at(rows: int, target: str, when: Literal["before", "after"], nth: int) -> None:
    """Setup: small shards, and kill -9 before or after the nth call of a function such as 'ingest.job.prepare'."""
    small_shards(rows)
    owner, name = owner_of(target)
    function, calls = getattr(owner, name), 0

    def deadly(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == nth and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = function(*args, **kwargs)
        if calls == nth:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, name, deadly)


def slow(rows: int, target: str, seconds: float) -> None:
    """Setup: small shards, and a pause before each call of a function."""
    small_shards(rows)
    owner, name = owner_of(target)
    function = getattr(owner, name)

    def late(*args: Any, **kwargs: Any) -> Any:
        time.sleep(seconds)
        return function(*args, **kwargs)

    setattr(owner, name, late)


def owner_of(target: str) -> tuple[Any, str]:
    """The module or class that holds a function, and the function's name there."""
    *path, name = target.split(".")
    for n in range(len(path), 0, -1):
        try:
            owner: Any = importlib.import_module(".".join(path[:n]))
        except ModuleNotFoundError:
            continue
        for step in path[n:]:
            owner = getattr(owner, step)
        return owner, name
    raise LookupError(target)


@contextlib.contextmanager
def one_thread_each() -> Iterator[None]:
    """Children and this process take one core each."""
    before = dict(os.environ)
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")
    os.environ.update(dict.fromkeys(names, "1"), TOKENIZERS_PARALLELISM="false")
    yield
    os.environ.clear()
    os.environ.update(before)


def close(a: float, b: float, relative: float) -> bool:
    return math.isclose(a, b, rel_tol=relative, abs_tol=1e-12)
