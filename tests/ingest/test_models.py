"""Loading: every family from folders that transformers writes, and every refusal as one line that says what to do."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import huggingface_hub
import pytest
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from transformers import (
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    PreTrainedTokenizerFast,
)

from ingest import model_files
from ingest.architectures import families
from ingest.models import infer_family_and_seed, load_model, resolve_device
from tests.ingest.attribution.support import FAMILY_NAMES, assert_layer, attribute, tiny_model
from tests.oracle.maps import oracle_layers
from tests.oracle.model_states import readable
from tests.oracle.tiny import randomise
from warehouse.errors import ModelError, UsageError

POST, PRE, LN, RMS = ("post_ln", "FF,RES,LN"), ("pre_ln", "LN,FF,RES"), "layernorm", "rmsnorm"
PARALLEL, SANDWICH = ("parallel", "LN,FF,RES"), ("sandwich_ln", "LN,FF,RES")
TANH = "gelu_pytorch_tanh"
KINDS = {
    "albert": (*POST, False, LN, False, "gelu_new", 3, 3),
    "bart": (*POST, False, LN, False, "gelu", 3, 3),
    "bert": (*POST, False, LN, False, "gelu", 3, 3),
    "distilbert": (*POST, False, LN, False, "gelu", 3, 3),
    "electra": (*POST, False, LN, False, "gelu", 3, 3),
    "gemma": (*PRE, True, RMS, True, TANH, 4, 2),
    "gemma2": (*SANDWICH, True, RMS, True, TANH, 4, 2),
    "gemma3": (*SANDWICH, True, RMS, True, TANH, 4, 2),
    "gpt2": (*PRE, True, LN, False, "gelu_new", 3, 3),
    "gpt_neo": (*PRE, True, LN, False, "gelu_new", 3, 3),
    "gpt_neox": (*PARALLEL, True, LN, False, "gelu", 3, 3),
    "gptj": (*PARALLEL, True, LN, False, "gelu_new", 3, 3),
    "llama": (*PRE, True, RMS, True, "silu", 4, 2),
    "mistral": (*PRE, True, RMS, True, "silu", 4, 2),
    "modernbert": (*PRE, False, LN, True, "gelu", 3, 3),
    "mpnet": (*POST, False, LN, False, "gelu", 3, 3),
    "olmo2": ("res_post_ln", "FF,LN,RES", True, RMS, True, "silu", 4, 2),
    "opt": (*PRE, True, LN, False, "relu", 3, 3),
    "phi": (*PARALLEL, True, LN, False, "gelu_new", 3, 3),
    "qwen2": (*PRE, True, RMS, True, "silu", 4, 2),
    "qwen3": (*PRE, True, RMS, True, "silu", 4, 2),
    "roberta": (*POST, False, LN, False, "gelu", 3, 3),
    "t5": (*PRE, False, RMS, False, "relu", 3, 3),
}
"""Placement, order, causal, norm, gated, activation, heads, key/value heads of each family's tiny model."""

HEADS = [
    (
        name,
        AutoModelForCausalLM if kind[2] else AutoModelForSeq2SeqLM if name in ("bart", "t5") else AutoModelForMaskedLM,
    )
    for name, kind in KINDS.items()
]
HEADS += [("bert", AutoModelForSequenceClassification)]


def save_tokenizer(folder: Path, n_words: int = 90) -> None:
    words = ["<pad>", "<unk>", "<s>", "</s>", *(f"w{i}" for i in range(n_words - 4))]
    inner = Tokenizer(WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
    inner.pre_tokenizer = Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=inner, unk_token="<unk>", pad_token="<pad>").save_pretrained(folder)


def save(folder: Path, name: str, **overrides) -> torch.nn.Module:
    model = tiny_model(name, seed=5, **overrides).float()
    model.save_pretrained(folder)
    save_tokenizer(folder)
    return model


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> dict[str, Path]:
    folders = {name: tmp_path_factory.mktemp("models") / f"tiny-{name}" for name in FAMILY_NAMES}
    for name, folder in folders.items():
        save(folder, name)
    return folders


@pytest.fixture
def bert(saved, tmp_path) -> Path:
    """A BERT folder of the test's own, to damage."""
    return Path(shutil.copytree(saved["bert"], tmp_path / "tiny-bert"))


