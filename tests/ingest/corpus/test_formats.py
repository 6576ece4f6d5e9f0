"""Each file format: what it reads, and what it says when it cannot."""

import csv
import io
import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.corpus import Record, open_corpus
from ingest.corpus.text import decode_lines
from warehouse.errors import CorpusError, UsageError

storable_text = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=30)
one_line_text = storable_text.filter(lambda text: not set(text) & set("\n\r"))


@pytest.fixture
def write(tmp_path: Path):
    def write_file(name: str, content: str | bytes) -> str:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return write_file


def records(spec: str, **columns: str) -> list[Record]:
    return list(open_corpus(spec, **columns).records())


# --- .txt ----------------------------------------------------------------------------------------------------------


def test_txt_is_a_sequence_a_line(write) -> None:
    found = records(write("a.txt", "\ufeffone\r\n\r\n thrée \u2028x\nlast"))
    expected = [("one", "1"), ("", "2"), (" thrée \u2028x", "3"), ("last", "4")]
    assert found == [Record(text, None, line) for text, line in expected]


def test_bytes_that_are_not_utf8_are_named_by_line(write) -> None:
    with pytest.raises(CorpusError, match=r"a\.txt, line 2: byte 3 \(0xE9\) is not UTF-8: save"):
        records(write("a.txt", b"fine\ncaf\xe9\n"))


def test_utf16_is_refused(write) -> None:
    with pytest.raises(CorpusError, match=r"line 1: byte 0 .* is not UTF-8"):
        records(write("a.txt", "with a mark".encode("utf-16")))
    with pytest.raises(CorpusError, match=r"text of 1 holds a NUL character: convert"):
        records(write("b.txt", "without".encode("utf-16-le")))


def test_txt_has_no_columns(write) -> None:
    with pytest.raises(UsageError, match="no columns to choose from: leave out --text-column"):
        open_corpus(write("a.txt", "one\n"), text_column="text")


def test_lines_are_decoded_one_at_a_time() -> None:
    def endless():
        while True:
            yield b"line\n"

    lines = decode_lines(endless(), "endless")
    assert [next(lines), next(lines)] == [(1, "line"), (2, "line")]


# --- .tsv ----------------------------------------------------------------------------------------------------------


def test_tsv_quotes_are_characters(write) -> None:
    found = records(write("a.tsv", 'sentence\tlabel\n"open and never closed\t1\na "b" c\t0\n"quoted"\t\n'))
    assert found == [
        Record('"open and never closed', "1", "1"),
        Record('a "b" c', "0", "2"),
        Record('"quoted"', "", "3"),
    ]


def test_tsv_row_of_another_width_is_named_by_line(write) -> None:
    with pytest.raises(CorpusError, match=r"a\.tsv, line 3: 3 fields where the header has 2: .*\.csv"):
        records(write("a.tsv", "text\tlabel\na\t1\nb\tc\t1\n"))


def test_columns_are_chosen_by_name(write) -> None:
    spec = write("a.tsv", "id\tquestion\ttext\tgrade\n7\twhy\tbecause\tA\n")
    assert records(spec) == [Record("because", None, "1")]
    assert records(spec, text_column="question", label_column="grade") == [Record("why", "A", "1")]


def test_missing_columns_are_named_with_what_is_there(write) -> None:
    spec = write("a.tsv", "sentences\tclass\na\t1\n")
    with pytest.raises(
        UsageError, match=r"no column 'text' or 'sentence': .*--text-column; it has 'sentences', 'class'"
    ):
        open_corpus(spec)
    with pytest.raises(
        UsageError, match=r"no column 'sentense' \(nearest: 'sentences'\): choose another --text-column"
    ):
        open_corpus(spec, text_column="sentense")
    with pytest.raises(UsageError, match=r"no column 'label': choose another --label-column; it has"):
        open_corpus(spec, text_column="sentences", label_column="label")


def test_a_column_that_occurs_twice_is_refused(write) -> None:
    with pytest.raises(CorpusError, match="has 2 columns named 'text'"):
        open_corpus(write("a.tsv", "text\ttext\na\tb\n"))


