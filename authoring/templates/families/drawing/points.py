"""Families that draw two measures against one another as dots."""

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from authoring.templates.board import Board, Column, Frame, Slots
from authoring.templates.families.comparing.association import measures_of, own_frames, partners_of
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
from authoring.templates.family import Mistake, Task, at, column_slot, family, frame_slot, lit, noun_of, text_slot
from authoring.templates.names_in_words import code, literal
from authoring.templates.phrasebook import AXES, COLOURED, LOGARITHMIC, LOGARITHMIC_BOTH

_ROWS: Final = (20, 1500)  # fewer say nothing, more hide one another
_VARIED: Final = 12  # values of each measure
_SKEWED: Final = 10.0  # times the median that the largest value is where a logarithm shows more
_COLOURS: Final = 5
_TELLING: Final = 0.15  # how closely two measures go together that are worth a picture


def _is_skewed(column: Column) -> bool:
    low, high, middle = column.about.min, column.about.max, column.quantile("0.5")
    numbers = all(isinstance(one, int | float) and one > 0 for one in (low, high, middle))
    return numbers and float(high or 0) > _SKEWED * float(middle or 1)


def _holds_changes(board: Board, frame: Frame) -> bool:
    """Return whether a frame holds what the columns of a series change by, under their names."""
    return any(main.is_series and main.table == frame.table and main.var != frame.var for main in board.mains())


def _can_be_drawn(frame: Frame, *columns: Column) -> bool:
    varied = all(c.about.distinct >= _VARIED and can_name_an_axis(c.name) for c in columns)
    return varied and _ROWS[0] <= frame.rows <= _ROWS[1]


def _colours_of(frame: Frame, *columns: Column) -> list[Column]:
    able = (c for c in frame.groups(most=_COLOURS) if is_named(c) and not c.missing)
    return [c for c in able if not any(frame.are_twins(c, one) for one in columns)]


