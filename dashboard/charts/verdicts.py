"""Claims against models at a glance: a cell for each, its verdict by colour and by sign."""

from typing import Final

import altair as alt
import polars as pl

from dashboard.charts.theme import Chart

SIGNS: Final = {"holds": "✓", "fails": "✗", "not enough data": "–", "not computed": "·"}
"""Verdicts, with the sign that says the same as the colour."""

_COLOURS: Final = ("#009E73", "#D55E00", "#9AA5B1", "#E3E7EB")
_CELL: Final = 24


def verdict_matrix(frame: pl.DataFrame, columns: list[str], subjects: list[str]) -> Chart:
    """Rows of subject, column ("F2 subword"), verdict, value, low, high, p_value, n, quantity, statement and note;
    blank where there is no row."""
    told = frame.with_columns(
        sign=pl.col("verdict").replace_strict(SIGNS, return_dtype=pl.String),
        interval=pl.when(pl.col("low").is_null() | pl.col("high").is_null())
        .then(pl.lit("none"))
        .otherwise(pl.format("{} to {}", pl.col("low").round_sig_figs(3), pl.col("high").round_sig_figs(3))),
    )
    base = alt.Chart(told).encode(
        x=alt.X(
            "column:N",
            sort=columns,
            scale=alt.Scale(domain=columns),
            axis=alt.Axis(orient="top", title=None, labelAngle=-40, labelLimit=120, ticks=False, domain=False),
        ),
        y=alt.Y(
            "subject:N",
            scale=alt.Scale(domain=subjects),
            axis=alt.Axis(title=None, labelLimit=300, ticks=False, domain=False),
        ),
        tooltip=[
            "subject:N", "statement:N", "verdict:N", alt.Tooltip("value:Q", format=".4~g"),
            alt.Tooltip("interval:N", title="95% interval"), alt.Tooltip("p_value:Q", title="p", format=".2~g"),
            alt.Tooltip("n:Q", format=","), "quantity:N", "note:N",
        ],
    )  # fmt: skip
    cells = base.mark_rect(stroke="currentColor", strokeOpacity=0.15, cornerRadius=2).encode(
        color=alt.Color(
            "verdict:N",
            scale=alt.Scale(domain=list(SIGNS), range=list(_COLOURS)),
            legend=alt.Legend(
                orient="bottom",
                symbolType="square",
                labelExpr=" : ".join(f"datum.label == '{name}' ? '{sign}  {name}'" for name, sign in SIGNS.items())
                + " : datum.label",
            ),
        )
    )
    signs = base.mark_text(fontSize=13, fontWeight="bold", color="#111111").encode(text="sign:N")
    return alt.layer(cells, signs).properties(width=alt.Step(54), height=alt.Step(_CELL))