def test_a_header_alone_is_an_empty_corpus(write) -> None:
    with pytest.raises(CorpusError, match="holds no texts"):
        open_corpus(write("a.tsv", "text\tlabel\n"))


# --- .csv ----------------------------------------------------------------------------------------------------------


def test_csv_quotes_hold_commas_lines_and_quotes(write) -> None:
    content = 'text,label\r\n"a, ""b""\r\nsecond line",pos\r\n\r\nplain,neg\r\n'
    assert records(write("a.csv", content)) == [
        Record('a, "b"\nsecond line', "pos", "1"),
        Record("", None, "2"),
        Record("plain", "neg", "3"),
    ]


def test_csv_quote_that_never_closes_names_where_it_opened(write) -> None:
    with pytest.raises(CorpusError, match=r"a\.csv, line 4: a row that begins here is not CSV"):
        records(write("a.csv", 'text,label\n"two\nlines",1\n"open,1\nmore,2\n'))


def test_csv_fields_may_be_long(write) -> None:
    assert len(records(write("a.csv", "text\n" + "word " * 40_000 + "\n"))[0].text) == 200_000


@settings(max_examples=50, deadline=None)
@given(texts=st.lists(storable_text.filter(lambda text: "\r" not in text), min_size=1, max_size=5))
def test_csv_gives_back_what_the_standard_writer_wrote(texts: list[str], tmp_path_factory) -> None:
    buffer = io.StringIO()
    csv.writer(buffer, quoting=csv.QUOTE_ALL).writerows([["text", "label"], *([text, "x"] for text in texts)])
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    path.write_bytes(buffer.getvalue().encode())
    assert [record.text for record in records(str(path))] == texts


# --- .jsonl --------------------------------------------------------------------------------------------------------


