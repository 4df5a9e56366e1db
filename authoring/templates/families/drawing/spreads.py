"""Families that draw how values are distributed: histograms with stated bins, boxes side by side."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from authoring.templates.board import Board, Column, Frame, Result, Slots
from authoring.templates.families.drawing.bars import (
    JUDGED,
    PYPLOT,
    STARTUP_S,
    THEME,
    axis_name,
    can_name_an_axis,
    is_named,
    labels,
)
from authoring.templates.families.measures import by_nearness
from authoring.templates.family import (
    Mistake,
    Task,
    at,
    column_slot,
    count_slot,
    family,
    frame_slot,
    lit,
    noun_of,
    number_slot,
    text_slot,
)
from authoring.templates.names_in_words import code, literal, shown
from authoring.templates.phrasebook import EXTREMES, OF_ALL_ROWS, OF_THE_EXTREME_GROUP, STATISTICS

_BINS: Final = (8, 30)
_WISHED: Final = 12
_ROWS: Final = 60  # that a histogram needs
_LONG: Final = 2.5  # times the middle nine tenths that all values may take up: else most bins are empty
_MIDDLE: Final = 2  # bins that the middle half of the values takes up, at least: else one bar hides all others
_BOXES: Final = (2, 8)


@dataclass(frozen=True)
class Bins:
    """Bins of one width that hold every value."""

    low: float
    step: float
    count: int

    @property
    def high(self) -> float:
        """Where the last bin ends."""
        return self.low + self.count * self.step

    @property
    def are_whole(self) -> bool:
        """Whether all edges are whole numbers."""
        return float(self.low).is_integer() and float(self.step).is_integer()

    def code(self) -> str:
        """Return the edges as code."""
        if self.are_whole:
            return f"range({int(self.low)}, {int(self.high) + 1}, {int(self.step)})"
        return f"np.linspace({self.low:g}, {round(self.high, 9):g}, {self.count + 1})"


_SMALLEST: Final = -6  # power of ten of a range


def bins_of(column: Column) -> Bins | None:
    """Return round bins for a column; None where its range is not known or a few values are far from all others."""
    low, high = column.about.min, column.about.max
    if isinstance(low, bool) or not isinstance(low, int | float) or not isinstance(high, int | float) or low >= high:
        return None
    known = [column.quantile(share) for share in ("0.05", "0.25", "0.75", "0.95")]
    lowest, lower, upper, highest = (float("nan") if one is None else float(one) for one in known)
    if not high - low <= _LONG * (highest - lowest):
        return None
    is_whole = isinstance(low, int) and isinstance(high, int)
    size = math.floor(math.log10(high - low))
    if size < _SMALLEST:
        return None  # its edges could not be written in a query
    found = []
    for power in (size - 2, size - 1, size):
        for digit in (1, 2, 2.5, 5):
            step = round(digit * 10**power, 10)
            if is_whole and not float(step).is_integer():
                continue
            first = math.floor(low / step)
            bins = Bins(round(first * step, 10), step, math.floor(high / step) - first + 1)
            if _BINS[0] <= bins.count <= _BINS[1] and upper - lower >= _MIDDLE * step:
                found.append(bins)
    return min(found, key=lambda bins: (abs(bins.count - _WISHED), bins.step), default=None)


def propose_histogram(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number of many values; of all rows, or of those of a group at an end of a table."""
    for table in board.results_of("group table"):
        frame = board.frame(table.facts["frame"])
        number = frame.column(table.facts["number"])
        if is_named(frame.column(table.facts["group"])) and table.facts["is_whole"] and frame.rows >= 3 * _ROWS:
            which = rng.choice(("max", "min"))
            yield from _histogram_slots(frame, number, {"table": table.var, "which": which})
    for frame in board.crosses():
        for number in by_nearness(board, frame.levels(distinct=20))[:2]:
            yield from _histogram_slots(frame, number, {})


def _histogram_slots(frame: Frame, number: Column, more: dict[str, Any]) -> Iterator[dict[str, Any]]:
    bins = bins_of(number)
    if (
        bins is not None
        and not frame.is_series
        and frame.rows - number.missing >= _ROWS
        and can_name_an_axis(number.name)
    ):
        told = {"low": bins.low, "step": bins.step, "bins": bins.count}
        yield {"frame": frame.var, "number": number.name, **told, **more}


