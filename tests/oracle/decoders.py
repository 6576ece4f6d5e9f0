"""Where the causal models keep their modules, read off the sources of transformers 5."""

from __future__ import annotations

from collections.abc import Callable

from tests.oracle.parts import Module, Parts


def _gpt2(base: Module) -> list[Parts]:
    return [
        Parts(
            placement="pre",
            layer=layer,
            attention=layer.attn,
            value=layer.attn.c_attn,
            value_layout="thirds",
            attn_dense=layer.attn.c_proj,
            ff_norm=layer.ln_2,
            ff_1=layer.mlp.c_fc,
            act=layer.mlp.act,
            ff_2=layer.mlp.c_proj,
            causal=True,
        )
        for layer in base.h
    ]


def _opt(base: Module) -> list[Parts]:
    post = not base.config.do_layer_norm_before
    return [
        Parts(
            placement="post" if post else "pre",
            layer=layer,
            attention=layer.self_attn,
            value=layer.self_attn.v_proj,
            attn_dense=layer.self_attn.out_proj,
            ff_norm=layer.self_attn_layer_norm if post else layer.final_layer_norm,
            ff_1=layer.fc1,
            act=layer.activation_fn,
            ff_2=layer.fc2,
            total_norm=layer.final_layer_norm if post else None,
            causal=True,
        )
        for layer in base.decoder.layers
    ]


def _gpt_neo(base: Module) -> list[Parts]:
    """A local layer's mask is tril xor tril(-window): query - key from 0 to window - 1."""
    config = base.config
    return [
        Parts(
            placement="pre",
            layer=layer,
            attention=layer.attn.attention,
            value=layer.attn.attention.v_proj,
            attn_dense=layer.attn.attention.out_proj,
            ff_norm=layer.ln_2,
            ff_1=layer.mlp.c_fc,
            act=layer.mlp.act,
            ff_2=layer.mlp.c_proj,
            causal=True,
            reach=config.window_size - 1 if config.attention_layers[i] == "local" else None,
        )
        for i, layer in enumerate(base.h)
    ]


def _gpt_neox(base: Module) -> list[Parts]:
    return [
        Parts(
            placement="parallel" if base.config.use_parallel_residual else "pre",
            layer=layer,
            attention=layer.attention,
            value=layer.attention.query_key_value,
            value_layout="by_head",
            attn_dense=layer.attention.dense,
            ff_norm=layer.post_attention_layernorm,
            ff_1=layer.mlp.dense_h_to_4h,
            act=layer.mlp.act,
            ff_2=layer.mlp.dense_4h_to_h,
            causal=True,
        )
        for layer in base.layers
    ]


def _gptj(base: Module) -> list[Parts]:
    return [
        Parts(
            placement="parallel",
            layer=layer,
            attention=layer.attn,
            value=layer.attn.v_proj,
            attn_dense=layer.attn.out_proj,
            ff_norm=layer.ln_1,
            ff_1=layer.mlp.fc_in,
            act=layer.mlp.act,
            ff_2=layer.mlp.fc_out,
            causal=True,
        )
        for layer in base.h
    ]


def _phi(base: Module) -> list[Parts]:
    return [
        Parts(
            placement="parallel",
            layer=layer,
            attention=layer.self_attn,
            value=layer.self_attn.v_proj,
            attn_dense=layer.self_attn.dense,
            ff_norm=layer.input_layernorm,
            ff_1=layer.mlp.fc1,
            act=layer.mlp.activation_fn,
            ff_2=layer.mlp.fc2,
            causal=True,
        )
        for layer in base.layers
    ]


def _llama_layer(base: Module, index: int, placement: str, norms: dict[str, Module | None]) -> Parts:
    """Llama and what follows its module names; `norms` are the norm fields of Parts."""
    layer = base.layers[index]
    return Parts(
        placement=placement,
        layer=layer,
        attention=layer.self_attn,
        value=layer.self_attn.v_proj,
        attn_dense=layer.self_attn.o_proj,
        ff_1=layer.mlp.gate_proj,
        ff_up=layer.mlp.up_proj,
        act=layer.mlp.act_fn,
        ff_2=layer.mlp.down_proj,
        causal=True,
        reach=_causal_window(base.config, index),
        **norms,
    )


def _causal_window(config: Module, index: int) -> int | None:
    """transformers' causal window keeps key > query - window. Mistral has it in all layers, others where they say."""
    kinds = {"qwen2", "qwen3", "gemma2", "gemma3_text"}
    windowed = config.model_type == "mistral" or (
        config.model_type in kinds and config.layer_types[index] == "sliding_attention"
    )
    return config.sliding_window - 1 if windowed and config.sliding_window is not None else None


def _llama(base: Module) -> list[Parts]:
    return [
        _llama_layer(base, i, "pre", {"ff_norm": layer.post_attention_layernorm}) for i, layer in enumerate(base.layers)
    ]


def _gemma2(base: Module) -> list[Parts]:
    return [
        _llama_layer(
            base,
            i,
            "sandwich",
            {
                "ff_norm": layer.pre_feedforward_layernorm,
                "attn_out_norm": layer.post_attention_layernorm,
                "ff_out_norm": layer.post_feedforward_layernorm,
            },
        )
        for i, layer in enumerate(base.layers)
    ]


def _olmo2(base: Module) -> list[Parts]:
    return [
        _llama_layer(
            base,
            i,
            "res_post",
            {
                "ff_norm": None,
                "attn_out_norm": layer.post_attention_layernorm,
                "ff_out_norm": layer.post_feedforward_layernorm,
            },
        )
        for i, layer in enumerate(base.layers)
    ]


DECODERS: dict[str, Callable[[Module], list[Parts]]] = {
    "gpt2": _gpt2,
    "opt": _opt,
    "gpt_neo": _gpt_neo,
    "gpt_neox": _gpt_neox,
    "gptj": _gptj,
    "phi": _phi,
    "llama": _llama,
    "mistral": _llama,
    "qwen2": _llama,
    "qwen3": _llama,
    "gemma": _llama,
    "gemma2": _gemma2,
    "gemma3_text": _gemma2,
    "olmo2": _olmo2,
}