def propose_scatter(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """The measure and a partner that goes with it, perhaps with a group as colours."""
    for frame in own_frames(board):
        for y in measures_of(board, frame)[:1]:
            for x in partners_of(board, frame, y)[:2]:
                if _can_be_drawn(frame, x, y) and frame.tells(x, y) >= _TELLING:
                    group = next(iter(_colours_of(frame, x, y)), None)
                    slots = {"frame": frame.var, "x": x.name, "y": y.name}
                    yield {**slots, **({"group": group.name} if group is not None else {})}


@family(
    theme=THEME,
    knowledge_points=("scatter plots", "legends"),
    idea="{other} and {measure} as a scatter plot",
    wordings=(
        "Plot {measure} against {other} as a scatter plot: one dot for each of the {rows} of {frame} that have both "
        "values, {other} along the x axis{colours}. Label the x axis {x} and the y axis {y}{logs}.",
        "Let me see how {measure} and {other} go together: draw the {rows} of {frame} as dots, with {other} "
        "along the x axis and {measure} along the y axis{colours}, without a fitted line. Label the x axis {x} and the "
        "y axis {y}{logs}.",
    ),
    propose=propose_scatter,
    about=("x", "y"),
)
def scatter_plot(board: Board, slots: Slots) -> Task:
    """Draw two measures as dots."""
    frame = frame_slot(board, slots)
    x, y = (column_slot(frame, slots, key, frame.numbers()) for key in ("x", "y"))
    group = column_slot(frame, slots, "group", _colours_of(frame)) if slots.get("group") else None
    return _scatter(board, frame, x=x, y=y, group=group)


def _scatter(board: Board, frame: Frame, *, x: Column, y: Column, group: Column | None) -> Task:
    names = [f"change of {c.name}" if _holds_changes(board, frame) else c.name for c in (x, y)]
    logs = [axis for axis, column in (("x", x), ("y", y)) if _is_skewed(column)]
    scales = "".join(f'\nplt.{axis}scale("log")' for axis in logs)

    def draw(
        first: str = lit(x), second: str = lit(y), *, named: bool = True, scaled: str = scales, kind: str = ""
    ) -> str:
        ends = labels(*names) if named else "\nplt.show()"
        if group is None:
            return f"{PYPLOT}plt.{kind or 'scatter'}({frame.var}[{first}], {frame.var}[{second}]){scaled}{ends}"
        return (
            f"{PYPLOT}for _name, _part in {frame.var}.groupby({lit(group)}):\n"
            f"    plt.{kind or 'scatter'}(_part[{first}], _part[{second}], label=_name)\nplt.legend(){scaled}{ends}"
        )

    named = (
        f"_axes.set(xlabel={literal(names[0])}, ylabel={literal(names[1])}"
        + "".join(f', {axis}scale="log"' for axis in logs)
        + ")"
    )
    both = f"{frame.var}.dropna(subset=[{lit(x)}, {lit(y)}])"
    mistakes = [
        Mistake(draw(lit(y), lit(x)), "the axes change places"),
        Mistake(draw(named=False), "axes without names"),
        Mistake(draw(kind="plot"), "lines from dot to dot"),
    ]
    if logs:
        mistakes.append(Mistake(draw(scaled=""), "plain axes"))
    if group is not None:
        mistakes.append(Mistake(draw().replace("plt.legend()", "pass"), "no legend"))
    return Task(
        words={
            "frame": code(frame.var),
            "measure": code(y.name),
            "other": code(x.name),
            "rows": noun_of(frame),
            "colours": COLOURED(group=code(group.name)) if group is not None else "",
            "logs": LOGARITHMIC_BOTH if len(logs) == 2 else LOGARITHMIC(axis=AXES[logs[0]]) if logs else "",
            "x": axis_name(names[0]),
            "y": axis_name(names[1]),
        },
        body=draw(),
        look=at(frame, y),
        validators=JUDGED,
        uses=((frame.var, (x.name, y.name, *([group.name] if group is not None else []))),),
        checks=(
            f"{_ROWS[0]} <= len({both}) <= {_ROWS[1]}",
            f"{at(frame, x)}.nunique() >= {_VARIED}",
            f"{at(frame, y)}.nunique() >= {_VARIED}",
            *(f"{at(frame, column)}.min() > 0" for axis, column in (("x", x), ("y", y)) if axis in logs),
        ),
        mistakes=tuple(mistakes),
        others=_other_ways(frame, both, x, y, group, named),
        startup_s=STARTUP_S,
        board=board,
    )


def _other_ways(frame: Frame, both: str, x: Column, y: Column, group: Column | None, named: str) -> tuple[str, ...]:
    start = f"{PYPLOT}_figure, _axes = plt.subplots(figsize=(8, 8))\n"
    if group is None:
        return (
            f'_axes = {both}.plot.scatter(x={lit(x)}, y={lit(y)}, s=9, alpha=0.5, color="black")\n{named}',
            f'{start}_axes.plot({at(frame, x)}, {at(frame, y)}, "o", color="tomato", markersize=4)\n{named}',
        )
    return (
        f"{start}_kinds, _names = pd.factorize({both}[{lit(group)}])\n"
        f'_dots = _axes.scatter({both}[{lit(x)}], {both}[{lit(y)}], c=_kinds, cmap="viridis", s=12)\n'
        f"_axes.legend(_dots.legend_elements()[0], _names, title={lit(group)})\n{named}",
        f"{start}for _name, _part in {both}.groupby({lit(group)}):\n"
        f'    _axes.plot(_part[{lit(x)}], _part[{lit(y)}], "x", label=_name)\n_axes.legend()\n{named}',
    )


def propose_strongest_scatter(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Correlations with one measure."""
    for links in board.results_of("links"):
        frame = board.frame(links.facts["frame"])
        columns = [frame.column(name) for name in (links.facts["measure"], *links.facts["others"])]
        plain = not _holds_changes(board, frame) and not any(map(_is_skewed, columns))
        if plain and _can_be_drawn(frame, *columns):
            yield {"table": links.var}


@family(
    theme=THEME,
    knowledge_points=("scatter plots", "lookup of an earlier result"),
    idea="{measure} and what goes with it most as a scatter plot",
    wordings=(
        "Draw {measure} against the column that comes first in {table}: one dot for each of the {rows} of {frame} that "
        "have both values, that column along the x axis. Label both axes with the names of their columns.",
        "Let me see the strongest of these links: a scatter plot of the {rows} of {frame}, with the column that "
        "{table} names first along the x axis and {measure} along the y axis, both labelled with the names of the "
        "columns, without a fitted line.",
    ),
    propose=propose_strongest_scatter,
    about=("table",),
)
def strongest_scatter(board: Board, slots: Slots) -> Task:
    """Draw a measure against what goes with it most."""
    links = board.result(text_slot(slots, "table"), "links")
    frame = board.frame(links.facts["frame"])
    measure, others = str(links.facts["measure"]), links.facts["others"]
    y = literal(measure)

    def draw(row: str = "0", *, turned: bool = False, named: bool = True) -> str:
        x_name, y_name = (y, "_other") if turned else ("_other", y)
        ends = f"\nplt.xlabel({x_name})\nplt.ylabel({y_name})" if named else ""
        choice = f'_other = {links.var}["column"].iloc[{row}]'
        return f"{PYPLOT}{choice}\nplt.scatter({frame.var}[{x_name}], {frame.var}[{y_name}]){ends}\nplt.show()"

    best = f'{links.var}.loc[{links.var}["r"].abs().idxmax(), "column"]'
    return Task(
        words={"frame": code(frame.var), "measure": code(measure), "table": code(links.var), "rows": noun_of(frame)},
        body=draw(),
        look=f"{frame.var}[{y}]",
        validators=JUDGED,
        uses=((links.var, ()), (frame.var, (measure, *others))),
        checks=(
            f"{_ROWS[0]} <= {frame.var}[[_other, {y}]].dropna().shape[0] <= {_ROWS[1]}",
            f'{links.var}["r"].abs().iloc[0] >= {_TELLING}',
        ),
        mistakes=(
            Mistake(draw("-1"), "the column that comes last"),
            Mistake(draw(turned=True), "the axes change places"),
            Mistake(draw(named=False), "axes without names"),
        ),
        others=(
            f'_best = {best}\n{frame.var}.plot.scatter(x=_best, y={y}, s=10, color="green", title=_best)',
            f"{PYPLOT}_best = {best}\n_figure, _axes = plt.subplots()\n"
            f'_axes.plot({frame.var}[_best], {frame.var}[{y}], ".")\n_axes.set(xlabel=_best, ylabel={y})',
        ),
        startup_s=STARTUP_S,
        board=board,
    )
