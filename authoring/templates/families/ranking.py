"""Tasks that order rows and groups, and take the first of them."""

from collections.abc import Iterator
from random import Random
from typing import Any

from authoring.templates.board import Board, Slots
from authoring.templates.families.filtering import show_columns, threshold
from authoring.templates.families.grouping import group_and_number
from authoring.templates.family import (
    Task,
    at,
    column_slot,
    count_slot,
    frame_slot,
    list_slot,
    number_slot,
    pairs,
    text_slot,
)
from authoring.templates.phrasebook import MEASURES, NTH_DIRECTIONS, PEAKS, SIGNS, SMALL_NUMBERS
from authoring.templates.phrases import Ordinal
from authoring.templates.wording import code, ignoring_missing, literal, names, shown


def propose_sorted(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A group column and a number, both without gaps."""
    for frame in board.sources(rng)[:2]:
        groups = [c for c in frame.groups(most=30) if not c.missing]
        numbers = [c for c in frame.numbers(distinct=8) if not c.missing]
        for group, number in pairs(board.ordered(rng, groups)[:3], board.ordered(rng, numbers)[:3], 4):
            show = show_columns(board, rng, frame, [group.name, number.name])
            count = rng.choice([5, 6, 8, 10])
            if count * 2 <= frame.rows:
                yield {"frame": frame.var, "group": group.name, "number": number.name, "count": count, "show": show}


def build_sorted(board: Board, slots: Slots) -> Task:
    """Return the first rows after sorting by two columns in opposite directions."""
    frame, count = frame_slot(board, slots), count_slot(slots, "count")
    group, number = column_slot(frame, slots, "group"), column_slot(frame, slots, "number", frame.numbers(distinct=2))
    show = [frame.column(str(name)).name for name in list_slot(slots, "show")]
    keys = literal([group.name, number.name])
    ordered = f"{frame.var}.sort_values({keys}, ascending=[True, False])"
    return Task(
        words={
            "frame": code(frame.var),
            "group": code(group.name),
            "number": code(number.name),
            "count": str(count),
            "show": names(show),
        },
        result=f"{ordered}.head({count})[{literal(show)}].reset_index(drop=True)",
        uses=((frame.var, (group.name, number.name, *show)),),
        checks=(f"not {ordered}.head({count + 1}).duplicated({keys}).any()",),
        cost=0.4,
        board=board,
    )


def propose_nth(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number of many values."""
    for frame in board.sources(rng)[:2]:
        for column in board.ordered(rng, frame.numbers(distinct=12))[:4]:
            direction = rng.choice(["largest", "smallest"])
            yield {"frame": frame.var, "column": column.name, "count": rng.choice([3, 4, 5]), "direction": direction}


def build_nth(board: Board, slots: Slots) -> Task:
    """Return the n-th largest or smallest distinct value."""
    frame, count = frame_slot(board, slots), count_slot(slots, "count")
    column = column_slot(frame, slots, "column", frame.numbers(distinct=2))
    direction = text_slot(slots, "direction", ("largest", "smallest"))
    return Task(
        words={
            "frame": code(frame.var),
            "column": code(column.name),
            "place": Ordinal(count),
            "direction": NTH_DIRECTIONS[direction],
        },
        result=f"{at(frame, column)}.drop_duplicates().n{direction}({count}).iloc[-1]",
        uses=((frame.var, (column.name,)),),
        checks=(f"{at(frame, column)}.nunique() >= {count}",),
        board=board,
    )


def propose_top_each(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A group column and a number without gaps, and a label."""
    for var, group, number in group_and_number(board, rng):
        frame = board.frames[var]
        if group.missing or number.missing or number.distinct < 4 * group.distinct or group.distinct > 8:
            continue
        for label in [c for c in frame.labels([group.name, number.name]) if c.distinct > group.distinct][:1]:
            sides = {"group": group.name, "number": number.name, "label": label.name}
            yield {"frame": var, **sides, "count": rng.choice([2, 3])}


def build_top_each(board: Board, slots: Slots) -> Task:
    """Return the first rows of each group."""
    frame, count = frame_slot(board, slots), count_slot(slots, "count")
    group, number = column_slot(frame, slots, "group"), column_slot(frame, slots, "number", frame.numbers(distinct=2))
    label = column_slot(frame, slots, "label")
    keys, show = literal([group.name, number.name]), [group.name, label.name, number.name]
    ordered = f"{frame.var}.sort_values({keys}, ascending=[True, False]).groupby({literal(group.name)})"
    return Task(
        words={
            "frame": code(frame.var),
            "group": code(group.name),
            "number": code(number.name),
            "label": code(label.name),
            "count": SMALL_NUMBERS.get(count, str(count)),
        },
        result=f"{ordered}.head({count})[{literal(show)}].reset_index(drop=True)",
        uses=((frame.var, tuple(show)),),
        checks=(
            f"not {ordered}.head({count + 1}).duplicated({keys}).any()",
            f"{ordered}.size().min() > {count}",
        ),
        cost=0.5,
        board=board,
    )


def propose_filtered_leaders(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number with a threshold, a column of groups, another number."""
    for frame in board.sources(rng)[:2]:
        numbers = board.ordered(rng, frame.numbers(distinct=8))
        groups = board.ordered(rng, [*frame.entities(), *frame.groups()])[:4]
        for group, column in pairs(groups, [n for n in numbers if n.quantiles][:3], 5):
            target = next((n for n in numbers if n.name not in (group.name, column.name)), None)
            sign = rng.choice([">", "<"])
            value = threshold(rng, column, sign)
            if target is None or value is None or group.distinct < 4:
                continue
            sides = {"group": group.name, "column": column.name, "target": target.name}
            count = 3 if group.distinct < 12 else rng.choice([3, 5])
            how = rng.choice(["mean", "median", "max"])
            yield {"frame": frame.var, **sides, "sign": sign, "value": value, "count": count, "how": how}


def build_filtered_leaders(board: Board, slots: Slots) -> Task:
    """Return the groups with the largest values among the rows that meet a condition."""
    frame, count = frame_slot(board, slots), count_slot(slots, "count")
    group, target = column_slot(frame, slots, "group"), column_slot(frame, slots, "target", frame.numbers(distinct=2))
    column = column_slot(frame, slots, "column", frame.numbers(distinct=2))
    sign, value = text_slot(slots, "sign", tuple(SIGNS)), number_slot(slots, "value")
    how = text_slot(slots, "how", ("mean", "median", "max"))
    mask = f"{at(frame, column)} {sign} {literal(value)}"
    values = f"{frame.var}.loc[{mask}].groupby({literal(group.name)})[{literal(target.name)}].{how}()"
    everything = values.replace(f".loc[{mask}]", "")
    return Task(
        words={
            "frame": code(frame.var),
            "group": code(group.name),
            "column": code(column.name),
            "sign": SIGNS[sign](value=shown(value)),
            "target": code(target.name),
            "count": str(count),
            "how": PEAKS[how],
        },
        result=f"{values}.nlargest({count})",
        notes=(ignoring_missing([group, target]),),
        uses=((frame.var, (group.name, column.name, target.name)),),
        checks=(
            f"{values}.dropna().nlargest({count + 1}).round(9).is_unique",
            f"{values}.count() >= {count}",
            f"not {values}.nlargest({count}).equals({everything}.nlargest({count}))",  # the condition matters
        ),
        cost=0.4,
        board=board,
    )


def propose_best_partner(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Two group columns and a number."""
    for frame in board.sources(rng)[:2]:
        groups = [c for c in frame.groups() if not c.missing]
        first, second = groups, [c for c in groups if c.distinct >= 3]
        for rows, columns in pairs(board.ordered(rng, first)[:3], board.ordered(rng, second)[:3], 3):
            for number in [
                n for n in board.ordered(rng, frame.numbers())[:3] if n.name not in (rows.name, columns.name)
            ]:
                sides = {"rows": rows.name, "columns": columns.name, "number": number.name}
                yield {"frame": frame.var, **sides, "how": rng.choice(["mean", "median"])}


def build_best_partner(board: Board, slots: Slots) -> Task:
    """Return, for each value of one group column, the value of another with the largest mean."""
    frame, how = frame_slot(board, slots), text_slot(slots, "how", ("mean", "median"))
    rows, columns = column_slot(frame, slots, "rows"), column_slot(frame, slots, "columns")
    number = column_slot(frame, slots, "number", frame.numbers(distinct=2))
    by = literal([rows.name, columns.name])
    table = f"{frame.var}.groupby({by})[{literal(number.name)}].{how}().unstack()"
    return Task(
        words={
            "frame": code(frame.var),
            "rows": code(rows.name),
            "columns": code(columns.name),
            "number": code(number.name),
            "how": MEASURES[how],
        },
        result=f"{table}.idxmax(axis=1)",
        notes=(ignoring_missing([number]),),
        uses=((frame.var, (rows.name, columns.name, number.name)),),
        checks=(
            f"{table}.notna().sum(axis=1).min() >= 2",
            f"{table}.round(9).eq({table}.round(9).max(axis=1), axis=0).sum(axis=1).max() == 1",
        ),
        cost=0.4,
        board=board,
    )


def propose_records(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number without gaps and a label; the order of the rows is the order of the file."""
    for frame in board.sources(rng)[:1]:
        for column in board.ordered(rng, [c for c in frame.numbers(distinct=10) if not c.missing])[:3]:
            labels = [c.name for c in frame.labels([column.name])[:1]]
            yield {"frame": frame.var, "column": column.name, "show": [*labels, column.name]}


def build_records(board: Board, slots: Slots) -> Task:
    """Return the rows that exceed all rows before them."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column", [c for c in frame.numbers(distinct=2) if not c.missing])
    show = [frame.column(str(name)).name for name in list_slot(slots, "show")]
    mask = f"{at(frame, column)} > {at(frame, column)}.cummax().shift()"
    return Task(
        words={"frame": code(frame.var), "column": code(column.name), "show": names(show)},
        result=f"{frame.var}.loc[{mask}, {literal(show)}]",
        uses=((frame.var, (column.name, *show)),),
        checks=(f"({mask}).sum() >= 2",),
        board=board,
    )
