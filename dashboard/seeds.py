"""Agreement of runs as charts take it: every two both ways round, and what kind of pair two runs are."""

import polars as pl

from dashboard.filters import label, plain

ACROSS = "across groups"
ALONE = "without a group"


def square(pairs: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """A matrix of agreement: rows a, b, value, low, high, n_layers; and the names in the order of run ids.

    Args: pairs, rows of run_a, model_a, run_b, model_b, value, low, high. Of several layers the mean, which has no
    interval; it is undefined where a layer's agreement is.
    """
    means = pairs.group_by("run_a", "model_a", "run_b", "model_b").agg(
        value=pl.when(pl.col("value").null_count() == 0).then(pl.col("value").mean()),
        low=pl.when(pl.len() == 1).then(pl.col("low").first()),
        high=pl.when(pl.len() == 1).then(pl.col("high").first()),
        n_layers=pl.len(),
    )
    known = {run: label(run, model) for end in "ab" for run, model in means.select(f"run_{end}", f"model_{end}").rows()}
    one_way = means.with_columns(a=pl.col("run_a").replace_strict(known), b=pl.col("run_b").replace_strict(known))
    columns = ("a", "b", "value", "low", "high", "n_layers")
    both = pl.concat([one_way.select(columns), one_way.rename({"a": "b", "b": "a"}).select(columns)])
    return both, [known[run] for run in sorted(known)]


def kinds(pairs: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Lines of agreement by layer: rows of pair, layer, series, value and what is told; and the series.

    A pair is within a family, across two, or of runs of which one has none.
    """
    series = [
        ALONE if a is None or b is None else f"within {plain(a, 26)}" if a == b else ACROSS
        for a, b in pairs.select("family_a", "family_b").iter_rows()
    ]
    told = pairs.select(
        pl.format("{}-{}", "run_a", "run_b").alias("pair"),
        pl.col("layer_a").alias("layer"),
        "value",
        "low",
        "high",
        "n",
    )
    named = told.with_columns(series=pl.Series(series, dtype=pl.String)).filter(pl.col("value").is_not_null())
    return named, sorted(set(named["series"]), key=lambda name: (name in (ACROSS, ALONE), name))
