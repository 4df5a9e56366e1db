"""Tasks that take samples and split tables."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from authoring.templates.board import Board, Slots
from authoring.templates.family import (
    Task,
    at,
    column_slot,
    count_slot,
    family,
    frame_slot,
    list_slot,
    text_slot,
)
from authoring.templates.names_in_words import code, ignoring_missing, literal, names
from authoring.templates.phrasebook import BEGINNINGS, PERCENT, POSITION
from authoring.templates.phrases import Ordinal


def propose_sample(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of enough rows."""
    for frame in board.sources(rng)[:1]:
        if frame.rows >= 10:
            size = rng.choice([n for n in (4, 5, 6, 8, 10, 12) if n * 2 <= frame.rows])
            show = [c.name for c in board.ordered(rng, frame.labels())[:3]]
            if show:
                order = [c.name for c in frame.columns]
                show.sort(key=order.index)
                yield {"frame": frame.var, "size": size, "state": rng.randint(1, 99), "show": show}


@family(
    theme="sampling",
    knowledge_points=("sampling", "fixed random state"),
    idea="A sample of {size} rows with random state {state}",
    wordings=(
        "Draw {size} rows of {frame} at random without replacement, using the DataFrame's own `sample` with "
        "`random_state={state}`. Return the columns {show} of the sample, in the order drawn, index kept.",
        "Return {show} for a random sample of {size} rows of {frame}. Use `DataFrame.sample` with "
        "`random_state={state}` and leave order and index as they come.",
    ),
    propose=propose_sample,
)
def sample_rows(board: Board, slots: Slots) -> Task:
    """Return a random sample with a fixed state."""
    frame = frame_slot(board, slots)
    size, state = count_slot(slots, "size"), count_slot(slots, "state")
    show = [frame.column(str(name)).name for name in list_slot(slots, "show")]
    return Task(
        words={"frame": code(frame.var), "size": str(size), "state": str(state), "show": names(show)},
        result=f"{frame.var}.sample(n={size}, random_state={state})[{literal(show)}]",
        uses=((frame.var, tuple(show)),),
        board=board,
    )


def propose_every(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of enough rows."""
    for frame in board.sources(rng)[:1]:
        steps = [n for n in (3, 4, 5, 10, 20, 50, 100, 1000) if 5 <= frame.rows / n <= 2000]
        columns = board.ordered(rng, frame.labels())[:2]
        if steps and columns:
            show = [c.name for c in columns]
            yield {"frame": frame.var, "step": rng.choice(steps), "start": rng.choice([0, 1, 2]), "show": show}


@family(
    theme="sampling",
    knowledge_points=("positional selection", "slicing"),
    idea="Every {step} row of {frame}",
    wordings=(
        "Starting with {begin}, take every {step} row of {frame} in the present order and return its columns "
        "{show} as a DataFrame; keep the index labels.",
        "Return a systematic sample of {frame}: {begin} and every {step} row after it, only the columns "
        "{show}, in this order, with their index labels.",
    ),
    propose=propose_every,
)
def every_nth(board: Board, slots: Slots) -> Task:
    """Return every n-th row."""
    frame = frame_slot(board, slots)
    step, start = count_slot(slots, "step"), count_slot(slots, "start")
    show = [frame.column(str(name)).name for name in list_slot(slots, "show")]
    begin = BEGINNINGS.get(start, POSITION(start=str(start)))
    return Task(
        words={"frame": code(frame.var), "step": Ordinal(step), "begin": begin, "show": names(show)},
        result=f"{frame.var}[{literal(show)}].iloc[{start or ''}::{step}]",
        uses=((frame.var, tuple(show)),),
        board=board,
    )


def propose_split(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table that is not too big to be copied."""
    for frame in board.mains():
        if frame.rows >= 15 and not frame.is_big and board.free("train") == "train" and board.free("test") == "test":
            share = rng.choice([0.7, 0.75, 0.8])
            yield {"frame": frame.var, "share": share, "train": board.free("train"), "test": board.free("test")}


@family(
    theme="sampling",
    knowledge_points=("train and test split", "positional selection"),
    idea="Split {frame} into {train} and {test} by position",
    wordings=(
        "Split {frame} by position without shuffling: the first {percent} of its rows, rounded down to a whole "
        "number of rows, become {train}, the remaining rows {test}. Keep the index labels.",
        "Store the first {percent} of the rows of {frame} (a fraction of a row is cut off) as {train} and all "
        "later rows as {test}, in the present order and with the index as it is.",
    ),
    propose=propose_split,
    limit=1,
)
def split_by_position(board: Board, slots: Slots) -> Task:
    """Split a table by position."""
    frame = frame_slot(board, slots)
    share, train, test = float(slots.get("share", 0.8)), text_slot(slots, "train"), text_slot(slots, "test")
    cut = f"int(len({frame.var}) * {share:g})"
    first = replace(frame, var=train, rows=int(frame.rows * share), made_by=board.step, steps={}, duplicates=0)
    return Task(
        words={
            "frame": code(frame.var),
            "percent": PERCENT(number=f"{share * 100:g}"),
            "rest": PERCENT(number=f"{100 - share * 100:g}"),
            "train": code(train),
            "test": code(test),
        },
        body=f"{train} = {frame.var}.iloc[: {cut}]\n{test} = {frame.var}.iloc[{cut} :]",
        stores=(train, test),
        uses=((frame.var, ()),),
        checks=(
            f"len({train}) > len({test}) > 0",
            f"len({train}) == len({frame.var}) * {share * 100:.0f} // 100",  # a float may fall short: 0.7 * 90 < 63
        ),
        board=board.with_frame(first).with_variable(test),
    )


def propose_holdout(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A split that an earlier problem made and a number."""
    if "train" in board.frames and "test" in board.variables:
        frame = board.frames["train"]
        for number in board.ordered(rng, frame.numbers())[:3]:
            yield {"frame": "train", "test": "test", "number": number.name}


@family(
    theme="sampling",
    knowledge_points=("train and test split", "mean absolute error", "baseline prediction"),
    idea="The error of predicting {number} in {test} by its mean in {train}",
    wordings=(
        "Take the mean of {number} in {train} as the prediction for every row of {test}. What is the mean "
        "absolute error of this prediction? Return a number, not rounded.",
        "As a baseline, predict {number} of each row of {test} by the mean of {number} in {train}, and return the "
        "mean of the absolute errors, unrounded.",
    ),
    propose=propose_holdout,
    limit=1,
)
def holdout_error(board: Board, slots: Slots) -> Task:
    """Return the error of predicting the mean of one part for the other."""
    frame, test = frame_slot(board, slots), text_slot(slots, "test")
    number = column_slot(frame, slots, "number", frame.numbers(distinct=2))
    held = f"{test}[{literal(number.name)}]"
    return Task(
        words={"train": code(frame.var), "test": code(test), "number": code(number.name)},
        result=f"({held} - {at(frame, number)}.mean()).abs().mean()",
        notes=(ignoring_missing([number]),),
        uses=((frame.var, (number.name,)),),
        board=board,
    )