def refusal(spec: Path | str, error: type[Exception] = ModelError, **options) -> str:
    """The message of a load that must fail: one line, beginning with what it is about."""
    with pytest.raises(error) as refused:
        load_model(str(spec), device=options.pop("device", "cpu"), **options)
    message = str(refused.value)
    assert message
    assert message.splitlines() == [message]
    assert len(message) < 600
    return message


def edit_config(folder: Path, **changes) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def edit_weights(folder: Path, change) -> None:
    path = folder / "model.safetensors"
    weights = load_file(path)
    change(weights)
    save_file(weights, path, metadata={"format": "pt"})


@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_loads(saved, name):
    """The very weights that were saved, in eager attention and evaluation mode, and maps as the oracle has them."""
    model, tokenizer = load_model(str(saved[name]), device="cpu")
    original = tiny_model(name, seed=5)
    assert (model.name, model.family, model.dtype, model.device) == (
        f"tiny-{name}", families()[name], "float32", torch.device("cpu")
    )  # fmt: skip
    assert model.revision is None
    assert not model.module.training
    for key, value in readable(original).state_dict().items():
        assert torch.equal(readable(model.module).state_dict()[key].double(), value), key
    ids = torch.tensor([[5, 6, 7, 5, 54]])
    if name != "qwen2":  # whose tokenizer class rebuilds any tokenizer as its own kind
        assert tokenizer("w1 w2 w3 w1 w50")["input_ids"] == ids[0].tolist()
    for layer, expected in zip(attribute(model.module, ids), oracle_layers(original, ids), strict=True):
        assert_layer(layer[0], expected, 1e-5, of_row=1e-5)
    assert len(model.layers) == 3
    digest = hashlib.sha256(b"model.safetensors\0")
    digest.update(hashlib.sha256((saved[name] / "model.safetensors").read_bytes()).digest())
    assert model.weights_sha256 == digest.hexdigest()


@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_describe(saved, name):
    model, _ = load_model(str(saved[name]), device="cpu", name="my-model", family="mine", seed=4)
    described = model.describe()
    kind = KINDS[name]
    expected = {
        "name": "my-model", "family": "mine", "seed": 4, "revision": None,
        "model_type": {"gemma3": "gemma3_text"}.get(name, name), "placement": kind[0], "component_order": kind[1],
        "is_causal": kind[2], "norm_type": kind[3], "is_gated": kind[4], "activation": kind[5], "n_head": kind[6],
        "n_kv_head": kind[7], "n_layer": 3, "d_model": 24, "d_ff": 40, "vocab_size": 97,
    }  # fmt: skip
    assert {key: described[key] for key in expected} == expected
    assert described["n_params"] == sum(
        value.numel()
        for key, value in load_file(saved[name] / "model.safetensors").items()
        if "pooler" not in key and not (name in ("bart", "t5") and key.startswith("decoder."))  # read by no layer
    )


@pytest.mark.parametrize(("name", "head"), HEADS)
def test_loads_what_was_saved_with_a_head(tmp_path, name, head):
    """A head's parameters are dropped, the base model's are all there; the pooler may be missing."""
    whole = head.from_config(families()[name].tiny_config()).eval()
    randomise(whole.double(), 9)
    whole.float().save_pretrained(tmp_path)
    save_tokenizer(tmp_path)
    model, _ = load_model(str(tmp_path), device="cpu")
    base = whole.base_model.state_dict()
    for key, value in model.module.state_dict().items():
        if "pooler" not in key:
            assert torch.equal(value, base[key]), key
    assert model.describe()["n_layer"] == 3


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision(saved, dtype):
    model, _ = load_model(str(saved["bert"]), device="cpu", dtype=dtype)
    assert model.dtype == dtype
    assert {str(p.dtype) for p in model.module.parameters()} == {f"torch.{dtype}"}
    assert model.layers[0].w_res_in.dtype == torch.float32


def test_weights_in_shards(bert):
    whole, _ = load_model(str(bert), device="cpu")
    (bert / "model.safetensors").unlink()
    whole.module.save_pretrained(bert, max_shard_size="20KB")
    assert len(list(bert.glob("*.safetensors"))) > 1
    sharded, _ = load_model(str(bert), device="cpu")
    assert sharded.weights_sha256 != whole.weights_sha256
    for one, other in zip(whole.module.parameters(), sharded.module.parameters(), strict=True):
        assert torch.equal(one, other)


