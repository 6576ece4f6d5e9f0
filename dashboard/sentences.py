"""One sentence under one run: its positions, its maps as cells or blocks, and what two runs have in common of it."""

from dataclasses import dataclass
from typing import Any, Final, Literal

import polars as pl

from dashboard.charts.maps import SIGNED, Axis, Frame, Measure
from dashboard.data import Answer, ask
from dashboard.filters import plain

Unit = Literal["token", "word"]

MOST_CELLS: Final = 48
"""Positions on a side up to which a map is shown whole: what a page can draw, and what can be read."""

_BLOCKS: Final = 32
"""Blocks on a side of the overview of a longer sentence, at most."""

_LABEL: Final = 18
"""Characters of a token that a map has room for."""

MOST_TOKENS: Final = 2**15
"""More than any sequence has."""

_COLUMN: Final = {"FF": "after_ff", "RES": "after_res", "LN": "after_ln"}

FF_AMP: Final = Measure("ff_amp", "FF-amp", SIGNED)


@dataclass(frozen=True)
class Shown:
    """What is shown of a run: a sentence in a layer, by token or by word; `run` is a row of `filters.runs`."""

    run: dict[str, Any]
    seq_id: int
    layer: int
    unit: Unit
    normalised: bool
    special: bool
    diagonal: bool

    @property
    def measures(self) -> list[Measure]:
        """The maps in the order in which the model makes them, each with the unit that its values are in."""
        order = ["attn", "attn_norm", "atb", *(_COLUMN[name] for name in self.run["component_order"].split(","))]
        if self.normalised:
            return [Measure(name, name, "share") for name in order]
        return [Measure(name, name, "weight" if name == "attn" else "norm") for name in order]

    def values(self) -> dict[str, Any]:
        """The parameters of the queries about its cells."""
        return {
            "run_id": self.run["run_id"], "seq_id": self.seq_id, "layer": self.layer, "unit": self.unit,
            "normalised": self.normalised, "special": self.special, "diagonal": self.diagonal,
        }  # fmt: skip


def positions(shown: Shown) -> pl.DataFrame:
    """Rows of position, text, is_special and token_id: what rows and columns of its maps are, those that are shown."""
    names = ("corpus_id", "tokenizer_id")
    values = {name: shown.run[name] for name in names} | {"seq_id": shown.seq_id, "unit": shown.unit}
    frame = ask("sentence/positions", **values).frame
    return frame if shown.special else frame.filter(~pl.col("is_special"))


def agree(a: Shown, b: Shown) -> bool:
    """Whether a position is the same thing in both: the same token of one tokenizer, or the same word."""
    if a.unit == "token" and a.run["tokenizer_id"] != b.run["tokenizer_id"]:
        return False
    return positions(a).equals(positions(b))


def axis(frame: pl.DataFrame, first: int = 0, last: int = MOST_TOKENS) -> Axis:
    """The positions between two, both included, with what stands at them."""
    part = frame.filter(pl.col("position").is_between(first, last))
    return Axis(part["position"].to_list(), [label(text) for text in part["text"]])


def label(text: str | None) -> str:
    """A token's text for an axis: short, and never empty."""
    shown = plain(text or "", _LABEL)
    return shown if shown.strip() else "␣" * max(len(shown), 1)


def cells(shown: Shown, part: Frame) -> Answer:
    """A row for each query and key of a part."""
    return ask("sentence/cells", **shown.values(), **_bounds(part))


def difference(a: Shown, b: Shown, part: Frame) -> Answer:
    """A row for each query and key of a part that both have: b less a, row-normalised."""
    shared = {"unit": a.unit, "special": a.special, "diagonal": a.diagonal}
    own = {
        f"{name}_{end}": value
        for end, one in (("a", a), ("b", b))
        for name, value in (("run", one.run["run_id"]), ("layer", one.layer), ("seq", one.seq_id))
    }
    return ask("sentence/difference", **shared, **own, **_bounds(part))


def strongest(shown: Shown, measure: Measure, limit: int) -> Answer:
    """A row for each of the pairs with the largest values, of the whole sentence."""
    return ask("sentence/pairs", **shown.values(), measure=measure.name, limit=limit)


def blocks(shown: Shown, size: int) -> Answer:
    """A row for each block of `size` queries and keys: means."""
    return ask("sentence/blocks", **shown.values(), size=size)


def block_size(frame: pl.DataFrame) -> int:
    """Positions on a side of a block, so that there are at most _BLOCKS."""
    return (max(frame["position"].to_list()) + _BLOCKS) // _BLOCKS


def block_axis(frame: pl.DataFrame, size: int) -> Axis:
    numbers = sorted({position // size for position in frame["position"]})
    return Axis(numbers, [f"{number * size}" for number in numbers])


def told(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows for a chart: texts on one line and short, numbers of no more digits than a pointer tells."""
    numbers = [name for name, kind in frame.schema.items() if kind.is_float()]
    shown = frame.with_columns(pl.col(numbers).round_sig_figs(5))
    for name, new in (("query_text", "query_label"), ("key_text", "key_label")):
        if name in frame.columns:
            labels = [plain(text or "", 60) for text in frame[name]]
            shown = shown.with_columns(pl.Series(new, labels, dtype=pl.String)).drop(name)
    if "patterns" in frame.columns:
        patterns = [plain(text or "none", 200) for text in frame["patterns"]]
        shown = shown.with_columns(pl.Series("patterns", patterns, dtype=pl.String))
    return shown


def _bounds(part: Frame) -> dict[str, int]:
    return dict(zip(("query_from", "query_to", "key_from", "key_to"), (*part.queries, *part.keys), strict=True))
