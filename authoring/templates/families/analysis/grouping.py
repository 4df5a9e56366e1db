"""Tasks that compare groups of rows."""

from collections.abc import Iterator
from random import Random
from typing import Any

from authoring.seeds import ColumnProfile, ColumnRole
from authoring.templates.board import Board, Slots, Summary
from authoring.templates.families.tables.filtering import values_of
from authoring.templates.family import (
    Task,
    at,
    column_slot,
    count_slot,
    family,
    frame_slot,
    list_slot,
    pairs,
    text_slot,
)
from authoring.templates.names_in_words import code, free_name, ignoring_missing, literal, shown, slug
from authoring.templates.phrasebook import DIRECTIONS, MEASURES, MISSING_ARE_ROWS, PEAKS, ROWS_MISSING_NOT_COUNTED
from evaluator.errors import ContentError


def group_and_number(
    board: Board, rng: Random, *, entities: bool = False
) -> Iterator[tuple[str, ColumnProfile, ColumnProfile]]:
    """Yield frames with a group column and a number."""
    for frame in [f for f in board.frames.values() if f.is_long and not entities and rng.random() < 0.5]:
        yield frame.var, frame.columns[1], frame.columns[2]
    for frame in board.sources(rng)[:2]:
        groups = board.ordered(rng, frame.entities() if entities else frame.groups())[:4]
        for group, number in pairs(groups, board.ordered(rng, frame.numbers())[:4], 4):
            yield frame.var, group, number


