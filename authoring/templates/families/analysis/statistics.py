"""Tasks about distributions and relations of numbers."""

from collections.abc import Iterator
from random import Random
from typing import Any

from authoring.seeds import ColumnProfile
from authoring.templates.board import Board, Frame, Slots
from authoring.templates.families.analysis.grouping import group_and_number
from authoring.templates.family import (
    Task,
    at,
    column_slot,
    family,
    frame_slot,
    list_slot,
    pairs,
    text_slot,
)
from authoring.templates.names_in_words import code, ignoring_missing, literal, names
from authoring.templates.phrasebook import BOTH_KNOWN, DEVIATIONS, PAIRS_KNOWN
from authoring.templates.phrases import Listing
from evaluator.errors import ContentError


def propose_correlation(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Two numbers."""
    for frame in board.sources(rng)[:2]:
        numbers = board.ordered(rng, frame.numbers(distinct=6))
        for first, second in pairs(numbers[:4], numbers[:4], 4):
            yield {"frame": frame.var, "columns": [first.name, second.name]}


@family(
    theme="statistics",
    knowledge_points=("correlation",),
    idea="The correlation of {first} and {second}",
    wordings=(
        "What is the Pearson correlation between {first} and {second} in {frame}? Return a single number, not rounded.",
        "Return the unrounded Pearson correlation coefficient of {first} and {second} in {frame}.",
    ),
    propose=propose_correlation,
)
def correlation(board: Board, slots: Slots) -> Task:
    """Return the correlation of two columns."""
    frame = frame_slot(board, slots)
    columns = _numbers(frame, slots, 2)
    call = f"{at(frame, columns[0])}.corr({at(frame, columns[1])})"
    lacking = any(c.missing for c in columns)
    return Task(
        words={
            "frame": code(frame.var),
            "first": code(columns[0].name),
            "second": code(columns[1].name),
        },
        result=call,
        notes=(BOTH_KNOWN() if lacking else None,),
        uses=((frame.var, tuple(c.name for c in columns)),),
        checks=(f"abs({call}) < 0.9999999",),
        cost=0.4,
        board=board,
    )


def propose_strongest(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number and at least three others."""
    for frame in board.sources(rng)[:1]:
        numbers = board.ordered(rng, frame.numbers(distinct=6))[:5]
        if len(numbers) >= 4:
            for target in numbers[:2]:
                others = [c.name for c in numbers if c.name != target.name]
                yield {"frame": frame.var, "target": target.name, "columns": others}


@family(
    theme="statistics",
    knowledge_points=("correlation", "sorting by absolute value"),
    idea="Which of {columns} goes most closely with {target}",
    wordings=(
        "Compute the Pearson correlation of each of {columns} with {target} in {frame}. Return a Series indexed "
        "by column name, the strongest relation (largest absolute value) first, signs kept, not rounded.",
        "How closely do {columns} go with {target} in {frame}? Return their Pearson correlations with it as a "
        "Series labelled by column and sorted by absolute value in descending order. Keep the signs and do not "
        "round.",
    ),
    propose=propose_strongest,
    limit=1,
)
def correlations_with(board: Board, slots: Slots) -> Task:
    """Return the correlations of several columns with one, strongest first."""
    frame = frame_slot(board, slots)
    target = column_slot(frame, slots, "target", frame.numbers(distinct=2))
    columns = _numbers(frame, slots, None)
    call = f"{frame.var}[{literal([c.name for c in columns])}].corrwith({at(frame, target)})"
    lacking = any(c.missing for c in (target, *columns))
    return Task(
        words={"frame": code(frame.var), "target": code(target.name), "columns": names(c.name for c in columns)},
        result=f"{call}.sort_values(key=abs, ascending=False)",
        notes=(PAIRS_KNOWN() if lacking else None,),
        uses=((frame.var, (target.name, *(c.name for c in columns))),),
        checks=(f"{call}.abs().round(9).is_unique", f"{call}.notna().all()"),
        cost=0.5,
        board=board,
    )


def propose_quantiles(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number."""
    for frame in board.sources(rng)[:2]:
        for column in board.ordered(rng, frame.numbers(distinct=8))[:3]:
            levels = rng.choice([[0.1, 0.5, 0.9], [0.05, 0.5, 0.95], [0.25, 0.5, 0.75], [0.2, 0.4, 0.6, 0.8]])
            yield {"frame": frame.var, "column": column.name, "levels": levels}


@family(
    theme="statistics",
    knowledge_points=("quantiles",),
    idea="Quantiles of {column}",
    wordings=(
        "Return the quantiles {levels} of {column} in {frame} as a Series indexed by these levels, with linear "
        "interpolation (the default) and without rounding.",
        "What are the {levels} quantiles of {column} in {frame}? Interpolate linearly, do not round, and return a "
        "Series whose index holds the levels.",
    ),
    propose=propose_quantiles,
)
def quantiles(board: Board, slots: Slots) -> Task:
    """Return quantiles of a column."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column", frame.numbers(distinct=2))
    levels = list_slot(slots, "levels")
    return Task(
        words={
            "frame": code(frame.var),
            "column": code(column.name),
            "levels": Listing(tuple(f"{level:g}" for level in levels)),
        },
        result=f"{at(frame, column)}.quantile({literal(levels)})",
        notes=(ignoring_missing([column]),),
        uses=((frame.var, (column.name,)),),
        checks=(f"{at(frame, column)}.quantile({literal(levels)}).nunique() > 1",),
        board=board,
    )


def propose_spread(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A group column and a number."""
    for var, group, number in group_and_number(board, rng):
        if number.distinct >= 2 * group.distinct:
            yield {"frame": var, "group": group.name, "number": number.name, "ddof": rng.choice([0, 1])}


@family(
    theme="statistics",
    knowledge_points=("standard deviation", "group and aggregate"),
    idea="The spread of {number} within each {group}",
    wordings=(
        "How much does {number} vary within each {group} of {frame}? Return the {kind} per {group} as an "
        "unrounded Series sorted by its index.",
        "For every {group} in {frame}, compute the {kind} of {number}. Return a Series indexed by {group} in "
        "ascending order, not rounded.",
    ),
    propose=propose_spread,
    limit=1,
)
def group_spread(board: Board, slots: Slots) -> Task:
    """Return the standard deviation of each group."""
    frame = frame_slot(board, slots)
    group, number = column_slot(frame, slots, "group"), column_slot(frame, slots, "number", frame.numbers(distinct=2))
    ddof = slots.get("ddof")
    if ddof not in (0, 1) or isinstance(ddof, bool):
        raise ContentError(f"slot 'ddof' is {ddof!r}", fix="write 0 or 1")
    grouped = f"{frame.var}.groupby({literal(group.name)})[{literal(number.name)}]"
    return Task(
        words={
            "frame": code(frame.var),
            "group": code(group.name),
            "number": code(number.name),
            "kind": DEVIATIONS[ddof],
        },
        result=f"{grouped}.std(ddof={ddof}).sort_index()",
        notes=(ignoring_missing([group, number]),),
        uses=((frame.var, (group.name, number.name)),),
        checks=(f"{grouped}.nunique().min() >= 2",),
        board=board,
    )


def propose_fences(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number."""
    for frame in board.sources(rng)[:2]:
        for column in board.ordered(rng, frame.numbers(distinct=10))[:3]:
            low, high = board.free("lower_fence"), board.free("upper_fence")
            yield {"frame": frame.var, "column": column.name, "low": low, "high": high}


@family(
    theme="statistics",
    knowledge_points=("quantiles", "outliers"),
    idea="Outlier fences of {column}",
    wordings=(
        "Compute the outlier fences of {column} in {frame}: first quartile minus 1.5 times the interquartile "
        "range, and third quartile plus 1.5 times that range (quartiles with linear interpolation). Store them "
        "as {low} and {high}, and return the tuple ({low}, {high}), not rounded.",
        "By the box plot rule, values of {column} in {frame} are suspicious below Q1 - 1.5 IQR or above Q3 + 1.5 "
        "IQR, where Q1 and Q3 are linearly interpolated quartiles and IQR is their difference. Store the two "
        "bounds as {low} and {high} and return them as a tuple in this order, not rounded.",
    ),
    propose=propose_fences,
    limit=1,
)
def fences(board: Board, slots: Slots) -> Task:
    """Store the fences of the box plot rule and return the values beyond them."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column", frame.numbers(distinct=2))
    low, high = text_slot(slots, "low"), text_slot(slots, "high")
    values = at(frame, column)
    width = f"({values}.quantile(0.75) - {values}.quantile(0.25))"
    return Task(
        words={"frame": code(frame.var), "column": code(column.name), "low": code(low), "high": code(high)},
        body=(f"{low} = {values}.quantile(0.25) - 1.5 * {width}\n{high} = {values}.quantile(0.75) + 1.5 * {width}"),
        result=f"({low}, {high})",
        stores=(low, high),
        notes=(ignoring_missing([column]),),
        uses=((frame.var, (column.name,)),),
        checks=(f"{low} < {high}",),
        board=board.with_variable(low, high),
    )


def propose_describe(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Two or three numbers."""
    for frame in board.sources(rng)[:2]:
        numbers = board.ordered(rng, frame.numbers())
        if len(numbers) >= 2:
            chosen = [c.name for c in numbers[: rng.choice([2, 3])]]
            order = [c.name for c in frame.columns]
            yield {"frame": frame.var, "columns": sorted(chosen, key=order.index)}


@family(
    theme="statistics",
    knowledge_points=("descriptive statistics", "standard deviation"),
    idea="Mean, median and standard deviation of {columns}",
    wordings=(
        "Return a DataFrame with the rows `mean`, `median` and `std` (sample standard deviation, `ddof=1`) and "
        "the columns {columns}, computed from {frame} and not rounded.",
        "For {columns} in {frame}, return the mean, the median and the sample standard deviation (`ddof=1`) as a "
        "DataFrame: one column for each, rows labelled `mean`, `median`, `std`, no rounding.",
    ),
    propose=propose_describe,
    limit=1,
)
def describe(board: Board, slots: Slots) -> Task:
    """Return mean, median and sample standard deviation of several columns."""
    frame = frame_slot(board, slots)
    columns = _numbers(frame, slots, None)
    return Task(
        words={"frame": code(frame.var), "columns": names(c.name for c in columns)},
        result=f'{frame.var}[{literal([c.name for c in columns])}].agg(["mean", "median", "std"])',
        notes=(ignoring_missing(columns),),
        uses=((frame.var, tuple(c.name for c in columns)),),
        board=board,
    )


def _numbers(frame: Frame, slots: Slots, count: int | None) -> list[ColumnProfile]:
    """Return the numeric columns that the slot `columns` names."""
    chosen = [frame.column(str(name)) for name in list_slot(slots, "columns")]
    odd = [c.name for c in chosen if c not in frame.numbers(distinct=2)]
    if odd or (count is not None and len(chosen) != count):
        what = f"{odd[0]!r} is no numeric column" if odd else f"slot 'columns' needs {count} columns"
        raise ContentError(what, fix="choose numeric columns")
    return chosen
