"""The page about a sentence without a browser: whole, with two runs, and wherever something is missing."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import dashboard
from dashboard import typed
from dashboard.server import HOST
from tests.warehouse.analysis.support import annotate, shape
from tests.warehouse.conftest import House
from warehouse import connect

PAGE = Path(dashboard.__file__).parent / "pages" / "sentence.py"
HOSTILE = "<script>alert(1)</script> **bold** [a](http://evil.example) $x$ :red[b] \u202eesrever\x00" + "z" * 5_000
RUNS = ("1 tiny on poem", "2 pre on poem", "3 other on poem", "4 tiny on single")

Show = Callable[..., AppTest]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Runs 1 and 2 share a tokenizer (2 is causal), 3 has another, 4 is of a sentence of one token and has no words."""
    made = House(tmp_path_factory.mktemp("page") / "lens.duckdb")
    made.ingest(shape(name="a", seed=1))
    made.ingest(shape(name="b", seed=2, model="pre", placement="pre_ln", n_layer=3))
    made.ingest(shape(name="c", seed=3, model="other", tokenizer="other"))
    made.ingest(shape(name="d", seed=4, corpus="single", lengths=(1,), shards=(1,)))
    annotate(made)
    with connect.write(made.path) as con:
        con.execute("UPDATE model SET is_causal = true WHERE name = 'pre'")
        con.execute("DELETE FROM token_pair WHERE run_id = 2 AND key > query")
        con.execute("UPDATE vocab SET display = $text WHERE token_id = 4", {"text": HOSTILE})
        con.execute("UPDATE sequence SET text = $text WHERE seq_id = 7", {"text": HOSTILE})
        con.execute("INSERT INTO sequence VALUES (1, 12, 'long', 'rare', NULL)")
        con.execute(
            "INSERT INTO token (tokenizer_id, corpus_id, seq_id, pos, token_id, is_special) "
            "SELECT 1, 1, 12, p, 2 + p % 6, p = 0 FROM range(100) AS t(p)"
        )
        con.execute(
            "INSERT INTO token_pair SELECT 1, layer, 12, q, k, 0.01, 1 + q % 5, 1 + k % 7, 1 + (q + k) % 3, 2, 3 "
            "FROM range(1, 3) AS l(layer), range(100) AS a(q), range(100) AS b(k)"
        )
    return made


@pytest.fixture
def show(house: House, monkeypatch: pytest.MonkeyPatch) -> Iterator[Show]:
    def run(**query: str) -> AppTest:
        monkeypatch.setenv("LENSHOUSE_WAREHOUSE", str(house.path))
        tested = AppTest.from_file(PAGE, default_timeout=180)
        for name, value in query.items():
            tested.query_params[name] = value
        return tested.run()

    st.cache_data.clear()
    yield run
    st.cache_data.clear()


def titles(tested: AppTest) -> list[str]:
    assert not tested.exception, tested.exception
    return [element.value for element in tested.subheader]


def specs(tested: AppTest) -> list[dict]:
    return [json.loads(chart.proto.spec) for chart in tested.get("vega_lite_chart")]


def said(tested: AppTest) -> str:
    return " ".join(element.value for kind in ("info", "caption", "code") for element in getattr(tested, kind))


def test_one_run(show: Show, house: House) -> None:
    tested = show()
    assert titles(tested) == [
        "Layer 1: maps in the model's order, and FF-amp", "FF-amp", "FF-amp, as lines", "Strongest pairs by FF-amp",
    ]  # fmt: skip
    strip, large, _ = specs(tested)
    assert [panel["title"]["text"] for panel in strip["hconcat"]] == [
        *("attn", "attn_norm", "atb", "after_ff", "after_res", "after_ln"), "FF-amp",
    ]  # fmt: skip
    assert tested.number_input("sentence").value == 4, "the one that is nearest to 22 tokens"
    content = list(range(1, 11))
    assert large["hconcat"][0]["encoding"]["y"]["scale"]["domain"] == content
    table = next(one.value for one in tested.dataframe if "ff_amp" in one.value)
    wanted = house.rows(
        "WITH one AS (SELECT query, key, after_ff / sum(after_ff) OVER (PARTITION BY query) "
        "- atb / sum(atb) OVER (PARTITION BY query) AS amp "
        "FROM token_pair WHERE run_id = 1 AND layer = 1 AND seq_id = 4) "
        "SELECT query, key, amp FROM one WHERE query <> key AND query NOT IN (0, 11) AND key NOT IN (0, 11) "
        "ORDER BY abs(amp) DESC LIMIT 50"
    )
    assert list(zip(table["query"], table["key"], strict=True)) == [(query, key) for query, key, _ in wanted]
    assert table["ff_amp"].tolist() == pytest.approx([amp for *_, amp in wanted], rel=1e-5)


