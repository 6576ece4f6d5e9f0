"""Which embeddings a model is read with: its own output ones, tied ones, or the input ones instead."""

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import (
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    ElectraForPreTraining,
    T5ForConditionalGeneration,
)

from ingest.architectures import families
from ingest.models import load_model
from ingest.projection.vocabulary import vocabulary_of
from tests.ingest.tiny import VOCAB_SIZE, save, tokenizer_for
from tests.oracle.tiny import randomise
from warehouse.errors import ModelError, UsageError

CAUSAL = ("gpt2", "gpt_neo", "gpt_neox", "gptj", "opt", "phi", "llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2",
          "gemma3", "olmo2")  # fmt: skip
MASKED = ("bert", "roberta", "electra", "distilbert", "albert", "mpnet", "modernbert")


def head_model(name, tied, **overrides):
    config = families()[name].tiny_config(vocab_size=VOCAB_SIZE, tie_word_embeddings=tied, **overrides)
    whole = AutoModelForCausalLM if name in CAUSAL else AutoModelForMaskedLM
    return randomise(whole.from_config(config).eval(), 5).float()


def saved(folder, model, name):
    model.save_pretrained(folder)
    tokenizer_for(name).save_pretrained(folder)
    return vocabulary_of(*load_model(str(folder)))


def narrow_path(model, name):
    """The model's own map between embeddings and states, by its name in the state dict; rows (e, d)."""
    state = model.state_dict()
    ends = {"albert": "embedding_hidden_mapping_in.weight", "electra": "embeddings_project.weight"}
    if name in ends:
        (key,) = (key for key in state if key.endswith(ends[name]))
        return state[key].T
    return state["model.decoder.project_out.weight"] if name == "opt" else None


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("name", CAUSAL + MASKED)
def test_the_head_that_logits_come_from(name, tied, tmp_path):
    model = head_model(name, tied)
    found = saved(tmp_path, model, name)
    head = model.get_output_embeddings()
    assert torch.equal(head.weight, model.get_input_embeddings().weight) == tied
    path = narrow_path(model, name)
    expected = head.weight if path is None else head.weight @ path
    torch.testing.assert_close(found.embeddings, expected, rtol=1e-6, atol=1e-6)
    assert found.embeddings.shape == (VOCAB_SIZE, 24)
    assert found.embeddings.dtype == torch.float32
    assert not found.embeddings.requires_grad
    assert found.source == ("tied" if tied else "output")
    if getattr(head, "bias", None) is None:
        assert found.bias is None
    else:
        torch.testing.assert_close(found.bias, head.bias.detach(), rtol=0, atol=0)


