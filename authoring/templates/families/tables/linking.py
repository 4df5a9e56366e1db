"""Tasks that need several tables at once."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any, NamedTuple

from authoring.seeds import ColumnProfile
from authoring.templates.board import Board, Frame, Slots
from authoring.templates.families.tables.joining import attributes_of, links_of
from authoring.templates.family import (
    Task,
    at,
    column_slot,
    count_slot,
    family,
    frame_slot,
    kept,
    text_slot,
)
from authoring.templates.names_in_words import code, ignoring_missing, literal, names
from authoring.templates.phrasebook import MEASURES, NO_PARTNER, RETURN_COLUMNS, THEIR_NUMBER, THEN_KNOWN_BOTH
from evaluator.errors import ContentError


class JoinSide(NamedTuple):
    """What a table gives to a chain of joins."""

    other: Frame
    column: ColumnProfile  # of the table that points to it
    key: ColumnProfile
    brought: ColumnProfile

    @property
    def on(self) -> str:
        """The arguments of the merge that say which columns match."""
        if self.column.name == self.key.name:
            return f"on={literal(self.key.name)}"
        return f"left_on={literal(self.column.name)}, right_on={literal(self.key.name)}"

    def merge(self) -> str:
        """The call that brings the column, nothing else."""
        columns = literal([self.key.name, self.brought.name])
        dropped = "" if self.column.name == self.key.name else f".drop(columns={literal(self.key.name)})"
        return f'.merge({self.other.var}[{columns}], {self.on}, how="left"){dropped}'


def _side(board: Board, frame: Frame, slots: Slots, number: str = "") -> JoinSide:
    """Return the side that the slots other, column, key and brought describe."""
    other = board.frame(text_slot(slots, f"other{number}"))
    brought = column_slot(other, slots, f"brought{number}")
    if any(c.name == brought.name for c in frame.columns):
        raise ContentError(f"{frame.var!r} has a column {brought.name!r} already", fix="choose another column")
    return JoinSide(
        other, column_slot(frame, slots, f"column{number}"), column_slot(other, slots, f"key{number}"), brought
    )


def _lacking(board: Board, frame: Frame, side: JoinSide) -> int:
    """Return how many rows find nothing in the other table, about."""
    link = next((one for one in board.profile.foreign_keys if one.column == side.column.name), None)
    coverage = link.coverage if link else 0.9
    return 0 if coverage >= 1 and not side.column.missing else max(round((1 - coverage) * frame.rows), 1)


def propose_two(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Foreign keys of the main table into two loaded ones."""
    links = list(links_of(board))
    for place, (main, column, other, key, _) in enumerate(links):
        for _, column2, other2, key2, _ in links[place + 1 :]:
            first = board.ordered(rng, attributes_of(main, other, key))[:2]
            second = board.ordered(rng, attributes_of(main, other2, key2))[:2]
            if other2.var == other.var or not first or not second or first[0].name == second[0].name:
                continue
            yield {
                **{"frame": main.var, "var": board.free("joined")},
                **{"other": other.var, "column": column, "key": key, "brought": first[0].name},
                **{"other2": other2.var, "column2": column2, "key2": key2, "brought2": second[0].name},
            }