def test_the_digest_is_of_the_weights(saved, bert):
    before = load_model(str(bert), device="cpu")[0].weights_sha256
    assert load_model(str(saved["bert"]), device="cpu")[0].weights_sha256 == before
    edit_weights(bert, lambda w: w["encoder.layer.0.output.dense.bias"].add_(1))
    assert load_model(str(bert), device="cpu")[0].weights_sha256 != before


def test_a_home_folder(bert, monkeypatch):
    monkeypatch.setenv("HOME", str(bert.parent))
    model, _ = load_model("~/tiny-bert", device="cpu")
    assert model.name == "tiny-bert"


def test_the_folder_one_stands_in(bert, monkeypatch):
    monkeypatch.chdir(bert)
    model, _ = load_model(".", device="cpu")
    assert model.name == "tiny-bert"


def test_remote_code_of_a_known_architecture_is_not_run(bert):
    """auto_map asks for it; BERT's own code from transformers is used."""
    edit_config(bert, auto_map={"AutoModel": "evil.Model", "AutoConfig": "evil.Config"})
    (bert / "evil.py").write_text("raise SystemExit('remote code ran')\n")
    model, _ = load_model(str(bert), device="cpu")
    assert type(model.module).__module__ == "transformers.models.bert.modeling_bert"


# Refusals.


def test_pickled_weights(bert):
    (bert / "model.safetensors").rename(bert / "pytorch_model.bin")
    message = refusal(bert)
    assert "pickled weights (pytorch_model.bin)" in message
    assert "save_pretrained" in message


def test_no_weights(bert):
    (bert / "model.safetensors").unlink()
    assert "no .safetensors weights" in refusal(bert)


@pytest.mark.parametrize(("model_type", "near"), [("bertt", "bert"), ("gpt-2", "gpt2"), ("zzz", None)])
def test_unknown_architecture(bert, model_type, near):
    edit_config(bert, model_type=model_type)
    message = refusal(bert)
    assert f"'{model_type}'" in message
    assert "known: " in message
    if near:
        assert f"nearest: {near}" in message


def test_remote_code(bert):
    edit_config(bert, model_type="evilbert", auto_map={"AutoModel": "evil.Model"})
    (bert / "evil.py").write_text("raise SystemExit('remote code ran')\n")
    message = refusal(bert)
    assert "never run" in message
    assert "'evilbert'" in message
    assert "known: albert" in message


def test_no_tokenizer(bert):
    for path in bert.glob("token*"):
        path.unlink()
    message = refusal(bert)
    assert "tokenizer.json" in message
    assert "save the tokenizer" in message


def test_damaged_tokenizer(bert):
    (bert / "tokenizer.json").write_text("{ not json")
    assert "tokenizer cannot be loaded" in refusal(bert)


def test_no_config(bert):
    (bert / "config.json").unlink()
    assert "no config.json" in refusal(bert)


@pytest.mark.parametrize("text", ["{ not json", "[]", "null", "3", '"bert"', "{}", "", "\x00", '{"model_type": '])
def test_bad_config(bert, text):
    (bert / "config.json").write_text(text)
    message = refusal(bert)
    assert "config.json" in message
    assert "model_type" in message


def test_config_that_is_no_text(bert):
    (bert / "config.json").write_bytes(b"\xff\xfe\x00\x80")
    assert "config.json" in refusal(bert)


@pytest.mark.parametrize("value", [[], {}, 5, None])
def test_model_type_that_is_no_text(bert, value):
    edit_config(bert, model_type=value)
    refusal(bert)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_weights_that_are_not_finite(bert, value):
    def damage(weights):
        weights["encoder.layer.1.intermediate.dense.weight"][3, 4] = value

    edit_weights(bert, damage)
    message = refusal(bert)
    assert "encoder.layer.1.intermediate.dense.weight" in message
    assert "NaN or infinity" in message


def test_weights_beyond_half_precision(bert):
    """Finite in the file, infinite in float16."""
    edit_weights(bert, lambda w: w["encoder.layer.1.output.dense.bias"].fill_(1e5))
    load_model(str(bert), device="cpu")
    assert "encoder.layer.1.output.dense.bias" in refusal(bert, dtype="float16")


def test_missing_parameter(bert):
    edit_weights(bert, lambda w: w.pop("encoder.layer.2.output.LayerNorm.weight"))
    message = refusal(bert)
    assert "encoder.layer.2.output.LayerNorm.weight" in message
    assert "lack" in message


