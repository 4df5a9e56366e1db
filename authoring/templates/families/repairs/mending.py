"""Tasks that soften extreme values and close gaps between neighbouring rows."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from authoring.templates.board import Board, Slots, made_aside
from authoring.templates.families.columns.deriving import new_column, new_slot
from authoring.templates.family import Task, at, column_digest, column_slot, family, frame_slot, list_slot, text_slot
from authoring.templates.names_in_words import code, slug
from authoring.templates.phrasebook import MISSING_STAY, OUTER_GAPS_STAY


def propose_limits(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number of many values."""
    for frame in board.mains():
        for column in board.ordered(rng, frame.numbers(distinct=12))[:3]:
            stem = slug(column.name, limit=14)
            new = new_column(frame, f"{stem}_clipped" if stem else "clipped")
            levels = rng.choice([[0.05, 0.95], [0.01, 0.99], [0.1, 0.9]])
            yield {"frame": frame.var, "column": column.name, "levels": levels, "new": new}


@family(
    theme="deriving",
    knowledge_points=("quantiles", "clipping", "derived columns"),
    idea="{column} without extreme values in a column {new}",
    wordings=(
        "Add a column {new} to {frame}: {column} with values below its {low} quantile replaced by that quantile, "
        "and values above its {high} quantile by that one (linear interpolation). Do not round.",
        "Limit {column} of {frame} to the range from its {low} to its {high} quantile (linear interpolation): "
        "smaller and larger values become the nearer bound. Store the result, not rounded, in a new column {new}.",
    ),
    propose=propose_limits,
    limit=1,
)
def clip_values(board: Board, slots: Slots) -> Task:
    """Add a column whose extreme values are cut off at two quantiles."""
    frame, levels, new = frame_slot(board, slots), list_slot(slots, "levels"), text_slot(slots, "new")
    column, new = column_slot(frame, slots, "column", frame.numbers(distinct=2)), new_slot(frame, slots)
    values = at(frame, column)
    bounds = f"{values}.quantile({levels[0]}), {values}.quantile({levels[1]})"
    return Task(
        words={
            "frame": code(frame.var),
            "column": code(column.name),
            "new": code(new),
            "low": f"{levels[0]:g}",
            "high": f"{levels[1]:g}",
        },
        body=f"{at(frame, new)} = {values}.clip({bounds})",
        **column_digest(frame, new),
        notes=(MISSING_STAY(column=code(column.name)) if column.missing else None,),
        uses=((frame.var, (column.name,)),),
        checks=(f"({at(frame, new)} != {values})[{values}.notna()].any()", f"{at(frame, new)}.nunique() > 2"),
        cost=0.3,
        board=board.with_column(frame, made_aside(new)),
    )


def propose_interpolate(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number with a few gaps in a table with dates: neighbouring rows are related."""
    for frame in board.mains():
        columns = [c for c in frame.numbers() if 0 < c.missing <= 0.3 * frame.rows and c.dtype.startswith("float")]
        for column in board.ordered(rng, columns)[:2] if frame.dates() else []:
            yield {"frame": frame.var, "column": column.name}


@family(
    theme="missing values",
    knowledge_points=("missing values", "interpolation"),
    idea="Fill the gaps of {column} on a straight line",
    wordings=(
        "Fill the gaps of {column} in {frame} by linear interpolation between the nearest known values above and "
        "below, rows taken as equally spaced in their present order. Change {frame} itself.",
        "Interpolate missing values of {column} in {frame} linearly over the position of the rows, and keep the "
        "result in that column.",
    ),
    propose=propose_interpolate,
    limit=1,
)
def interpolate(board: Board, slots: Slots) -> Task:
    """Fill inner gaps of a number on a straight line."""
    frame, column = frame_slot(board, slots), column_slot(frame_slot(board, slots), slots, "column")
    return Task(
        words={"frame": code(frame.var), "column": code(column.name)},
        body=f'{at(frame, column)} = {at(frame, column)}.interpolate(limit_area="inside")',
        **column_digest(frame, column.name),
        notes=(OUTER_GAPS_STAY(),),
        uses=((frame.var, (column.name,)),),
        board=board.with_column(frame, replace(column, integer=False)),
    )
