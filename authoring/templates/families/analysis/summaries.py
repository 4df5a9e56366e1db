"""Tasks that go on from a summary which an earlier problem stored."""

from collections.abc import Iterator
from random import Random
from typing import Any

from authoring.seeds import ColumnRole
from authoring.templates.board import Board, Slots, made_number
from authoring.templates.families.columns.deriving import new_column, new_slot
from authoring.templates.family import Task, at, column_digest, family, text_slot
from authoring.templates.names_in_words import code, literal
from authoring.templates.phrasebook import MISSING_WITH


def propose_any(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A stored summary."""
    for summary in board.summaries[-2:]:
        yield {"summary": summary.var, "column": rng.choice(summary.columns[1:])}


@family(
    theme="summaries",
    knowledge_points=("sorting", "reuse of results"),
    idea="{summary} from the highest to the lowest {column}",
    wordings=(
        "From {summary}, return the column {column} as a Series indexed by {group} and sorted from the highest to "
        "the lowest value.",
        "Order the groups of {summary} by {column}, highest first, and return that column as a Series.",
    ),
    propose=propose_any,
    limit=1,
)
def rank_summary(board: Board, slots: Slots) -> Task:
    """Return the groups from highest to lowest."""
    summary = board.summary(text_slot(slots, "summary"))
    column = text_slot(slots, "column", summary.columns)
    values = f"{summary.var}[{literal(column)}]"
    return Task(
        words={"summary": code(summary.var), "column": code(column), "group": code(summary.group)},
        result=f"{values}.sort_values(ascending=False)",
        uses=((summary.var, ()),),
        checks=(f"{values}.round(9).is_unique", f"{values}.notna().all()"),
        board=board,
    )


@family(
    theme="summaries",
    knowledge_points=("reuse of results", "range"),
    idea="The range of {column} in {summary}",
    wordings=(
        "How far apart are the highest and the lowest value in column {column} of {summary}? Return the difference "
        "as a number, not rounded.",
        "Subtract the smallest value in column {column} of {summary} from the largest one in it and return the "
        "difference, not rounded.",
    ),
    propose=propose_any,
    limit=1,
)
def summary_range(board: Board, slots: Slots) -> Task:
    """Return the difference between the highest and the lowest group."""
    summary = board.summary(text_slot(slots, "summary"))
    column = text_slot(slots, "column", summary.columns)
    values = f"{summary.var}[{literal(column)}]"
    return Task(
        words={"summary": code(summary.var), "column": code(column), "group": code(summary.group)},
        result=f"{values}.max() - {values}.min()",
        uses=((summary.var, ()),),
        checks=(f"{values}.nunique() > 1",),
        board=board,
    )


@family(
    theme="summaries",
    knowledge_points=("weighted mean", "reuse of results"),
    idea="The mean {average} of {summary}, weighted by {rows}",
    wordings=(
        "Compute the mean of {average} over the groups in {summary}, weighted by {rows}. Return a number, not rounded.",
        "Using only {summary}, return the average of {average} in which each {group} counts with its {rows} as "
        "the weight. Do not round.",
    ),
    propose=propose_any,
    limit=1,
)
def weighted_mean(board: Board, slots: Slots) -> Task:
    """Return each group's share of all rows beside its distance from the mean of the groups."""
    summary = board.summary(text_slot(slots, "summary"))
    rows, average, _ = summary.columns
    first, second = f"{summary.var}[{literal(rows)}]", f"{summary.var}[{literal(average)}]"
    return Task(
        words={
            "summary": code(summary.var),
            "rows": code(rows),
            "average": code(average),
            "group": code(summary.group),
        },
        result=f"({first} * {second}).sum() / {first}.sum()",
        uses=((summary.var, ()),),
        checks=(f"{second}.notna().all()",),
        board=board,
    )


def propose_back(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A summary of a frame that still has the group column."""
    for summary in board.summaries[-2:]:
        frame = board.frames.get(board.main)
        group = next((c for c in frame.columns if c.name == summary.group), None) if frame else None
        number = next((c for c in frame.columns if c.name == summary.number), None) if frame else None
        if frame and group and number and not group.missing and number.role is ColumnRole.NUMBER:
            new = new_column(frame, rng.choice(["above_average", "excess", "to_average"]))
            sides = {"group": summary.group, "number": summary.number}
            yield {"summary": summary.var, "frame": frame.var, **sides, "new": new}


@family(
    theme="summaries",
    knowledge_points=("reuse of results", "mapping", "derived columns"),
    idea="How far each {number} lies from the {average} of its {group}",
    wordings=(
        "Use {summary} to add a column {new} to {frame}: {number} of the row minus the {average} that {summary} "
        "states for its {group}. Do not round.",
        "Look up the {average} of each row's {group} in {summary} and subtract it from the row's {number}. Store "
        "the unrounded difference in a new column {new} of {frame}.",
    ),
    propose=propose_back,
    limit=1,
)
def back_to_rows(board: Board, slots: Slots) -> Task:
    """Bring the stored averages back to the rows."""
    summary, frame = board.summary(text_slot(slots, "summary")), board.frame(text_slot(slots, "frame"))
    new, average = new_slot(frame, slots), summary.columns[1]
    group, number = frame.column(summary.group), frame.column(summary.number)
    return Task(
        words={
            "summary": code(summary.var),
            "average": code(average),
            "frame": code(frame.var),
            "group": code(group.name),
            "number": code(number.name),
            "new": code(new),
        },
        body=(f"{at(frame, new)} = {at(frame, number)} - {at(frame, group)}.map({summary.var}[{literal(average)}])"),
        **column_digest(frame, new),
        notes=(MISSING_WITH(column=code(number.name)) if number.missing else None,),
        uses=((summary.var, ()), (frame.var, (group.name, number.name))),
        cost=0.3,
        board=board.with_column(frame, made_number(new, missing=number.missing)),
    )
