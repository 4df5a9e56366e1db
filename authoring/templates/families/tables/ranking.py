"""Tasks that order rows and groups, and take the first of them."""

from collections.abc import Iterator
from random import Random
from typing import Any

from authoring.templates.board import Board, Slots
from authoring.templates.families.analysis.grouping import group_and_number
from authoring.templates.families.tables.filtering import show_columns, threshold
from authoring.templates.family import (
    Task,
    at,
    column_slot,
    count_slot,
    family,
    frame_slot,
    list_slot,
    number_slot,
    pairs,
    text_slot,
)
from authoring.templates.names_in_words import code, ignoring_missing, literal, names, shown
from authoring.templates.phrasebook import MEASURES, NTH_DIRECTIONS, PEAKS, SIGNS, SMALL_NUMBERS
from authoring.templates.phrases import Ordinal


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


@family(
    theme="sorting",
    knowledge_points=("sorting", "several sort keys"),
    idea="The first {count} rows by {group} and falling {number}",
    wordings=(
        "Sort the rows of {frame} by {group} in ascending order and, within equal {group}, by {number} from "
        "largest to smallest. Return the first {count} rows as a DataFrame with the columns {show}, indexed from "
        "0. Leave {frame} as it is.",
        "Order {frame} by two keys, {group} ascending and then {number} descending, and return the columns {show} "
        "of the first {count} rows, renumbered from 0. {frame} itself keeps its order.",
        "I want to see {show} of the {count} rows that come first when {frame} is sorted by {group} (ascending), "
        "rows of the same {group} by {number} (descending). Return a DataFrame with an index from 0 and do not "
        "change {frame}.",
    ),
    propose=propose_sorted,
)
def sort_by_two(board: Board, slots: Slots) -> Task:
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


@family(
    theme="sorting",
    knowledge_points=("sorting", "distinct values"),
    idea="The {place} {direction} value of {column}",
    wordings=(
        "What is the {place} {direction} distinct value of {column} in {frame}? Values that occur several times "
        "count once. Return one number.",
        "Leave out repeats of the same value in {column} of {frame}, and return the {place} {direction} of the "
        "values that remain.",
    ),
    propose=propose_nth,
    limit=1,
)
def nth_value(board: Board, slots: Slots) -> Task:
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


@family(
    theme="grouping",
    knowledge_points=("sorting", "group and aggregate", "top-k"),
    idea="The {count} rows with the largest {number} of each {group}",
    wordings=(
        "For each {group}, take the {count} rows of {frame} with the largest {number}. Return a DataFrame with the "
        "columns {group}, {label} and {number}, sorted by {group} in ascending order and, within a {group}, by "
        "{number} from largest to smallest, with an index that starts at 0.",
        "Which {count} rows of every {group} in {frame} have the highest {number}? Return {group}, {label} and "
        "{number} of these rows, ordered by {group} ascending and then {number} descending, numbered from 0.",
    ),
    propose=propose_top_each,
    limit=1,
)
def top_per_group(board: Board, slots: Slots) -> Task:
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


@family(
    theme="grouping",
    knowledge_points=("boolean filtering", "group and aggregate", "top-k"),
    idea="The {count} {group} with the highest {how} {target} where {column} is {sign}",
    wordings=(
        "Use only the rows of {frame} whose {column} is {sign}. Which {count} values of {group} have the highest "
        "{how} of {target} among them? Return a Series of these numbers indexed by {group}, from highest to "
        "lowest, not rounded.",
        "Among the rows of {frame} with {column} {sign}, compute the {how} of {target} for each {group} and return "
        "the {count} largest as a Series indexed by {group}, largest first, without rounding.",
    ),
    propose=propose_filtered_leaders,
)
def filtered_leaders(board: Board, slots: Slots) -> Task:
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


@family(
    theme="grouping",
    knowledge_points=("two group columns", "unstacking", "label of the extreme value"),
    idea="For each {rows}, the {columns} with the highest {how} of {number}",
    wordings=(
        "For each {rows} in {frame}, which {columns} has the highest {how} of {number}? Return a Series indexed "
        "and sorted by {rows} whose values are those of {columns}.",
        "Compute the {how} of {number} for every combination of {rows} and {columns} in {frame}. Then return, "
        "for each {rows}, the value of {columns} for which it is largest, as a Series sorted by its index.",
    ),
    propose=propose_best_partner,
    limit=1,
)
def best_partner(board: Board, slots: Slots) -> Task:
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


@family(
    theme="windows",
    knowledge_points=("cumulative maximum", "shifting", "boolean filtering"),
    idea="Rows that set a new record of {column}",
    wordings=(
        "Go through {frame} in its present order. Which rows have a {column} greater than that of every row before "
        "them? The first row does not count. Return their columns {show} as a DataFrame with the original index.",
        "Return the rows of {frame} that set a new maximum of {column}: strictly greater than all earlier rows, in "
        "the present order and leaving out the first row. Show the columns {show} and keep the index.",
    ),
    propose=propose_records,
    limit=1,
)
def records(board: Board, slots: Slots) -> Task:
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
