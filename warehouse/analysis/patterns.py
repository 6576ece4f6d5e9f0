"""How the feed-forward network amplifies the pairs of each linguistic pattern: pattern_effect.

Pairs of one sentence are not independent, so everything is a ratio of sums over sequences: SQL gives the sums of each,
numpy resamples them.
"""

from dataclasses import dataclass, replace
from typing import Any, Final

import duckdb
import numpy as np
import polars as pl

from warehouse import sqlfiles
from warehouse.analysis.part import Frames, Options, Part, Subject
from warehouse.analysis.resample import Floats, benjamini_hochberg, bootstrap, intervals, ratio, sign_flip_p
from warehouse.analysis.runs import Run, run_of, run_subjects, runs, sequences_of

TOP_SHARE: Final = 0.01
"""The most amplified pairs of a layer, rounded up to whole pairs; pairs that equal the last of them count too."""

READS_ATB: Final = ("post_ln", "res_post_ln")
"""Placements whose feed-forward network reads the map atb; in the others it reads after_ln."""

_NUMBERS: Final = (
    *("mean_amp", "mean_amp_low", "mean_amp_high", "effect", "effect_low", "effect_high"),
    *("top_share", "lift", "lift_low", "lift_high", "p_value"),
)

SCHEMA: Final = pl.Schema(
    {
        "run_id": pl.Int32,
        "layer": pl.Int16,
        "pattern": pl.String,
        "relation": pl.String,
        "n_pairs": pl.Int64,
        "n_sequences": pl.Int32,
    }
    | dict.fromkeys(_NUMBERS, pl.Float64)
)


@dataclass(frozen=True)
class Sums:
    """What each of S sequences adds: pairs, FF-amp of them, and how many are among the most amplified.

    Of K patterns (S, K), and of all pairs that each is compared with (S, K), its own among them.
    """

    n: Floats
    amp: Floats
    top: Floats
    all_n: Floats
    all_amp: Floats
    all_top: Floats

    @property
    def counted(self) -> Floats:
        """The pattern's pairs in sequences that hold others too: (S, K)."""
        return gains(self.n, self.amp, self.all_n, self.all_amp)[0]

    @property
    def gain(self) -> Floats:
        """What the sequence adds to the effect: FF-amp of those pairs less the mean FF-amp of the others, (S, K)."""
        return gains(self.n, self.amp, self.all_n, self.all_amp)[1]


def gains(n: Floats, amp: Floats, all_n: Floats, all_amp: Floats) -> tuple[Floats, Floats]:
    """Of S sequences and K kinds of pairs: how many of a kind count, those of sequences that hold others too, and
    their FF-amp less the mean FF-amp of the others.

    Args: n, amp (S, K), pairs of each kind and the sum of their FF-amp; all_n, all_amp (S, K) or (S, 1), of all pairs
    that it is compared with, its own among them. Returns (S, K) twice.
    """
    counted = np.where(all_n > n, n, 0.0)
    others = ratio(all_amp - amp, all_n - n)
    return counted, np.where(counted > 0, amp - n * others, 0.0)


def estimates(sums: Sums, options: Options) -> dict[str, np.ndarray]:
    """Every numeric column of pattern_effect but p_adjusted, (K,) each, NaN where undefined.

    effect = sum_s n_s (mean amp of the pattern's pairs in s - mean amp of the other pairs in s) / sum_s n_s, over the
    sequences that have both: sentences that are amplified as a whole do not count as an effect. (Ours.)
    """
    n_patterns = sums.n.shape[1]

    def statistic(totals: Floats) -> Floats:
        n, amp, top, all_n, all_top, gained, in_both = np.split(totals, 7, axis=-1)
        share = ratio(top, all_top)
        return np.concatenate([ratio(amp, n), ratio(gained, in_both), ratio(share, ratio(n, all_n)), share], axis=-1)

    stacked = np.hstack([sums.n, sums.amp, sums.top, sums.all_n, sums.all_top, sums.gain, sums.counted])
    mean, effect, lift, share = np.split(statistic(stacked.sum(0)), 4)
    draws = bootstrap(stacked, statistic, options)[:, : 3 * n_patterns]
    low, high = (np.split(end, 3) for end in intervals(draws, np.hstack([sums.n, sums.counted, sums.n])))
    n_sequences = (sums.counted > 0).sum(0)
    return {
        "n_pairs": sums.n.sum(0).astype(np.int64),
        "n_sequences": n_sequences,
        "mean_amp": mean, "mean_amp_low": low[0], "mean_amp_high": high[0],
        "effect": effect, "effect_low": low[1], "effect_high": high[1],
        "top_share": share,
        "lift": lift, "lift_low": low[2], "lift_high": high[2],
        "p_value": np.where(n_sequences > 1, sign_flip_p(sums.gain, options), np.nan),
    }  # fmt: skip