def _leader(table: Result, which: str) -> str:
    var, lead = table.var, table.facts["lead"]
    return f'{var}.loc[{var}["{lead}"].idx{which}(), {literal(table.facts["group"])}]'


@family(
    theme=THEME,
    knowledge_points=("histograms", "bins"),
    idea="A histogram of {number}",
    wordings=(
        "How is {number} distributed? Draw a histogram of it over {whose}, with {bins} bins of width {step} from {low} "
        "to {high} (a value on an edge counts in the bin above it) and the number of {rows} in a bin as its height. "
        "Label the x axis {x} and the y axis {y}.",
        "Let me see the distribution of {number}: a histogram of {whose}, in steps of {step} from {low} to {high}, "
        "where a value on an edge belongs to the bin above. The heights shall be counts. Label the x axis "
        "{x} and the y axis {y}.",
    ),
    propose=propose_histogram,
    worth=0.4,
    about=("frame", "number"),
)
def histogram(board: Board, slots: Slots) -> Task:
    """Draw counts in stated bins."""
    frame = frame_slot(board, slots)
    number = column_slot(frame, slots, "number", frame.numbers())
    bins = Bins(float(number_slot(slots, "low")), float(number_slot(slots, "step")), count_slot(slots, "bins"))
    table = board.result(text_slot(slots, "table"), "group table") if slots.get("table") else None
    which = text_slot(slots, "which", ("max", "min")) if table else "max"
    first, whole = "", f"{at(frame, number)}.dropna()" if number.missing else at(frame, number)
    chosen = whole
    group = str(table.facts["group"]) if table else ""
    if table:
        first = f"_group = {_leader(table, which)}\n"
        chosen = f"{frame.var}.loc[{at(frame, group)} == _group, {lit(number)}]" + (
            ".dropna()" if number.missing else ""
        )

    def draw(values: str = chosen, edges: str = bins.code(), options: str = "", *, named: bool = True) -> str:
        ends = labels(number.name, "count") if named else "\nplt.show()"
        return f"{PYPLOT}{first}_values = {values}\nplt.hist(_values, bins={edges}{options}){ends}"

    whose = (
        OF_THE_EXTREME_GROUP(
            rows=noun_of(frame),
            frame=code(frame.var),
            group=code(group),
            which=EXTREMES[which],
            lead=STATISTICS[table.facts["lead"]],
            table=code(table.var),
        )
        if table
        else OF_ALL_ROWS(rows=noun_of(frame), frame=code(frame.var))
    )
    other_end = _leader(table, "min" if which == "max" else "max") if table else ""
    named = f'_axes.set(xlabel={lit(number)}, ylabel="count")'
    return Task(
        words={
            "number": code(number.name),
            "rows": noun_of(frame),
            "whose": whose,
            "bins": str(bins.count),
            "step": shown(bins.step),
            "low": shown(bins.low),
            "high": shown(round(bins.high, 9)),
            "x": axis_name(number.name),
            "y": axis_name("count"),
        },
        body=draw(),
        look="_values",
        validators=JUDGED,
        uses=((frame.var, (number.name, *([group] if group else []))), *(((table.var, ()),) if table else ())),
        checks=(
            f"len(_values) >= {_ROWS // 2}",
            f"_values.min() >= {bins.low:g}",
            f"_values.max() < {round(bins.high, 9):g}",
            f"(np.histogram(_values, {bins.code()})[0] > 0).sum() >= 4",
            *_off_the_edges(bins),
        ),
        mistakes=(
            Mistake(draw(edges="10"), "as many bins as come by default", may_agree=True),
            Mistake(draw(options=", density=True"), "densities instead of counts"),
            Mistake(draw(named=False), "axes without names"),
            *(
                (
                    Mistake(draw(whole), "all rows"),
                    Mistake(draw(chosen.replace("_group", other_end)), "the other end of the table"),
                )
                if table
                else (Mistake(draw(options=", cumulative=True"), "adds the counts up"),)
            ),
        ),
        others=(
            f'{first}_axes = {chosen}.plot.hist(bins={bins.code()}, color="teal", edgecolor="white")\n{named}',
            f"{PYPLOT}{first}_counts, _edges = np.histogram({chosen}, bins={bins.code()})\n"
            f"_figure, _axes = plt.subplots(figsize=(9, 4))\n"
            f'_axes.bar(_edges[:-1], _counts, width=np.diff(_edges), align="edge", color="grey")\n{named}',
        ),
        conventions=1,
        startup_s=STARTUP_S,
        board=board,
    )