def test_a_link_restores_the_view(show: Show) -> None:
    tested = show(
        run=RUNS[1],
        sentence="8",
        layer="3",
        map="after_ln",
        values="raw",
        special="true",
        diagonal="true",
        size="large",
    )
    assert titles(tested)[:2] == ["Layer 3: maps in the model's order, and FF-amp", "`after_ln`"]
    assert tested.number_input("sentence").value == 8 and tested.slider("layer").value == 3
    strip, large, _ = specs(tested)
    names = [panel["title"]["text"] for panel in strip["hconcat"]]
    assert names == ["attn", "attn_norm", "atb", "after_ln", "after_ff", "after_res", "FF-amp"]
    tops = {
        name: panel["layer"][0]["encoding"]["color"]["scale"]["domain"][-1]
        for name, panel in zip(names, strip["hconcat"], strict=True)
    }
    assert len({tops[name] for name in names[1:6]}) == 1 and tops["attn"] != tops["atb"], "norms share a scale"
    assert large["hconcat"][0]["encoding"]["x"]["scale"]["domain"] == list(range(10))


def test_words(show: Show) -> None:
    tested = show(by="word", diagonal="true")
    assert len(titles(tested)) == 4
    labels = specs(tested)[1]["hconcat"][0]["encoding"]["y"]["axis"]["labelExpr"]
    assert json.loads(labels.removesuffix("[datum.value]")) == {str(n): f"w{n}" for n in range(1, 11)}
    assert not [one for one in tested.toggle if one.key == "special"], "words are never special"


def test_two_runs_of_one_tokenizer_have_a_difference(show: Show) -> None:
    tested = show(beside=RUNS[1])
    found = titles(tested)
    assert found[:2] == ["1 tiny on poem, layer 1", "2 pre on poem, layer 1"]
    assert "FF-amp: run 2 less run 1" in found and found[-1] == "Strongest pairs by FF-amp, run 2"
    assert tested.slider("beside_layer").max == 3, "as deep as the second run"
    scales = [
        [panel["layer"][0]["encoding"]["color"]["scale"] for panel in spec["hconcat"]] for spec in specs(tested)[:2]
    ]
    assert scales[0] == scales[1], "one scale for both"


def test_two_runs_of_two_tokenizers_have_one_by_word_only(show: Show) -> None:
    tested = show(beside=RUNS[2])
    assert not [title for title in titles(tested) if "less" in title] and "words have one" in said(tested)
    assert [title for title in titles(show(beside=RUNS[2], by="word")) if "less" in title]


def test_norms_of_two_runs_have_no_difference(show: Show) -> None:
    tested = show(beside=RUNS[1], values="raw", map="atb")
    assert not [title for title in titles(tested) if "less" in title] and "no unit in common" in said(tested)


def test_a_second_run_without_the_text(show: Show) -> None:
    tested = show(beside=RUNS[3])
    assert len(titles(tested)) == 4 and "has not seen this very text" in said(tested)


