"""The claims F1 to F6 of Kobayashi et al. (ICLR 2024), each with the number that decides it and the rule that does.

The paper states them in words; numbers, thresholds and rules are ours. Every claim has one form: a number with its 95%
interval must lie above a bound. Where it is about layers the number is their median, and so are the ends, of two
middle layers the lower one's lower end and the higher one's higher end: an interval on one side of the bound says that
those of more than half of the layers are on that side. No layer is picked after looking, and no row needs correction
for the number of layers.
"""

from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

Verdict: TypeAlias = Literal["holds", "fails", "not enough data"]

NOTICEABLE: Final = 0.01
"""Change 1 - rho that counts for F1: rounding of float32 changes far fewer ranks, and a rho of 0.99 is no change that
anybody would speak of."""

_LAYERS: Final = "holds: more than half of the layers have an interval above {bound:g} (the median of lower ends is)"
_FAILS: Final = "fails: more than half have one below it (the median of upper ends is)"
_OPEN: Final = "not enough data: neither, or no interval"


class Number(NamedTuple):
    """What a claim's query gives: the number that decides, its 95% interval, and what it is estimated from."""

    value: float | None
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True)
class Claim:
    """One aspect of a claim.

    `of_run` and `of_group` name queries in sql/queries/claims, None where it is not asked of one; `values` are their
    parameters beside run or group. `counts` is what n counts in a run; in a group it counts runs. `first_half`
    restricts it to the layers 1 to n_layer / 2, rounded up.
    """

    claim: str
    aspect: str
    statement: str
    quantity: str
    rule: str
    of_run: str | None
    of_group: str
    values: dict[str, str | None] = field(default_factory=dict)
    bound: float = 0.0
    counts: str = "sequences"
    first_half: bool = False

    def counted(self, *, of_group: bool) -> str:
        """quantity, and what n is of it."""
        return f"{self.quantity}; n: {'runs' if of_group and self.aspect != 'verdicts' else self.counts}"

    @property
    def pattern(self) -> str | None:
        """The linguistic pattern that it is about; None where it needs no annotation."""
        return self.values.get("pattern")


def verdict(claim: Claim, number: Number) -> Verdict:
    """What a number and its interval say about `number > bound`; without an interval, nothing.

    Of the share of agreeing verdicts, which has no interval: all of them must agree.
    """
    if claim.aspect == "verdicts":
        return "not enough data" if number.value is None else "holds" if number.value == 1 else "fails"
    if number.value is None or number.low is None or number.high is None:
        return "not enough data"
    return "holds" if number.low > claim.bound else "fails" if number.high < claim.bound else "not enough data"


def _over_layers(bound: float) -> str:
    return "; ".join([_LAYERS.format(bound=bound), _FAILS, _OPEN])


def _of_interval(what: str) -> str:
    return (
        f"holds: the interval of {what} is above 0; fails: it is below 0; not enough data: it holds 0, or there is none"
    )


def _pattern(aspect: str, unit: str, *, first_half: bool = False) -> Claim:
    where = "the first half of the layers" if first_half else "layers"
    return Claim(
        "F2",
        aspect,
        f"The feed-forward network amplifies {unit}.",
        f"FF-amp of the pairs less that of other pairs of the sequence; median over {where}",
        _over_layers(0).replace("the layers", where) if first_half else _over_layers(0),
        "pattern_of_run",
        "pattern_of_group",
        {"pattern": aspect},
        first_half=first_half,
    )


def _correlation(
    claim: str, aspect: str, statement: str, quantity: str, values: dict[str, str | None], *, counts: str
) -> Claim:
    rule = _over_layers(0)
    return Claim(claim, aspect, statement, quantity, rule, "median_of_run", "median_of_group", values, counts=counts)


_NORM_CHANGE: Final[dict[str, str | None]] = {"measure": "norm_change", "item": "row", "pair_filter": "content"}

CLAIMS: Final = (
    Claim(
        "F1",
        "map",
        "The feed-forward network changes the attention map.",
        "1 - Spearman's rho of the maps before and after FF, content pairs; median over layers",
        _over_layers(NOTICEABLE),
        "median_of_run",
        "median_of_group",
        {"measure": "change", "item": "FF", "pair_filter": "content"},
        bound=NOTICEABLE,
    ),
    _pattern("subword", "pairs of pieces of one word", first_half=True),
    _pattern("compound", "pairs of words that form a compound"),
    _pattern("mwe", "pairs of words of one multi-word expression"),
    _pattern("entity", "pairs of words of one named entity"),
    Claim(
        "F3",
        "block",
        "Residual connection and normalisation take back a part of what the feed-forward network changes.",
        "1 - change by the whole block / change by FF, content pairs; median over layers",
        _over_layers(0),
        "suppressed_of_run",
        "suppressed_of_group",
    ),
    _correlation(
        "F4",
        "size",
        "The norm of the feed-forward output goes with the size of the change.",
        "Spearman's rho of FF output norm and change by FF over query rows; median over layers",
        _NORM_CHANGE,
        counts="query rows",
    ),
    Claim(
        "F4",
        "depth",
        "The norm of the feed-forward output goes with the size of the change most in deep layers.",
        "Mean of that rho over the deeper half of the layers less its mean over the shallower half",
        _of_interval("the difference (deeper layers' lower ends less shallower layers' upper ends, and vice versa)"),
        "depth_of_run",
        "depth_of_group",
        _NORM_CHANGE,
        counts="query rows",
    ),
    _correlation(
        "F5",
        "ff_in",
        "Weights of the normalisation go with the size of the feed-forward input, dimension by dimension.",
        "Spearman's rho of |LN weight| and mean |FF input| over dimensions; median over layers",
        {"measure": "ln_weight", "item": "ff_in", "pair_filter": None},
        counts="dimensions",
    ),
    _correlation(
        "F5",
        "ff_out",
        "Weights of the normalisation go with the size of the feed-forward output, dimension by dimension.",
        "Spearman's rho of |LN weight| and mean |FF output| over dimensions; median over layers",
        {"measure": "ln_weight", "item": "ff_out", "pair_filter": None},
        counts="dimensions",
    ),
    Claim(
        "F6",
        "pairs",
        "The feed-forward networks of a group's models amplify the same pairs.",
        "Pearson's r of FF-amp over the same pairs, mean over pairs of runs; median over layers",
        _over_layers(0),
        None,
        "median_of_group",
        {"measure": "agreement", "item": "ff_amp", "pair_filter": None},
    ),
    Claim(
        "F6",
        "verdicts",
        "The claims have the same verdicts for all models of a group.",
        "Share of the claims' aspects with one verdict in all runs, of those that every run has a verdict on",
        "holds: all of them; fails: not all; not enough data: fewer than two runs, or no aspect with verdicts",
        None,
        "verdicts_of_group",
        counts="aspects",
    ),
)
"""In the order in which they are reported."""