@family(
    theme="joining",
    knowledge_points=("joining tables", "chains of joins", "foreign keys"),
    idea="{frame} with {brought} of {other} and {brought2} of {other2}, as {var}",
    wordings=(
        "Add to {frame} the {brought} of the row of {other} whose {key} equals its {column}, and the {brought2} of "
        "the row of {other2} whose {key2} equals its {column2}; missing where there is none. Store the result as "
        "{var}: all rows and columns of {frame} in their order, then these two columns, index from 0. Leave the "
        "three tables unchanged.",
        "Left-join two tables to {frame}: {other} by {column} = {key} for its column {brought}, and {other2} by "
        "{column2} = {key2} for its column {brought2}. {var} shall hold every row of {frame} in order (index from "
        "0), all its columns and then {brought} and {brought2}, missing without a match. Change none of the three "
        "tables.",
    ),
    propose=propose_two,
    limit=1,
)
def join_two(board: Board, slots: Slots) -> Task:
    """Store the main table with a column of each of two others."""
    frame, var = frame_slot(board, slots), text_slot(slots, "var")
    sides = (_side(board, frame, slots), _side(board, frame, slots, "2"))
    brought = tuple(
        replace(s.brought, missing=s.brought.missing + _lacking(board, frame, s), candidate_key=False) for s in sides
    )
    made = replace(frame, var=var, columns=(*frame.columns, *brought), made_by=board.step, steps={}, duplicates=0)
    names = [side.brought.name for side in sides]
    first, second = sides
    return Task(
        words={
            "frame": code(frame.var),
            "var": code(var),
            **{"other": code(first.other.var), "column": code(first.column.name), "key": code(first.key.name)},
            **{"brought": code(first.brought.name), "brought2": code(second.brought.name)},
            **{"other2": code(second.other.var), "column2": code(second.column.name), "key2": code(second.key.name)},
        },
        body=f"{var} = (\n    {frame.var}\n    {first.merge()}\n    {second.merge()}\n)",
        **kept(frame, f"{var}[{literal(names)}].notna().sum()", THEN_KNOWN_BOTH(frame=code(var)), var=var),
        uses=(
            (frame.var, (first.column.name, second.column.name)),
            *((side.other.var, (side.key.name, side.brought.name)) for side in sides),
        ),
        checks=(f"len({var}) == len({frame.var})", *(f"{at(s.other, s.key)}.is_unique" for s in sides)),
        cost=2.0,
        board=board.with_frame(made, main=True),
    )


