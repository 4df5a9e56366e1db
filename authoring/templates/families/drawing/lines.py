"""Families that draw what changes with time as lines."""

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from authoring.seeds import ColumnRole
from authoring.templates.board import Board, Result, Slots
from authoring.templates.families.drawing.bars import (
    JUDGED,
    PYPLOT,
    STARTUP_S,
    THEME,
    axis_name,
    can_name_an_axis,
    labels,
)
from authoring.templates.family import Mistake, Task, family, text_slot
from authoring.templates.names_in_words import code, literal
from authoring.templates.phrasebook import AS_TEXTS, PERIODS

WRITTEN: Final = frozenset({"year", "month", "quarter"})  # periods that stand as numbers or texts in a table
_POINTS: Final = 6  # of a line, at least
_MOST: Final = 400


def _line_of(board: Board, table: Result) -> tuple[str, str, str]:
    """Return what a table says over what: the column of the time, that of the value, and the period of a row."""
    facts = table.facts
    if table.kind == "season":
        return str(facts["period"]), "factor", str(facts["period"])
    return str(facts["column"]), str(facts["value"]), str(facts["period"])


def _can_be_drawn(board: Board, table: Result) -> bool:
    """Return whether every program puts the rows of a table at the same places: not where dates are dates."""
    time, value, period = _line_of(board, table)
    if not can_name_an_axis(time, value):
        return False
    if table.kind == "season":
        return period == "month"  # four points are no line
    if not _POINTS <= table.facts["count"] <= _MOST or period not in WRITTEN:
        return False
    frame = board.frame(table.facts["frame"])
    return bool(table.facts["dated"]) or frame.column(time).about.role is ColumnRole.NUMBER


