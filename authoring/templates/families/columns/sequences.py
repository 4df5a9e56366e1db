"""Tasks about the order of rows: changes, runs, totals within groups."""

from collections.abc import Iterator
from random import Random
from typing import Any

from authoring.templates.board import Board, Slots, is_amount, made_aside
from authoring.templates.families.columns.deriving import new_column, new_slot, positive
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
from authoring.templates.phrasebook import MEASURES, PERCENT


def propose_group_change(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A column of groups and a number, both without gaps."""
    for frame in board.mains():
        groups = [c for c in [*frame.entities(), *frame.groups()] if not c.missing]
        numbers = [c for c in frame.numbers(distinct=8) if not c.missing]
        for group, number in pairs(board.ordered(rng, groups)[:3], board.ordered(rng, numbers)[:3], 4):
            stem = slug(number.name, limit=14)
            new = new_column(frame, f"{stem}_change" if stem else "change")
            yield {"frame": frame.var, "group": group.name, "number": number.name, "new": new}


@family(
    theme="windows",
    knowledge_points=("differences", "group transform", "derived columns"),
    idea="The change of {number} from row to row within each {group}",
    wordings=(
        "Add a column {new} to {frame}: {number} of the row minus {number} of the nearest earlier row with the "
        "same {group}, in the present order of the rows. The first row of each {group} gets a missing value.",
        "Within each {group} of {frame}, and in the present row order, subtract the previous row's {number} from "
        "the row's own. Keep the differences in a new column {new}, missing where a {group} occurs for the first "
        "time.",
    ),
    propose=propose_group_change,
    limit=1,
)
def change_within(board: Board, slots: Slots) -> Task:
    """Add the change to the row before within each group."""
    frame, new = frame_slot(board, slots), new_slot(frame_slot(board, slots), slots)
    group, number = column_slot(frame, slots, "group"), column_slot(frame, slots, "number", frame.numbers(distinct=2))
    return Task(
        words={"frame": code(frame.var), "group": code(group.name), "number": code(number.name), "new": code(new)},
        body=f"{at(frame, new)} = {frame.var}.groupby({literal(group.name)})[{literal(number.name)}].diff()",
        **column_digest(frame, new),
        uses=((frame.var, (group.name, number.name)),),
        checks=(f"{at(frame, new)}.notna().mean() > 0.3",),
        cost=0.3,
        board=board.with_column(frame, made_aside(new)),
    )


def propose_group_rolling(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A group column and a number, both without gaps."""
    for frame in board.mains():
        groups = [c for c in [*frame.entities(), *frame.groups()] if not c.missing and c.distinct * 8 <= frame.rows]
        numbers = [c for c in frame.numbers(distinct=8) if not c.missing]
        for group, number in pairs(board.ordered(rng, groups)[:3], board.ordered(rng, numbers)[:3], 4):
            stem = slug(number.name, limit=14)
            new = new_column(frame, f"{stem}_smooth" if stem else "smooth")
            sides = {"group": group.name, "number": number.name, "new": new}
            yield {"frame": frame.var, **sides, "size": rng.choice([3, 4, 5])}


@family(
    theme="windows",
    knowledge_points=("rolling windows", "group transform", "derived columns"),
    idea="A moving average of {number} within each {group}",
    wordings=(
        "Smooth {number} within each {group} of {frame}, in the present order of the rows: a new column {new} "
        "holds the mean of the row's {number} and those of the {before} rows of the same {group} before it. Where "
        "there are fewer, it is missing. Do not round.",
        "Add a column {new} to {frame} with the moving average of {number} over {size} rows, computed separately "
        "for each {group} and in the present row order; it ends at the row itself and is missing for incomplete "
        "windows. Do not round.",
    ),
    propose=propose_group_rolling,
    limit=1,
)
def rolling_within(board: Board, slots: Slots) -> Task:
    """Add the moving average within each group."""
    frame, size = frame_slot(board, slots), count_slot(slots, "size")
    new = new_slot(frame, slots)
    group, number = column_slot(frame, slots, "group"), column_slot(frame, slots, "number", frame.numbers(distinct=2))
    moving = f"lambda values: values.rolling({size}).mean()"
    return Task(
        words={
            "frame": code(frame.var),
            "group": code(group.name),
            "number": code(number.name),
            "new": code(new),
            "size": str(size),
            "before": str(size - 1),
        },
        body=(
            f"{at(frame, new)} = {frame.var}.groupby({literal(group.name)})[{literal(number.name)}].transform(\n"
            f"    {moving}\n)"
        ),
        **column_digest(frame, new),
        uses=((frame.var, (group.name, number.name)),),
        checks=(f"{at(frame, new)}.notna().mean() > 0.3",),
        cost=0.6,
        board=board.with_column(frame, made_aside(new)),
    )


def propose_half(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A positive amount without gaps."""
    for frame in board.sources(rng)[:1]:
        amounts = [c for c in frame.numbers(distinct=10) if is_amount(c) and positive(c) and not c.missing]
        for column in board.ordered(rng, amounts)[:3]:
            yield {"frame": frame.var, "column": column.name, "share": rng.choice([50, 60, 80])}


@family(
    theme="windows",
    knowledge_points=("cumulative sums", "sorting", "shares"),
    idea="How many of the largest {column} make up {share} of the total",
    wordings=(
        "How many rows of {frame} are needed to reach at least {share} of the sum of {column}, if the rows with "
        "the largest values are taken first? Return a whole number.",
        "Take the values of {column} in {frame} from the largest down until their sum is at least {share} of the "
        "total. How many values is that? Return an integer.",
    ),
    propose=propose_half,
    limit=1,
)
def largest_shares(board: Board, slots: Slots) -> Task:
    """Return how many of the largest values make up a share of the total."""
    frame, share = frame_slot(board, slots), count_slot(slots, "share")
    column = column_slot(frame, slots, "column", frame.numbers(distinct=2))
    running = f"{at(frame, column)}.sort_values(ascending=False).cumsum()"
    total = f"{at(frame, column)}.sum()"
    return Task(
        words={"frame": code(frame.var), "column": code(column.name), "share": PERCENT(number=str(share))},
        result=f"int(({running} < {share / 100:g} * {total}).sum()) + 1",
        uses=((frame.var, (column.name,)),),
        checks=(f"({running} / {total} - {share / 100:g}).abs().min() > 1e-9",),
        cost=0.4,
        board=board,
    )


def propose_runs(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number without gaps."""
    for frame in board.sources(rng)[:1]:
        for column in board.ordered(rng, [c for c in frame.numbers(distinct=8) if not c.missing])[:3]:
            how = rng.choice(["mean", "median"])
            yield {"frame": frame.var, "column": column.name, "how": how, "var": board.free("above")}


@family(
    theme="windows",
    knowledge_points=("runs of rows", "cumulative sums", "boolean Series"),
    idea="The longest runs of rows with {column} above its {how}",
    wordings=(
        "Store as {var} a boolean Series with the index of {frame} that is True where {column} is greater than its "
        "{how}. Then return the lengths of the three longest runs of consecutive True rows, in the present "
        "order of the rows, as a list from longest to shortest.",
        "In the present row order of {frame}, how long are the three longest unbroken runs of rows with {column} "
        "above its {how}? Keep the boolean Series that marks such rows as {var} and return the three lengths as a "
        "list, longest first.",
    ),
    propose=propose_runs,
    limit=1,
)
def longest_runs(board: Board, slots: Slots) -> Task:
    """Store where a number lies above its middle, and return the longest runs of such rows."""
    frame, var = frame_slot(board, slots), text_slot(slots, "var")
    column = column_slot(frame, slots, "column", [c for c in frame.numbers(distinct=2) if not c.missing])
    how = text_slot(slots, "how", ("mean", "median"))
    lengths = f"{var}.groupby(({var} != {var}.shift()).cumsum()).sum()"
    return Task(
        words={"frame": code(frame.var), "column": code(column.name), "how": MEASURES[how], "var": code(var)},
        body=f"{var} = {at(frame, column)} > {at(frame, column)}.{how}()",
        result=f"{lengths}.sort_values(ascending=False).head(3).tolist()",
        stores=(var,),
        uses=((frame.var, (column.name,)),),
        checks=(f"({lengths} > 0).sum() >= 4", f"{lengths}.max() >= 3"),
        cost=0.6,
        board=board.with_variable(var),
    )