def test_missing_layer(bert):
    edit_config(bert, num_hidden_layers=4)
    assert "encoder.layer.3." in refusal(bert)


def test_a_layer_too_many(bert):
    """A configuration that names fewer layers than the weights hold describes another model."""
    edit_config(bert, num_hidden_layers=2)
    assert "encoder.layer.2." in refusal(bert)


def test_weights_of_another_shape(bert):
    edit_config(bert, intermediate_size=44)
    assert "weights cannot be loaded" in refusal(bert)


def test_missing_pooler_is_no_matter(bert):
    edit_weights(bert, lambda w: [w.pop(key) for key in list(w) if key.startswith("pooler.")])
    load_model(str(bert), device="cpu")


@pytest.mark.parametrize("keep", [0, 4, 100, 0.5, -1])
def test_truncated_weights(bert, keep):
    path = bert / "model.safetensors"
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * keep) if isinstance(keep, float) else keep])
    message = refusal(bert)
    assert str(bert) in message
    assert "weights cannot be loaded" in message


def test_tokenizer_of_another_model(bert):
    save_tokenizer(bert, n_words=98)
    message = refusal(bert)
    assert "ids up to 97" in message
    assert "97 embeddings" in message
    save_tokenizer(bert, n_words=97)
    load_model(str(bert), device="cpu")


def test_a_file(bert):
    assert "a folder, a hub id or a .gguf file, not another file" in refusal(bert / "model.safetensors")


@pytest.mark.parametrize(
    "spec",
    ["/no/such/folder", "./nowhere", "a/b/c", "two words", "../up", "hf:x"],
)
def test_neither_folder_nor_hub_id(spec, monkeypatch):
    monkeypatch.setattr(model_files, "_download", lambda *_: pytest.fail("asked the hub"))
    message = refusal(spec)
    assert "no such folder" in message
    assert "hub id" in message


def test_weights_outside_the_folder(bert):
    """An index that leads elsewhere: what is hashed would not be what is loaded."""
    (bert / "model.safetensors").rename(bert.parent / "elsewhere.safetensors")
    index = {"metadata": {}, "weight_map": {"embeddings.LayerNorm.weight": "../elsewhere.safetensors"}}
    (bert / "model.safetensors.index.json").write_text(json.dumps(index))
    assert "outside its folder" in refusal(bert)


def test_weights_that_are_not_loaded_do_not_count(bert):
    before = load_model(str(bert), device="cpu")[0].weights_sha256
    save_file({"extra": torch.ones(2)}, bert / "another.safetensors")
    assert load_model(str(bert), device="cpu")[0].weights_sha256 == before


def test_a_seed_is_read_off_the_name_or_off_the_folder(bert, tmp_path):
    folder = bert.rename(bert.with_name("multiberts-seed_3"))
    for name in (None, "A"):
        model, _ = load_model(str(folder), device="cpu", name=name)
        assert (model.family_label, model.seed) == ("multiberts", 3)


def test_a_revision_of_a_folder(bert):
    with pytest.raises(UsageError, match="leave it out"):
        load_model(str(bert), device="cpu", revision="v1")


@pytest.mark.parametrize(
    ("file", "words"), [("adapter_config.json", "adapter"), (None, "quantised")], ids=["adapter", "quantised"]
)
def test_weights_that_are_not_the_model(bert, file, words):
    if file:
        (bert / file).write_text("{}")
    else:
        edit_config(bert, quantization_config={"bits": 4})
    assert words in refusal(bert)


@pytest.mark.parametrize("spec", ["", "  "])
def test_an_empty_name(spec):
    assert "name is empty" in refusal(spec)


def test_hub_without_network(monkeypatch, tmp_path):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    for revision in (None, "v1.0"):
        message = refusal("nobody/no-such-model", revision=revision)
        assert "nobody/no-such-model" in message
        assert "the hub did not give it" in message
        assert "check the name" in message
        assert ("revision 'v1.0'" in message) == (revision is not None)


