"""Tasks that lay values out in two directions, or bring them back."""

from collections.abc import Iterator
from random import Random
from typing import Any

from authoring.seeds import ColumnRole
from authoring.templates.board import Board, Slots
from authoring.templates.family import Task, at, column_slot, family, frame_slot, pairs, text_slot
from authoring.templates.names_in_words import code, ignoring_missing, literal
from authoring.templates.phrasebook import MEASURES

MAX_WIDE_ROWS = 300


def propose_row_shares(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Two group columns."""
    for frame in board.sources(rng)[:2]:
        groups = board.ordered(rng, [c for c in frame.groups() if c.role is not ColumnRole.BOOL])
        for rows, columns in pairs(groups[:4], groups[:4], 4):
            yield {"frame": frame.var, "rows": rows.name, "columns": columns.name}


@family(
    theme="pivoting",
    knowledge_points=("cross tabulation", "shares"),
    idea="How {columns} are spread within each {rows}",
    wordings=(
        "For each {rows} in {frame}, what fraction of its rows has each {columns}? Return a DataFrame with the "
        "values of {rows} as its index and those of {columns} as its columns, both axes sorted ascending and named "
        "like that; each row adds up to 1. Do not round.",
        "Cross-tabulate {frame}: rows are the values of {rows}, columns those of {columns} (both sorted ascending, "
        "axes named {rows} and {columns}), and each cell is the unrounded share of the row's total, from 0 to 1.",
    ),
    propose=propose_row_shares,
    limit=1,
)
def row_shares(board: Board, slots: Slots) -> Task:
    """Return the shares of one group within each value of another."""
    frame = frame_slot(board, slots)
    rows, columns = column_slot(frame, slots, "rows"), column_slot(frame, slots, "columns")
    table = f'pd.crosstab({at(frame, rows)}, {at(frame, columns)}, normalize="index")'
    return Task(
        words={"frame": code(frame.var), "rows": code(rows.name), "columns": code(columns.name)},
        result=table,
        notes=(ignoring_missing([rows, columns]),),
        uses=((frame.var, (rows.name, columns.name)),),
        checks=(f"{table}.nunique().max() > 1",),
        cost=0.5,
        board=board,
    )


def propose_wide(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A long table that an earlier problem made."""
    for frame in board.frames.values():
        if frame.is_long and frame.columns[0].distinct <= MAX_WIDE_ROWS:
            key, variable, value = frame.columns
            sides = {"key": key.name, "measure": variable.name, "number": value.name}
            yield {"frame": frame.var, **sides, "how": rng.choice(["mean", "max"])}


@family(
    theme="reshaping",
    knowledge_points=("long to wide", "unstacking"),
    idea="{frame} in wide form again: the {how} of {number}",
    wordings=(
        "Turn {frame} into a wide table: one row per {key}, one column per {measure}, cells the {how} of {number}. "
        "Sort both axes ascending, name them {key} and {measure}, do not round, and return the DataFrame.",
        "From the long table {frame}, return a DataFrame indexed by {key} with the values of {measure} as columns "
        "(both sorted ascending and named like that) and the unrounded {how} of {number} in its cells.",
    ),
    propose=propose_wide,
    limit=1,
)
def long_to_wide(board: Board, slots: Slots) -> Task:
    """Return a wide form of a long table."""
    frame, how = frame_slot(board, slots), text_slot(slots, "how", ("mean", "max"))
    key, variable = column_slot(frame, slots, "key"), column_slot(frame, slots, "measure")
    value = column_slot(frame, slots, "number")
    known = f"{frame.var}.dropna(subset={literal([key.name, value.name])})"
    grouped = f"groupby({literal([key.name, variable.name])})[{literal(value.name)}]"
    table = f"{frame.var}.{grouped}.{how}().unstack()"
    return Task(
        words={
            "frame": code(frame.var),
            "key": code(key.name),
            "measure": code(variable.name),
            "number": code(value.name),
            "how": MEASURES[how],
        },
        result=table,
        notes=(ignoring_missing([key, value]),),
        uses=((frame.var, (key.name, variable.name, value.name)),),
        checks=(
            f"{known}[{literal(key.name)}].nunique() == {at(frame, key)}.nunique()",
            f"{table}.notna().any().all()",
        ),
        cost=0.4,
        board=board,
    )


def propose_gain(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Two group columns, one of them of two to six values, and a number."""
    for frame in board.sources(rng)[:2]:
        groups = [c for c in frame.groups() if not c.missing and c.role is not ColumnRole.BOOL]
        for rows, columns in pairs(board.ordered(rng, groups)[:3], board.ordered(rng, groups)[:3], 4):
            for number in [
                n for n in board.ordered(rng, frame.numbers())[:2] if n.name not in (rows.name, columns.name)
            ]:
                yield {"frame": frame.var, "rows": rows.name, "columns": columns.name, "number": number.name}


@family(
    theme="pivoting",
    knowledge_points=("two group columns", "unstacking", "arithmetic along an axis"),
    idea="How the mean {number} of each {columns} differs from that of its {rows}",
    wordings=(
        "Compute the mean of {number} for each combination of {rows} and {columns} in {frame}, and subtract the "
        "mean of {number} over all rows with that {rows}. Return a DataFrame with {rows} as index and {columns} as "
        "columns, both axes sorted ascending and named like that, combinations without data missing, not rounded.",
        "By how much does the mean {number} of each {columns} within a {rows} of {frame} lie above the mean of the "
        "whole {rows}? Return the differences as a DataFrame: index {rows}, columns {columns}, both ascending and "
        "with these axis names; missing where a combination does not occur; unrounded.",
    ),
    propose=propose_gain,
    limit=1,
)
def cell_effects(board: Board, slots: Slots) -> Task:
    """Return by how much cell means exceed the mean of their row."""
    frame = frame_slot(board, slots)
    rows, columns = column_slot(frame, slots, "rows"), column_slot(frame, slots, "columns")
    number = column_slot(frame, slots, "number", frame.numbers(distinct=2))
    key = literal(number.name)
    cells = f"{frame.var}.groupby({literal([rows.name, columns.name])})[{key}].mean().unstack()"
    means = f"{frame.var}.groupby({literal(rows.name)})[{key}].mean()"
    return Task(
        words={
            "frame": code(frame.var),
            "rows": code(rows.name),
            "columns": code(columns.name),
            "number": code(number.name),
        },
        result=f"{cells}.sub({means}, axis=0)",
        notes=(ignoring_missing([number]),),
        uses=((frame.var, (rows.name, columns.name, number.name)),),
        checks=(f"{cells}.notna().any(axis=1).all() and {cells}.notna().any().all()",),
        cost=0.5,
        board=board,
    )


def propose_missing_share(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A column with gaps and a group column without."""
    for frame in board.mains():
        lacking = [c for c in frame.usable if 3 <= c.missing < frame.rows]
        groups = [c for c in frame.groups() if not c.missing]
        for column, group in pairs(board.ordered(rng, lacking)[:3], board.ordered(rng, groups)[:3], 4):
            yield {"frame": frame.var, "column": column.name, "group": group.name}


@family(
    theme="missing values",
    knowledge_points=("missing values", "group and aggregate", "shares"),
    idea="The share of missing {column} for each {group}",
    wordings=(
        "For each {group} in {frame}, what fraction of the values of {column} is missing? Return an unrounded "
        "Series of numbers between 0 and 1, sorted by {group}.",
        "Is {column} missing more often in some values of {group}? Return the share of rows of {frame} without "
        "{column} for every {group}, as a Series in ascending order of its index, not rounded.",
    ),
    propose=propose_missing_share,
    limit=1,
)
def missing_by_group(board: Board, slots: Slots) -> Task:
    """Return the share of missing values within each group."""
    frame = frame_slot(board, slots)
    column, group = column_slot(frame, slots, "column"), column_slot(frame, slots, "group", frame.groups(most=50))
    shares = f"{at(frame, column)}.isna().groupby({at(frame, group)}).mean()"
    return Task(
        words={"frame": code(frame.var), "column": code(column.name), "group": code(group.name)},
        result=shares,
        uses=((frame.var, (column.name, group.name)),),
        checks=(f"{shares}.nunique() > 1",),
        board=board,
    )
