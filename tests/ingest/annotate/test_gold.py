"""Treebanks: where words stand, what the columns say, what is broken, and texts that were cut."""

from pathlib import Path

import pytest

from ingest.annotate.gold import match_end
from ingest.annotate.treebank import Treebank, chunk_starts
from ingest.annotate.words import Word
from warehouse.annotation import StoredText
from warehouse.errors import CorpusError

EMPTY = "_"


def row(number: object, form: str, head: object = "_", deprel: str = "_", misc: str = "_", **more: str) -> str:
    lemma, upos = more.get("lemma", form.lower()), more.get("upos", "X")
    columns = [str(number), form, lemma, upos, EMPTY, EMPTY, str(head), deprel, EMPTY, misc]
    if "smwe" in more:
        columns += [more["smwe"], more.get("lexcat", EMPTY), *[EMPTY] * 7]
    return "\t".join(columns)


def file_of(folder: Path, *blocks: list[str], name: str = "bank.conllu") -> Path:
    path = folder / name
    path.write_text("\n\n".join("\n".join(block) for block in blocks) + "\n", encoding="utf-8")
    return path


def words_of(path: Path, *texts: tuple[str, str]) -> list[list[Word] | None]:
    stored = [StoredText(number, text, source_id) for number, (source_id, text) in enumerate(texts)]
    found = list(Treebank(path).annotate(stored))
    assert [text for text, _ in found] == stored
    return [words for _, words in found]


def spelled(text: str, words: list[Word] | None) -> list[tuple[str, str]]:
    assert words is not None
    return [(word.form, text[word.char_start : word.char_end]) for word in words]


FRENCH = [
    "# sent_id = f1",
    "# text = Je vais  au cine\u0301ma, d'accord ?",
    row(1, "Je", 2, "nsubj"),
    row(2, "vais", 0, "root", upos="VERB"),
    row("3-4", "au"),
    row(3, "à", 5, "case"),
    row(4, "le", 5, "det"),
    row("4.1", "rien"),
    row(5, "cinéma", 2, "obl", "SpaceAfter=No|Entity=B-LOC"),
    row(6, ",", 8, "punct", upos="PUNCT", lemma="_"),
    row("7-8", "d'accord"),
    row(7, "d'", 8, "case", "Entity=B-X"),
    row(8, "accord", 2, "parataxis", "NER=I-X"),
    row(9, "?", 2, "punct", "Entity=(e1-thing"),
]


def test_every_column(tmp_path: Path) -> None:
    text = FRENCH[1].removeprefix("# text = ")
    [words] = words_of(file_of(tmp_path, FRENCH), ("f1", text))
    assert spelled(text, words) == [
        ("Je", "Je"), ("vais", "vais"), ("à", "au"), ("le", "au"), ("cinéma", "cine\u0301ma"), (",", ","),
        ("d'", "d'"), ("accord", "accord"), ("?", "?"),
    ]  # fmt: skip
    assert words is not None
    assert [word.head for word in words] == [1, None, 4, 4, 1, 7, 7, 1, 1]
    assert [word.deprel for word in words][:3] == ["nsubj", "root", "case"]
    assert (words[1].upos, words[1].lemma, words[5].lemma) == ("VERB", "vais", None)
    assert [(word.entity, word.entity_id) for word in words][4:] == [
        ("LOC", 0), (None, None), ("X", 1), ("X", 1), (None, None)
    ]  # fmt: skip


def test_strong_expressions_only(tmp_path: Path) -> None:
    block = [
        "# sent_id = s",
        row(1, "Give", 0, "root", smwe="3:1", lexcat="V.VID"),
        row(2, "New", 3, "compound", smwe="1:1", lexcat="N"),
        row(3, "York", 1, "obj", smwe="1:2"),
        row(4, "up", 1, "compound:prt", smwe="3:2"),
        row(5, "now", 1, "advmod", smwe="_"),
    ]
    [words] = words_of(file_of(tmp_path, block, name="x.conllulex"), ("s", "Give New York up now"))
    assert words is not None
    assert [(word.mwe, word.mwe_id) for word in words] == [
        ("V.VID", 0), ("N", 1), ("N", 1), ("V.VID", 0), (None, None)
    ]  # fmt: skip


