"""What ingest writes and the warehouse loads: the schemas of Parquet parts, and the vocabulary of the tables.

One name for one thing: the axis in the tensor code, the Parquet column, the SQL column and the chart field are
the same. `layer` counts from 1 (in `rollout` 0 is the input), positions (`query`, `key`, `pos`), `head`, `unit`
and `seq_id` from 0.

A run's parts lie in `<warehouse>.parts/<fingerprint>/`:

    run.json               model, tokenizer, corpus and run as they were when the job began
    sequence.parquet  token.parquet  vocab.parquet  layer_weight.parquet
    shard-00000/           token_pair.parquet token_norm.parquet map_change.parquet layer_dim.parquet
                           head_norm.parquet head_pair.parquet rollout.parquet inlier_change.parquet
                           neuron_activation.parquet (without rows unless asked for)
                           shard.json
    manifest.json          written last: counts that the loader checks before the run is shown

An annotation is one file, word.parquet, which belongs to a corpus and to no run.
"""

from typing import Final

import polars as pl

METHOD_VERSION: Final = "1"
"""Changes whenever the same model and text would give other numbers; part of a run's fingerprint."""

PROJECTION_VERSION: Final = "1"
"""Changes whenever the same parameters would give other projections; stale ones are computed again."""

PAIR_VERSION: Final = "1"
"""The same of pairs."""

PARTS_FORMAT: Final = 4
"""Changes with the layout above or a schema below; 1 had no head_norm, head_pair and rollout, 2 no inlier_change, 3 no
neuron_activation."""

INTEGER: Final = (-(2**31), 2**31 - 1)
"""Least and greatest value of the tables' INTEGER columns."""

STAGES: Final = ("atb", "after_ff", "after_res", "after_ln")
PAIR_MEASURES: Final = ("attn", "attn_norm", *STAGES)
COMPONENTS: Final = ("FF", "RES", "LN", "BLOCK")
PAIR_FILTERS: Final = ("all", "content", "offdiag")

NORM_MEASURES: Final = (
    "norm_input",
    "norm_attn_out",
    "norm_y",
    "norm_ff_in",
    "norm_ff_out",
    "norm_sum",
    "norm_output",
    *(f"const_{stage}" for stage in STAGES),
    *(f"mix_{stage}" for stage in STAGES),
    "cos_ff_res",
    "completeness_error",
)

UNDEFINED: Final = frozenset({"spearman", "cos_ff_res", *(f"mix_{stage}" for stage in STAGES)})
"""Measures without a value for some tokens or maps, as ratios where every piece is zero: NULL in the tables. No other
measure may be."""

COMPLETENESS_VERIFIED: Final = {"float32": 1e-4, "tf32": 0.02, "bfloat16": 0.1, "float16": 0.05}
"""Relative completeness error that a model may show before it is used, by its precision. float32 models measure about
1e-6; in half precision the model's own rounding of its states dominates. That of tf32 is derived, not measured: its
products round to 2^-11, as float16 does."""

COMPLETENESS_STORED: Final = {"float32": 1e-3, "tf32": 0.05, "bfloat16": 0.2, "float16": 0.1}
"""Relative completeness error above which a value is not stored."""

DIM_STATES: Final = ("ff_in", "ff_out", "residual", "output")
"""States whose dimensions are summarised over tokens in `layer_dim`."""

_POSITION = pl.Int16
_LAYER = pl.Int16
_HEAD = pl.Int16
_SEQ = pl.Int32

_CHANGE: Final = pl.Schema(
    {
        "layer": _LAYER,
        "seq_id": _SEQ,
        "component": pl.String,
        "pair_filter": pl.String,
        "spearman": pl.Float64,
        "n_pairs": pl.Int32,
    }
)

SHARD_TABLES: Final[dict[str, pl.Schema]] = {
    "token_pair": pl.Schema(
        {"layer": _LAYER, "seq_id": _SEQ, "query": _POSITION, "key": _POSITION}
        | dict.fromkeys(PAIR_MEASURES, pl.Float32)
    ),
    "token_norm": pl.Schema(
        {"layer": _LAYER, "seq_id": _SEQ, "pos": _POSITION} | dict.fromkeys(NORM_MEASURES, pl.Float32)
    ),
    "map_change": _CHANGE,
    # Partial sums over a shard's tokens; the loader merges them into layer_dim (mean, std) when a run completes.
    "layer_dim": pl.Schema(
        {"layer": _LAYER, "dim": pl.Int32, "n_tokens": pl.Int64}
        | {
            f"{state}_{moment}": pl.Float64
            for state in DIM_STATES
            for moment in ("mean_abs", "mean", "m2")  # m2 = sum of squared deviations from the shard's mean
        }
    ),
    "inlier_change": _CHANGE,  # rows of layers that have outlier dimensions
    "head_norm": pl.Schema(
        {"layer": _LAYER, "seq_id": _SEQ, "head": _HEAD, "pos": _POSITION, "value_norm": pl.Float32}
    ),
    "head_pair": pl.Schema(
        {"layer": _LAYER, "seq_id": _SEQ, "head": _HEAD, "query": _POSITION, "key": _POSITION, "alpha": pl.Float32}
    ),
    "rollout": pl.Schema(
        {
            "measure": pl.String,
            "layer": _LAYER,  # from 0, the input
            "seq_id": _SEQ,
            "query": _POSITION,
            "key": _POSITION,
            "value": pl.Float32,
        }
    ),
    # The strongest of each neuron and sign in the shard; the loader keeps the strongest of all shards.
    "neuron_activation": pl.Schema(
        {
            "layer": _LAYER,
            "unit": pl.Int32,
            "sign": pl.Int16,
            "seq_id": _SEQ,
            "pos": _POSITION,
            "activation": pl.Float32,
        }
    ),
}

RUN_TABLES: Final[dict[str, pl.Schema]] = {
    "sequence": pl.Schema({"seq_id": _SEQ, "text": pl.String, "label": pl.String, "source_id": pl.String}),
    "token": pl.Schema(
        {
            "seq_id": _SEQ,
            "pos": _POSITION,
            "token_id": pl.Int32,
            "char_start": pl.Int32,
            "char_end": pl.Int32,
            "is_special": pl.Boolean,
        }
    ),
    "vocab": pl.Schema({"token_id": pl.Int32, "token": pl.String, "display": pl.String, "is_special": pl.Boolean}),
    "layer_weight": pl.Schema(
        {"layer": _LAYER, "dim": pl.Int32}
        | dict.fromkeys(("ln_attn_gamma", "ln_attn_beta", "ln_ff_gamma", "ln_ff_beta"), pl.Float64)
    ),
}

WORD_TABLE: Final = pl.Schema(
    {
        "seq_id": _SEQ,
        "word_id": pl.Int16,
        "form": pl.String,
        "lemma": pl.String,
        "upos": pl.String,
        "deprel": pl.String,
        "head_word_id": pl.Int16,
        "entity": pl.String,
        "entity_id": pl.Int16,
        "mwe": pl.String,
        "mwe_id": pl.Int16,
        "zipf": pl.Float32,
        "char_start": pl.Int32,
        "char_end": pl.Int32,
    }
)
"""Words of a corpus. Spans of a sequence's words are in order, and disjoint or the same."""
