"""Where the bidirectional models keep their modules, read off the sources of transformers 5."""

from __future__ import annotations

from collections.abc import Callable

from tests.oracle.parts import Module, Parts


def _bert(base: Module) -> list[Parts]:
    return [
        Parts(
            placement="post",
            layer=layer,
            attention=layer.attention.self,
            value=layer.attention.self.value,
            attn_dense=layer.attention.output.dense,
            ff_norm=layer.attention.output.LayerNorm,
            ff_1=layer.intermediate.dense,
            act=layer.intermediate.intermediate_act_fn,
            ff_2=layer.output.dense,
            total_norm=layer.output.LayerNorm,
            causal=bool(getattr(base.config, "is_decoder", False)),
        )
        for layer in base.encoder.layer
    ]


def _distilbert(base: Module) -> list[Parts]:
    return [
        Parts(
            placement="post",
            layer=layer,
            attention=layer.attention,
            value=layer.attention.v_lin,
            attn_dense=layer.attention.out_lin,
            ff_norm=layer.sa_layer_norm,
            ff_1=layer.ffn.lin1,
            act=layer.ffn.activation,
            ff_2=layer.ffn.lin2,
            total_norm=layer.output_layer_norm,
        )
        for layer in base.transformer.layer
    ]


def _mpnet(base: Module) -> list[Parts]:
    return [
        Parts(
            placement="post",
            layer=layer,
            attention=layer.attention.attn,
            value=layer.attention.attn.v,
            attn_dense=layer.attention.attn.o,
            ff_norm=layer.attention.LayerNorm,
            ff_1=layer.intermediate.dense,
            act=layer.intermediate.intermediate_act_fn,
            ff_2=layer.output.dense,
            total_norm=layer.output.LayerNorm,
        )
        for layer in base.encoder.layer
    ]


def _albert(base: Module) -> list[Parts]:
    """Layers of a group are the same modules: as many Parts as layers run, in the order in which they run."""
    config = base.config
    groups = [
        base.encoder.albert_layer_groups[int(i / (config.num_hidden_layers / config.num_hidden_groups))]
        for i in range(config.num_hidden_layers)
    ]
    return [
        Parts(
            placement="post",
            layer=layer,
            attention=layer.attention,
            value=layer.attention.value,
            attn_dense=layer.attention.dense,
            ff_norm=layer.attention.LayerNorm,
            ff_1=layer.ffn,
            act=layer.activation,
            ff_2=layer.ffn_output,
            total_norm=layer.full_layer_layer_norm,
        )
        for group in groups
        for layer in group.albert_layers
    ]


def _bart(base: Module) -> list[Parts]:
    return [
        Parts(
            placement="post",
            layer=layer,
            attention=layer.self_attn,
            value=layer.self_attn.v_proj,
            attn_dense=layer.self_attn.out_proj,
            ff_norm=layer.self_attn_layer_norm,
            ff_1=layer.fc1,
            act=layer.activation_fn,
            ff_2=layer.fc2,
            total_norm=layer.final_layer_norm,
        )
        for layer in base.layers
    ]


def _modernbert(base: Module) -> list[Parts]:
    """A local layer keeps |query - key| <= config.sliding_window, which is half of config.local_attention."""
    config = base.config
    return [
        Parts(
            placement="pre",
            layer=layer,
            attention=layer.attn,
            value=layer.attn.Wqkv,
            value_layout="thirds",
            attn_dense=layer.attn.Wo,
            ff_norm=layer.mlp_norm,
            ff_1=layer.mlp.Wi,
            ff_1_is_fused=True,
            act=layer.mlp.act,
            ff_2=layer.mlp.Wo,
            reach=config.sliding_window if config.layer_types[i] == "sliding_attention" else None,
        )
        for i, layer in enumerate(base.layers)
    ]


def _t5(base: Module) -> list[Parts]:
    parts = []
    for block in base.block:
        attention, ff = block.layer[0].SelfAttention, block.layer[-1].DenseReluDense
        gated = hasattr(ff, "wi_0")
        parts.append(
            Parts(
                placement="pre",
                layer=block,
                attention=attention,
                alpha_index=2,
                value=attention.v,
                attn_dense=attention.o,
                ff_norm=block.layer[-1].layer_norm,
                ff_1=ff.wi_0 if gated else ff.wi,
                ff_up=ff.wi_1 if gated else None,
                act=ff.act,
                ff_2=ff.wo,
            )
        )
    return parts


ENCODERS: dict[str, Callable[[Module], list[Parts]]] = {
    "bert": _bert,
    "roberta": _bert,
    "electra": _bert,
    "distilbert": _distilbert,
    "mpnet": _mpnet,
    "albert": _albert,
    "bart": _bart,
    "modernbert": _modernbert,
    "t5": _t5,
}