@pytest.mark.parametrize("name", CAUSAL)
def test_logits_of_a_state(name, tmp_path):
    """Scores of a state are the model's logits where nothing stands between them, for causal models all but a cap."""
    model = head_model(name, tied=False)
    found = saved(tmp_path, model, name)
    state = torch.randn(4, 24, generator=torch.Generator().manual_seed(0))
    logits = state @ found.embeddings.T + (0 if found.bias is None else found.bias)
    out = model.model.decoder.project_out(state) if name == "opt" else state
    torch.testing.assert_close(logits, model.get_output_embeddings()(out).detach(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", sorted(families()))
def test_a_base_model_is_read_with_its_input_embeddings(name, tmp_path):
    """Its files hold no head. Language models whose configuration ties them lack nothing."""
    model, tokenizer = load_model(str(save(tmp_path, name)))
    found = vocabulary_of(model, tokenizer)
    ties = name in CAUSAL and model.config.tie_word_embeddings
    assert found.source == ("tied" if ties else "input")
    assert found.bias is None
    inputs, path = model.module.get_input_embeddings().weight.detach(), narrow_path_of_base(model.module, name)
    torch.testing.assert_close(found.embeddings, inputs if path is None else inputs @ path, rtol=1e-6, atol=1e-6)


def narrow_path_of_base(module, name):
    state = module.state_dict()
    if name == "opt":
        return state["decoder.project_out.weight"]
    ends = {"albert": "encoder.embedding_hidden_mapping_in.weight", "electra": "embeddings_project.weight"}
    return state[ends[name]].T if name in ends else None


def test_an_untied_model_without_its_head_is_no_tied_one(tmp_path):
    save(tmp_path, "llama", tie_word_embeddings=False)
    assert vocabulary_of(*load_model(str(tmp_path))).source == "input"


def test_a_discriminator_has_no_head(tmp_path):
    model = randomise(ElectraForPreTraining(families()["electra"].tiny_config(vocab_size=VOCAB_SIZE)), 1).float()
    found = saved(tmp_path, model, "electra")
    assert found.source == "input"
    assert found.bias is None


@pytest.mark.parametrize("tied", [True, False])
def test_the_head_of_a_decoder_is_not_the_encoders(tied, tmp_path):
    config = families()["t5"].tiny_config(vocab_size=VOCAB_SIZE, tie_word_embeddings=tied)
    model = randomise(T5ForConditionalGeneration(config), 1).float()
    found = saved(tmp_path, model, "t5")
    assert found.source == "input"
    assert torch.equal(found.embeddings, model.shared.weight.detach())


def test_embeddings_of_their_own_count_where_the_configuration_ties_them(tmp_path):
    """transformers does not tie two that differ either."""
    model = head_model("gpt2", tied=True)
    model.save_pretrained(tmp_path)
    weights = load_file(tmp_path / "model.safetensors")
    own = torch.randn(VOCAB_SIZE, 24, generator=torch.Generator().manual_seed(3))
    save_file(weights | {"lm_head.weight": own}, tmp_path / "model.safetensors", {"format": "pt"})
    tokenizer_for("gpt2").save_pretrained(tmp_path)
    found = vocabulary_of(*load_model(str(tmp_path)))
    assert found.source == "output"
    assert torch.equal(found.embeddings, own)


def test_the_newer_name_of_gpt_neox(tmp_path):
    """Pythia's files, and what transformers saves, say embed_out; its module is called lm_head."""
    model = head_model("gpt_neox", tied=False)
    model.save_pretrained(tmp_path)
    weights = load_file(tmp_path / "model.safetensors")
    weights["lm_head.weight"] = weights.pop("embed_out.weight")
    save_file(weights, tmp_path / "model.safetensors", {"format": "pt"})
    tokenizer_for("gpt_neox").save_pretrained(tmp_path)
    found = vocabulary_of(*load_model(str(tmp_path)))
    assert found.source == "output"
    assert torch.equal(found.embeddings, model.lm_head.weight.detach())


def test_a_head_in_another_shard_and_in_half_precision(tmp_path):
    model = head_model("llama", tied=False).to(torch.bfloat16)
    model.save_pretrained(tmp_path, max_shard_size="20KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 1
    tokenizer_for("llama").save_pretrained(tmp_path)
    found = vocabulary_of(*load_model(str(tmp_path)))
    assert torch.equal(found.embeddings, model.lm_head.weight.detach().float())


def test_rows_beyond_the_tokenizer_take_no_part(tmp_path):
    found = saved(tmp_path, head_model("bert", tied=True), "bert")
    items = tokenizer_for("bert").get_vocab()
    n_items = max(items.values()) + 1
    assert n_items < VOCAB_SIZE == len(found.keep) == len(found.tokens)
    assert found.ids.tolist() == sorted(set(items.values()))
    assert len(items) < n_items, "the vocabulary has a hole"
    assert all(found.tokens[token_id] == token for token, token_id in items.items())
    assert found.tokens[n_items] == f"<unused {n_items}>"
    some = found.only(torch.arange(VOCAB_SIZE) % 50 == 7)
    assert some.ids.tolist() == [7, 57]
    assert torch.equal(some.embeddings, found.embeddings)
    with pytest.raises(UsageError, match="no vocabulary item is left"):
        found.only(torch.arange(VOCAB_SIZE) >= n_items)


@pytest.mark.parametrize(
    ("wrong", "words"), [(torch.ones(7, 24), "shape"), (torch.full((VOCAB_SIZE, 24), torch.nan), "NaN")]
)
def test_a_head_that_cannot_be_is_refused(wrong, words, tmp_path):
    model = head_model("llama", tied=False)
    model.save_pretrained(tmp_path)
    weights = load_file(tmp_path / "model.safetensors")
    save_file(weights | {"lm_head.weight": wrong}, tmp_path / "model.safetensors", {"format": "pt"})
    tokenizer_for("llama").save_pretrained(tmp_path)
    with pytest.raises(ModelError, match=words):
        vocabulary_of(*load_model(str(tmp_path)))
