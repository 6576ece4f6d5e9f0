"""The claims P1 to P4 of Dar et al. (ACL 2023) put to models, fine-tunings, groups of seeds and classifiers: finding.

The paper states them in words; numbers, bounds and rules are ours, of the form of F1 to F6 where a number has an
interval. P3 counts layers of a few models, where nothing is drawn independently: there p by permutation decides.
"""

from dataclasses import dataclass
from typing import Final

import duckdb
import polars as pl

from warehouse import sqlfiles
from warehouse.analysis.claims import Number, Verdict
from warehouse.analysis.findings import rendered
from warehouse.analysis.part import Frames, Options, Part, Subject
from warehouse.analysis.relabel import relabelled_p
from warehouse.analysis.resample import sign_flip_p

ALPHA: Final = 0.05

_FLIPS: Final = Options(seed=0, n_resamples=10_000)
"""Random signs of P3's contrast: always the same, so that no option of analyze decides a p."""

_SCHEMA: Final = pl.Schema(
    dict.fromkeys(("claim", "aspect", "family"), pl.String)
    | dict.fromkeys(("corpus_id", "model_id", "other_model_id"), pl.Int32)
    | dict.fromkeys(("statement", "quantity"), pl.String)
    | dict.fromkeys(("value", "low", "high", "p_value"), pl.Float64)
    | {"n": pl.Int64, "verdict": pl.String, "rule": pl.String, "note": pl.String, "query": pl.String}
)

_BY_INTERVAL: Final = (
    "holds: the interval is above 0; fails: it is below 0; not enough data: it holds 0, or there is none"
)
_BY_P: Final = f"holds: above 0 with p < {ALPHA:g}; fails: at or below 0; not enough data: neither"


@dataclass(frozen=True)
class ParameterClaim:
    """One aspect of a claim about parameters; `query` is its name in sql/queries/claims."""

    claim: str
    aspect: str
    statement: str
    quantity: str
    query: str
    by_p: bool = False

    @property
    def rule(self) -> str:
        return _BY_P if self.by_p else _BY_INTERVAL


CLAIMS: Final = (
    ParameterClaim(
        "P1",
        "reading",
        "What a model's parameters say of the vocabulary is what its hidden states say.",
        "Share of a state's top items that its active feed-forward values promote, less that of other positions' "
        "states; median over layers; n: tokens",
        "reading_of_model",
    ),
    ParameterClaim(
        "P2",
        "task",
        "What a fine-tuning shifts reads as the task's words.",
        "How much the items of the largest shifts tell labels apart, |z|, beyond items of their frequency; median over "
        "layers; n: items",
        "task_of_shift",
    ),
    ParameterClaim(
        "P3",
        "layers",
        "The layers of models of different seeds meet their own index in embedding space.",
        "Share of layers on their own index less chance's, mean over components and pairs; n: pairs of models",
        "layers_of_group",
        by_p=True,
    ),
    ParameterClaim(
        "P3",
        "contrast",
        "They do so in embedding space more than in feature space.",
        "Share of layers on their own index in embedding space less that in feature space; n: pairs of models",
        "contrast_of_group",
        by_p=True,
    ),
    ParameterClaim(
        "P4",
        "transfer",
        "A fine-tuned classifier's layers work on another model's states after translation through the vocabulary.",
        "Accuracy less the most frequent class' share, median over other models and cuts between layers; n: texts",
        "transfer_of_classifier",
    ),
)
"""In the order in which they are reported."""


def verdict(claim: ParameterClaim, number: Number, p_value: float | None) -> Verdict:
    """What a number and its interval, or its p, say about `number > 0`."""
    value, low, high = number.value, number.low, number.high
    if claim.by_p:
        if value is None or p_value is None:
            return "not enough data"
        return "fails" if value <= 0 else "holds" if p_value < ALPHA else "not enough data"
    if low is None or high is None:
        return "not enough data"
    return "holds" if low > 0 else "fails" if high < 0 else "not enough data"


def _subjects(con: duckdb.DuckDBPyConnection) -> list[Subject]:
    names = ("claim", "family", "model_id", "other_model_id", "corpus_id", "corpus_sha256")
    return [
        Subject(
            key={name: row[name] for name in names},
            title=row["title"],
            runs=frozenset(),
            depends={"content": row["content"]},
        )
        for row in con.sql(sqlfiles.query("analysis/parameter_subjects")).pl().rows(named=True)
    ]


def _compute(con: duckdb.DuckDBPyConnection, subject: Subject, options: Options) -> Frames:
    about = {name: value for name, value in subject.key.items() if name not in ("claim", "corpus_sha256")}
    rows = []
    for claim in (claim for claim in CLAIMS if claim.claim == subject.key["claim"]):
        query = rendered(claim.query, subject.key)
        [row] = con.execute(query).fetchall()
        number = Number(*row)
        p_value = _p_value(con, claim, subject.key["family"]) if claim.by_p else None
        found = verdict(claim, number, p_value)
        rows.append(
            number._asdict()
            | about
            | {
                "claim": claim.claim, "aspect": claim.aspect, "statement": claim.statement, "quantity": claim.quantity,
                "p_value": p_value, "verdict": found, "rule": claim.rule, "query": query,
                "note": _note(claim, number, p_value) if found == "not enough data" else None,
            }
        )  # fmt: skip
    return {"finding": pl.DataFrame(rows, schema=_SCHEMA)}


def _p_value(con: duckdb.DuckDBPyConnection, claim: ParameterClaim, family: str) -> float | None:
    """`layers`: layers numbered at random. `contrast`: the two spaces exchanged at random, component by component."""
    assigned = con.sql(sqlfiles.query("analysis/assigned_layers"), params={"family": family}).pl()
    if claim.aspect == "layers":
        return relabelled_p(assigned.filter(space="embedding"))
    own = assigned.with_columns(own=(pl.col("layer_a") == pl.col("layer_b")).cast(pl.Float64))
    cells = own.pivot("space", index=["model_id_a", "model_id_b", "component"], values="own", aggregate_function="mean")
    if not {"embedding", "feature"} <= {*cells.columns}:
        return None
    differences = cells.select(pl.col("embedding") - pl.col("feature")).drop_nulls()
    p_value = float(sign_flip_p(differences.to_numpy(), _FLIPS)[0])
    return None if p_value != p_value else p_value


def _note(claim: ParameterClaim, number: Number, p_value: float | None) -> str:
    """Why there is no verdict, and what to do."""
    if claim.claim == "P4" and number.value is None:
        return "stitched onto its own base alone: `lenshouse stitch` it onto other seeds"
    if number.value is None:
        return "too few items occur often enough in the corpus" if claim.claim == "P2" else "no feature space"
    if claim.by_p:
        return "no p: too few models or layers" if p_value is None else f"p is {p_value:.3g}: more seeds may decide"
    if number.low is None:
        return f"no interval: n is {number.n}"
    return "the interval holds 0"


PART: Final = Part("parameter_finding", _subjects, _compute, ("analysis/clear_parameter_finding",), is_random=False)