OK = ["# sent_id = a", "# text = the cat", row(1, "the", 2, "det"), row(2, "cat", 0, "root")]


@pytest.mark.parametrize(
    ("lines", "line", "words"),
    [
        (["1 the cat"], 6, "not a CoNLL-U word"),
        ([row(1, "the"), "x\ty"], 7, "not a CoNLL-U word"),
        ([row(1, "the"), row(3, "cat")], 7, "word 3 where word 2 is to follow"),
        ([row(1, "the", 9)], 6, "the head '9' is no word of its sentence"),
        ([row(1, "the", "two")], 6, "the head 'two' is no word"),
        ([row(1, "the", 2), row(2, "cat", 1)], 6, "'the' hangs on words that are each other's heads"),
        ([row(1, "the", 1)], 6, "each other's heads"),
        ([row("1-3", "thecat"), row(1, "the"), row(2, "cat")], 6, "multiword token 1-3 does not fit"),
        (["# text = a dog", row(1, "a"), row(2, "cat")], 8, "'cat' does not stand at character 2 of the text"),
        (["# text = a dog", row(1, "a")], 7, "the text of the sentence goes on with 'dog'"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, lines: list[str], line: int, words: str) -> None:
    path = file_of(tmp_path, OK, lines)
    with pytest.raises(CorpusError) as caught:
        Treebank(path)
    assert str(caught.value).startswith(f"{path}, line {line}: ") and words in str(caught.value)


@pytest.mark.parametrize("smwe", ["1:2", "x", "1", "1:"])
def test_a_broken_expression_is_named(tmp_path: Path, smwe: str) -> None:
    block = [row(1, "a", smwe="1:1", lexcat="N") if smwe != "1:2" else row(1, "a", smwe="_"), row(2, "b", smwe=smwe)]
    with pytest.raises(CorpusError, match=r"line 2: the expression .* \(SMWE\)"):
        Treebank(file_of(tmp_path, block, name="x.conllulex"))
    with pytest.raises(CorpusError, match=r"line 1: 10 columns where .conllulex has 19"):
        Treebank(file_of(tmp_path, [row(1, "a")], name="x.conllulex"))


def test_not_utf8_and_empty(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_bytes(b"1\t\xff\n")
    with pytest.raises(CorpusError, match="line 1: byte 2"):
        Treebank(path)
    path.write_text("# only a comment\n\n")
    with pytest.raises(CorpusError, match="holds no sentences"):
        Treebank(path)


def test_sentences_without_text_or_id(tmp_path: Path) -> None:
    """As the corpus reader: forms joined, and the number of the first line."""
    block = [row(1, "a", misc="SpaceAfter=No"), row(2, "b"), row(3, "c")]
    path = file_of(tmp_path, OK, ["", *block])
    assert [spelled("ab c", words) for words in words_of(path, ("7", "ab c"))] == [[("a", "a"), ("b", "b"), ("c", "c")]]


def test_a_text_that_is_not_there_is_not_guessed(tmp_path: Path) -> None:
    path = file_of(tmp_path, OK)
    found = words_of(path, ("a", "the cat"), ("b", "the cat"), ("a", "the dog"), ("a", "cat"), ("a", "the cat sat"))
    assert [words is not None for words in found] == [True, False, False, False, False]


def test_cut_texts_keep_what_is_left(tmp_path: Path) -> None:
    path = file_of(tmp_path, OK)
    [words] = words_of(path, ("a", "the"))
    assert words is not None and [(word.form, word.head) for word in words] == [("the", None)]
    [words] = words_of(path, ("a", "the ca"))
    assert spelled("the ca", words) == [("the", "the"), ("cat", "ca")] and words and words[0].head == 1


def test_chunks(tmp_path: Path) -> None:
    path = file_of(
        tmp_path,
        [
            "# sent_id = s#1",  # an id that looks like a chunk's
            "# text = Ann Lee saw Bo Ray",
            row(1, "Ann", 3, "nsubj", "Entity=B-PER"),
            row(2, "Lee", 1, "flat", "Entity=I-PER"),
            row(3, "saw", 0, "root"),
            row(4, "Bo", 3, "obj", "Entity=B-PER"),
            row(5, "Ray", 4, "flat", "Entity=I-PER"),
        ],
        OK,
    )
    first, second, third, whole = words_of(
        path, ("s#1#1", "Ann Le"), ("s#1#2", "e saw Bo"), ("s#1#3", "Ray"), ("s#1", "Ann Lee saw Bo Ray")
    )
    assert spelled("Ann Le", first) == [("Ann", "Ann"), ("Lee", "Le")]
    assert spelled("e saw Bo", second) == [("Lee", "e"), ("saw", "saw"), ("Bo", "Bo")]
    assert second and third and whole
    assert [(word.head, word.entity_id) for word in second] == [(None, 0), (None, None), (1, 1)]
    assert [(word.form, word.head, word.entity_id) for word in third] == [("Ray", None, 0)]
    assert len(whole) == 5
    assert words_of(path, ("s#1#1", "Ann Le"), ("s#1#3", "Ray")) == [None, None], "a chunk is missing"


@pytest.mark.parametrize(
    ("text", "chunks", "starts"),
    [
        ("aaaa", ["aa", "aa"], [0, 2]),
        ("the the the", ["the", "the the"], [0, 4]),
        (" a b ", ["a", "b"], [1, 3]),
        ("a😀b", ["a😀", "😀b"], [0, 1]),  # cut inside the bytes
        ("😀😀😀", ["😀", "😀", "😀"], [0, 1, 2]),
        ("😀😀😀", ["😀", "😀😀"], [0, 1]),
        ("😀😀😀", ["😀😀", "😀😀"], [0, 1]),
        ("😀x😀x", ["😀", "x", "😀", "x"], [0, 1, 2, 3]),
        ("😀😀😀😀", ["😀😀", "😀😀", "😀"], None),  # the first or the second border lies inside a character
        ("abc", ["a", "c"], None),  # b is lost
        ("abc", ["a", "b"], None),  # the end is
        ("ab", ["b"], None),
        ("e\u0301 a", ["e", "a"], [0, 3]),  # a tokenizer that drops accents
    ],
)
def test_where_chunks_were(text: str, chunks: list[str], starts: list[int] | None) -> None:
    assert chunk_starts(text, chunks) == starts


def test_two_annotations_that_disagree(tmp_path: Path) -> None:
    same, other = [*OK], [*OK[:3], row(2, "cat", 0, "dep")]
    assert words_of(file_of(tmp_path, OK, same), ("a", "the cat"))[0] is not None
    path = file_of(tmp_path, OK, other)
    with pytest.raises(CorpusError, match="lines 1 and 6: two sentences a of one text with other words"):
        words_of(path, ("a", "the cat"))
    apart = ["# sent_id = a", "# text = the dog", row(1, "the"), row(2, "dog")]
    assert spelled("the dog", words_of(file_of(tmp_path, OK, apart), ("a", "the dog"))[0])[1] == ("dog", "dog")


@pytest.mark.parametrize(
    ("text", "at", "form", "end"),
    [
        ("20 000", 0, "20\u00a0000", 6),
        ("cafe\u0301", 0, "café", 5),
        ("café", 0, "cafe\u0301", 4),
        ("caf", 0, "café", None),
        ("x", 1, "a", None),
        ("a b", 0, " ", None),
    ],
)
def test_forms_meet_the_text(text: str, at: int, form: str, end: int | None) -> None:
    assert match_end(text, at, form) == end
