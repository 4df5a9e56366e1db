"""Tasks that define a function and use it."""

from collections.abc import Iterator
from random import Random
from typing import Any, Final, NamedTuple

from authoring.templates.board import Board, Callee, Slots, is_amount
from authoring.templates.family import SERIES, Family, Task, at, column_slot, frame_slot, pairs, text_slot
from authoring.templates.wording import code, literal
from evaluator.errors import ContentError


class Deed(NamedTuple):
    """What a function does to a Series of numbers."""

    var: str
    words: str
    source: str  # of the returned expression, in terms of `values`


DEEDS: Final = {
    "rescale": Deed(
        "rescale",
        "linearly maps the smallest value to 0 and the largest to 1",
        "(values - values.min()) / (values.max() - values.min())",
    ),
    "centre": Deed("centre", "subtracts the median of the values from each value", "values - values.median()"),
    "share_of_total": Deed("share_of_total", "divides each value by the sum of all values", "values / values.sum()"),
    "relative_to_max": Deed("relative_to_max", "divides each value by the largest value", "values / values.max()"),
    "squared_distance": Deed(
        "squared_distance",
        "computes the squared distance of each value from the mean of the values",
        "(values - values.mean()) ** 2",
    ),
}


def propose_define(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number to show the function on."""
    known = {callee.var for callee in board.callees}
    for frame in board.sources(rng)[:1]:
        for column in board.ordered(rng, frame.numbers(distinct=8))[:3]:
            fit = [deed for deed in DEEDS if deed not in known and (is_amount(column) or "to" not in deed)]
            if fit:
                yield {"frame": frame.var, "column": column.name, "deed": rng.choice(fit)}


def build_define(board: Board, slots: Slots) -> Task:
    """Define a function of a Series and show it on one column."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column", frame.numbers(distinct=2))
    deed = DEEDS[text_slot(slots, "deed", tuple(DEEDS))]
    if deed.var in board.variables:
        raise ContentError(f"an earlier problem stores {deed.var!r} already", fix="choose another deed")
    call = f"{deed.var}({at(frame, column)})"
    wish = f"the mean of {code(call)}, not rounded" if frame.is_big else f"{code(call)}, a Series"
    return Task(
        words={
            "frame": code(frame.var),
            "column": code(column.name),
            "function": code(f"{deed.var}(values)"),
            "deed": deed.words,
            "wish": wish,
        },
        body=f"def {deed.var}(values):\n    return {deed.source}\n\n",
        result=f"{call}.mean()" if frame.is_big else call,
        notes=(
            f"Missing values stay missing and do not count. ({code(column.name)} has some.)" if column.missing else "",
        ),
        options={} if frame.is_big else SERIES,
        uses=((frame.var, (column.name,)),),
        board=board.with_callee(Callee(deed.var, deed.words, column.name, board.step)),
    )


def propose_apply(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A function that an earlier problem defines, a group column and a number."""
    for callee in board.callees[-1:]:
        for frame in board.sources(rng)[:1]:
            groups = [c for c in board.ordered(rng, frame.groups()) if not c.missing]
            positive = callee.var in ("share_of_total", "relative_to_max")
            numbers = [c for c in frame.numbers(distinct=8) if not positive or is_amount(c)]
            for group, number in pairs(groups[:3], board.ordered(rng, numbers)[:3], 4):
                yield {"frame": frame.var, "function": callee.var, "group": group.name, "number": number.name}


def build_apply(board: Board, slots: Slots) -> Task:
    """Apply the function within groups and return the means of its values."""
    frame = frame_slot(board, slots)
    group, number = column_slot(frame, slots, "group"), column_slot(frame, slots, "number", frame.numbers(distinct=2))
    var = text_slot(slots, "function", tuple(callee.var for callee in board.callees))
    values = f"{frame.var}.groupby({literal(group.name)})[{literal(number.name)}].transform({var})"
    return Task(
        words={
            "frame": code(frame.var),
            "group": code(group.name),
            "number": code(number.name),
            "function": code(var),
        },
        result=f"{values}.groupby({at(frame, group)}).mean().sort_index()",
        checks=(f"{values}.groupby({at(frame, group)}).count().min() > 0",),
        options=SERIES,
        notes=(f"Missing values of {code(number.name)} do not count." if number.missing else "",),
        uses=((frame.var, (group.name, number.name)), (var, ())),
        cost=0.3,
        board=board,
    )


FAMILIES = (
    Family(
        name="define_function",
        theme="functions",
        difficulty="medium",
        knowledge_points=("functions", "vectorised arithmetic"),
        idea="A function {function} that {deed}",
        wordings=(
            "Define a function {function} that takes a numeric Series and {deed}; it returns a Series of the same "
            "index. Then return {wish}.",
            "Write a function {function}: given a Series of numbers, it {deed} and returns the resulting Series. Use "
            "it on {column} of {frame}: return {wish}.",
        ),
        propose=propose_define,
        build=build_define,
        limit=1,
    ),
    Family(
        name="apply_function",
        theme="functions",
        difficulty="hard",
        knowledge_points=("functions", "group transform", "mean and median"),
        idea="{function} applied to {number} within each {group}",
        wordings=(
            "Apply {function} to {number} of {frame} separately within each {group}, and return the mean of the "
            "resulting values per {group} as an unrounded Series sorted by {group}.",
            "Use {function} on {number} once for every {group} of {frame}, so that each {group} is treated as a "
            "Series of its own. What is the mean result in each {group}? Return an unrounded Series in ascending "
            "order of {group}.",
        ),
        propose=propose_apply,
        build=build_apply,
        limit=1,
    ),
)