def propose_line(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of periods, or of a season."""
    for table in board.results_of("season", "period table"):
        if _can_be_drawn(board, table):
            yield {"table": table.var}


@family(
    theme=THEME,
    knowledge_points=("line charts", "time series"),
    idea="{value} of {table} as a line",
    wordings=(
        "Draw {value} of {table} as a line, in order of time: {time} along the x axis{texts} and one point for each "
        "row. Label the x axis {x} and the y axis {y}.",
        "Let me see how {value} of {table} moves from {period} to {period}: one line through all its rows in order of "
        "time, with {time} along the x axis{texts}. Label the x axis {x} and the y axis {y}.",
        "Plot {value} of {table} against {time}{texts} as a single line from the first row in time to the last. The x "
        "axis shall be labelled {x}, the y axis {y}.",
    ),
    propose=propose_line,
    about=("table",),
)
def line_chart(board: Board, slots: Slots) -> Task:
    """Draw one value over time as a line."""
    var = text_slot(slots, "table")
    kinds = {one.var: one.kind for one in board.results_of("season", "period table")}
    table = board.result(var, kinds.get(var, "period table"))
    time, value, period = _line_of(board, table)
    x, y = literal(time), literal(value)
    is_text = table.kind != "season" and bool(table.facts["dated"]) and period != "year"

    def draw(call: str, rows: str = f"{var}.sort_values({x})", *, named: bool = True) -> str:
        return f"{PYPLOT}_line = {rows}\n{call}{labels(time, value) if named else chr(10) + 'plt.show()'}"

    plain = f"_line.plot(x={x}, y={y}, legend=False, rot=45)" if is_text else f"plt.plot(_line[{x}], _line[{y}])"
    return Task(
        words={
            "table": code(var),
            "time": code(time),
            "value": code(value),
            "period": PERIODS[period],
            "texts": AS_TEXTS if is_text else "",
            "x": axis_name(time),
            "y": axis_name(value),
        },
        body=draw(plain),
        look=f"_line[{y}]",
        validators=JUDGED,
        uses=((var, ()),),
        checks=(
            f"len(_line) >= {_POINTS}",
            f"_line[{y}].notna().all()",
            f"_line[{x}].is_unique",
            f"_line[{y}].nunique() >= 4",
        ),
        mistakes=(
            Mistake(draw(plain, f"{var}.sort_values({y})"), "in the order of the values"),
            Mistake(draw(f"plt.bar(range(len(_line)), _line[{y}])"), "bars instead of a line"),
            Mistake(draw(f"plt.plot(_line[{x}], _line[{y}].cumsum())"), "adds the values up"),
            Mistake(draw(f"plt.plot(_line[{x}], _line[{y}])", named=False), "axes without names"),
        ),
        others=(
            f"{PYPLOT}_figure, _axes = plt.subplots(figsize=(10, 4))\n_line = {var}.sort_values({x})\n"
            + (
                f"_axes.plot(range(len(_line)), _line[{y}])\n"
                f"_axes.set_xticks(range(0, len(_line), 3), _line[{x}].iloc[::3], rotation=90)\n"
                if is_text
                else f'_axes.plot(_line[{x}].to_numpy(), _line[{y}].to_numpy(), color="firebrick", marker="o")\n'
            )
            + f'_axes.set(xlabel={x}, ylabel={y}, title="Over time")\n_axes.grid(True)',
            f'_axes = {var}.sort_values({x}).set_index({x})[{y}].plot(linestyle="--")\n'
            f"_axes.set_xlabel({x})\n_axes.set_ylabel({y})",
        ),
        startup_s=STARTUP_S,
        board=board,
    )


def propose_spread_lines(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of quartiles over time."""
    for table in board.results_of("spread over time"):
        if can_name_an_axis(table.facts["time"], table.facts["number"]):
            yield {"table": table.var}


@family(
    theme=THEME,
    knowledge_points=("line charts", "legends"),
    idea="The quartiles of {table} as two lines",
    wordings=(
        "Draw `q1` and `q3` of {table} as two lines over {time}, with a legend that calls them {low} and {high}. Label "
        "the x axis {x} and the y axis {y}.",
        "Show how the spread in {table} changes: one line for `q1` and one for `q3`, {time} along the x axis, and a "
        "legend with {low} and {high}. Label the x axis {x} and the y axis {y}.",
    ),
    propose=propose_spread_lines,
    about=("table",),
)
def spread_lines(board: Board, slots: Slots) -> Task:
    """Draw both quartiles over time."""
    table = board.result(text_slot(slots, "table"), "spread over time")
    var, time, number = table.var, str(table.facts["time"]), str(table.facts["number"])
    x = literal(time)

    def draw(first: str = "q1", second: str = "q3", *, names: tuple[str, str] = ("q1", "q3"), end: str = "") -> str:
        lines = "".join(
            f'plt.plot(_line[{x}], _line["{column}"], label="{name}")\n'
            for column, name in zip((first, second), names, strict=True)
        )
        return f"{PYPLOT}_line = {var}.sort_values({x})\n{lines}{end or 'plt.legend()'}{labels(time, number)}"

    return Task(
        words={
            "table": code(var),
            "time": code(time),
            "low": '"q1"',
            "high": '"q3"',
            "x": axis_name(time),
            "y": axis_name(number),
        },
        body=draw(),
        look='_line["q3"] - _line["q1"]',
        validators=JUDGED,
        uses=((var, ()),),
        checks=(f"len(_line) >= {_POINTS}", f"_line[{x}].is_unique", '_line[["q1", "q3"]].notna().all().all()'),
        mistakes=(
            Mistake(draw(second="iqr"), "the range in the place of the third quartile"),
            Mistake(draw(names=("q3", "q1")), "the legend names each line as the other"),
            Mistake(draw(end="pass"), "no legend"),
        ),
        others=(
            f'_axes = {var}.sort_values({x}).plot(x={x}, y=["q3", "q1"], color=["navy", "teal"])\n'
            f"_axes.set(xlabel={x}, ylabel={literal(number)})",
            f'_long = {var}.melt(id_vars={x}, value_vars=["q1", "q3"])\n'
            f'_axes = _long.pivot(index={x}, columns="variable", values="value").plot(figsize=(9, 4))\n'
            f"_axes.set_xlabel({x})\n_axes.set_ylabel({literal(number)})",
        ),
        startup_s=STARTUP_S,
        board=board,
    )
