"""Which charts a report has, and what stands below them."""

from collections.abc import Iterator
from typing import Final, NamedTuple

import altair as alt
import polars as pl

from dashboard import charts
from dashboard.report.contents import Contents
from warehouse.wording import printable

PATTERNS: Final = ("subword", "compound", "mwe", "entity", "head_dependent", "adjacent")

_CHANGE: Final = "Change by each component, 1 - Spearman's rho, content pairs. BLOCK: the first map against the last."
_EFFECT: Final = "FF-amp of a pattern's pairs less that of the same sequence's other pairs: above 0, FF amplifies them."
_SURVIVING: Final = "Change by the whole block over change by FF: below 1, residual and normalisation take some back."
_NORM: Final = "Spearman's rho of the FF output's norm and the change by FF, over query rows."
_WEIGHT: Final = "Spearman's rho of |LN weight| and the mean size of what FF reads and writes, over dimensions."


class Figure(NamedTuple):
    """A chart and what it shows; `is_wide` takes a row of the page for itself."""

    chart: alt.TopLevelMixin
    caption: str
    is_wide: bool = False


def of_run(contents: Contents, run_id: int) -> Iterator[Figure]:
    """Charts of one run; one without numbers is left out."""
    yield from _of_frames({name: frame.filter(run_id=run_id) for name, frame in contents.by_layer.items()})


def of_group(contents: Contents, family: str, corpus_id: int, run_ids: list[int]) -> Iterator[Figure]:
    """Charts of a group's means; the change by FF with its runs behind it, and how far they agree."""
    own = contents.group_estimate.filter(family=family, corpus_id=corpus_id).rename({"mean": "value"})
    curve = own.filter(measure="change", item="FF", pair_filter="content")
    if curve["value"].count():
        behind = contents.by_layer["change"].filter(pl.col("run_id").is_in(run_ids), series="FF")
        yield Figure(
            charts.by_group(curve, behind, "Change by FF, 1 - rho"),
            f"Change by FF, mean of {len(run_ids)} runs with its interval over seeds and sequences; each run in grey.",
        )
    frames = {
        "effect": own.filter(measure="pattern_effect").with_columns(series=pl.col("item")),
        "surviving": own.filter(measure="surviving_share", pair_filter="content").with_columns(series=pl.lit("share")),
        "norm_change": own.filter(measure="norm_change").with_columns(series=pl.lit("rho")),
        "ln_weight": own.filter(pl.col("item").is_in(["ff_in", "ff_out"]), measure="ln_weight").with_columns(
            series=pl.col("item").replace({"ff_in": "FF input", "ff_out": "FF output"})
        ),
    }
    yield from _of_frames(frames)


def _of_frames(frames: dict[str, pl.DataFrame]) -> Iterator[Figure]:
    kept = {name: frame for name, frame in frames.items() if frame["value"].count()}
    if "change" in kept:
        yield Figure(charts.by_layer(kept["change"], ["FF", "RES", "LN", "BLOCK"], "Change, 1 - rho"), _CHANGE)
    if "surviving" in kept:
        names = kept["surviving"]["series"].unique().to_list()
        yield Figure(charts.by_layer(kept["surviving"], names, "Surviving share", nothing=1), _SURVIVING)
    if "norm_change" in kept:
        names = kept["norm_change"]["series"].unique().sort(descending=True).to_list()
        yield Figure(charts.by_layer(kept["norm_change"], names, "Spearman's rho", nothing=0), _NORM)
    if "ln_weight" in kept:
        names = ["FF input", "FF output"]
        yield Figure(charts.by_layer(kept["ln_weight"], names, "Spearman's rho", nothing=0), _WEIGHT)
    if "effect" in kept:
        there = set(kept["effect"].filter(pl.col("value").is_not_null())["series"])
        names = [name for name in PATTERNS if name in there]
        yield Figure(charts.small_multiples(kept["effect"], names, "Effect (FF-amp)", nothing=0), _EFFECT, True)


def of_corpus(contents: Contents, corpus_id: int) -> Iterator[Figure]:
    """Charts of how the runs over one corpus agree, and of how its groups differ."""
    pairs = contents.agreement.filter(pl.col("layer_a").is_not_null() & pl.col("value").is_not_null())
    pairs = pairs.filter(corpus_id=corpus_id)
    for measure, what in (("ff_amp", "token pairs"), ("ff_amp_words", "word pairs, of runs with other tokenizers")):
        found = pairs.filter(measure=measure)
        if not found.is_empty():
            yield _agreement(found, f"Agreement on FF-amp of the same {what}: a line for each two runs.")
    if (n_runs := len({*pairs["run_a"], *pairs["run_b"]})) > 2:
        yield Figure(
            charts.agreement_matrix(*_square(pairs)),
            f"Agreement of {n_runs} runs on FF-amp, mean over layers at the same relative depth.",
        )
    differences = contents.group_difference.filter(
        corpus_id=corpus_id, measure="change", item="FF", pair_filter="content"
    ).rename({"difference": "value"})
    for (a, b), frame in differences.group_by("family_a", "family_b", maintain_order=True):
        yield Figure(
            charts.differences(frame, "Difference in change by FF"),
            f"Change by FF, {printable(str(b))} less {printable(str(a))}, 95% interval by the Multi-Bootstrap.",
        )


def _agreement(found: pl.DataFrame, caption: str) -> Figure:
    within = (pl.col("family_a") == pl.col("family_b")).fill_null(False)
    named = found.select(
        pl.col("layer_a").alias("layer"),
        pl.format("{}-{}", "run_a", "run_b").alias("pair"),
        pl.when(within).then(pl.format("within {}", "family_a")).otherwise(pl.lit("others")).alias("series"),
        "value",
    )
    named = named.with_columns(pl.col("series").map_elements(printable, return_dtype=pl.String))
    names = sorted(named["series"].unique(), key=lambda name: (name == "others", name))
    return Figure(charts.agreement_by_layer(named, names), caption)


def _square(pairs: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Every two runs both ways round, under names that tell runs apart; and the names in the order of run ids."""
    means = pairs.group_by("run_a", "run_b", "model_a", "model_b").agg(pl.col("value").mean())
    rows = [
        (_name(a, model_a), _name(b, model_b), value) for a, b, model_a, model_b, value in means.sort("run_a").rows()
    ]
    both = pl.DataFrame([*rows, *((b, a, value) for a, b, value in rows)], schema=["a", "b", "value"], orient="row")
    known = {_name(a, model): a for a, _, model, _, _ in means.rows()}
    known |= {_name(b, model): b for _, b, _, model, _ in means.rows()}
    return both, sorted(known, key=lambda name: known[name])


def _name(run_id: int, model: str) -> str:
    return f"{run_id} {printable(model)}"
