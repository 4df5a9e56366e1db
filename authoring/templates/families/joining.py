"""Families that bring together tables that point to one another."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from authoring.seeds import ForeignKey
from authoring.seeds.semantics import Meaning
from authoring.templates.board import Board, Column, Frame, Slots
from authoring.templates.family import (
    Form,
    Mistake,
    Task,
    at,
    column_slot,
    family,
    frame_slot,
    list_slot,
    lit,
    noun_of,
    text_slot,
)
from authoring.templates.names_in_words import code, literal, names

WORTH: frozenset[Meaning] = frozenset(
    {
        Meaning.CATEGORY,
        Meaning.ORDINAL,
        Meaning.FLAG,
        Meaning.MEASURE,
        Meaning.COUNT,
        Meaning.MONEY,
        Meaning.PLACE,
        Meaning.LABEL,
    }
)


def links(board: Board) -> Iterator[tuple[Frame, Frame, ForeignKey]]:
    """Yield the main frame, another loaded one and the key that leads there, if the other's key is unique."""
    for frame in board.mains():
        for other in board.frames.values():
            for key in board.profile.foreign_keys:
                leads = key.table == frame.table and key.to_table == other.table and other.var != frame.var
                is_there = leads and frame.has(key.column) and other.has(key.to_column)
                if is_there and other.column(key.to_column).about.candidate_key:
                    yield frame, other, key


