"""Families that look inside one group: how a measure differs there by another group."""

from collections.abc import Iterator
from random import Random
from typing import Any

from authoring.templates.board import MEAN_ROWS, RARE, Board, Column, Frame, Result, Slots
from authoring.templates.families.comparing.comparison import table_slot
from authoring.templates.families.measures import is_interval
from authoring.templates.family import (
    Form,
    Mistake,
    Task,
    at,
    column_slot,
    family,
    lit,
    noun_of,
    rounding,
    text_slot,
)
from authoring.templates.names_in_words import code, literal
from authoring.templates.phrasebook import EXTREMES, KNOWN_ROWS, NUMBER_OF_ROWS, STATISTICS


def propose_inside(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of groups, and another group to look inside the leading one."""
    for table in board.results_of("group table"):
        frame = board.frame(table.facts["frame"])
        group = frame.column(table.facts["group"])
        seconds = [c for c in other_groups(board, frame, table) if frame.has_cells(group, c, MEAN_ROWS)]
        for second in seconds[:2]:
            which = rng.choice(("max", "max", "min"))
            yield {
                "table": table.var,
                "second": second.name,
                "which": which,
                "var": board.free(f"inside_{'top' if which == 'max' else 'last'}"),
            }


def other_groups(board: Board, frame: Frame, table: Result) -> list[Column]:
    """Return the groups of a frame that the table is not about, that of the set first."""
    group, number = frame.column(table.facts["group"]), frame.column(table.facts["number"])
    found = [
        c
        for c in frame.groups(most=8)
        if not (frame.are_twins(c, group) or frame.are_twins(c, number) or frame.are_nested(c, group))
    ]
    return sorted(found, key=lambda c: (c.name != board.focus.second, -frame.tells(c, number)))


@family(
    theme="drill-down",
    knowledge_points=("filtering by an earlier result", "group and aggregate"),
    idea="Inside the {group} with the {which} {lead}: {number} by {second}",
    wordings=(
        "Stay with the {group} that has the {which} {lead} in {table}. Within it, how does {number} differ by "
        "{second}? Store as {var} the columns {second}, `n` ({counted}) and `mean` of {number}.",
        "Look into the {group} with the {which} {lead} of {table}: for each {second} found there, `n` ({counted}) and "
        "the mean of {number} (`mean`), as a DataFrame {var} with the columns {second}, `n` and `mean`.",
    ),
    propose=propose_inside,
    about=("table", "second"),
)
def inside_leader(board: Board, slots: Slots) -> Task:
    """Break the leading group down by another one."""
    table = table_slot(board, slots)
    frame = board.frame(table.facts["frame"])
    group, number, lead = table.facts["group"], table.facts["number"], table.facts["lead"]
    second = column_slot(frame, slots, "second", frame.groups(most=8))
    which, var = text_slot(slots, "which", tuple(EXTREMES)), text_slot(slots, "var")
    source = frame.var
    size = "count" if frame.column(number).missing else "size"

    def steps(chosen: str, rows: str = size) -> str:
        return (
            f"{chosen}\n"
            f"_inside = {source}[{at(frame, group)} == _chosen]\n"
            f"{var} = (\n    _inside.groupby({lit(second)}, as_index=False)\n"
            f'    .agg(n=({literal(number)}, "{rows}"), mean=({literal(number)}, "mean"))\n)'
        )

    best = f'_chosen = {table.var}.loc[{table.var}["{lead}"].idx{which}(), {literal(group)}]'
    worst = (
        f'_chosen = {table.var}.loc[{table.var}["{lead}"].idx{"min" if which == "max" else "max"}(), {literal(group)}]'
    )
    everything = (
        f"{var} = {source}.groupby({lit(second)}, as_index=False)"
        f'.agg(n=({literal(number)}, "{size}"), mean=({literal(number)}, "mean"))'
    )
    order = f'sort_values("{lead}", ascending={which == "min"})'
    return Task(
        words={
            "table": code(table.var),
            "group": code(group),
            "which": EXTREMES[which],
            "lead": STATISTICS[lead],
            "number": code(number),
            "second": code(second.name),
            "var": code(var),
            "counted": KNOWN_ROWS(rows=noun_of(frame), number=code(number))
            if frame.column(number).missing
            else NUMBER_OF_ROWS(rows=noun_of(frame)),
        },
        body=steps(best),
        stores=(var,),
        stored_form=Form.TABLE,
        atol=rounding(table.facts["typical"]),
        uses=((table.var, ()), (source, (group, number, second.name))),
        checks=(
            f"len({var}) >= 2",
            f'{var}["mean"].notna().all()',
            f'{var}["n"].min() >= max({MEAN_ROWS}, {RARE} * {var}["n"].mean())',
        ),
        mistakes=(
            Mistake(steps(worst), "the other end of the table"),
            Mistake(everything, "all rows"),
            Mistake(steps(best).replace('"mean")', '"sum")'), "sums", may_agree=True),
        ),
        others=(
            f"_name = {table.var}.{order}[{literal(group)}].iloc[0]\n"
            f'_part = {source}.query("`{group}` == @_name").groupby({lit(second)})[{literal(number)}]\n'
            f'{var} = pd.DataFrame({{"n": _part.{size}(), "mean": _part.mean()}}).reset_index()',
        )
        if group.isascii() and "'" not in group
        else (),
        board=board.with_result(
            var,
            "inside",
            frame=source,
            group=second.name,
            groups=second.about.distinct,
            number=number,
            typical=table.facts["typical"],
            low=frame.column(number).about.min,
        ),
    )


def propose_inside_gap(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of what is inside a group."""
    for inside in board.results_of("inside"):
        if inside.facts["groups"] >= 3:
            yield {"inside": inside.var}


@family(
    theme="drill-down",
    knowledge_points=("extremes of a table", "differences"),
    idea="How far the {group} values of {inside} lie apart",
    wordings=(
        "In {inside}, which {group} has the highest `mean`, which the lowest, and how far are the two apart?",
        "Sum up {inside}: the {group} with the highest `mean`, the one with the lowest, and the distance between "
        "these two means.",
    ),
    propose=propose_inside_gap,
    about=("inside",),
)
def gap_inside(board: Board, slots: Slots) -> Task:
    """Return the extreme groups inside a group and the distance of their means."""
    inside = board.result(text_slot(slots, "inside"), "inside")
    var, group = inside.var, literal(inside.facts["group"])
    mean = f'{var}["mean"]'
    high, low = f"{var}.loc[{mean}.idxmax(), {group}]", f"{var}.loc[{mean}.idxmin(), {group}]"
    spread = f"{mean}.max() - {mean}.min()"
    return Task(
        words={"inside": code(var), "group": code(inside.facts["group"])},
        result=f"({high}, {low}, {spread})",
        form=Form.VALUE,
        atol=rounding(inside.facts["typical"]),
        uses=((var, ()),),
        checks=(f"len({var}) >= 3", f"{mean}.round(9).is_unique"),
        mistakes=(
            Mistake(f"({low}, {high}, {spread})", "the two change places"),
            Mistake(f"({high}, {low}, {mean}.max() / {mean}.min())", "a ratio"),
            Mistake(f"({high}, {low}, {mean}.max() - {mean}.mean())", "the distance from the middle"),
        ),
        others=(
            f'_line = {var}.sort_values("mean")\n'
            f"_low, _high = _line.iloc[0], _line.iloc[-1]\n"
            f'[_high[{group}], _low[{group}], _high["mean"] - _low["mean"]]',
        ),
        board=board,
    )


def propose_inside_lead(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of two groups inside a group, of a number that is never below 0."""
    for inside in board.results_of("inside"):
        low = inside.facts["low"]
        if is_interval(board.frame(inside.facts["frame"]).column(inside.facts["number"])):
            continue
        if inside.facts["groups"] == 2 and isinstance(low, int | float) and low >= 0:
            yield {"inside": inside.var}


@family(
    theme="drill-down",
    knowledge_points=("comparison of two groups", "relative difference"),
    idea="Which {group} of {inside} is ahead, and by how many percent",
    wordings=(
        "In {inside}, which {group} has the higher `mean`, and by how many percent does it exceed the other?",
        "By how many percent does the `mean` of the two {group} values in {inside} differ, relative to the lower one, "
        "and which one is ahead? Return the {group} that is ahead first, then the percentage.",
    ),
    propose=propose_inside_lead,
    about=("inside",),
)
def lead_inside(board: Board, slots: Slots) -> Task:
    """Return which of two groups inside a group is ahead, and by how many percent."""
    inside = board.result(text_slot(slots, "inside"), "inside")
    var, group = inside.var, literal(inside.facts["group"])
    high = f'{var}.loc[{var}["mean"].idxmax(), {group}]'
    lead = f'({var}["mean"].max() / {var}["mean"].min() - 1) * 100'
    return Task(
        words={"inside": code(var), "group": code(inside.facts["group"])},
        result=f"({high}, {lead})",
        form=Form.VALUE,
        atol=0.06,
        uses=((var, ()),),
        checks=(f"len({var}) == 2", f'{var}["mean"].min() > 0', f"{lead} > 3"),
        mistakes=(
            Mistake(f'({high}, {var}["mean"].max() - {var}["mean"].min())', "not in percent"),
            Mistake(f'({high}, (1 - {var}["mean"].min() / {var}["mean"].max()) * 100)', "in percent of the higher one"),
            Mistake(f'({var}.loc[{var}["mean"].idxmin(), {group}], {lead})', "the other one"),
        ),
        others=(
            f'_line = {var}.sort_values("mean", ascending=False)["mean"].to_numpy()\n'
            f'[{var}.sort_values("mean")[{group}].iloc[-1], 100 * (_line[0] - _line[1]) / _line[1]]',
        ),
        board=board,
    )