def propose_aggregate(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A group column and a number."""
    for var, group, number in group_and_number(board, rng):
        yield {"frame": var, "group": group.name, "number": number.name, "how": rng.choice(["mean", "median", "max"])}


@family(
    theme="grouping",
    knowledge_points=("group and aggregate",),
    idea="The {how} of {number} for each {group}",
    wordings=(
        "What is the {how} of {number} for each {group} in {frame}? Return a Series indexed by {group} and sorted "
        "by its index. Do not round.",
        "Group {frame} by {group} and return the {how} of {number} in each group, as a Series sorted by {group}, "
        "without rounding.",
        "For every {group}, compute the {how} of {number} in {frame}. I want a Series with one entry per {group}, "
        "in ascending order of the index, not rounded.",
    ),
    propose=propose_aggregate,
)
def group_aggregate(board: Board, slots: Slots) -> Task:
    """Return one number per group."""
    frame = frame_slot(board, slots)
    group, number = column_slot(frame, slots, "group"), column_slot(frame, slots, "number", frame.numbers(distinct=2))
    how = text_slot(slots, "how", tuple(MEASURES))
    grouped = f"{frame.var}.groupby({literal(group.name)})[{literal(number.name)}]"
    return Task(
        words={
            "frame": code(frame.var),
            "group": code(group.name),
            "number": code(number.name),
            "how": MEASURES[how],
        },
        result=f"{grouped}.{how}().sort_index()",
        notes=(ignoring_missing([group, number]),),
        uses=((frame.var, (group.name, number.name)),),
        checks=(f"{grouped}.count().min() > 0",),
        board=board,
    )


def propose_summary(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A group column and a number whose statistics are stored."""
    for var, group, number in group_and_number(board, rng):
        base = f"by_{slug(group.name)}" if slug(group.name) else "summary"
        yield {"frame": var, "group": group.name, "number": number.name, "var": board.free(base)}


@family(
    theme="grouping",
    knowledge_points=("group and aggregate", "named aggregation"),
    idea="A summary of {number} by {group}, stored as {var}",
    wordings=(
        "Build a DataFrame {var} with one row per {group} of {frame}, indexed by {group} in ascending order. Its "
        "columns are {rows}, the number of rows; {average}, the mean of {number}; and {largest}, the largest "
        "{number}. Do not round.",
        "Summarise {number} by {group}: store as {var} a DataFrame whose index is {group}, sorted ascending, and "
        "whose columns are, in this order, {rows} (how many rows of {frame} the group has), {average} (mean of "
        "{number}, not rounded) and {largest} (maximum of {number}).",
    ),
    propose=propose_summary,
    limit=1,
)
def group_summary(board: Board, slots: Slots) -> Task:
    """Store a table of one row per group: rows, mean and largest value."""
    frame = frame_slot(board, slots)
    group, number = column_slot(frame, slots, "group"), column_slot(frame, slots, "number", frame.numbers(distinct=2))
    var, key = text_slot(slots, "var"), literal(number.name)
    columns = [free_name(base, {group.name}) for base in ("rows", "average", "largest")]
    parts = zip(columns, ("size", "mean", "max"), strict=True)
    aggregates = "".join(f'    {column}=({key}, "{how}"),\n' for column, how in parts)
    summary = Summary(var, frame.var, group.name, number.name, tuple(columns), group.distinct, board.step)
    counted = MISSING_ARE_ROWS(column=code(number.name)) if number.missing else None
    return Task(
        words={
            "frame": code(frame.var),
            "group": code(group.name),
            "number": code(number.name),
            "var": code(var),
            "rows": code(columns[0]),
            "average": code(columns[1]),
            "largest": code(columns[2]),
        },
        body=f"{var} = {frame.var}.groupby({literal(group.name)}).agg(\n{aggregates})",
        stores=(var,),
        notes=(ignoring_missing([group]), counted),
        uses=((frame.var, (group.name, number.name)),),
        checks=(f"len({var}) > 1",),
        board=board.with_summary(summary),
    )


def propose_best_row(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A group column, a number and a label."""
    for var, group, number in group_and_number(board, rng):
        frame = board.frames[var]
        if group.missing or number.distinct < 2 * group.distinct:
            continue
        for label in [c for c in frame.labels([group.name, number.name]) if c.distinct > group.distinct][:1]:
            direction = rng.choice(["largest", "smallest"])
            yield {
                "frame": var,
                "group": group.name,
                "number": number.name,
                "label": label.name,
                "direction": direction,
            }


@family(
    theme="grouping",
    knowledge_points=("group and aggregate", "row of the extreme value"),
    idea="The row with the {direction} {number} of each {group}",
    wordings=(
        "For each {group}, find the row of {frame} with the {direction} {number}. Return a DataFrame with the "
        "columns {group}, {label} and {number}, sorted by {group}, with an index that starts at 0.",
        "Which row of every {group} in {frame} has the {direction} {number}? Return {group}, {label} and "
        "{number} of these rows as a DataFrame, one row per {group}, in ascending order of {group} and numbered "
        "from 0.",
    ),
    propose=propose_best_row,
    limit=1,
)
def best_row_per_group(board: Board, slots: Slots) -> Task:
    """Return the row of each group with the largest or smallest value."""
    frame = frame_slot(board, slots)
    group, number = column_slot(frame, slots, "group"), column_slot(frame, slots, "number", frame.numbers(distinct=2))
    label = column_slot(frame, slots, "label")
    direction = text_slot(slots, "direction", ("largest", "smallest"))
    short = "max" if direction == "largest" else "min"
    grouped = f"{frame.var}.groupby({literal(group.name)})[{literal(number.name)}]"
    show = [group.name, label.name, number.name]
    extreme = f"{grouped}.transform({literal(short)})"
    return Task(
        words={
            "frame": code(frame.var),
            "group": code(group.name),
            "number": code(number.name),
            "label": code(label.name),
            "direction": DIRECTIONS[direction],
        },
        result=f"{frame.var}.loc[{grouped}.idx{short}(), {literal(show)}]"
        f".sort_values({literal(group.name)}).reset_index(drop=True)",
        notes=(ignoring_missing([number]),),
        uses=((frame.var, tuple(show)),),
        checks=(
            f"({at(frame, number)} == {extreme}).sum() == {at(frame, group)}.nunique()",
            f"{grouped}.count().min() >= 2",
        ),
        cost=0.4,
        board=board,
    )


def propose_crosstab(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Two group columns."""
    for frame in board.sources(rng)[:2]:
        groups = board.ordered(rng, [c for c in frame.groups() if c.role is not ColumnRole.BOOL])
        for rows, columns in pairs(groups[:4], groups[:4], 4):
            if rows.distinct * columns.distinct >= 4:
                yield {"frame": frame.var, "rows": rows.name, "columns": columns.name}


@family(
    theme="pivoting",
    knowledge_points=("cross tabulation",),
    idea="How often {rows} and {columns} go together",
    wordings=(
        "Count how often each {rows} occurs together with each {columns} in {frame}. Return a DataFrame with the "
        "values of {rows} as its index and those of {columns} as its columns. Both axes are sorted ascending and "
        "named {rows} and {columns}; a combination that does not occur counts 0.",
        "Return a contingency table of {frame}: rows are the values of {rows}, columns the values of {columns} "
        "(both axes sorted ascending and named like that), cells the numbers of rows, 0 included.",
    ),
    propose=propose_crosstab,
    limit=1,
)
def crosstab(board: Board, slots: Slots) -> Task:
    """Count the rows of every combination of two groups."""
    frame = frame_slot(board, slots)
    rows, columns = column_slot(frame, slots, "rows"), column_slot(frame, slots, "columns")
    return Task(
        words={"frame": code(frame.var), "rows": code(rows.name), "columns": code(columns.name)},
        result=f"pd.crosstab({at(frame, rows)}, {at(frame, columns)})",
        notes=(ignoring_missing([rows, columns]),),
        uses=((frame.var, (rows.name, columns.name)),),
        cost=0.5,
        board=board,
    )


def propose_pivot(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Two group columns and a number."""
    for frame in board.sources(rng)[:2]:
        groups = board.ordered(rng, [c for c in frame.groups() if c.role is not ColumnRole.BOOL])
        for rows, columns in pairs(groups[:4], groups[:4], 3):
            for number in board.ordered(rng, frame.numbers())[:2]:
                if number.name not in (rows.name, columns.name):
                    yield {
                        "frame": frame.var,
                        "rows": rows.name,
                        "columns": columns.name,
                        "number": number.name,
                        "how": rng.choice(["mean", "median", "max"]),
                    }


@family(
    theme="pivoting",
    knowledge_points=("pivot tables", "group and aggregate"),
    idea="The {how} of {number} by {rows} and {columns}",
    wordings=(
        "Make a table of the {how} of {number} in {frame}, with one row per {rows} and one column per {columns}, "
        "both axes sorted ascending and named {rows} and {columns}. Combinations that do not occur stay missing. "
        "Return the DataFrame, not rounded.",
        "Pivot {frame}: index {rows}, columns {columns}, cells the {how} of {number}. Sort both axes ascending "
        "and name them {rows} and {columns}, leave combinations without data missing, do not round, and return "
        "the table.",
    ),
    propose=propose_pivot,
    limit=1,
)
def pivot_table(board: Board, slots: Slots) -> Task:
    """Return a number for every combination of two groups."""
    frame = frame_slot(board, slots)
    rows, columns = column_slot(frame, slots, "rows"), column_slot(frame, slots, "columns")
    number = column_slot(frame, slots, "number", frame.numbers(distinct=2))
    how = text_slot(slots, "how", tuple(MEASURES))
    known = f"{frame.var}.dropna(subset={literal([rows.name, columns.name, number.name])})"
    arguments = f"index={literal(rows.name)}, columns={literal(columns.name)}, values={literal(number.name)}"
    return Task(
        words={
            "frame": code(frame.var),
            "rows": code(rows.name),
            "columns": code(columns.name),
            "number": code(number.name),
            "how": MEASURES[how],
        },
        result=f'{frame.var}.pivot_table({arguments}, aggfunc="{how}")',
        notes=(ignoring_missing([rows, columns, number]),),
        uses=((frame.var, (rows.name, columns.name, number.name)),),
        checks=tuple(f"{known}[{literal(c.name)}].nunique() == {at(frame, c)}.nunique()" for c in (rows, columns)),
        cost=0.4,
        board=board,
    )


def propose_shares(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A group column."""
    for frame in board.sources(rng)[:2]:
        for group in board.ordered(rng, frame.groups(most=30))[:4]:
            yield {"frame": frame.var, "group": group.name}


@family(
    theme="grouping",
    knowledge_points=("frequencies", "shares"),
    idea="The share of each {group}",
    wordings=(
        "What share of the rows of {frame} has each value of {group}? Return a Series of fractions between 0 and "
        "1, indexed by the values of {group} in ascending order, not rounded.",
        "Return the relative frequency (0 to 1, unrounded) of every value of {group} in {frame} as a Series "
        "sorted by its index.",
    ),
    propose=propose_shares,
)
def group_shares(board: Board, slots: Slots) -> Task:
    """Return the share of rows of each group."""
    frame = frame_slot(board, slots)
    group = column_slot(frame, slots, "group")
    return Task(
        words={"frame": code(frame.var), "group": code(group.name)},
        result=f"{at(frame, group)}.value_counts(normalize=True).sort_index()",
        notes=(ROWS_MISSING_NOT_COUNTED(column=code(group.name)) if group.missing else None,),
        uses=((frame.var, (group.name,)),),
        board=board,
    )


def propose_gap(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Two values of a group column and a number."""
    for var, group, number in group_and_number(board, rng):
        values = values_of(rng, group, 2) if group.distinct > 2 else [v for v, _ in group.top]
        if len(values) == 2:
            how = rng.choice(["mean", "median"])
            yield {"frame": var, "group": group.name, "number": number.name, "values": values, "how": how}


@family(
    theme="grouping",
    knowledge_points=("comparison of groups", "mean and median"),
    idea="How {first} and {second} differ in their {how} {number}",
    wordings=(
        "By how much does the {how} of {number} in {frame} differ between rows whose {group} is {first} and rows "
        "whose {group} is {second}? Return the value of {first} minus the value of {second}, not rounded.",
        "Compare two groups of {frame}: subtract the {how} {number} of the rows with {group} {second} from that "
        "of the rows with {group} {first}. Return the difference as a number, not rounded.",
    ),
    propose=propose_gap,
)
def group_difference(board: Board, slots: Slots) -> Task:
    """Return the difference of two groups' means."""
    frame = frame_slot(board, slots)
    group, number = column_slot(frame, slots, "group"), column_slot(frame, slots, "number", frame.numbers(distinct=2))
    values, how = list_slot(slots, "values"), text_slot(slots, "how", ("mean", "median"))
    if len(values) != 2:
        raise ContentError("slot 'values' needs two values", fix="write two")
    sides = [
        f"{frame.var}.loc[{at(frame, group)} == {literal(value)}, {literal(number.name)}].{how}()" for value in values
    ]
    return Task(
        words={
            "frame": code(frame.var),
            "group": code(group.name),
            "number": code(number.name),
            "first": shown(values[0]),
            "second": shown(values[1]),
            "how": MEASURES[how],
        },
        result=f"(\n    {sides[0]}\n    - {sides[1]}\n)",
        notes=(ignoring_missing([number]),),
        uses=((frame.var, (group.name, number.name)),),
        checks=(f"{sides[0]} != {sides[1]}",),
        cost=0.3,
        board=board,
    )


def propose_leaders(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A text column of many repeating values and a number."""
    for var, group, number in group_and_number(board, rng, entities=True):
        count = rng.choice([3, 5, 7, 10])
        if count * 2 <= group.distinct:
            how = rng.choice(["mean", "max"])
            yield {"frame": var, "group": group.name, "number": number.name, "count": count, "how": how}


@family(
    theme="grouping",
    knowledge_points=("group and aggregate", "sorting", "top-k"),
    idea="The {count} {group} with the highest {how} of {number}",
    wordings=(
        "Which {count} values of {group} have the highest {how} of {number} in {frame}? Return a Series of these "
        "numbers indexed by {group}, from highest to lowest, not rounded.",
        "Compute the {how} of {number} per {group} in {frame} and return the {count} largest as a Series indexed "
        "by {group} and sorted in descending order, not rounded.",
    ),
    propose=propose_leaders,
)
def leading_groups(board: Board, slots: Slots) -> Task:
    """Return the groups with the largest mean."""
    frame = frame_slot(board, slots)
    group, number = column_slot(frame, slots, "group"), column_slot(frame, slots, "number", frame.numbers(distinct=2))
    count, how = count_slot(slots, "count"), text_slot(slots, "how", ("mean", "max", "sum"))
    values = f"{frame.var}.groupby({literal(group.name)})[{literal(number.name)}].{how}()"
    return Task(
        words={
            "frame": code(frame.var),
            "group": code(group.name),
            "number": code(number.name),
            "count": str(count),
            "how": PEAKS[how],
        },
        result=f"{values}.nlargest({count})",
        notes=(ignoring_missing([group, number]),),
        uses=((frame.var, (group.name, number.name)),),
        checks=(f"{values}.nlargest({count + 1}).round(9).is_unique", f"{values}.notna().all()"),
        cost=0.3,
        board=board,
    )
