"""Tasks that compare groups in more than one step."""

from collections.abc import Iterator
from random import Random
from typing import Any

from authoring.templates.board import Board, Slots, is_amount, made_number
from authoring.templates.families.analysis.grouping import group_and_number
from authoring.templates.families.columns.deriving import new_column, new_slot, positive
from authoring.templates.families.tables.filtering import values_of
from authoring.templates.family import (
    Task,
    at,
    column_digest,
    column_slot,
    count_slot,
    family,
    frame_slot,
    list_slot,
    pairs,
    text_slot,
)
from authoring.templates.names_in_words import code, free_name, ignoring_missing, literal, names, shown, slug
from authoring.templates.phrasebook import MEASURES, STATED_MEASURE
from evaluator.errors import ContentError


def propose_group_share(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """An amount and a group column, both without gaps."""
    for frame in board.mains():
        groups = [c for c in frame.groups() if not c.missing]
        numbers = [c for c in frame.numbers() if is_amount(c) and not c.missing and float(c.max or 0) > 0]
        for group, number in pairs(board.ordered(rng, groups)[:3], board.ordered(rng, numbers)[:3], 3):
            stem = slug(number.name, limit=14)
            new = new_column(frame, f"{stem}_share" if stem else "share")
            yield {"frame": frame.var, "group": group.name, "number": number.name, "new": new}


@family(
    theme="deriving",
    knowledge_points=("group transform", "shares", "derived columns"),
    idea="The share of {number} in the total of its {group}",
    wordings=(
        "Add a column {new} to {frame}: {number} of the row divided by the sum of {number} over all rows with the "
        "same {group}. Do not round.",
        "How much does each row contribute to its {group}? Divide {number} by the total {number} of the rows with "
        "the same {group} and store the unrounded fraction in a new column {new} of {frame}.",
    ),
    propose=propose_group_share,
    limit=1,
)
def share_of_group(board: Board, slots: Slots) -> Task:
    """Add each row's share of its group's total."""
    frame, new = frame_slot(board, slots), new_slot(frame_slot(board, slots), slots)
    group, number = column_slot(frame, slots, "group"), column_slot(frame, slots, "number", frame.numbers(distinct=2))
    grouped = f"{frame.var}.groupby({literal(group.name)})[{literal(number.name)}]"
    return Task(
        words={"frame": code(frame.var), "group": code(group.name), "number": code(number.name), "new": code(new)},
        body=f'{at(frame, new)} = {at(frame, number)} / {grouped}.transform("sum")',
        **column_digest(frame, new),
        uses=((frame.var, (group.name, number.name)),),
        checks=(f"{grouped}.sum().min() > 0",),
        cost=0.3,
        board=board.with_column(frame, made_number(new)),
    )


def propose_several(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A group column and two numbers."""
    for frame in board.sources(rng)[:2]:
        for group in board.ordered(rng, frame.groups())[:3]:
            numbers = [n for n in board.ordered(rng, frame.numbers()) if n.name != group.name]
            if len(numbers) >= 2:
                order = [c.name for c in frame.columns]
                yield {
                    "frame": frame.var,
                    "group": group.name,
                    "columns": sorted((n.name for n in numbers[:2]), key=order.index),
                    "hows": rng.sample(["mean", "median", "min", "max"], 2),
                }


@family(
    theme="grouping",
    knowledge_points=("group and aggregate", "named aggregation", "several columns"),
    idea="Statistics of {columns} for each {group}",
    wordings=(
        "For each {group} in {frame}, compute {first}, and {second}. Return a DataFrame indexed by {group} in "
        "ascending order with these two columns, in this order and not rounded.",
        "Return a DataFrame with one row per {group} of {frame} (as the index, ascending) and two columns: "
        "{first}; and {second}. Do not round.",
    ),
    propose=propose_several,
)
def several_statistics(board: Board, slots: Slots) -> Task:
    """Return several statistics per group under given names."""
    frame, group = frame_slot(board, slots), column_slot(frame_slot(board, slots), slots, "group")
    columns = [frame.column(str(name)) for name in list_slot(slots, "columns")]
    hows = [str(how) for how in list_slot(slots, "hows")]
    if len(columns) != 2 or len(hows) != 2:
        raise ContentError("two columns and two statistics are needed", fix="write two of each")
    labels: list[str] = []
    for column, how in zip(columns, hows, strict=True):
        stem = slug(column.name, limit=16) or "value"
        labels.append(free_name(f"{stem}_{how}", {group.name, *labels}))
    parts = zip(labels, columns, hows, strict=True)
    aggregates = ", ".join(f'{label}=({literal(c.name)}, "{how}")' for label, c, how in parts)
    stated = [
        STATED_MEASURE(label=code(label), how=MEASURES[how], column=code(column.name))
        for label, column, how in zip(labels, columns, hows, strict=True)
    ]
    return Task(
        words={
            "frame": code(frame.var),
            "group": code(group.name),
            "first": stated[0],
            "second": stated[1],
            "columns": names(c.name for c in columns),
        },
        result=f"{frame.var}.groupby({literal(group.name)}).agg({aggregates})",
        notes=(ignoring_missing([group, *columns]),),
        uses=((frame.var, (group.name, *(c.name for c in columns))),),
        checks=tuple(
            f"{frame.var}.groupby({literal(group.name)})[{literal(c.name)}].count().min() > 0" for c in columns
        ),
        board=board,
    )


def propose_large_groups(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A group column some of whose values are rare, and a number."""
    for var, group, number in group_and_number(board, rng):
        counts = sorted(count for _, count in group.top)
        if len(counts) >= 4 and len(counts) == group.distinct:
            least = counts[len(counts) // 2]
            if counts[0] < least and least > 3:
                how = rng.choice(["mean", "median"])
                yield {"frame": var, "group": group.name, "number": number.name, "least": least, "how": how}


@family(
    theme="grouping",
    knowledge_points=("filtering groups", "group and aggregate"),
    idea="The {how} {number} of every {group} with at least {least} rows",
    wordings=(
        "Only values of {group} that stand in at least {least} rows of {frame} are of interest. Return the {how} "
        "of {number} for each of them as a Series sorted by {group}, not rounded.",
        "Leave out every {group} that has fewer than {least} rows in {frame}. For the others, return the {how} of "
        "{number} as an unrounded Series indexed by {group} in ascending order.",
    ),
    propose=propose_large_groups,
    limit=1,
)
def large_groups(board: Board, slots: Slots) -> Task:
    """Return a statistic of the groups that have enough rows."""
    frame, least = frame_slot(board, slots), count_slot(slots, "least")
    group, number = column_slot(frame, slots, "group"), column_slot(frame, slots, "number", frame.numbers(distinct=2))
    how, key = text_slot(slots, "how", ("mean", "median")), literal(group.name)
    large = f"{frame.var}.groupby({key}).filter(lambda rows: len(rows) >= {least})"
    values = f"{large}.groupby({key})[{literal(number.name)}].{how}()"
    return Task(
        words={
            "frame": code(frame.var),
            "group": code(group.name),
            "number": code(number.name),
            "least": str(least),
            "how": MEASURES[how],
        },
        result=f"{values}.sort_index()",
        notes=(ignoring_missing([group, number]),),
        uses=((frame.var, (group.name, number.name)),),
        checks=(f"2 <= len({values}) < {at(frame, group)}.nunique()", f"{values}.notna().all()"),
        cost=0.5,
        board=board,
    )


def propose_ranges(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A column of groups and a number."""
    found = [*group_and_number(board, rng), *group_and_number(board, rng, entities=True)]
    for var, group, number in found:
        if group.distinct >= 4 and number.distinct >= 3 * min(group.distinct, 20):
            yield {"frame": var, "group": group.name, "number": number.name, "count": 3}


@family(
    theme="grouping",
    knowledge_points=("group and aggregate", "own aggregation", "top-k"),
    idea="The {count} {group} in which {number} varies most",
    wordings=(
        "For each {group} in {frame}, take the difference between the largest and the smallest {number}. Return "
        "the {count} largest differences as a Series indexed by {group}, from largest to smallest, not rounded.",
        "In which {count} values of {group} does {number} of {frame} span the widest range (maximum minus "
        "minimum)? Return the unrounded ranges as a Series indexed by {group}, widest first.",
    ),
    propose=propose_ranges,
    limit=1,
)
def widest_ranges(board: Board, slots: Slots) -> Task:
    """Return the groups in which a number varies most."""
    frame, count = frame_slot(board, slots), count_slot(slots, "count")
    group, number = column_slot(frame, slots, "group"), column_slot(frame, slots, "number", frame.numbers(distinct=2))
    ranges = (
        f"{frame.var}.groupby({literal(group.name)})[{literal(number.name)}]"
        ".agg(lambda values: values.max() - values.min())"
    )
    return Task(
        words={
            "frame": code(frame.var),
            "group": code(group.name),
            "number": code(number.name),
            "count": str(count),
        },
        result=f"{ranges}.nlargest({count})",
        notes=(ignoring_missing([group, number]),),
        uses=((frame.var, (group.name, number.name)),),
        checks=(f"{ranges}.nlargest({count + 1}).round(9).is_unique", f"{ranges}.nlargest({count}).min() > 0"),
        cost=0.8,
        board=board,
    )


def propose_weighted(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A group column, a number and a positive amount, all without gaps."""
    for frame in board.sources(rng)[:2]:
        numbers = [c for c in board.ordered(rng, frame.numbers(distinct=6)) if not c.missing]
        weights = [c for c in numbers if positive(c) and is_amount(c)]
        groups = [c for c in board.ordered(rng, frame.groups()) if not c.missing]
        for number, weight in pairs(numbers[:4], weights[:3], 4):
            for group in [g for g in groups[:2] if g.name not in (number.name, weight.name)]:
                yield {"frame": frame.var, "group": group.name, "number": number.name, "weight": weight.name}


@family(
    theme="grouping",
    knowledge_points=("weighted mean", "group and aggregate", "arithmetic of Series"),
    idea="The mean {number} of each {group}, weighted by {weight}",
    wordings=(
        "Compute the mean of {number} for each {group} in {frame}, weighted by {weight}: the sum of {number} times "
        "{weight}, divided by the sum of {weight}. Return an unrounded Series sorted by {group}.",
        "In the average of {number} per {group}, each row of {frame} shall count with its {weight} as the weight. "
        "Return these weighted means as a Series indexed by {group} in ascending order, not rounded.",
    ),
    propose=propose_weighted,
    limit=1,
)
def weighted_groups(board: Board, slots: Slots) -> Task:
    """Return the weighted mean of each group."""
    frame, group = frame_slot(board, slots), column_slot(frame_slot(board, slots), slots, "group")
    full = [c for c in frame.numbers(distinct=2) if not c.missing]
    number, weight = column_slot(frame, slots, "number", full), column_slot(frame, slots, "weight", full)
    products = f"({at(frame, number)} * {at(frame, weight)}).groupby({at(frame, group)}).sum()"
    return Task(
        words={
            "frame": code(frame.var),
            "group": code(group.name),
            "number": code(number.name),
            "weight": code(weight.name),
        },
        result=f"{products} / {frame.var}.groupby({literal(group.name)})[{literal(weight.name)}].sum()",
        uses=((frame.var, (group.name, number.name, weight.name)),),
        cost=0.4,
        board=board,
    )


def propose_side_by_side(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Two group columns, two values of one of them, and a number."""
    for frame in board.sources(rng)[:2]:
        groups = [c for c in frame.groups() if not c.missing]
        for rows, columns in pairs(board.ordered(rng, groups)[:3], board.ordered(rng, groups)[:3], 4):
            values = values_of(rng, columns, 2) if columns.distinct > 2 else [v for v, _ in columns.top]
            for number in [
                n for n in board.ordered(rng, frame.numbers())[:2] if n.name not in (rows.name, columns.name)
            ]:
                if len(values) == 2:
                    sides = {"rows": rows.name, "columns": columns.name, "number": number.name}
                    yield {"frame": frame.var, **sides, "values": values, "how": rng.choice(["mean", "median"])}


@family(
    theme="grouping",
    knowledge_points=("comparison of groups", "alignment of Series", "group and aggregate"),
    idea="How {first} and {second} differ in {number} within each {rows}",
    wordings=(
        "Within each {rows} of {frame}, by how much does the {how} of {number} differ between rows whose {columns} "
        "is {first} and rows whose {columns} is {second}? Return a Series of the values for {first} minus those "
        "for {second}, indexed and sorted by {rows}, not rounded.",
        "For every {rows} in {frame}, subtract the {how} {number} of the rows with {columns} {second} from that of "
        "the rows with {columns} {first}. Return the differences as an unrounded Series sorted by {rows}.",
    ),
    propose=propose_side_by_side,
    limit=1,
)
def difference_within(board: Board, slots: Slots) -> Task:
    """Return the difference of two groups within each group of another column."""
    frame, how = frame_slot(board, slots), text_slot(slots, "how", ("mean", "median"))
    rows, columns = column_slot(frame, slots, "rows"), column_slot(frame, slots, "columns")
    number, values = column_slot(frame, slots, "number", frame.numbers(distinct=2)), list_slot(slots, "values")
    if len(values) != 2:
        raise ContentError("slot 'values' needs two values", fix="write two")
    groups = f"groupby({literal(rows.name)})[{literal(number.name)}]"
    sides = [f"{frame.var}.loc[{at(frame, columns)} == {literal(value)}].{groups}" for value in values]
    return Task(
        words={
            "frame": code(frame.var),
            "rows": code(rows.name),
            "columns": code(columns.name),
            "number": code(number.name),
            "first": shown(values[0]),
            "second": shown(values[1]),
            "how": MEASURES[how],
        },
        result=f"(\n    {sides[0]}.{how}()\n    - {sides[1]}.{how}()\n)",
        notes=(ignoring_missing([number]),),
        uses=((frame.var, (rows.name, columns.name, number.name)),),
        checks=tuple(f"{side}.count().reindex({at(frame, rows)}.unique(), fill_value=0).min() > 0" for side in sides),
        cost=0.4,
        board=board,
    )
