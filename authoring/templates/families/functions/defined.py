"""Tasks that define a function and use it."""

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from authoring.templates.board import Board, Callee, Slots, is_amount
from authoring.templates.family import Task, at, column_slot, family, frame_slot, pairs, text_slot
from authoring.templates.names_in_words import code, literal
from authoring.templates.phrasebook import CALL, MEAN_OF_CALL, MISSING_OF_NOT_COUNTED, MISSING_STAY_OUT, SERIES_DEEDS
from evaluator.errors import ContentError

DEEDS: Final = {  # what a function of a Series of numbers returns, in terms of `values`
    "rescale": "(values - values.min()) / (values.max() - values.min())",
    "centre": "values - values.median()",
    "share_of_total": "values / values.sum()",
    "relative_to_max": "values / values.max()",
    "squared_distance": "(values - values.mean()) ** 2",
}


def propose_define(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number to show the function on."""
    known = {callee.var for callee in board.callees}
    for frame in board.sources(rng)[:1]:
        for column in board.ordered(rng, frame.numbers(distinct=8))[:3]:
            fit = [deed for deed in DEEDS if deed not in known and (is_amount(column) or "to" not in deed)]
            if fit:
                yield {"frame": frame.var, "column": column.name, "deed": rng.choice(fit)}


@family(
    theme="functions",
    knowledge_points=("functions", "vectorised arithmetic"),
    idea="A function {function} that {deed}",
    wordings=(
        "Define a function {function} that takes a numeric Series and {deed}; it returns a Series of the same "
        "index. Then return {wish}.",
        "Write a function {function}: given a Series of numbers, it {deed} and returns the resulting Series. Use "
        "it on {column} of {frame}: return {wish}.",
    ),
    propose=propose_define,
    limit=1,
)
def define_function(board: Board, slots: Slots) -> Task:
    """Define a function of a Series and show it on one column."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column", frame.numbers(distinct=2))
    deed = text_slot(slots, "deed", tuple(DEEDS))
    if deed in board.variables:
        raise ContentError(f"an earlier problem stores {deed!r} already", fix="choose another deed")
    call = f"{deed}({at(frame, column)})"
    wish = MEAN_OF_CALL(call=code(call)) if frame.is_big else CALL(call=code(call))
    return Task(
        words={
            "frame": code(frame.var),
            "column": code(column.name),
            "function": code(f"{deed}(values)"),
            "deed": SERIES_DEEDS[deed],
            "wish": wish,
        },
        body=f"def {deed}(values):\n    return {DEEDS[deed]}\n\n",
        result=f"{call}.mean()" if frame.is_big else call,
        notes=(MISSING_STAY_OUT(column=code(column.name)) if column.missing else None,),
        uses=((frame.var, (column.name,)),),
        board=board.with_callee(Callee(deed, column.name, board.step)),
    )


def propose_apply(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A function that an earlier problem defines, a group column and a number."""
    for callee in [one for one in board.callees if not one.of_values][-1:]:
        for frame in board.sources(rng)[:1]:
            groups = [c for c in board.ordered(rng, frame.groups()) if not c.missing]
            positive = callee.var in ("share_of_total", "relative_to_max")
            numbers = [c for c in frame.numbers(distinct=8) if not positive or is_amount(c)]
            for group, number in pairs(groups[:3], board.ordered(rng, numbers)[:3], 4):
                yield {"frame": frame.var, "function": callee.var, "group": group.name, "number": number.name}


@family(
    theme="functions",
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
    limit=1,
)
def apply_function(board: Board, slots: Slots) -> Task:
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
        notes=(MISSING_OF_NOT_COUNTED(column=code(number.name)) if number.missing else None,),
        uses=((frame.var, (group.name, number.name)), (var, ())),
        cost=0.3,
        board=board,
    )
