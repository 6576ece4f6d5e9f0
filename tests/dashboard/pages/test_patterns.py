"""The page about patterns: effects, pairs and mixing, and what it says without words and of parallel models."""

import pytest

from tests.dashboard.pages.support import charts, commands, visit
from tests.dashboard.pages.test_change import one
from tests.warehouse.conftest import House


@pytest.mark.parametrize(("number", "title"), [("effect", "Effect (FF-amp)"), ("lift", "Lift")])
def test_effects_by_layer_and_pattern(number: str, title: str, pages: House) -> None:
    app = visit("patterns", number=number)
    frame = charts(app)[f"{title} by pattern and layer"].frame("layer", "series", "value", "is_significant")
    rows = pages.rows(
        f"SELECT pattern, layer, {number}, p_adjusted, lift_low, lift_high FROM pattern_effect "
        "WHERE run_id = 1 AND relation IS NULL"
    )
    wanted = {
        (pattern, layer): (
            value,
            (p is not None and p < 0.05) if number == "effect" else bool(low and (low > 1 or high < 1)),
        )
        for pattern, layer, value, p, low, high in rows
        if value is not None
    }
    found = {(series, layer): (value, is_significant) for series, layer, value, is_significant
             in frame.select("series", "layer", "value", "is_significant").rows()}  # fmt: skip
    assert found == wanted and len(found) >= 8


def test_relations_and_parts_of_speech_of_a_layer(pages: House) -> None:
    app = visit("patterns", layer="2")
    frame = charts(app)["By relation"].frame("series", "value")
    wanted = dict(
        pages.rows(
            "SELECT relation, effect FROM pattern_effect WHERE run_id = 1 AND layer = 2 "
            "AND relation IS NOT NULL AND effect_low IS NOT NULL"
        )
    )
    assert dict(frame.select("series", "value").rows()) == wanted
    [(n, known)] = pages.rows(
        "SELECT count(*), count(low) FROM estimate WHERE run_id = 1 AND measure = 'upos_effect' AND layer = 2"
    )
    told = [each.value for each in (*app.caption, *app.info)]
    assert n == 9 and any(f"{known} of 9 pairs" in text or "No two parts" in text for text in told)


def test_pairs_are_filtered(pages: House) -> None:
    """By token, pattern, relation and distance, within what is stored."""
    stored = pages.rows(
        "SELECT layer, rank, query, key, query_token, key_token, patterns FROM v_top_pair WHERE run_id = 1"
    )
    everything = visit("patterns")
    assert len(everything.dataframe[-1].value) == len(stored) == 100
    assert any("of the 100 pairs that are stored" in each.value for each in everything.caption)
    for query, holds in (
        ({"token": "LENS"}, lambda row: "lens" in row[4].lower() or "lens" in row[5].lower()),
        ({"pattern": "head_dependent"}, lambda row: any(held.startswith("head_dependent") for held in row[6])),
        ({"relation": "nsubj"}, lambda row: "head_dependent:nsubj" in row[6]),
        ({"pattern": "adjacent"}, lambda row: "adjacent" in row[6]),
        ({"distance": "3 to 5", "pairs_layer": "2"}, lambda row: row[0] == 2 and 3 <= abs(row[2] - row[3]) <= 5),
    ):
        table = visit("patterns", **query).dataframe[-1].value
        wanted = {row[:2] for row in stored if holds(row)}
        assert set(zip(table["layer"], table["rank"], strict=True)) == wanted and wanted, query


def test_hostile_tokens_are_short_text(pages: House) -> None:
    table = visit("patterns").dataframe[-1].value
    assert table["query_token"].str.contains("<script>", regex=False).any()
    for column in ("query_token", "key_token", "text"):
        assert all(len(text) <= 300 and text.isprintable() for text in table[column])


def test_mixing_by_kind(pages: House) -> None:
    found = charts(visit("patterns", stage="after_ff", kinds="part of speech"))[
        "Mixing by kind of token, after after_ff"
    ]
    frame = found.frame("layer", "series", "value")
    [(wanted,)] = pages.rows(
        "SELECT avg(mix_after_ff) FROM token_norm JOIN token USING (seq_id, pos) "
        "JOIN word USING (corpus_id, seq_id, word_id) "
        "WHERE run_id = 1 AND layer = 1 AND corpus_id = 1 AND upos = 'VERB'"
    )
    assert frame.filter(layer=1, series="upos:VERB")["value"].item() == pytest.approx(wanted)


def test_a_parallel_model_says_why_there_are_no_effects(pages: House) -> None:
    app = visit("patterns", run=one(pages, 5))
    assert "reads each position alone" in app.info[0].value
    assert "Effect (FF-amp) by pattern and layer" not in charts(app)


def test_without_words(pages: House) -> None:
    app = visit("patterns", run=one(pages, 6))
    assert "no words yet" in app.info[0].value and "lenshouse annotate 2 --with" in commands(app)[0]
    assert [each.value for each in app.subheader] == ["The strongest pairs", "Mixing by kind of token, after atb"]


def test_before_the_analysis(bare: House) -> None:
    app = visit("patterns")
    assert [("annotate" in command, "analyze" in command) for command in commands(app)] == [
        (True, False), (False, True), (False, True),
    ]  # fmt: skip