def test_hub_model(saved, tmp_path, monkeypatch):
    """What the hub gives is read like a folder; its commit is the revision, its id the name."""
    commit = tmp_path / "0123abcd"
    shutil.copytree(saved["bert"], commit)
    asked = {}

    def snapshot(repo, **options):
        asked.update(options, repo=repo)
        return str(commit)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot)
    model, _ = load_model("google/multiberts-seed_3", revision="main", device="cpu")
    assert (model.name, model.revision) == ("google/multiberts-seed_3", "0123abcd")
    assert (model.family_label, model.seed) == ("multiberts", 3)
    assert (asked["repo"], asked["revision"]) == ("google/multiberts-seed_3", "main")
    assert not any("bin" in pattern or pattern == "*.py" for pattern in asked["allow_patterns"])


def test_hub_error_of_many_lines(monkeypatch):
    def snapshot(*_, **__):
        message = "404 Client Error.\n\nRepository Not Found for url: x.\nPlease log in."
        raise OSError(message)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot)
    assert "404 Client Error." in refusal("nobody/nothing")


def test_relative_positions(bert):
    edit_config(bert, position_embedding_type="relative_key")
    message = refusal(bert)
    assert "'relative_key'" in message
    assert "'absolute'" in message


@pytest.mark.parametrize("name", ["bert", "gpt2"])
def test_cross_attention(saved, tmp_path, name):
    folder = Path(shutil.copytree(saved[name], tmp_path / name))
    edit_config(folder, add_cross_attention=True, is_decoder=True)
    assert "cross-attention" in refusal(folder)


def test_a_decoder_is_loaded_as_causal(bert):
    edit_config(bert, is_decoder=True)
    assert load_model(str(bert), device="cpu")[0].is_causal


# Devices and names.


@pytest.mark.parametrize("device", ["cuda", "cuda:0", "cuda:7"])
def test_cuda_where_there_is_none(saved, device, monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    message = refusal(saved["bert"], UsageError, device=device)
    assert f"'{device}'" in message
    assert "0 GPUs" in message
    assert "--device cpu" in message


def test_a_gpu_too_far(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert resolve_device("cuda:1") == torch.device("cuda:1")
    with pytest.raises(UsageError, match="2 GPUs"):
        resolve_device("cuda:2")


@pytest.mark.parametrize("device", ["gpu", "tpu", "mps", "meta", "", "cuda:x", "cpu cpu", "CPU"])
def test_unknown_device(saved, device):
    message = refusal(saved["bert"], UsageError, device=device)
    assert f"'{device}'" in message
    assert "use auto, cpu, cuda or cuda:N" in message


def test_auto_device(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert resolve_device("auto") == torch.device("cpu")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert resolve_device("auto") == torch.device("cuda")


@pytest.mark.parametrize(
    ("name", "family", "seed"),
    [
        ("google/multiberts-seed_3", "multiberts", 3),
        ("google/multiberts-seed_0-step_20k", "multiberts-step_20k", 0),
        ("multiberts-seed_24", "multiberts", 24),
        ("EleutherAI/pythia-160m-seed1", "pythia-160m", 1),
        ("pythia-14m-seed9", "pythia-14m", 9),
        ("my_model_seed12", "my_model", 12),
        ("model.seed-7", "model", 7),
        ("some-seed5/plain", None, None),
        ("bert-base-uncased", None, None),
        ("gpt2", None, None),
        ("seed3", None, None),
        ("linseed3", None, None),
        ("model-seeded4", None, None),
        ("model-seed", None, None),
        ("", None, None),
    ],
)
def test_family_and_seed_from_a_name(name, family, seed):
    assert infer_family_and_seed(name) == (family, seed)


def test_labels_given_win_over_the_name(saved, tmp_path):
    folder = Path(shutil.copytree(saved["bert"], tmp_path / "tiny-seed_3"))
    assert [getattr(load_model(str(folder), device="cpu")[0], key) for key in ("family_label", "seed")] == ["tiny", 3]
    model, _ = load_model(str(folder), device="cpu", seed=0, family="")
    assert (model.family_label, model.seed) == ("", 0)


def test_products_are_those_of_the_precision(models) -> None:
    """tf32 holds parameters in float32 and opens the fast products for its own work only; float32 closes them."""
    torch.set_float32_matmul_precision("medium")  # as a notebook may have it
    try:
        for dtype, inside in (("tf32", "high"), ("float32", "highest"), ("bfloat16", "highest")):
            model, _ = load_model(str(models["bert"]), device="cpu", dtype=dtype)
            assert model.module.dtype == (torch.bfloat16 if dtype == "bfloat16" else torch.float32)
            with model.products():
                assert torch.get_float32_matmul_precision() == inside
            assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision("highest")