def propose_by_attribute(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A foreign key, a group column of the other table and a number of the main one."""
    for main, column, other, key, _ in links_of(board):
        groups = [c for c in attributes_of(main, other, key) if c in other.groups(most=30) and not c.missing]
        for group in board.ordered(rng, groups)[:2]:
            for number in [n for n in board.ordered(rng, main.numbers())[:3] if n.name != column]:
                sides = {"column": column, "other": other.var, "key": key, "brought": group.name}
                yield {"frame": main.var, **sides, "number": number.name, "how": rng.choice(["mean", "median", "max"])}


@family(
    theme="joining",
    knowledge_points=("joining tables", "group and aggregate"),
    idea="The {how} of {number} in {frame} by {brought} of {other}",
    wordings=(
        "Each row of {frame} belongs to the row of {other} whose {key} equals its {column}. What is the {how} of "
        "{number} for each {brought} of {other}? Return an unrounded Series sorted by {brought} and leave both "
        "tables as they are.",
        "Match {frame} with {other} ({column} of the first, {key} of the second) and return the {how} of {number} "
        "per {brought} as a Series in ascending order of {brought}, not rounded. Do not change the tables.",
    ),
    propose=propose_by_attribute,
)
def by_other_table(board: Board, slots: Slots) -> Task:
    """Return a number of one table by a group column of another."""
    frame, how = frame_slot(board, slots), text_slot(slots, "how", ("mean", "median", "max"))
    number, side = column_slot(frame, slots, "number", frame.numbers(distinct=2)), _side(board, frame, slots)
    chosen = literal(list(dict.fromkeys([side.column.name, number.name])))
    merged = side.merge().replace('how="left"', 'how="inner"').split(".drop(")[0]
    grouped = f"{frame.var}[{chosen}]{merged}.groupby({literal(side.brought.name)})[{literal(number.name)}]"
    return Task(
        words={
            "frame": code(frame.var),
            "other": code(side.other.var),
            "column": code(side.column.name),
            "key": code(side.key.name),
            "brought": code(side.brought.name),
            "number": code(number.name),
            "how": MEASURES[how],
        },
        result=f"{grouped}.{how}()",
        notes=(NO_PARTNER(), ignoring_missing([number])),
        uses=((frame.var, (side.column.name, number.name)), (side.other.var, (side.key.name, side.brought.name))),
        checks=(f"{at(side.other, side.key)}.is_unique", f"{grouped}.count().min() > 0", f"{grouped}.ngroups >= 2"),
        cost=1.0,
        board=board,
    )


def propose_named_counts(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A foreign key and a label in the other table."""
    for main, column, other, key, coverage in links_of(board):
        labels = [c for c in other.labels([key]) if not c.missing and c.distinct >= 3]
        names = {c.name for c in main.columns}
        for label in [c for c in labels if c.name not in names][:2] if coverage > 0.5 else []:
            sides = {"column": column, "other": other.var, "key": key, "brought": label.name}
            yield {"frame": main.var, **sides, "count": rng.choice([3, 5])}


@family(
    theme="joining",
    knowledge_points=("frequencies", "joining tables", "top-k"),
    idea="The {count} most frequent {column} with their {brought}",
    wordings=(
        "Which {count} values of {column} occur most often in {frame}? Return a DataFrame, most frequent first and "
        "indexed from 0, with the columns {key} (the value), `rows` (how many rows of {frame} have it) and "
        "{brought} (what {other} says for that {key}).",
        "Count the rows of {frame} by {column} and keep the {count} largest counts. Return them in descending "
        "order as a DataFrame with an index from 0 and three columns: {key}, the count as `rows`, and the "
        "{brought} that belongs to this {key} in {other}.",
    ),
    propose=propose_named_counts,
    limit=1,
)
def named_counts(board: Board, slots: Slots) -> Task:
    """Return the most frequent keys under the names that another table gives them."""
    frame, count = frame_slot(board, slots), count_slot(slots, "count")
    side = _side(board, frame, slots)
    counts = f"{at(frame, side.column)}.value_counts()"
    names = f"{side.other.var}.set_index({literal(side.key.name)})[{literal(side.brought.name)}]"
    table = f'{counts}.head({count}).rename_axis({literal(side.key.name)}).reset_index(name="rows")'
    return Task(
        words={
            "frame": code(frame.var),
            "other": code(side.other.var),
            "column": code(side.column.name),
            "key": code(side.key.name),
            "brought": code(side.brought.name),
            "count": str(count),
        },
        result=(
            f"{table}.assign(\n"
            f"    **{{{literal(side.brought.name)}: lambda table: table[{literal(side.key.name)}].map({names})}}\n)"
        ),
        uses=((frame.var, (side.column.name,)), (side.other.var, (side.key.name, side.brought.name))),
        checks=(
            f"{counts}.head({count + 1}).is_unique and len({counts}) > {count}",
            f"{at(side.other, side.key)}.is_unique",
            f"{counts}.head({count}).index.isin({at(side.other, side.key)}).all()",
        ),
        cost=0.6,
        board=board,
    )


def propose_unused(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A foreign key and a label of the other table."""
    for main, column, other, key, _ in links_of(board):
        labels = [c.name for c in board.ordered(rng, other.labels([key]))[:1]]
        if labels:
            yield {"frame": main.var, "column": column, "other": other.var, "key": key, "brought": labels[0]}


@family(
    theme="joining",
    knowledge_points=("joining tables", "membership", "boolean filtering"),
    idea="Rows of {other} that {frame} never refers to",
    wordings=(
        "Which rows of {other} have a {key} that does not occur as {column} in {frame}? {wish}",
        "Find the rows of {other} that no row of {frame} refers to ({column} of {frame} stands for {key} of "
        "{other}). {wish}",
    ),
    propose=propose_unused,
    limit=1,
)
def unused_keys(board: Board, slots: Slots) -> Task:
    """Return the rows of the other table that nothing points to."""
    frame, other = frame_slot(board, slots), board.frame(text_slot(slots, "other"))
    column, key = column_slot(frame, slots, "column"), column_slot(other, slots, "key")
    brought = column_slot(other, slots, "brought")
    show = literal([key.name, brought.name])
    mask = f"~{at(other, key)}.isin({at(frame, column)})"
    many = other.is_big
    wish = THEIR_NUMBER() if many else RETURN_COLUMNS(columns=names([key.name, brought.name]))
    return Task(
        words={
            "frame": code(frame.var),
            "other": code(other.var),
            "column": code(column.name),
            "key": code(key.name),
            "wish": wish,
        },
        result=f"({mask}).sum()" if many else f"{other.var}.loc[{mask}, {show}]",
        uses=((frame.var, (column.name,)), (other.var, (key.name, brought.name))),
        checks=(f"0 < ({mask}).sum() < len({other.var})",),
        cost=2.0,
        board=board,
    )