def propose_orphans(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A key that does not find all its partners."""
    for frame, other, key in links(board):
        if key.coverage < 1:
            yield {"frame": frame.var, "other": other.var, "key": key.column, "to": key.to_column}


@family(
    theme="joining",
    knowledge_points=("keys without a partner",),
    idea="How many rows of {frame} have a {key} that {other} lacks",
    wordings=(
        "Before we join: how many {rows} of {frame} have a {key} that does not occur as {to} in {other}, and how "
        "many different such values are there?",
        "Check the link from {frame} to {other}: count the {rows} whose {key} has no match in {to}, and the "
        "distinct values behind them.",
    ),
    propose=propose_orphans,
    about=("key", "other"),
)
def keys_without_partner(board: Board, slots: Slots) -> Task:
    """Count the rows and values without a partner."""
    frame, other = frame_slot(board, slots), board.frame(text_slot(slots, "other"))
    key, to = column_slot(frame, slots, "key"), column_slot(other, slots, "to")
    known = f"{at(frame, key)}.dropna()" if key.missing else at(frame, key)
    lost = f"_lost = {known}[~{known}.isin({at(other, to)})]"
    found = f"_lost = {known}[{known}.isin({at(other, to)})]"
    back = f"_lost = {at(other, to)}[~{at(other, to)}.isin({at(frame, key)})]"
    return Task(
        words={
            "frame": code(frame.var),
            "other": code(other.var),
            "key": code(key.name),
            "to": code(to.name),
            "rows": noun_of(frame),
        },
        body=lost,
        result="(len(_lost), _lost.nunique())",
        form=Form.VALUE,
        uses=((frame.var, (key.name,)), (other.var, (to.name,))),
        checks=("len(_lost) > 0",),
        mistakes=(
            Mistake(f"{found}\n(len(_lost), _lost.nunique())", "those that have one"),
            Mistake(f"{back}\n(len(_lost), _lost.nunique())", "the other direction"),
            Mistake(f"{lost}\n(_lost.nunique(), len(_lost))", "the two numbers change places"),
        ),
        others=(
            f"_set = set({at(other, to)})\n_gone = [v for v in {known} if v not in _set]\n[len(_gone), "
            f"len(set(_gone))]",
        ),
        board=board,
    )


def propose_enrich(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Columns of another table that say more about the rows, those that divide them first."""
    found = []
    for frame, other, key in links(board):
        taken = {c.name for c in frame.columns}
        worth = [
            c
            for c in other.usable
            if c.means.meaning in WORTH
            and c.name not in taken
            and c.name != key.to_column
            and c.missing < 0.5 * other.rows
        ]
        for place, column in enumerate(sorted(worth, key=_use)[:2]):
            slots = {"frame": frame.var, "other": other.var, "key": key.column, "to": key.to_column}
            found.append((_use(column), place, {**slots, "columns": [column.name]}))
    yield from (slots for _, _, slots in sorted(found, key=lambda one: one[:2]))


def _use(column: Column) -> tuple[bool, bool, int]:
    """Return how much use a column of another table is: to divide rows, to be averaged, to name them."""
    return (not 2 <= column.about.distinct <= 12, not column.is_number, column.about.distinct)


@family(
    theme="joining",
    knowledge_points=("left join",),
    idea="Bring {columns} of {other} into {frame}",
    wordings=(
        "Bring {columns} of {other} into {frame} by matching {key} with {to}. Every row of {frame} stays, in its "
        "order; without a match the new values are missing. How many {rows} end up without {first}?",
        "Extend {frame} itself by {columns} from {other} ({key} there is {to}). Keep all {rows} in their order, "
        "with missing values where nothing matches, and return how many lack {first} then.",
    ),
    propose=propose_enrich,
    about=("columns", "other"),
    limit=2,
)
def bring_columns(board: Board, slots: Slots) -> Task:
    """Join columns of another table to the main one."""
    frame, other = frame_slot(board, slots), board.frame(text_slot(slots, "other"))
    key, to = column_slot(frame, slots, "key"), column_slot(other, slots, "to")
    columns = [other.column(str(name)) for name in list_slot(slots, "columns")]
    chosen = literal([to.name, *(c.name for c in columns)])
    on = f"on={lit(key)}" if key.name == to.name else f"left_on={lit(key)}, right_on={lit(to)}"
    drop = "" if key.name == to.name or frame.has(to.name) else f".drop(columns={lit(to)})"

    def join(how: str) -> str:
        return f'{frame.var} = {frame.var}.merge({other.var}[{chosen}], how="{how}", {on}){drop}\n'

    lacking = f"int({at(frame, columns[0])}.isna().sum())"
    coverage = next(
        (k.coverage for k in board.profile.foreign_keys if k.column == key.name and k.to_table == other.table), 1.0
    )
    lost = round(frame.rows * (1 - coverage))
    added = [_joined(c, frame, other, board.step, lost) for c in columns]
    mistakes = [Mistake(join("inner") + lacking, "rows without a match are lost")] if coverage < 1 else []
    first = columns[0]
    swapped = f"{at(frame, first)} = {at(other, first)}.reindex(range(len({frame.var}))).to_numpy()\n"
    mistakes.append(Mistake(swapped + lacking, "puts the columns side by side without matching"))
    changed = replace(frame, columns=(*frame.columns, *added))
    return Task(
        words={
            "frame": code(frame.var),
            "other": code(other.var),
            "key": code(key.name),
            "to": code(to.name),
            "columns": names(c.name for c in columns),
            "first": code(first.name),
            "rows": noun_of(frame),
        },
        body=join("left").strip(),
        result=lacking,
        form=Form.VALUE,
        stores=(frame.var,),
        stored_form=Form.TABLE,
        makes={frame.var: tuple(c.name for c in columns)} if frame.is_big else {},
        uses=((frame.var, (key.name,)), (other.var, (to.name, *(c.name for c in columns)))),
        checks=(f"{at(frame, first)}.notna().mean() > 0.3", f"{at(other, to)}.is_unique"),
        mistakes=tuple(mistakes),
        others=(
            f"_by_key = {other.var}.set_index({lit(to)})\n"
            + "".join(f"{at(frame, c)} = {at(frame, key)}.map(_by_key[{lit(c)}])\n" for c in columns)
            + lacking,
        ),
        cost=0.5,
        board=replace(board, frames={**board.frames, frame.var: changed}),
    )


def _joined(column: Column, frame: Frame, other: Frame, step: int, lost: int) -> Column:
    """Return a column as it stands in the table it was joined to."""
    share = frame.rows / max(other.rows, 1)
    top = tuple((value, max(int(count * share), 1)) for value, count in column.about.top)
    missing = round(column.missing * share) + lost
    distinct = column.about.distinct
    return replace(
        column,
        about=replace(column.about, missing=missing, top=top, candidate_key=False, distinct=distinct),
        made_by=step,
    )