def adjusted(frame: pl.DataFrame) -> pl.DataFrame:
    """p_adjusted beside p_value: patterns over all layers together, relations of head_dependent among themselves."""
    p, related = frame["p_value"].to_numpy(), frame["relation"].is_not_null().to_numpy()
    found = np.full(len(p), np.nan)
    for rows in (related, ~related):
        found[rows] = benjamini_hochberg(p[rows])
    return frame.with_columns(p_adjusted=pl.Series(found, dtype=pl.Float64))


_PARALLEL: Final = (
    "{} is of a parallel model: its feed-forward network reads each position alone and amplifies no pair of two, "
    "so effects of patterns are NULL"
)


def _subjects(con: duckdb.DuckDBPyConnection) -> list[Subject]:
    """Complete runs; a note where there is nothing to amplify between positions."""
    subjects = run_subjects(con, words="needed")
    placements = {run.run_id: run.placement for run in runs(con)}
    return [
        replace(subject, note="; ".join(filter(None, [subject.note, _PARALLEL.format(subject.title)])))
        if placements[subject.key["run_id"]] == "parallel" and not subject.missing
        else subject
        for subject in subjects
    ]


def _compute(con: duckdb.DuckDBPyConnection, subject: Subject, options: Options) -> Frames:
    run = run_of(con, subject)
    frames = [_layer(con, run, layer, options) for layer in run.layers]
    return {"pattern_effect": adjusted(pl.concat(frames)).fill_nan(None)}


def _layer(con: duckdb.DuckDBPyConnection, run: Run, layer: int, options: Options) -> pl.DataFrame:
    items, sums = layer_sums(con, run, layer)
    found = estimates(sums, options)
    frame = items.with_columns(
        pl.lit(run.run_id).alias("run_id"),
        pl.lit(layer).alias("layer"),
        *(pl.Series(name, column) for name, column in found.items()),
    )
    if run.placement == "parallel":
        frame = frame.with_columns(pl.lit(None).alias(name) for name in _NUMBERS)
    return frame.select(SCHEMA.names()).cast(SCHEMA)


def layer_sums(con: duckdb.DuckDBPyConnection, run: Run, layer: int) -> tuple[pl.DataFrame, Sums]:
    """Patterns and relations of a layer's pairs (K rows), and what each of the run's sequences adds to them."""
    make_ff_amp(con, run, layer)
    tokens = {"corpus_id": run.corpus_id, "tokenizer_id": run.tokenizer_id}
    whole, least = {}, {}
    for name, any_pair in (("content", False), ("any", True)):
        values: dict[str, Any] = {"any_pair": any_pair}
        [(least[name],)] = con.execute(
            sqlfiles.query("analysis/top_threshold"), values | {"share": TOP_SHARE}
        ).fetchall()
        values["threshold"] = least[name]
        whole[name] = con.execute(sqlfiles.query("analysis/pair_sums"), values).fetchnumpy()
    thresholds = {f"threshold_{name}": value for name, value in least.items()}
    parts = con.sql(sqlfiles.query("analysis/pattern_sums"), params=tokens | thresholds).pl()
    items = parts.select("pattern", "relation").unique(maintain_order=True)
    return items, _sums(sequences_of(con, run), items, parts, whole)


def make_ff_amp(con: duckdb.DuckDBPyConnection, run: Run, layer: int) -> None:
    """The temporary table ff_amp of a layer."""
    tokens = {"corpus_id": run.corpus_id, "tokenizer_id": run.tokenizer_id}
    reads = {"run_id": run.run_id, "layer": layer, "reads_atb": run.placement in READS_ATB}
    con.execute(sqlfiles.query("analysis/ff_amp"), reads | tokens).fetchall()


def _sums(seq_ids: np.ndarray, items: pl.DataFrame, parts: pl.DataFrame, whole: dict[str, Any]) -> Sums:
    """Dense sums of every sequence, in the order of seq_ids; zero where a sequence has no such pair."""
    numbered = parts.join(items.with_row_index("item"), on=["pattern", "relation"], nulls_equal=True)
    at = np.searchsorted(seq_ids, numbered["seq_id"].to_numpy()), numbered["item"].to_numpy()
    own = {name: np.zeros((len(seq_ids), items.height)) for name in ("n_pairs", "sum_amp", "n_top")}
    for name, table in own.items():
        table[at] = numbered[name].to_numpy()
    everything = {name: np.zeros((len(seq_ids), 2)) for name in own}
    for column, rows in enumerate(whole.values()):
        for name, table in everything.items():
            table[np.searchsorted(seq_ids, rows["seq_id"]), column] = rows[name]
    which = (items["pattern"] == "special").to_numpy().astype(int)  # the column of `everything`: content, or any
    return Sums(*own.values(), *(table[:, which] for table in everything.values()))


PART: Final = Part("pattern_effect", _subjects, _compute, ("analysis/clear_pattern_effect",))