def _off_the_edges(bins: Bins) -> tuple[str, ...]:
    """Return the check that no value lies on an edge that has no exact number: programs count it here or there."""
    exact = (bins.step * 8).is_integer() and (bins.low * 8).is_integer()
    place = f"((_values - {bins.low:g}) / {bins.step:g})"
    return () if exact else (f"({place} - {place}.round()).abs().min() > 1e-6",)


def propose_boxes(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of quartiles by groups that have names."""
    for table in board.results_of("quartiles"):
        group = board.frame(table.facts["frame"]).column(table.facts["group"])
        able = is_named(group) and _BOXES[0] <= group.about.distinct <= _BOXES[1]
        if able and can_name_an_axis(group.name, table.facts["number"]):
            yield {"table": table.var}


@family(
    theme=THEME,
    knowledge_points=("box plots", "ordering groups"),
    idea="{number} by {group} as box plots",
    wordings=(
        "Draw the spreads in {table} as box plots: one upright box of {number} for each {group} of {frame}, in falling "
        "order of `median` from left to right, with whiskers of at most 1.5 times `iqr` and single dots "
        "beyond. Label the x axis {x} and the y axis {y}.",
        "Now a picture of it: for each {group} a box plot of {number} from {frame}, side by side in falling order of "
        "the `median` in {table}, the highest on the left. Whiskers of at most 1.5 times `iqr`, dots for all {rows} "
        "beyond them; label the x axis {x} and the y axis {y}.",
    ),
    propose=propose_boxes,
    about=("table",),
)
def box_plot(board: Board, slots: Slots) -> Task:
    """Draw one box for each group, by falling median."""
    table = board.result(text_slot(slots, "table"), "quartiles")
    frame = board.frame(table.facts["frame"])
    group, number = frame.column(table.facts["group"]), frame.column(table.facts["number"])
    order = f'_order = {table.var}.sort_values("median", ascending=False)[{lit(group)}]\n'
    of_one = f"{frame.var}.loc[{at(frame, group)} == name, {lit(number)}].dropna()"

    def draw(values: str = of_one, options: str = "", steps: str = order, *, named: bool = True) -> str:
        ends = labels(group.name, number.name) if named else "\nplt.show()"
        call = f"plt.boxplot(_boxes{options})\nplt.xticks(range(1, len(_boxes) + 1), _order)"
        return f"{PYPLOT}{steps}_boxes = [{values} for name in _order]\n{call}{ends}"

    named = f"_axes.set(xlabel={lit(group)}, ylabel={lit(number)})"
    wide = f"{frame.var}.pivot(columns={lit(group)}, values={lit(number)})"
    return Task(
        words={
            "table": code(table.var),
            "frame": code(frame.var),
            "group": code(group.name),
            "number": code(number.name),
            "rows": noun_of(frame),
            "x": axis_name(group.name),
            "y": axis_name(number.name),
        },
        body=draw(),
        look=f'{table.var}["median"]',
        validators=JUDGED,
        uses=((table.var, ()), (frame.var, (group.name, number.name))),
        checks=(
            f'{table.var}["median"].round(9).is_unique',
            f"{_BOXES[0]} <= len(_boxes) <= {_BOXES[1]}",
            "min(map(len, _boxes)) >= 5",
        ),
        mistakes=(
            Mistake(
                draw(steps=f"_order = {table.var}[{lit(group)}].sort_values()\n"),
                "in the order of names",
                may_agree=True,
            ),
            Mistake(draw(options=", whis=(0, 100)"), "whiskers to the ends", may_agree=True),
            Mistake(draw(options=", showfliers=False"), "no dots", may_agree=True),
            Mistake(draw(named=False), "axes without names"),
        ),
        others=(
            f'{order}_axes = {wide}[list(_order)].plot.box(color="purple", figsize=(9, 5))\n{named}',
            f"{PYPLOT}{order}_figure, _axes = plt.subplots()\nfor _place, name in enumerate(_order):\n"
            f"    _axes.boxplot({of_one}, positions=[_place], widths=0.7, patch_artist=True)\n"
            f"_axes.set_xticks(range(len(_order)), _order)\n{named}",
        ),
        conventions=1,
        startup_s=STARTUP_S,
        board=board,
    )
