"""The figures of the page about a sentence, for one run or for two beside each other."""

from collections.abc import Sequence
from functools import cached_property
from typing import Final

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard import measures_sentence, sentences
from dashboard.charts import flow, maps
from dashboard.charts.maps import SIGNED, Axis, Frame, Measure
from dashboard.data import Answer
from dashboard.exhibit import figure, table
from dashboard.filters import escaped
from dashboard.sentences import FF_AMP, MOST_CELLS, Shown

_FLOWING: Final = 40
"""Positions up to which lines can be told apart."""

_SIDE_BY_SIDE: Final = 24
"""Positions up to which two large maps stand beside each other on a small screen, and can be read."""

_SMALL, _HALF, _WHOLE = 107, 300, 640
"""Pixels of one of seven maps in a row, of one beside another, and of one alone, in a window of 1,280."""

_LISTED: Final = 50
"""Pairs in the table."""

_NUMBER: Final = st.column_config.NumberColumn(format="%.4f")


class Panels:
    """Maps of one or two runs over a sentence, with the same colours for the same unit.

    Args: shown, one run or two; places, the positions of each; starts, where its window of queries and of keys begins
    in the list of its positions, where a sentence is too long to be shown whole.
    """

    def __init__(self, shown: Sequence[Shown], places: Sequence[pl.DataFrame], starts: tuple[int, int]) -> None:
        self.shown, self.places = shown, places
        self._windows = [_window(frame["position"].to_list(), starts) for frame in places]
        self._answers = [sentences.cells(one, part) for one, part in zip(shown, self._windows, strict=True)]
        self._frames = [sentences.told(answer.frame) for answer in self._answers]

    @property
    def is_empty(self) -> bool:
        return all(frame.is_empty() for frame in self._frames)

    @cached_property
    def _tops(self) -> dict[str, float]:
        return maps.largest(self._frames, [*self.shown[0].measures, FF_AMP])

    def strips(self, zoom: float) -> None:
        """All maps of a layer side by side, and FF-amp; a long sentence in blocks."""
        overviews = [
            self._blocks(number) if self.places[number].height > MOST_CELLS else self._whole(number)
            for number in range(len(self.shown))
        ]
        measures = [*self.shown[0].measures, FF_AMP]
        tops = maps.largest([frame for _, frame, _, _ in overviews], measures)
        for number, (answer, frame, axis, marked) in enumerate(overviews):
            one = self.shown[number]
            own = [*one.measures, FF_AMP]
            chart = maps.strip(frame, own, axis, axis, tops=tops, told=own, marked=marked, room=round(_SMALL * zoom))
            title = f"Layer {one.layer}: maps in the model's order, and FF-amp"
            if len(self.shown) > 1:
                title = f"{escaped(one.run['title'])}, layer {one.layer}"
            figure(title, chart, answer, key=f"maps_{one.run['run_id']}", about=measures_sentence.MAPS)

    def _whole(self, number: int) -> tuple[Answer, pl.DataFrame, Axis, Frame | None]:
        return self._answers[number], self._frames[number], sentences.axis(self.places[number]), None

    def _blocks(self, number: int) -> tuple[Answer, pl.DataFrame, Axis, Frame | None]:
        size = sentences.block_size(self.places[number])
        answer = sentences.blocks(self.shown[number], size)
        part = self._windows[number]
        marked = Frame(*((low // size, high // size) for low, high in part))
        return answer, sentences.told(answer.frame), sentences.block_axis(self.places[number], size), marked

    def large(self, measure: Measure, zoom: float) -> None:
        """One map large, with what flows beside it; of two runs both, and their difference."""
        if len(self.shown) == 1:
            left, right = self._two([1.2, 1])
            with left:
                self._map(0, measure, _title(measure), zoom)
            with right:
                self._flow(0, measure, f"{_title(measure)}, as lines", zoom)
            return
        for draw in (self._map, self._flow):
            for number, column in enumerate(self._two([1, 1])):
                with column:
                    draw(number, measure, f"{_title(measure)} of run {self.shown[number].run['run_id']}", zoom)
            if draw == self._map:
                self._difference(measure, zoom)

    @property
    def _is_short(self) -> bool:
        return all(frame.height <= _SIDE_BY_SIDE for frame in self.places)

    def _room(self, zoom: float) -> int:
        return round(zoom * (_HALF if self._is_short else _WHOLE))

    def _two(self, widths: list[float]) -> list[DeltaGenerator]:
        """Places for two figures: beside each other where they fit, else one below the other."""
        return st.columns(widths) if self._is_short else [st.container(), st.container()]

    def _map(self, number: int, measure: Measure, title: str, zoom: float) -> None:
        one, part = self.shown[number], self._windows[number]
        rows, columns = (sentences.axis(self.places[number], *ends) for ends in part)
        told = [*one.measures, FF_AMP]
        chart = maps.one(
            self._frames[number], measure, rows, columns, tops=self._tops, told=told, room=self._room(zoom)
        )
        key = f"{measure.name}_{one.run['run_id']}"
        figure(title, chart, self._answers[number], key=key, about=_about(measure))

    def _flow(self, number: int, measure: Measure, title: str, zoom: float) -> None:
        one = self.shown[number]
        if self.places[number].height > _FLOWING:
            st.caption(f"Lines are drawn of sentences of up to {_FLOWING} {one.unit}s.")
            return
        frame, axis, top = self._frames[number], sentences.axis(self.places[number]), self._tops[measure.unit]
        chart = flow.flow(
            frame, measure, axis, axis, top=top, told=[*one.measures, FF_AMP], zoom=zoom if self._is_short else 2 * zoom
        )
        key = f"flow_{measure.name}_{one.run['run_id']}"
        figure(title, chart, self._answers[number], key=key, about=measures_sentence.FLOW)
        n_values, n_lines = frame[measure.name].count(), flow.drawn(frame, measure, top).height
        st.caption(
            f"{n_lines} of {n_values} pairs have a line: those of at least {flow.LEAST:.0%} of the largest value."
        )

    def _difference(self, measure: Measure, zoom: float) -> None:
        a, b = self.shown
        if measure.unit == "norm":
            st.caption("Norms of two models have no unit in common: choose row-normalised values for their difference.")
            return
        if not sentences.agree(a, b):
            st.caption(
                "The two runs cut this text into different pieces, so their pairs have no difference"
                + ("; words have one." if a.unit == "token" else ".")
            )
            return
        part = self._windows[0]
        answer = sentences.difference(a, b, part)
        frame = sentences.told(answer.frame)
        if frame.is_empty():
            return
        signed = [one._replace(unit=SIGNED) for one in (*a.measures, FF_AMP)]
        own = next(one for one in signed if one.name == measure.name)
        rows, columns = (sentences.axis(self.places[0], *ends) for ends in part)
        chart = maps.one(
            frame, own, rows, columns, tops=maps.largest([frame], [own]), told=signed, room=self._room(zoom)
        )
        title = f"{_title(measure)}: run {b.run['run_id']} less run {a.run['run_id']}"
        figure(title, chart, answer, key=f"difference_{measure.name}", about=measures_sentence.DIFFERENCE)


def pairs(shown: Sequence[Shown], measure: Measure) -> None:
    """A table of the strongest pairs for each run."""
    for one in shown:
        answer = sentences.strongest(one, measure, _LISTED)
        title = f"Strongest pairs by {_title(measure)}"
        if len(shown) > 1:
            title += f", run {one.run['run_id']}"
        rows = answer.frame
        columns = {name: _NUMBER for name, kind in rows.schema.items() if kind.is_float()}
        texts = {name: [sentences.label(text) for text in rows[name]] for name in ("query_text", "key_text")}
        order = ["query", "query_text", "key", "key_text", "ff_amp", *(m.name for m in one.measures), "patterns"]
        frame = rows.with_columns(**{name: pl.Series(v, dtype=pl.String) for name, v in texts.items()}).select(order)
        key = f"pairs_{one.run['run_id']}"
        table(title, answer, key=key, about=measures_sentence.PAIRS, columns=columns, frame=frame)


def _title(measure: Measure) -> str:
    return "FF-amp" if measure == FF_AMP else f"`{measure.name}`"


def _about(measure: Measure) -> str:
    return measures_sentence.FF_AMP if measure == FF_AMP else measures_sentence.MAPS


def _window(places: list[int], starts: tuple[int, int]) -> Frame:
    """First and last position of the window of queries and of keys; a shorter sentence is within it whole."""

    def ends(start: int) -> tuple[int, int]:
        first = max(0, min(start, len(places) - MOST_CELLS))
        return places[first], places[min(first + MOST_CELLS, len(places)) - 1]

    return Frame(ends(starts[0]), ends(starts[1]))