def test_jsonl_labels_become_strings(write) -> None:
    lines = ['{"text": "a", "label": 1}', "", '{"label": null, "text": "é\\n"}', '{"text": "c"}']
    assert records(write("a.jsonl", "\n".join(lines))) == [
        Record("a", "1", "1"),
        Record("", None, "2"),
        Record("é\n", None, "3"),
        Record("c", None, "4"),
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"text": "a"', r"not JSON \(.*\): write one JSON object a line"),
        ('["a"]', "a JSON list, not an object"),
        ('{"text": 3}', "'text' is of type int, not a text"),
        ('{"text": null}', "'text' is missing, not a text"),
        ('{"txt": "a"}', "the object has no 'text'"),
        ('{"text": "a", "label": [1]}', "'label' is of type list, not a label"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_a_broken_jsonl_line_is_named(write, line: str, reason: str) -> None:
    with pytest.raises(CorpusError, match=rf"a\.jsonl, line 2: {reason}"):
        records(write("a.jsonl", '{"text": "fine", "label": 0}\n' + line + "\n"))


def test_a_named_label_has_to_be_in_every_object(write) -> None:
    with pytest.raises(CorpusError, match=r"line 2: the object has no 'stars'"):
        records(write("a.jsonl", '{"text": "a", "stars": 5}\n{"text": "b"}\n'), label_column="stars")


@pytest.mark.parametrize(("value", "reason"), [("\\ud800x", "half of a surrogate pair"), ("a\\u0000", "a NUL")])
def test_what_no_table_can_hold_is_refused(write, value: str, reason: str) -> None:
    with pytest.raises(CorpusError, match=rf"a\.jsonl: the text of 1 holds {reason}"):
        open_corpus(write("a.jsonl", f'{{"text": "{value}"}}\n'))
    with pytest.raises(CorpusError, match=rf"a\.jsonl: the label of 1 holds {reason}"):
        open_corpus(write("a.jsonl", f'{{"text": "a", "label": "{value}"}}\n'))


def test_a_whole_surrogate_pair_is_a_character(write) -> None:
    assert records(write("a.jsonl", '{"text": "\\ud83d\\ude00"}\n'))[0].text == "😀"


@settings(max_examples=50, deadline=None)
@given(texts=st.lists(storable_text, min_size=1, max_size=5), ascii_only=st.booleans())
def test_jsonl_gives_back_what_was_written(texts: list[str], ascii_only: bool, tmp_path_factory) -> None:
    path = tmp_path_factory.mktemp("jsonl") / "a.jsonl"
    lines = [json.dumps({"text": text}, ensure_ascii=ascii_only) for text in texts]
    path.write_bytes("\n".join(lines).encode())
    assert [record.text for record in records(str(path))] == texts


@settings(max_examples=50, deadline=None)
@given(texts=st.lists(one_line_text.filter(lambda text: not text.startswith("\ufeff")), min_size=1, max_size=5))
def test_txt_gives_back_what_was_written(texts: list[str], tmp_path_factory) -> None:
    path = tmp_path_factory.mktemp("txt") / "a.txt"
    path.write_bytes(("".join(text + "\n" for text in texts)).encode())
    assert [record.text for record in records(str(path))] == texts


# --- .parquet ------------------------------------------------------------------------------------------------------


def test_parquet_rows_count_through_row_groups(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    frame = pl.DataFrame({"sentence": [f"text {at}" for at in range(2_500)], "label": [None, True] * 1_250, "x": 1})
    frame.write_parquet(path, row_group_size=700)
    found = records(str(path))
    assert [record.text for record in found] == frame["sentence"].to_list()
    assert found[0] == Record("text 0", None, "1")
    assert found[-1] == Record("text 2499", "True", "2500")


def test_parquet_files_of_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a URI nor a pattern."""
    monkeypatch.chdir(tmp_path)
    for name in ("pre:fix.parquet", "a[1].parquet", "a*.parquet"):
        with Path(name).open("wb") as file:
            pl.DataFrame({"text": [name]}).write_parquet(file)
        assert [record.text for record in open_corpus(name).records()] == [name]


def test_parquet_dictionary_columns_are_texts(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"text": ["a", "b", "a"]}, schema={"text": pl.Categorical}).write_parquet(path)
    assert [record.text for record in records(str(path))] == ["a", "b", "a"]


def test_parquet_without_texts_is_named(write, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"text": ["a", None]}).write_parquet(path)
    with pytest.raises(CorpusError, match=r"a\.parquet, row 2: 'text' is missing"):
        records(str(path))
    pl.DataFrame({"text": [1]}).write_parquet(path)
    with pytest.raises(CorpusError, match=r"row 1: 'text' is of type int"):
        records(str(path))
    pl.DataFrame({"text": []}, schema={"text": pl.String}).write_parquet(path)
    with pytest.raises(CorpusError, match="holds no texts"):
        records(str(path))
    with pytest.raises(CorpusError, match=r"b\.parquet cannot be read as Parquet"):
        records(write("b.parquet", "text\nnot parquet\n"))


# --- .conllu -------------------------------------------------------------------------------------------------------

UNTEXTED = """\
# sent_id = s-1
1\tThe\tthe\tDET\t_\t_\t2\tdet\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\tdo\tdo\tAUX\t_\t_\t0\troot\t_\t_
3\tn't\tnot\tPART\t_\t_\t2\tadvmod\t_\t_
3.1\tghost\t_\t_\t_\t_\t_\t_\t_\t_
4\t,\t,\tPUNCT\t_\t_\t2\tpunct\t_\tX=Y|SpaceAfter=No

"""


def test_conllu_text_is_the_comment_or_the_forms(write) -> None:
    texted = "# newdoc\n# text_en = other\n# text = So it  is.\n1\tSo\t_\t_\t_\t_\t_\t_\t_\t_\n"
    found = records(write("a.conllu", UNTEXTED + texted))
    assert found == [Record("The don't,", None, "s-1"), Record("So it  is.", None, "9")]
    assert open_corpus(write("b.conllulex", UNTEXTED)).annotation == "gold"


def test_a_broken_conllu_word_is_named(write) -> None:
    with pytest.raises(CorpusError, match=r"a\.conllu, line 3: not a CoNLL-U word"):
        records(write("a.conllu", "# sent_id = 1\n1\ta\t_\t_\t_\t_\t_\t_\t_\t_\nb c\n"))


def test_comments_alone_are_no_sentence(write) -> None:
    with pytest.raises(CorpusError, match="holds no texts"):
        records(write("a.conllu", "# license = CC0\n\n"))
