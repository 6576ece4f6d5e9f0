"""What goes with what: FF's output norm with its change, LN weights with FF's input and output, any two measures."""

from typing import Any, Final

import polars as pl
import streamlit as st

from dashboard import charts, correlate, filters, measures, measures_correlations, states
from dashboard.data import ask
from dashboard.exhibit import figure
from dashboard.grains import GRAINS, Grain
from warehouse.contract import PAIR_FILTERS

RHO: Final = "Spearman's ρ"
SIDES: Final = {"ff_in": "FF input", "ff_out": "FF output"}
MANY: Final = {"token": "tokens", "sentence": "sentences", "dimension": "dimensions"}


def points(kind: str, x: str, y: str, values: dict[str, Any], n_points: int, about: str) -> None:
    """The cloud of a layer: how many points it has, how they are drawn, and of dimensions the outliers by number."""
    if n_points == 0:
        st.info("No point of this layer has both.", icon=":material/info:")
        return
    grain: Grain = GRAINS[kind]
    found = correlate.cloud(grain, x, y, values, n_points)
    named = correlate.outliers(grain, x, y, values) if kind == "dimension" else None
    chart = charts.cloud(found.answer.frame, grain.measures[x], grain.measures[y], named=named)
    figure(f"{MANY[kind].capitalize()} of layer {values['layer']}", chart, found.answer, key="cloud", about=about)
    drawn = "counted in bins" if found.is_binned else "each drawn"
    st.caption(f"{n_points:,} {MANY[kind]}, {drawn}.")


def norm_and_change(run: dict[str, Any], layer: int) -> None:
    left, right = st.columns(2)
    with left:
        point = filters.switch("A point is", ("sequence", "row"), key="point")
        answer = ask("correlations/norm_change", run_id=run["run_id"], point=point)
        states.require(answer.frame, "These correlations are not computed yet.", states.command("analyze"))
        both = [
            answer.frame.select(
                "layer", "n_points", "n_sequences", series=pl.lit(name), value=f"{prefix}rho", low=f"{prefix}low",
                high=f"{prefix}high", p=f"{prefix}p_value",
            )
            for name, prefix in (("plain", ""), ("attention's norm held", "partial_"))
        ]  # fmt: skip
        chart = charts.by_layer(pl.concat(both), ["plain", "attention's norm held"], RHO, nothing=0, height=270)
        about = measures_correlations.NORM_CHANGE
        figure("FF's output norm and its change", chart, answer, key="norm_change", about=about)
    with right:
        over = ask("correlations/norm_change", run_id=run["run_id"], point="sequence").frame
        n_points = int(over.filter(layer=layer)["n_points"].sum())
        values = {"run_id": run["run_id"], "layer": layer, "pair_filter": "content"}
        about = measures_correlations.NORM_CLOUD
        points("sentence", "mean_norm_ff_out", "change_ff", values, n_points, about)


def ln_weights(run: dict[str, Any], layer: int) -> None:
    left, right = st.columns(2)
    answer = ask("correlations/ln_weight", run_id=run["run_id"])
    states.require(answer.frame, "These correlations are not computed yet.", states.command("analyze"))
    with left:
        without = filters.toggle("Without outlier dimensions", key="inliers", about=measures_correlations.LN_CLOUD)
        prefix, of = ("inlier_", "inlier_rho") if without else ("", "rho")
        own = answer.frame.select(
            "layer", "n_dims", "outlier_dims", series=pl.col("side").replace(SIDES), value=of, low=f"{prefix}low",
            high=f"{prefix}high",
        )  # fmt: skip
        if own["value"].count() == 0:
            st.info("The normalisation of this model has no weights, or all are equal.", icon=":material/info:")
        else:
            chart = charts.by_layer(own, list(SIDES.values()), RHO, nothing=0, height=270)
            about = measures_correlations.LN_WEIGHT
            figure("|LN weight| and FF's size", chart, answer, key="ln_weight", about=about)
    with right:
        side = filters.switch("Size of", list(SIDES), key="side", show=SIDES.__getitem__)
        n_dims = int(answer.frame.filter(layer=layer, side=side)["n_dims"].fill_null(0).sum())
        values = {"run_id": run["run_id"], "layer": layer}
        points("dimension", "ln_ff_gamma_abs", f"{side}_mean_abs", values, n_dims, measures_correlations.LN_CLOUD)


def any_two(run: dict[str, Any], layer: int) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = filters.switch("A point is a", list(GRAINS), key="grain", about=measures_correlations.POINT)
        grain = GRAINS[kind]
        names = {title: name for name, title in grain.measures.items()}
        x = names[filters.choice("Horizontally", list(names), key=f"x_{kind}")]
        y = names[filters.choice("Vertically", list(names), key=f"y_{kind}", default=1)]
        values: dict[str, Any] = {"run_id": run["run_id"], "layer": layer}
        if kind == "token":
            values["special"] = filters.toggle("Special tokens", key="special")
        elif kind == "sentence":
            values["pair_filter"] = filters.choice(
                "Pairs", sorted(PAIR_FILTERS, key=("content", "offdiag", "all").index), key="pairs",
                about=measures.PAIR_FILTER,
            )  # fmt: skip
    left, right = st.columns(2)
    answer, frame = correlate.by_layer(grain, x, y, values)
    with left:
        if frame["value"].count() == 0:
            st.info("No layer has points in which both of them vary.", icon=":material/info:")
        else:
            series = frame.filter(pl.col("value").is_not_null()).with_columns(series=pl.lit("rho"))
            chart = charts.by_layer(series, ["rho"], RHO, nothing=0, height=270)
            figure("Correlation by layer", chart, answer, key="rho", about=measures_correlations.RHO)
            n_points, n_units = frame.select(pl.col("n_points").sum(), pl.col("n_units").max()).row(0)
            of = "" if kind == "dimension" else f" of {n_units:,} sentences"
            few = "" if frame["low"].count() == series.height else " " + correlate.without_interval(frame)
            st.caption(f"{n_points:,} points{of}, all layers together.{few}")
    with right:
        points(kind, x, y, values, int(frame.filter(layer=layer)["n_points"].sum()), measures_correlations.CLOUD)


VIEWS: Final = {"FF norm and change": norm_and_change, "LN weights": ln_weights, "any two measures": any_two}

with st.container(horizontal=True, vertical_alignment="bottom"):
    run = filters.one_run(filters.runs())
    view = filters.switch("Look at", list(VIEWS), key="look")
layer = filters.layer(run["n_layer"])
VIEWS[view](run, layer)
