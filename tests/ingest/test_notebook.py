"""`ingest.attribute`: the warehouse's rows without a warehouse, and the model as it was."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer

import warehouse
from ingest import attribute
from tests.ingest.tiny import TEXTS, lenshouse
from warehouse.contract import RUN_TABLES, SHARD_TABLES
from warehouse.errors import CorpusError, LenshouseError, ModelError, UsageError


@pytest.fixture
def bert(models):
    return AutoModel.from_pretrained(models["bert"]).eval()


@pytest.fixture(scope="session")
def tokenizer(models):
    return AutoTokenizer.from_pretrained(models["bert"])


@pytest.mark.parametrize("name", ["bert", "gpt2"])
def test_the_same_rows_as_the_warehouse(name, models, texts, house) -> None:
    assert lenshouse("ingest", "--model", models[name], "--corpus", texts, "--warehouse", house).code == 0
    module = AutoModel.from_pretrained(models[name])
    frames = attribute(module, AutoTokenizer.from_pretrained(models[name]), TEXTS)
    stored = warehouse.open(house)
    for table, keys in (
        ("token_pair", "layer, seq_id, query, key"),
        ("token_norm", "layer, seq_id, pos"),
        ("map_change", "layer, seq_id, component, pair_filter"),
    ):
        frame = getattr(frames, table)
        assert dict(frame.schema) == dict(SHARD_TABLES[table])
        columns = ", ".join(frame.columns)
        assert frame.sort(keys.split(", ")).equals(stored.sql(f"SELECT {columns} FROM {table} ORDER BY {keys}")), table
    tokens = stored.sql(
        f"SELECT {', '.join(RUN_TABLES['token'])}, display FROM token "
        "JOIN (SELECT token_id, display FROM vocab) USING (token_id) ORDER BY seq_id, pos"
    )
    assert frames.token.equals(tokens)


def test_the_model_is_left_as_it_was(bert, tokenizer) -> None:
    bert.set_attn_implementation("sdpa")
    bert.train()
    before = {key: value.clone() for key, value in bert.state_dict().items()}
    first = attribute(bert, tokenizer, TEXTS[:2]).token_pair
    assert bert.config._attn_implementation == "sdpa"
    assert bert.training
    assert all(module.training for module in bert.modules())
    assert all(torch.equal(value, before[key]) for key, value in bert.state_dict().items())
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in bert.modules())
    assert attribute(bert.eval(), tokenizer, TEXTS[:2]).token_pair.equals(first)  # no dropout either time
    assert not bert.training


def test_parts_that_were_in_evaluation_stay_in_it(bert, tokenizer) -> None:
    """A frozen encoder under training, as in fine-tuning."""
    bert.train()
    bert.encoder.layer[0].eval()
    attribute(bert, tokenizer, ["yes"])
    assert not bert.encoder.layer[0].training
    assert bert.encoder.layer[1].training


def test_the_model_is_left_as_it_was_after_an_error(bert, tokenizer, monkeypatch) -> None:
    bert.set_attn_implementation("sdpa")
    bert.train()

    def fails(*args, **kwargs):
        raise MemoryError

    monkeypatch.setattr("ingest.compute.attribute_layer", fails)
    with pytest.raises(MemoryError):
        attribute(bert, tokenizer, ["yes"])
    assert bert.config._attn_implementation == "sdpa"
    assert bert.training
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in bert.modules())


@pytest.mark.parametrize("head", [AutoModelForSequenceClassification, AutoModelForCausalLM])
def test_a_model_with_a_head_gives_what_its_base_gives(head, models) -> None:
    folder = models["gpt2"]
    tokenizer = AutoTokenizer.from_pretrained(folder)
    with_head = head.from_pretrained(folder).eval()
    with_head.set_attn_implementation("sdpa")
    base = attribute(AutoModel.from_pretrained(folder), tokenizer, TEXTS[:3])
    assert attribute(with_head, tokenizer, TEXTS[:3]).token_pair.equals(base.token_pair)
    assert with_head.config._attn_implementation == with_head.base_model.config._attn_implementation == "sdpa"


def test_half_precision(bert, tokenizer) -> None:
    """bfloat16 keeps 8 bits: values are near those in float32, and stored as float32."""
    exact = attribute(bert, tokenizer, TEXTS[:3]).token_pair
    half = attribute(bert.to(torch.bfloat16), tokenizer, TEXTS[:3]).token_pair
    assert bert.dtype == torch.bfloat16
    assert half.schema == exact.schema
    gap = np.abs(half["atb"].to_numpy() - exact["atb"].to_numpy())
    assert 0 < np.median(gap) < 0.05 * np.median(exact["atb"].to_numpy())


def test_float64_is_refused(bert, tokenizer) -> None:
    with pytest.raises(ModelError, match=r"BertModel is in float64: use model\.to"):
        attribute(bert.double(), tokenizer, ["yes"])


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({}, CorpusError, "the text of 1 has"),
        ({"max_tokens": 49}, UsageError, "max_tokens=49: the model has positions for 48 tokens: give at most"),
        ({"max_tokens": 2}, UsageError, "3 to"),
    ],
)
def test_too_long(options, error, words, bert, tokenizer) -> None:
    with pytest.raises(error, match=words):
        attribute(bert, tokenizer, ["yes", "the cat " * 30], **options)
    assert attribute(bert, tokenizer, ["the cat " * 30], too_long="truncate").token.height == 48


@pytest.mark.parametrize("options", [{}, {"max_tokens": 2}])
def test_messages_name_no_flags(options, bert, tokenizer) -> None:
    with pytest.raises(LenshouseError, match="max_tokens") as caught:
        attribute(bert, tokenizer, ["the cat " * 30], **options)
    assert "--" not in str(caught.value)


def test_what_is_not_loaded_is_refused(bert, tokenizer, models) -> None:
    with pytest.raises(UsageError, match=r"model is of type str: load it with .*AutoModel\.from_pretrained"):
        attribute(str(models["bert"]), tokenizer, ["yes"])
    for other in (None, "bert"):
        with pytest.raises(UsageError, match=r"tokenizer is of type .*: load it with .*AutoTokenizer\."):
            attribute(bert, other, ["yes"])


def test_chunks_and_empty_texts(bert, tokenizer) -> None:
    """seq_id counts the texts, so none may be left out in silence."""
    with pytest.raises(UsageError, match="2 of 4 texts are empty"):
        attribute(bert, tokenizer, ["", "the cat sat", "  ", "yes"])
    assert attribute(bert, tokenizer, ["the cat sat"], max_tokens=4, too_long="chunk").token["seq_id"].max() == 1


def test_ff_bias(bert, tokenizer) -> None:
    path, constant = (attribute(bert, tokenizer, ["the cat"], ff_bias=name).token_pair for name in ("path", "constant"))
    assert path["atb"].equals(constant["atb"])
    assert not path["after_ff"].equals(constant["after_ff"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"ff_bias": "Path"}, "ff_bias = 'Path': use one of path, constant"),
        ({"ff_bias": None}, "ff_bias = None"),
        ({"too_long": "bogus"}, "too_long = 'bogus': use one of truncate, chunk, error"),
        ({"max_tokens": 0}, "max_tokens = 0: must be at least 1"),
        ({"max_tokens": -1}, "at least 1"),
        ({"max_tokens": 7.0}, "whole number"),
        ({"max_tokens": True}, "whole number"),
    ],
)
def test_options_that_are_none(options, words, bert, tokenizer) -> None:
    """No other value stands for one of those that there are."""
    with pytest.raises(UsageError, match=words):
        attribute(bert, tokenizer, ["yes"], **options)


@pytest.mark.parametrize(
    ("texts", "error", "words"),
    [
        (["yes", None], UsageError, "text 1 is of type NoneType"),
        ([b"yes"], UsageError, "text 0 is of type bytes"),
        ([["yes"]], UsageError, "text 0 is of type list"),
        (None, UsageError, "texts is of type NoneType: give a list"),
        (3, UsageError, "texts is of type int"),
        (["yes", "half \ud83d of one"], CorpusError, "text of 1 holds half of a surrogate pair"),
        (["a\0b"], CorpusError, "text of 0 holds a NUL"),
    ],
)
def test_texts_that_are_none(texts, error, words, bert, tokenizer) -> None:
    with pytest.raises(error, match=words):
        attribute(bert, tokenizer, texts)


def test_a_generator_of_texts(bert, tokenizer) -> None:
    found = attribute(bert, tokenizer, (text for text in TEXTS[:2]))
    assert found.token_pair.equals(attribute(bert, tokenizer, list(TEXTS[:2])).token_pair)


def test_nothing_to_attribute(bert, tokenizer) -> None:
    with pytest.raises(CorpusError, match="texts is empty: give at least one"):
        attribute(bert, tokenizer, [])


def test_a_string_is_not_taken_for_texts(bert, tokenizer) -> None:
    """A slip that would give one sequence a letter."""
    with pytest.raises(UsageError, match="list"):
        attribute(bert, tokenizer, "the cat")
