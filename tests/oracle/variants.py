"""One tiny configuration for every shape of layer that the oracle reads, past the families of `tiny`."""

from __future__ import annotations

import inspect
from typing import Any

from transformers import AutoConfig, AutoModel, PreTrainedModel

from tests.oracle.tiny import in_double, randomise

VOCAB_SIZE = 97
_COMMON = {"vocab_size": VOCAB_SIZE, "bos_token_id": 0, "eos_token_id": 2, "pad_token_id": 1}
_SIZES = {
    "hidden_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 40,
    "max_position_embeddings": 48,
}
_GROUPED = _SIZES | {"num_key_value_heads": 2}
_GPT = {"n_embd": 24, "n_layer": 3, "n_head": 3, "n_inner": 40, "n_positions": 48}
_OPT = {key: size for key, size in _SIZES.items() if key != "intermediate_size"} | {"ffn_dim": 40}
_T5 = {"d_model": 24, "d_kv": 7, "d_ff": 40, "num_layers": 3, "num_heads": 4, "relative_attention_num_buckets": 8}
_NEO = {"hidden_size": 24, "num_layers": 3, "num_heads": 4, "max_position_embeddings": 48, "intermediate_size": 40}
_BART = {
    "d_model": 24,
    "encoder_layers": 3,
    "encoder_attention_heads": 4,
    "encoder_ffn_dim": 40,
    "decoder_layers": 1,
    "decoder_attention_heads": 2,
    "decoder_ffn_dim": 8,
    "max_position_embeddings": 48,
}
_MODERN = _SIZES | {"cls_token_id": 0, "sep_token_id": 2}
_WINDOWS = ["sliding_attention", "full_attention", "sliding_attention"]

VARIANTS: dict[str, dict[str, Any]] = {
    "opt": {"model_type": "opt", **_OPT, "word_embed_proj_dim": 24},
    "opt_post": {"model_type": "opt", **_OPT, "do_layer_norm_before": False, "word_embed_proj_dim": 10},
    "opt_bare": {"model_type": "opt", **_OPT, "enable_bias": False, "layer_norm_elementwise_affine": False},
    "gpt_neo": {
        "model_type": "gpt_neo",
        **_NEO,
        "attention_types": [[["global", "local"], 1], [["local"], 1]],
        "window_size": 4,
    },
    "gpt_neox": {"model_type": "gpt_neox", **_SIZES, "use_parallel_residual": True},
    "gpt_neox_sequential": {
        "model_type": "gpt_neox",
        **_SIZES,
        "use_parallel_residual": False,
        "num_attention_heads": 3,
        "attention_bias": False,
    },
    "gptj": {"model_type": "gptj", **_GPT, "rotary_dim": 4},
    "phi": {
        "model_type": "phi",
        **_GROUPED,
        "num_attention_heads": 3,
        "num_key_value_heads": 1,
        "qk_layernorm": True,
    },
    "llama": {"model_type": "llama", **_GROUPED, "head_dim": 6, "attention_bias": True, "mlp_bias": True},
    "mistral": {"model_type": "mistral", **_GROUPED, "head_dim": 8, "sliding_window": 4},
    "qwen2": {
        "model_type": "qwen2",
        **_GROUPED,
        "num_attention_heads": 3,
        "num_key_value_heads": 1,
        "use_sliding_window": True,
        "sliding_window": 3,
        "max_window_layers": 2,
    },
    "qwen3": {"model_type": "qwen3", **_GROUPED, "head_dim": 8, "attention_bias": True},
    "gemma": {"model_type": "gemma", **_GROUPED, "head_dim": 10, "num_key_value_heads": 1},
    "gemma2": {
        "model_type": "gemma2",
        **_GROUPED,
        "head_dim": 8,
        "query_pre_attn_scalar": 8,
        "sliding_window": 4,
        "layer_types": _WINDOWS,
        "attention_bias": True,
    },
    "gemma3_text": {
        "model_type": "gemma3_text",
        **_GROUPED,
        "head_dim": 8,
        "query_pre_attn_scalar": 8,
        "sliding_window": 4,
        "layer_types": _WINDOWS,
    },
    "olmo2": {"model_type": "olmo2", **_GROUPED, "attention_bias": True},
    "albert": {"model_type": "albert", **_SIZES, "embedding_size": 10},
    "albert_groups": {
        "model_type": "albert",
        **_SIZES,
        "embedding_size": 10,
        "num_hidden_groups": 2,
        "inner_group_num": 2,
    },
    "mpnet": {"model_type": "mpnet", **_SIZES},
    "modernbert": {"model_type": "modernbert", **_MODERN, "local_attention": 4, "global_attn_every_n_layers": 2},
    "modernbert_biases": {
        "model_type": "modernbert",
        **_MODERN,
        "local_attention": 6,
        "norm_bias": True,
        "mlp_bias": True,
        "attention_bias": True,
    },
    "t5": {"model_type": "t5", **_T5, "feed_forward_proj": "relu"},
    "t5_gated": {"model_type": "t5", **_T5, "feed_forward_proj": "gated-gelu"},
    "bart": {"model_type": "bart", **_BART},
}
"""Every entry is a configuration; its key is the name of the variant."""


def tiny_variant(name: str, *, seed: int = 0, **overrides: Any) -> PreTrainedModel:
    """The base model of one of VARIANTS: random weights, float64 throughout, evaluation mode, eager attention."""
    config = AutoConfig.for_model(**(_COMMON | VARIANTS[name] | overrides))
    unknown = set(overrides) - set(inspect.signature(type(config)).parameters)
    if unknown:
        message = f"{name} has no option {', '.join(sorted(unknown))}"
        raise ValueError(message)
    model: PreTrainedModel = AutoModel.from_config(config, attn_implementation="eager")
    in_double(randomise(model.double().eval(), seed))
    return model
