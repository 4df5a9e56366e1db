"""Tasks about windows of rows: running totals, moving averages, ranks."""

from collections.abc import Iterator
from random import Random
from typing import Any

from authoring.templates.board import Board, Slots, is_amount, made_aside
from authoring.templates.families.columns.deriving import new_column, new_slot
from authoring.templates.family import (
    Task,
    at,
    column_digest,
    column_slot,
    count_slot,
    family,
    frame_slot,
    pairs,
    text_slot,
)
from authoring.templates.names_in_words import code, literal, slug
from authoring.templates.phrasebook import (
    ALL_OF_THESE,
    FIRST_ROWS_NOT_COUNTED,
    LARGEST_OF_THESE,
    MEASURES,
    RANKS,
    ROW_BEFORE,
    ROWS_BEFORE,
    ROWS_WITHOUT_RANK,
)


def propose_rolling(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number without gaps; the order of the rows is the order of the file."""
    for frame in board.sources(rng)[:1]:
        full = [c for c in frame.numbers(distinct=8) if not c.missing]
        sizes = [n for n in (3, 5, 7, 10) if n * 4 <= frame.rows]
        for column in board.ordered(rng, full)[:3] if sizes else []:
            yield {
                "frame": frame.var,
                "column": column.name,
                "size": rng.choice(sizes),
                "how": "sum" if is_amount(column) and rng.random() < 0.5 else "mean",
            }


@family(
    theme="windows",
    knowledge_points=("rolling windows",),
    idea="Moving {how} of {column} over {size} rows",
    wordings=(
        "With the rows of {frame} in their present order, compute the moving {how} of {column} over windows of "
        "{size} rows (each row and the {before} rows before it; no value for incomplete windows). Return {wish}.",
        "Slide a window of {size} rows over {column} of {frame}, in the present row order, ending at each row, "
        "and take the {how} of every complete window. Return {wish}.",
    ),
    propose=propose_rolling,
)
def rolling(board: Board, slots: Slots) -> Task:
    """Return the moving averages, or the largest one for a big table."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column", [c for c in frame.numbers(distinct=2) if not c.missing])
    size, how = count_slot(slots, "size"), text_slot(slots, "how", ("mean", "sum"))
    moving = f"{at(frame, column)}.rolling({size}).{how}()"
    wish = LARGEST_OF_THESE() if frame.is_big else ALL_OF_THESE(frame=code(frame.var), lacking=str(size - 1))
    return Task(
        words={
            "frame": code(frame.var),
            "column": code(column.name),
            "size": str(size),
            "before": str(size - 1),
            "how": MEASURES[how],
            "wish": wish,
        },
        result=f"{moving}.max()" if frame.is_big else moving,
        uses=((frame.var, (column.name,)),),
        board=board,
    )


def propose_running(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A group column and a number, both without gaps."""
    for frame in board.mains():
        groups = [c for c in frame.groups() if not c.missing]
        numbers = [c for c in frame.numbers() if not c.missing and is_amount(c)]
        for group, number in pairs(board.ordered(rng, groups)[:3], board.ordered(rng, numbers)[:3], 3):
            stem = slug(number.name, limit=14)
            new = new_column(frame, f"{stem}_running" if stem else "running_total")
            yield {"frame": frame.var, "group": group.name, "number": number.name, "new": new}


@family(
    theme="windows",
    knowledge_points=("cumulative sums", "group transform"),
    idea="The running total of {number} within each {group}",
    wordings=(
        "Add a column {new} to {frame} with the running total of {number} within each {group}, in the present "
        "order of the rows.",
        "For each row of {frame}, sum {number} over this row and all earlier rows with the same {group}. Store "
        "the sums in a new column {new} of {frame}.",
    ),
    propose=propose_running,
    limit=1,
)
def running_total(board: Board, slots: Slots) -> Task:
    """Add the running total within each group."""
    frame = frame_slot(board, slots)
    group, number = column_slot(frame, slots, "group"), column_slot(frame, slots, "number", frame.numbers(distinct=2))
    new = new_slot(frame, slots)
    return Task(
        words={"frame": code(frame.var), "group": code(group.name), "number": code(number.name), "new": code(new)},
        body=f"{at(frame, new)} = {frame.var}.groupby({literal(group.name)})[{literal(number.name)}].cumsum()",
        **column_digest(frame, new),
        uses=((frame.var, (group.name, number.name)),),
        cost=0.3,
        board=board.with_column(frame, made_aside(new)),
    )


def propose_rank(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number."""
    for frame in board.mains():
        for column in board.ordered(rng, frame.numbers(distinct=8))[:3]:
            stem = slug(column.name, limit=18)
            new = new_column(frame, f"{stem}_rank" if stem else "rank")
            yield {"frame": frame.var, "column": column.name, "method": rng.choice(list(RANKS)), "new": new}


@family(
    theme="windows",
    knowledge_points=("ranking", "ties"),
    idea="Rank the rows by {column} in a column {new}",
    wordings=(
        "Rank the rows of {frame} by {column}, the largest value first (rank 1): {rule}. Store the ranks in a new "
        "column {new} of {frame}.",
        "Add a column {new} to {frame} with the rank of {column} in descending order, so that the largest value "
        "has rank 1; {rule}.",
    ),
    propose=propose_rank,
    limit=1,
)
def rank(board: Board, slots: Slots) -> Task:
    """Add the rank of each row."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column", frame.numbers(distinct=2))
    method, new = text_slot(slots, "method", tuple(RANKS)), new_slot(frame, slots)
    return Task(
        words={"frame": code(frame.var), "column": code(column.name), "new": code(new), "rule": RANKS[method]},
        body=f'{at(frame, new)} = {at(frame, column)}.rank(method="{method}", ascending=False)',
        **column_digest(frame, new),
        notes=(ROWS_WITHOUT_RANK(column=code(column.name)) if column.missing else None,),
        uses=((frame.var, (column.name,)),),
        cost=0.3,
        board=board.with_column(frame, made_aside(new)),
    )


def propose_jump(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number whose neighbouring rows differ."""
    for frame in board.sources(rng)[:1]:
        for column in board.ordered(rng, [c for c in frame.numbers(distinct=8) if not c.missing])[:3]:
            yield {"frame": frame.var, "column": column.name, "lag": rng.choice([1, 2, 3])}


@family(
    theme="windows",
    knowledge_points=("differences", "row order"),
    idea="How {column} changes from row to row",
    wordings=(
        "In the present order of {frame}, how much does {column} of each row differ from {before}? Return the "
        "mean and the maximum of the absolute differences as a Series labelled `mean` and `max`, not rounded.",
        "Take the absolute difference between {column} of each row of {frame} and that of {before}. Return an "
        "unrounded Series of two numbers, labelled `mean` and `max`: the mean and maximum of these differences.",
    ),
    propose=propose_jump,
    limit=1,
)
def row_changes(board: Board, slots: Slots) -> Task:
    """Return mean and largest absolute change between rows."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column", [c for c in frame.numbers(distinct=2) if not c.missing])
    lag = count_slot(slots, "lag")
    before = ROW_BEFORE() if lag == 1 else ROWS_BEFORE(lag=str(lag))
    return Task(
        words={"frame": code(frame.var), "column": code(column.name), "before": before},
        result=f'{at(frame, column)}.diff({lag}).abs().agg(["mean", "max"])',
        notes=(None if lag == 1 else FIRST_ROWS_NOT_COUNTED(lag=str(lag)),),
        uses=((frame.var, (column.name,)),),
        board=board,
    )
