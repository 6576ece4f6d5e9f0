"""What two stored measures may be: fixed lists of columns of one grain, and the queries over two of them.

A grain is what a point is: a token, a sentence, a dimension. The text of a query is made of these lists alone; what is
typed or comes from the URL only chooses among them.
"""

from dataclasses import dataclass
from typing import Final

MOST_POINTS: Final = 2_000
"""Points up to which each is drawn; more are counted in bins."""

BINS: Final = 48
"""Bins on a side."""


@dataclass(frozen=True)
class Grain:
    """A kind of point: where its columns stand, what its unit is, and what each column means (title with unit)."""

    source: str
    unit: str
    measures: dict[str, str]
    expressions: dict[str, str]

    def points(self, x: str, y: str) -> str:
        """SQL of unit, x and y of every point in layer $layer of run $run_id that has both."""
        return f"{self.all_points(x, y)} AND point.layer = $layer"

    def all_points(self, x: str, y: str) -> str:
        """The same of all layers, with the layer."""
        of_x, of_y = (self.expressions.get(name, f"point.{name}") for name in (x, y))
        return (
            f"SELECT point.layer, point.{self.unit} AS unit, {of_x}::DOUBLE AS x, {of_y}::DOUBLE AS y\n{self.source}\n"
            f"    AND {of_x} IS NOT NULL AND {of_y} IS NOT NULL"
        )

    def cloud(self, x: str, y: str) -> str:
        """Every point of a layer."""
        return f"{self.points(x, y)}\nORDER BY unit, x, y"

    def bins(self, x: str, y: str) -> str:
        """Points of a layer counted in BINS x BINS bins of equal width between the least and the greatest value."""
        return f"""WITH points AS (
{self.points(x, y)}
),
ends AS (
    SELECT
        min(x) AS x_min, (max(x) - min(x)) / $bins AS x_step,
        min(y) AS y_min, (max(y) - min(y)) / $bins AS y_step
    FROM points
),
placed AS (
    SELECT
        CASE WHEN x_step > 0 THEN least(floor((x - x_min) / x_step), $bins - 1) ELSE 0 END AS i,
        CASE WHEN y_step > 0 THEN least(floor((y - y_min) / y_step), $bins - 1) ELSE 0 END AS j
    FROM points, ends
)
SELECT
    x_min + i * x_step AS x_from, x_min + (i + 1) * x_step AS x_to,
    y_min + j * y_step AS y_from, y_min + (j + 1) * y_step AS y_to, count(*) AS n_points
FROM placed, ends
GROUP BY ALL
ORDER BY x_from, y_from"""

    def by_layer(self, x: str, y: str) -> str:
        """Spearman's rho of every layer: Pearson's r of average ranks, with how many points and units it is over."""
        return f"""WITH points AS (
{self.all_points(x, y)}
),
ranked AS (
    SELECT
        layer, unit,
        rank() OVER (PARTITION BY layer ORDER BY x) + (count(*) OVER (PARTITION BY layer, x) - 1) / 2 AS rank_x,
        rank() OVER (PARTITION BY layer ORDER BY y) + (count(*) OVER (PARTITION BY layer, y) - 1) / 2 AS rank_y
    FROM points
)
SELECT
    layer, nullif(corr(rank_x, rank_y), 'nan'::DOUBLE) AS rho, count(*) AS n_points, count(DISTINCT unit) AS n_units
FROM ranked
GROUP BY layer
ORDER BY layer"""


_NORMS: Final = {
    "norm_input": "Norm of the layer's input",
    "norm_attn_out": "Norm of attention's output",
    "norm_y": "Norm of attention's output + residual",
    "norm_ff_in": "Norm of FF's input",
    "norm_ff_out": "Norm of FF's output",
    "norm_sum": "Norm of FF's output + residual",
    "norm_output": "Norm of the layer's output",
}
_MIXING: Final = {f"mix_{stage}": f"Mixing ratio, {stage}" for stage in ("atb", "after_ff", "after_res", "after_ln")}
_CONSTANTS: Final = {
    f"const_{stage}": f"Norm of the constant, {stage}" for stage in ("atb", "after_ff", "after_res", "after_ln")
}
_STATES: Final = {"ff_in": "FF's input", "ff_out": "FF's output", "residual": "Residual", "output": "Output"}
_MOMENTS: Final = {"mean_abs": "mean |.|", "mean": "mean", "std": "standard deviation"}
_SIZES: Final = {
    f"{state}_{moment}": f"{title}, {told}" for state, title in _STATES.items() for moment, told in _MOMENTS.items()
}

GRAINS: Final = {
    "token": Grain(
        "FROM token_norm AS point\n"
        "JOIN v_run ON v_run.run_id = point.run_id\n"
        "JOIN token\n"
        "    ON token.corpus_id = v_run.corpus_id AND token.tokenizer_id = v_run.tokenizer_id\n"
        "    AND token.seq_id = point.seq_id AND token.pos = point.pos\n"
        "WHERE point.run_id = $run_id AND ($special OR NOT token.is_special)",
        "seq_id",
        {"norm_ff_out": _NORMS["norm_ff_out"], "mix_after_ff": _MIXING["mix_after_ff"]}
        | _NORMS | _MIXING | _CONSTANTS
        | {"cos_ff_res": "Cosine of FF's output and the residual", "pos": "Position"},
        {},
    ),
    "sentence": Grain(
        "FROM v_sequence_measure AS point\nWHERE point.run_id = $run_id AND point.pair_filter = $pair_filter",
        "seq_id",
        {
            "mean_norm_ff_out": "Mean norm of FF's output", "change_ff": "Change by FF",
            "mean_norm_attn_out": "Mean norm of attention's output", "change_res": "Change by RES",
            "change_ln": "Change by LN", "change_block": "Change by BLOCK", "n_tokens": "Tokens", "n_pairs": "Pairs",
        },
        {},
    ),
    "dimension": Grain(
        "FROM layer_dim AS point\nJOIN v_run ON v_run.run_id = point.run_id\nWHERE point.run_id = $run_id",
        "dim",
        {"ln_ff_gamma_abs": "|LN weight| of the FF block", "ff_out_mean_abs": _SIZES["ff_out_mean_abs"]}
        | {
            "ln_ff_gamma": "LN weight of the FF block", "ln_ff_beta": "LN bias of the FF block",
            "ln_attn_gamma_abs": "|LN weight| of the attention block",
            "ln_attn_gamma": "LN weight of the attention block",
            "ln_attn_beta": "LN bias of the attention block",
        }
        | _SIZES,
        {"ln_ff_gamma_abs": "abs(point.ln_ff_gamma)", "ln_attn_gamma_abs": "abs(point.ln_attn_gamma)"},
    ),
}  # fmt: skip
"""Kinds of points by name; the first two measures of each are those that are shown first."""
