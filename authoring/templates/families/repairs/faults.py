"""Tasks that look at faults of the data before they are repaired."""

from collections.abc import Iterator
from random import Random
from typing import Any

from authoring.templates.board import Board, Slots
from authoring.templates.family import (
    Task,
    at,
    column_slot,
    family,
    frame_slot,
)
from authoring.templates.names_in_words import code
from authoring.templates.phrasebook import MISSING_NOT_COUNTED


def propose_stray(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A text column with spaces at the ends of some values."""
    for frame in board.mains():
        for column in board.ordered(rng, [c for c in frame.usable if c.stray_spaces and c.max_length])[:2]:
            yield {"frame": frame.var, "column": column.name}


@family(
    theme="text cleaning",
    knowledge_points=("strings", "whitespace", "frequencies"),
    idea="Values of {column} with stray spaces",
    wordings=(
        "Some values of {column} in {frame} begin or end with white space. Which, and how often? Return a Series "
        "of counts indexed by the value as it is written, spaces included, and sorted by its index. Change "
        "nothing.",
        "Find the values of {column} in {frame} that differ from themselves without leading and trailing white "
        "space. Return the number of rows for each (index: the unchanged value, ascending) as a Series, and leave "
        "{frame} as it is.",
    ),
    propose=propose_stray,
    limit=1,
)
def stray_values(board: Board, slots: Slots) -> Task:
    """Count the values that begin or end with white space."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column", [c for c in frame.usable if c.max_length])
    values = at(frame, column)
    found = f"{values}[{values} != {values}.str.strip()].value_counts()"
    return Task(
        words={"frame": code(frame.var), "column": code(column.name)},
        result=f"{found}.sort_index()",
        notes=(MISSING_NOT_COUNTED() if column.missing else None,),
        uses=((frame.var, (column.name,)),),
        checks=(f"len({found}) >= 1",),
        cost=0.8,
        board=board,
    )


def propose_spellings(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A text column that writes some values in more than one case."""
    for frame in board.mains():
        for column in board.ordered(rng, [c for c in frame.usable if c.case_variants and c.max_length])[:2]:
            yield {"frame": frame.var, "column": column.name}


@family(
    theme="text cleaning",
    knowledge_points=("strings", "letter case", "group transform"),
    idea="Values of {column} that are written in several cases",
    wordings=(
        "Which values of {column} in {frame} also occur in another spelling that differs only by upper and lower "
        "case? Return a Series with the number of rows of each such spelling, sorted by its index. Change nothing.",
        "In {column} of {frame}, some values are equal apart from letter case. Count the rows of each spelling of "
        "these values (not of values with one spelling only), and return a Series sorted by spelling.",
    ),
    propose=propose_spellings,
    limit=1,
)
def case_spellings(board: Board, slots: Slots) -> Task:
    """Count the spellings of values that occur in more than one case."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column", [c for c in frame.usable if c.max_length])
    values = at(frame, column)
    several = f'{values}.groupby({values}.str.lower()).transform("nunique") > 1'
    return Task(
        words={"frame": code(frame.var), "column": code(column.name)},
        result=f"{values}[{several}].value_counts().sort_index()",
        uses=((frame.var, (column.name,)),),
        checks=(f"({several}).sum() >= 2",),
        cost=1.0,
        board=board,
    )


def propose_not_numbers(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A column of numbers as text with words between them."""
    for frame in board.mains():
        odd = [c for c in frame.usable if c.number_text == "plain" and c.not_numbers]
        for column in board.ordered(rng, odd)[:2]:
            yield {"frame": frame.var, "column": column.name}


@family(
    theme="types",
    knowledge_points=("type conversion", "numbers stored as text", "frequencies"),
    idea="Values of {column} that are no numbers",
    wordings=(
        "{column} of {frame} should hold numbers, but some values cannot be read as numbers. Return a Series with "
        "the number of rows for each of these values, sorted by value. Change nothing.",
        "Which values of {column} in {frame} does `pandas.to_numeric` refuse? Return their counts as a Series with "
        "an ascending index and leave {frame} as it is.",
    ),
    propose=propose_not_numbers,
    limit=1,
)
def not_numbers(board: Board, slots: Slots) -> Task:
    """Count the values that are no numbers."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column", [c for c in frame.usable if c.number_text])
    values = at(frame, column)
    odd = f'{values}[pd.to_numeric({values}, errors="coerce").isna()].value_counts()'
    return Task(
        words={"frame": code(frame.var), "column": code(column.name)},
        result=f"{odd}.sort_index()",
        notes=(MISSING_NOT_COUNTED() if column.missing else None,),
        uses=((frame.var, (column.name,)),),
        checks=(f"len({odd}) >= 1",),
        cost=1.0,
        board=board,
    )


def propose_types(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A column that mixes kinds of values."""
    for frame in board.mains():
        for column in board.ordered(rng, [c for c in frame.usable if len(c.kinds) >= 2])[:2]:
            yield {"frame": frame.var, "column": column.name}


@family(
    theme="types",
    knowledge_points=("mixed types", "type inspection"),
    idea="Types of the values in {column}",
    wordings=(
        "Column {column} of {frame} mixes values of several Python types. Return a dictionary that maps the name "
        "of each type (such as `str`) to the number of values of that type.",
        "How many values of each Python type does {column} of {frame} hold? Return a dictionary from the type's "
        "name (`type(value).__name__`) to its count.",
    ),
    propose=propose_types,
    limit=1,
)
def value_types(board: Board, slots: Slots) -> Task:
    """Count the Python types of a column's values."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column", [c for c in frame.usable if c.kinds])
    dropped = ".dropna()" if column.missing else ""
    kinds = f"{at(frame, column)}{dropped}.map(lambda value: type(value).__name__).value_counts()"
    return Task(
        words={"frame": code(frame.var), "column": code(column.name)},
        result=f"{kinds}.to_dict()",
        notes=(MISSING_NOT_COUNTED() if column.missing else None,),
        uses=((frame.var, (column.name,)),),
        checks=(f"len({kinds}) >= 2",),
        cost=0.8,
        board=board,
    )


def propose_repeats(board: Board, rng: Random) -> Iterator[dict[str, Any]]:  # noqa: ARG001
    """A table with repeated rows."""
    for frame in board.mains():
        if frame.duplicates:
            yield {"frame": frame.var}


@family(
    theme="duplicates",
    knowledge_points=("duplicates", "boolean sums"),
    idea="How many rows of {frame} are copies",
    wordings=(
        "Does {frame} hold copies of rows? Return a tuple of two whole numbers: how many rows are the first of "
        "their kind, and how many repeat an earlier row in every column.",
        "Count the rows of {frame} that are exact copies of an earlier row. Return the tuple (other rows, copies) "
        "and change nothing.",
    ),
    propose=propose_repeats,
    limit=1,
)
def repeated_rows(board: Board, slots: Slots) -> Task:
    """Return how many rows differ and how many repeat an earlier one."""
    frame = frame_slot(board, slots)
    copies = f"{frame.var}.duplicated()"
    return Task(
        words={"frame": code(frame.var)},
        result=f"((~{copies}).sum(), {copies}.sum())",
        uses=((frame.var, ()),),
        checks=(f"{copies}.any()",),
        cost=1.5,
        board=board,
    )