def test_a_long_sentence_is_told_to_be_in_blocks(show: Show) -> None:
    tested = show(sentence="12", from_query="20")
    assert "99 tokens: the small maps show means over blocks" in said(tested)
    strip, large = specs(tested)
    assert strip["hconcat"][0]["layer"][0]["encoding"]["x"]["scale"]["domain"] == list(range(25))
    outline = strip["hconcat"][0]["layer"][1]["data"]["values"]
    assert outline == [{"top": 21 // 4, "bottom": 68 // 4, "left": 0, "right": 48 // 4}]
    encoding = large["hconcat"][0]["encoding"]
    assert encoding["y"]["scale"]["domain"] == list(range(21, 69)), "from the 20th token that is not special"
    assert encoding["x"]["scale"]["domain"] == list(range(1, 49))
    assert "Lines are drawn of sentences of up to 40 tokens" in said(tested)


def test_hostile_tokens_and_texts_are_text(show: Show) -> None:
    tested = show(sentence="7")
    assert len(titles(tested)) == 4
    [text] = [element.value for element in tested.text]
    assert text.startswith("<script>") and "\\x00" in text and "\u202e" not in text and len(text) < 700
    for element in (*tested.markdown, *tested.caption, *tested.subheader):
        assert "<script>" not in element.value and "**bold**" not in element.value
    for chart in tested.get("vega_lite_chart"):
        assert "z" * 61 not in chart.proto.spec


def test_a_sentence_of_one_token(show: Show) -> None:
    tested = show(run=RUNS[3])
    assert not tested.exception and "special tokens only" in said(tested)
    assert "switch on the diagonal" in said(show(run=RUNS[3], special="true"))
    assert len(titles(show(run=RUNS[3], special="true", diagonal="true"))) == 4


def test_words_of_a_run_without_any(show: Show) -> None:
    tested = show(run=RUNS[3], by="word")
    assert "no words yet" in said(tested) and "lenshouse annotate --with split" in said(tested)


def test_a_sentence_that_is_not_there(show: Show) -> None:
    tested = show(sentence="4000")
    assert not tested.exception and tested.number_input("sentence").value <= 12


def test_a_shorter_corpus_takes_its_last_sentence(show: Show) -> None:
    tested = show(sentence="8")
    tested.selectbox("run").select(RUNS[3]).run()
    assert not tested.exception and tested.number_input("sentence").value == 0


def test_sentences_are_listed_by_text_and_label(show: Show) -> None:
    tested = show()
    tested.text_input("find_text").input("TEXT 1").run()
    found = next(one.value for one in tested.dataframe if "n_tokens" in one.value)
    assert found["seq_id"].tolist() == [1, 10, 11] and found["n_tokens"].tolist() == [9, 3, 11]
    tested.text_input("find_text").input("").run()
    tested.selectbox("find_label").select("rare").run()
    assert next(one.value for one in tested.dataframe if "n_tokens" in one.value)["seq_id"].tolist() == [12]
    tested.text_input("find_text").input("nowhere").run()
    assert "No sentence of this corpus matches" in said(tested)


def test_no_run_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "none.duckdb"
    with connect.write(path):
        pass
    monkeypatch.setenv("LENSHOUSE_WAREHOUSE", str(path))
    st.cache_data.clear()
    tested = AppTest.from_file(PAGE, default_timeout=180).run()
    assert not tested.exception and "no complete run yet" in said(tested)


def test_typing_says_why_it_is_closed(show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOST, "0.0.0.0")
    tested = show()
    tested.button("type").click().run()
    assert not tested.exception and "Others can reach this server" in said(tested)
    assert not tested.text_area


def test_a_typed_sentence_is_shown(show: Show) -> None:
    tested = show(sentence="8")
    tested.session_state["typed_run"] = 4
    tested.run()
    assert not tested.exception
    assert tested.selectbox("run").value == RUNS[3] and tested.number_input("sentence").value == 0


def dialog() -> None:
    """A script: AppTest runs no fragment alone, so the dialog is opened every time."""
    from dashboard import choose

    choose._dialog({"run_id": 1})


@pytest.fixture
def opened(house: House, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The dialog with a text and a model, before it is sent."""
    monkeypatch.setenv("LENSHOUSE_WAREHOUSE", str(house.path))
    monkeypatch.setenv(HOST, "localhost")
    st.cache_data.clear()
    tested = AppTest.from_function(dialog, default_timeout=180).run()
    assert "does not say where its model was loaded from" in said(tested)
    tested.text_area("typed_text").input("A film.")
    tested.text_input("typed_model").input("org/name")
    return tested


def test_the_dialog_asks_for_a_run(opened: AppTest, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[typed.Request] = []

    def made(request: typed.Request, tell: Callable[[str], None]) -> int:
        tell("Loading")
        asked.append(request)
        return 4

    monkeypatch.setattr(typed, "ingest", made)
    opened.button[0].click().run()
    assert not opened.exception and opened.session_state["typed_run"] == 4
    [request] = asked
    assert (request.text, request.model, request.warehouse) == ("A film.", "org/name", house.path)
    assert request.made["model_name"] == "tiny" and request.made["max_tokens"] is None


def test_the_dialog_says_what_failed(opened: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(request: typed.Request, tell: Callable[[str], None]) -> int:
        message = "the hub did not give <b>it</b>"
        raise typed.IngestError(message)

    monkeypatch.setattr(typed, "ingest", fails)
    opened.button[0].click().run()
    assert not opened.exception and "the hub did not give <b>it</b>" in [one.value for one in opened.text]
    assert "typed_run" not in opened.session_state


def test_the_dialog_refuses_what_is_no_model(opened: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typed, "ingest", lambda *_: pytest.fail("nothing is to be run"))
    opened.text_input("typed_model").input("/no/such/folder")
    opened.button[0].click().run()
    assert not opened.exception and "no such folder" in opened.error[0].value
