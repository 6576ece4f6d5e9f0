"""Two measures of one kind of point: rho by layer, with intervals where they can be had in time, and the cloud."""

from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl
import streamlit as st

from dashboard.data import Answer, ask, ask_text, state_of
from dashboard.grains import BINS, MOST_POINTS, Grain
from warehouse.analysis.correlation import spearman
from warehouse.analysis.part import MIN_SEQUENCES, Options
from warehouse.paths import warehouse_path

MOST_RESAMPLED: Final = 60_000
"""Points that are resampled for a page: 1,000 resamples, each ranked anew, of so many take some seconds."""


class Cloud(NamedTuple):
    """Points of a layer as they are drawn: each, or counted in bins."""

    answer: Answer
    n_points: int
    is_binned: bool


def by_layer(grain: Grain, x: str, y: str, values: dict[str, Any]) -> tuple[Answer, pl.DataFrame]:
    """Rho of every layer; and rows of layer, value, low, high, n_points, n_units for a chart.

    Intervals are those of the analysis (`correlation.spearman`: units drawn whole, ranked anew in each resample): of
    all layers where they have no more than MOST_RESAMPLED points together, else of `values["layer"]` alone where it has
    no more, else of none.
    """
    answer = ask_text(grain.by_layer(x, y), values)
    sizes = dict(answer.frame.select("layer", "n_points").iter_rows())
    wanted = list(sizes) if sum(sizes.values()) <= MOST_RESAMPLED else [values["layer"]]
    ends = {
        one: _ends(str(warehouse_path()), state_of(warehouse_path()), grain.cloud(x, y), values | {"layer": one})
        for one in wanted
        if sizes.get(one, MOST_RESAMPLED + 1) <= MOST_RESAMPLED
    }
    numbers = [ends.get(one, (None, None)) for one in answer.frame["layer"]]
    intervals = pl.DataFrame(numbers, schema={"low": pl.Float64, "high": pl.Float64}, orient="row")
    return answer, pl.concat([answer.frame.rename({"rho": "value"}), intervals], how="horizontal")


@st.cache_data(max_entries=500, show_spinner="Drawing resamples")
def _ends(
    path: str, state: tuple[int, int, int], text: str, values: dict[str, Any]
) -> tuple[float | None, float | None]:
    """The interval of rho in a layer; None without one."""
    del path, state  # what tells one answer from another
    points = ask_text(text, values).frame
    [found] = spearman(points.select("x", "y").to_numpy(), points["unit"].to_numpy().astype(np.int64), Options())
    return (None, None) if np.isnan(found.low) else (float(found.low), float(found.high))


def cloud(grain: Grain, x: str, y: str, values: dict[str, Any], n_points: int) -> Cloud:
    """The points of layer `values["layer"]`, in bins where they are more than MOST_POINTS."""
    if n_points > MOST_POINTS:
        return Cloud(ask_text(grain.bins(x, y), values | {"bins": BINS}), n_points, True)
    return Cloud(ask_text(grain.cloud(x, y), values), n_points, False)


def without_interval(frame: pl.DataFrame) -> str:
    """Why some layers have no interval."""
    if int(frame["n_points"].sum()) > MOST_RESAMPLED:
        one = f"the chosen layer alone has an interval, where it has no more than {MOST_RESAMPLED:,}"
        return f"With more than {MOST_RESAMPLED:,} points {one}."
    return f"No interval with fewer than {MIN_SEQUENCES} sentences, or where nothing varies."


def outliers(grain: Grain, x: str, y: str, values: dict[str, Any]) -> pl.DataFrame:
    """The layer's outlier dimensions: rows of label, x, y."""
    dims = ask("correlations/outliers", run_id=values["run_id"], layer=values["layer"]).frame["dim"].to_list()
    points = ask_text(grain.cloud(x, y), values).frame.filter(pl.col("unit").is_in(dims))
    return points.select(pl.col("unit").cast(pl.String).alias("label"), "x", "y")
