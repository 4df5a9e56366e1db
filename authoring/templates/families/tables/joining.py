"""Tasks that bring two tables together."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from authoring.seeds import ColumnProfile
from authoring.templates.board import Board, Frame, Slots
from authoring.templates.family import Task, at, column_slot, family, frame_slot, kept, list_slot, text_slot
from authoring.templates.names_in_words import code, literal, names
from authoring.templates.phrasebook import ROWS_MISSING_LEFT_OUT, THEN_KNOWN


def links_of(board: Board) -> Iterator[tuple[Frame, str, Frame, str, float]]:
    """Yield the foreign keys between the main frame and frames that hold another table."""
    if not board.main:
        return
    main = board.frames[board.main]
    for key in board.profile.foreign_keys:
        for other in board.frames.values():
            if other.var != main.var and key.table == main.table and key.to_table == other.table and other.made_by:
                names_here = {c.name for c in main.columns}
                if key.column in names_here and other.column(key.to_column):
                    yield main, key.column, other, key.to_column, key.coverage


def attributes_of(main: Frame, other: Frame, key: str) -> list[ColumnProfile]:
    """Return the columns that a join brings: names that the main frame does not have."""
    taken = {c.name for c in main.columns}
    return [c for c in other.usable if c.name != key and c.name not in taken and c.distinct > 1]


def propose_join(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A foreign key of the main table into another loaded one."""
    for main, column, other, key, _ in links_of(board):
        attributes = board.ordered(rng, attributes_of(main, other, key))[:3]
        if attributes:
            order = [c.name for c in other.columns]
            yield {
                "frame": main.var,
                "column": column,
                "other": other.var,
                "key": key,
                "columns": sorted((c.name for c in attributes), key=order.index),
                "var": board.free("joined"),
            }


@family(
    theme="joining",
    knowledge_points=("joining tables", "foreign keys"),
    idea="{frame} with {columns} of {other}, as {var}",
    wordings=(
        "Bring {columns} from {other} into {frame}: each row gets the values of the row of {other} whose {key} "
        "equals its {column}, and missing values where there is none. Store the result as {var}: all columns and "
        "rows of {frame} in their order, then the new columns, index from 0. Leave the two tables unchanged.",
        "Left-join {other} to {frame}, {column} of {frame} matching {key} of {other}, and store the result as "
        "{var}. It keeps every row of {frame} in order (index from 0) and has the columns of {frame} followed by "
        "{columns}, missing where nothing matches. Leave the two tables unchanged.",
    ),
    propose=propose_join,
    limit=1,
)
def join_tables(board: Board, slots: Slots) -> Task:
    """Store the main table with columns of the other one."""
    frame, other = frame_slot(board, slots), board.frame(text_slot(slots, "other"))
    column, key = column_slot(frame, slots, "column"), column_slot(other, slots, "key")
    attributes = [other.column(str(name)) for name in list_slot(slots, "columns")]
    var, chosen = text_slot(slots, "var"), [c.name for c in attributes]
    link = next((one for one in board.profile.foreign_keys if one.column == column.name), None)
    coverage = link.coverage if link else 0.9
    unmatched = 0 if coverage >= 1 and not column.missing else max(round((1 - coverage) * frame.rows), 1)
    share = frame.rows / max(other.rows, 1)
    brought = tuple(replace(c, missing=round(c.missing * share) + unmatched, candidate_key=False) for c in attributes)
    right = f"{other.var}[{literal([key.name, *chosen])}]"
    same = column.name == key.name
    on = f"on={literal(key.name)}" if same else f"left_on={literal(column.name)}, right_on={literal(key.name)}"
    tail = "" if same else f".drop(columns={literal(key.name)})"
    columns = (*frame.columns, *brought)
    made = replace(frame, var=var, columns=columns, made_by=board.step, steps={}, duplicates=0)
    return Task(
        words={
            "frame": code(frame.var),
            "other": code(other.var),
            "column": code(column.name),
            "key": code(key.name),
            "columns": names(chosen),
            "var": code(var),
        },
        body=f'{var} = {frame.var}.merge({right}, {on}, how="left"){tail}',
        **kept(
            frame,
            f"{var}[{literal(chosen)}].notna().sum()",
            THEN_KNOWN(columns=names(chosen), frame=code(var)),
            var=var,
        ),
        uses=((frame.var, (column.name,)), (other.var, (key.name, *chosen))),
        checks=(f"len({var}) == len({frame.var})", f"{at(other, key)}.is_unique"),
        cost=1.0,
        board=board.with_frame(made, main=True),
    )


def propose_unmatched(board: Board, rng: Random) -> Iterator[dict[str, Any]]:  # noqa: ARG001
    """A foreign key that does not find all its values."""
    for main, column, other, key, coverage in links_of(board):
        if coverage < 1:
            yield {"frame": main.var, "column": column, "other": other.var, "key": key}


@family(
    theme="joining",
    knowledge_points=("joining tables", "membership"),
    idea="Values of {column} that {other} does not know",
    wordings=(
        "Which values of {column} in {frame} do not occur as {key} in {other}? Return a Series with the number of "
        "rows of {frame} for each of them, indexed and sorted by the value.",
        "Find the {column} values of {frame} that have no partner in {key} of {other}, and return how many rows "
        "of {frame} have each, as a Series with an ascending index.",
    ),
    propose=propose_unmatched,
    limit=1,
)
def unmatched_keys(board: Board, slots: Slots) -> Task:
    """Return the values that the other table does not know, with their counts."""
    frame, other = frame_slot(board, slots), board.frame(text_slot(slots, "other"))
    column, key = column_slot(frame, slots, "column"), column_slot(other, slots, "key")
    known = f"{at(frame, column)}.isin({at(other, key)})"
    return Task(
        words={"frame": code(frame.var), "other": code(other.var), "column": code(column.name), "key": code(key.name)},
        result=f"{frame.var}.loc[~{known}, {literal(column.name)}].value_counts().sort_index()",
        notes=(ROWS_MISSING_LEFT_OUT(column=code(column.name)) if column.missing else None,),
        uses=((frame.var, (column.name,)), (other.var, (key.name,))),
        checks=(f"{frame.var}.loc[~{known}, {literal(column.name)}].nunique() >= 2",),
        cost=0.5,
        board=board,
    )
