"""Tasks that repair what is awkward about the data."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any, Final

from authoring.seeds import ColumnProfile, ColumnRole
from authoring.templates.board import Board, Frame, Slots, made_number
from authoring.templates.family import (
    KeptTable,
    Task,
    at,
    column_digest,
    column_slot,
    family,
    frame_slot,
    kept,
    list_slot,
    text_slot,
)
from authoring.templates.names_in_words import code, literal, names
from authoring.templates.phrasebook import (
    DROP_SYMBOLS,
    MEASURES,
    NO_NUMBERS,
    STILL_NO_NUMBERS,
    THEN_COLUMNS_LEFT,
    THEN_ROWS,
    THEN_TEXT,
)

MIN_LEFT: Final = 10  # rows that cleaning must leave


def _lacking(frame: Frame) -> list[ColumnProfile]:
    """Columns with some values missing, but not most of them."""
    return [c for c in frame.usable if 0 < c.missing <= 0.4 * frame.rows]


def propose_missing_counts(board: Board, rng: Random) -> Iterator[dict[str, Any]]:  # noqa: ARG001
    """A table with missing values in at least two columns."""
    for frame in board.mains():
        if sum(c.missing > 0 for c in frame.columns) >= 2:
            yield {"frame": frame.var}


@family(
    theme="missing values",
    knowledge_points=("missing values", "boolean sums"),
    idea="Missing values per column of {frame}",
    wordings=(
        "How many values are missing in each column of {frame}? Return a Series indexed by column name, "
        "restricted to columns with at least one missing value and sorted by column name.",
        "For every column of {frame} that has missing values, count them. Return the counts as a Series whose "
        "index holds the column names in ascending order.",
    ),
    propose=propose_missing_counts,
    limit=1,
)
def count_missing(board: Board, slots: Slots) -> Task:
    """Count the missing values of each column that has some."""
    frame = frame_slot(board, slots)
    return Task(
        words={"frame": code(frame.var)},
        result=f"{frame.var}.isna().sum().loc[lambda counts: counts > 0].sort_index()",
        uses=((frame.var, ()),),
        board=board,
    )


def propose_drop_missing(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """One or two columns with few missing values."""
    for frame in board.mains():
        columns = board.ordered(rng, [c for c in _lacking(frame) if c.missing <= 0.3 * frame.rows])
        if len(columns) >= 2 and sum(c.missing for c in columns[:2]) <= 0.4 * frame.rows:
            yield {"frame": frame.var, "columns": [c.name for c in columns[:2]]}
        for column in columns[:4]:
            yield {"frame": frame.var, "columns": [column.name]}


@family(
    theme="missing values",
    knowledge_points=("missing values", "dropping rows"),
    idea="Drop rows without {columns}",
    wordings=(
        "Remove from {frame} every row in which a value of {columns} is missing, renumber the rows from 0, "
        "and store the result in {frame} again.",
        "We only need rows with known {columns}. Drop all others from {frame}, give the remaining rows a fresh "
        "index starting at 0, and keep the result under the name {frame}.",
    ),
    propose=propose_drop_missing,
    limit=1,
)
def drop_missing(board: Board, slots: Slots) -> Task:
    """Keep the rows in which the named columns have values."""
    frame = frame_slot(board, slots)
    columns = [frame.column(str(name)) for name in list_slot(slots, "columns")]
    chosen = [c.name for c in columns]
    left = tuple(replace(c, missing=0) if c.name in chosen else c for c in frame.columns)
    rows = frame.rows - max(c.missing for c in columns)
    steps = {**frame.steps, **dict.fromkeys(chosen, board.step)}
    return Task(
        words={"frame": code(frame.var), "columns": names(chosen)},
        body=f"{frame.var} = {frame.var}.dropna(subset={literal(chosen)}).reset_index(drop=True)",
        **kept(frame, f"len({frame.var})", THEN_ROWS(frame=code(frame.var))),
        uses=((frame.var, tuple(chosen)),),
        cost=0.4,
        board=board.with_frame(replace(frame, columns=left, rows=rows, steps=steps)),
    )


def propose_fill(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A numeric column with missing values."""
    for frame in board.mains():
        numbers = [c for c in _lacking(frame) if c in frame.numbers() and c.dtype.startswith("float")]
        for column in board.ordered(rng, numbers)[:4]:
            yield {"frame": frame.var, "column": column.name, "how": rng.choice(["median", "mean"])}


@family(
    theme="missing values",
    knowledge_points=("missing values", "imputation"),
    idea="Fill the gaps of {column} with its {how}",
    wordings=(
        "Replace the missing values of {column} in {frame} by the {how} of that column. Change {frame} itself.",
        "Fill the gaps in column {column} of {frame} with the column's {how}, keeping the name {frame}.",
    ),
    propose=propose_fill,
    limit=1,
)
def fill_missing(board: Board, slots: Slots) -> Task:
    """Fill the gaps of a numeric column with its median or mean."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column", frame.numbers())
    how = text_slot(slots, "how", ("median", "mean"))
    return Task(
        words={"frame": code(frame.var), "column": code(column.name), "how": MEASURES[how]},
        body=f"{at(frame, column)} = {at(frame, column)}.fillna({at(frame, column)}.{how}())",
        **column_digest(frame, column.name),
        uses=((frame.var, (column.name,)),),
        board=board.with_column(frame, replace(column, missing=0, integer=False)),
    )


def propose_fill_by_group(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A numeric column with missing values, and a group column without."""
    for frame in board.mains():
        numbers = [c for c in _lacking(frame) if c in frame.numbers() and c.dtype.startswith("float")]
        groups = [c for c in frame.groups() if not c.missing]
        for column in board.ordered(rng, numbers)[:2]:
            for group in [g for g in board.ordered(rng, groups) if g.name != column.name][:2]:
                yield {"frame": frame.var, "column": column.name, "group": group.name}


@family(
    theme="missing values",
    knowledge_points=("missing values", "imputation", "group transform"),
    idea="Fill the gaps of {column} with the median of each {group}",
    wordings=(
        "Fill the missing values of {column} in {frame} with the median {column} of the rows that have the same "
        "value of {group}. Change {frame} itself.",
        "In {frame}, a missing {column} shall become the median of its group: the median of {column} over all rows "
        "with the same value of {group}. Update column {column} of {frame}.",
    ),
    propose=propose_fill_by_group,
    limit=1,
)
def fill_by_group(board: Board, slots: Slots) -> Task:
    """Fill the gaps of a numeric column with the median of the row's group."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column", frame.numbers())
    group = column_slot(frame, slots, "group", frame.groups())
    medians = f'{frame.var}.groupby({literal(group.name)})[{literal(column.name)}].transform("median")'
    return Task(
        words={"frame": code(frame.var), "column": code(column.name), "group": code(group.name)},
        body=f"{at(frame, column)} = {at(frame, column)}.fillna({medians})",
        **column_digest(frame, column.name),
        uses=((frame.var, (column.name, group.name)),),
        board=board.with_column(frame, replace(column, missing=0, integer=False)),
    )


def propose_duplicates(board: Board, rng: Random) -> Iterator[dict[str, Any]]:  # noqa: ARG001
    """A table with repeated rows."""
    for frame in board.mains():
        if frame.duplicates and frame.rows - frame.duplicates >= MIN_LEFT:
            yield {"frame": frame.var}


@family(
    theme="duplicates",
    knowledge_points=("duplicates",),
    idea="Remove repeated rows of {frame}",
    wordings=(
        "Some rows of {frame} occur more than once. Keep the first of each, drop the repeats, renumber the rows "
        "from 0, and store the result in {frame}.",
        "Remove all rows of {frame} that are exact copies of an earlier row, reset the index so that it starts "
        "at 0 (without keeping the old one), and assign the result back to {frame}.",
    ),
    propose=propose_duplicates,
    limit=1,
)
def drop_duplicates(board: Board, slots: Slots) -> Task:
    """Remove rows that repeat an earlier row."""
    frame = frame_slot(board, slots)
    rows = max(frame.rows - frame.duplicates, 1)
    return Task(
        words={"frame": code(frame.var)},
        body=f"{frame.var} = {frame.var}.drop_duplicates().reset_index(drop=True)",
        **kept(frame, f"len({frame.var})", THEN_ROWS(frame=code(frame.var))),
        uses=((frame.var, ()),),
        cost=1.5,
        board=board.with_frame(replace(frame, rows=rows, duplicates=0)),
    )


def _text_digest(frame: Frame, column: str) -> KeptTable:
    """Compare a text column that a task changes."""
    words = THEN_TEXT(column=code(column))
    return kept(frame, f"({at(frame, column)}.nunique(), {at(frame, column)}.str.len().max())", words)


def propose_strip(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A text column with spaces at the ends of some values."""
    for frame in board.mains():
        for column in board.ordered(rng, [c for c in frame.usable if c.stray_spaces and not c.date_format])[:3]:
            yield {"frame": frame.var, "column": column.name}


@family(
    theme="text cleaning",
    knowledge_points=("strings", "whitespace"),
    idea="Strip the values of {column}",
    wordings=(
        "Some values of {column} in {frame} begin or end with spaces. Remove this leading and trailing white "
        "space in {frame} itself; leave missing values missing.",
        "Clean column {column} of {frame}: strip white space from both ends of every value, in place. Missing "
        "values stay missing.",
    ),
    propose=propose_strip,
    limit=2,
)
def strip_spaces(board: Board, slots: Slots) -> Task:
    """Remove the spaces at the ends of a text column's values."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column", [c for c in frame.usable if c.max_length])
    counts: dict[str, int] = {}
    for value, count in column.top:
        counts[str(value).strip()] = counts.get(str(value).strip(), 0) + count
    top = tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
    distinct = len(top) if len(column.top) == column.distinct else column.distinct
    clean = replace(column, stray_spaces=0, top=top, distinct=distinct, fixed_categories=False)
    return Task(
        words={"frame": code(frame.var), "column": code(column.name)},
        body=f"{at(frame, column)} = {at(frame, column)}.str.strip()",
        **_text_digest(frame, column.name),
        uses=((frame.var, (column.name,)),),
        cost=0.5,
        board=board.with_column(frame, clean),
    )


def propose_case(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A text column that writes some values in more than one case, spaces already gone."""
    for frame in board.mains():
        mixed = [c for c in frame.usable if c.case_variants and not c.stray_spaces and not c.date_format]
        for column in board.ordered(rng, mixed)[:3]:
            yield {"frame": frame.var, "column": column.name}


@family(
    theme="text cleaning",
    knowledge_points=("strings", "letter case"),
    idea="Write {column} in lower case",
    wordings=(
        "Column {column} of {frame} writes the same thing in different letter cases. Turn all its values into "
        "lower case, in {frame} itself.",
        "Convert every value of {column} in {frame} to lower case and keep the result in that column.",
    ),
    propose=propose_case,
    limit=1,
)
def lower_case(board: Board, slots: Slots) -> Task:
    """Write all values of a text column in lower case."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column", [c for c in frame.usable if c.max_length])
    counts: dict[str, int] = {}
    for value, count in column.top:
        counts[str(value).lower()] = counts.get(str(value).lower(), 0) + count
    top = tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
    clean = replace(column, case_variants=0, top=top, distinct=column.distinct - column.case_variants)
    return Task(
        words={"frame": code(frame.var), "column": code(column.name)},
        body=f"{at(frame, column)} = {at(frame, column)}.str.lower()",
        **_text_digest(frame, column.name),
        uses=((frame.var, (column.name,)),),
        cost=0.5,
        board=board.with_column(frame, clean),
    )


def propose_to_number(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A column of numbers written as text."""
    for frame in board.mains():
        for column in board.ordered(rng, [c for c in frame.usable if c.number_text and not c.stray_spaces])[:3]:
            yield {"frame": frame.var, "column": column.name}


@family(
    theme="types",
    knowledge_points=("type conversion", "numbers stored as text"),
    idea="Turn {column} into numbers",
    wordings=(
        "Column {column} of {frame} holds numbers as text. Convert it to floats (`float64`) in {frame} itself.",
        "Turn {column} in {frame} from text into floats (`float64`), keeping the column's name and place.",
    ),
    propose=propose_to_number,
    limit=2,
)
def to_number(board: Board, slots: Slots) -> Task:
    """Turn a column of numbers written as text into numbers."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column", [c for c in frame.usable if c.number_text])
    values, notes = at(frame, column), [NO_NUMBERS()]
    if column.number_text == "symbols":
        values += '.str.replace(r"[$€£¥%,\\s]", "", regex=True)'
        notes = [DROP_SYMBOLS(), *([STILL_NO_NUMBERS()] if column.not_numbers else [])]
    as_floats = "" if column.not_numbers or column.missing else '.astype("float64")'
    number = made_number(column.name, like=column, missing=column.missing + column.not_numbers)
    return Task(
        words={"frame": code(frame.var), "column": code(column.name)},
        notes=tuple(notes),
        body=f'{at(frame, column)} = pd.to_numeric({values}, errors="coerce"){as_floats}',
        **column_digest(frame, column.name, always=True),
        uses=((frame.var, (column.name,)),),
        cost=0.8,
        board=board.with_column(frame, number),
    )


def propose_drop_columns(board: Board, rng: Random) -> Iterator[dict[str, Any]]:  # noqa: ARG001
    """Columns that are empty or hold one value only."""
    for frame in board.mains():
        useless = [c.name for c in frame.columns if c.distinct <= 1 and c.name.isprintable() and c.name.strip()]
        if useless and frame.rows > 1 and len(frame.columns) - len(useless) >= 2:
            yield {"frame": frame.var}


@family(
    theme="selection",
    knowledge_points=("column selection", "distinct values"),
    idea="Drop columns of {frame} that hold at most one value",
    wordings=(
        "Drop every column of {frame} that has at most one distinct value, missing values not counted as a "
        "value, and store the result in {frame}. Keep the order of the other columns.",
        "Some columns of {frame} tell us nothing: all their known values are equal, or none is known. Remove "
        "these columns and assign the rest, in the same order, to {frame}.",
    ),
    propose=propose_drop_columns,
    limit=1,
)
def drop_useless_columns(board: Board, slots: Slots) -> Task:
    """Drop the columns with at most one distinct value."""
    frame = frame_slot(board, slots)
    left = tuple(c for c in frame.columns if c.distinct > 1)
    return Task(
        words={"frame": code(frame.var)},
        body=f"{frame.var} = {frame.var}.loc[:, {frame.var}.nunique() > 1]",
        **kept(
            frame,
            f"{frame.var}.columns.tolist()",
            THEN_COLUMNS_LEFT(),
            always=True,
        ),
        uses=((frame.var, ()),),
        cost=0.8,
        board=board.with_frame(replace(frame, columns=left)),
    )


def propose_fill_text(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A category with missing values."""
    for frame in board.mains():
        columns = [c for c in _lacking(frame) if c.role is ColumnRole.CATEGORY and not c.fixed_categories]
        columns = [c for c in columns if c.dtype in ("str", "object", "string")]
        for column in board.ordered(rng, columns)[:3]:
            yield {"frame": frame.var, "column": column.name, "value": rng.choice(["unknown", "not recorded"])}


@family(
    theme="missing values",
    knowledge_points=("missing values", "categories"),
    idea="Mark missing {column} as {value}",
    wordings=(
        "In {frame}, write {value} wherever {column} is missing. Change {frame} itself.",
        "Replace missing values of {column} in {frame} by the text {value} and keep the result in that column.",
    ),
    propose=propose_fill_text,
    limit=1,
)
def fill_category(board: Board, slots: Slots) -> Task:
    """Write a word in place of a category's missing values."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column", [c for c in frame.usable if c.role is ColumnRole.CATEGORY])
    value = text_slot(slots, "value")
    full = replace(column, missing=0, distinct=column.distinct + 1, top=(*column.top, (value, column.missing)))
    return Task(
        words={"frame": code(frame.var), "column": code(column.name), "value": f'"{value}"'},
        body=f"{at(frame, column)} = {at(frame, column)}.fillna({literal(value)})",
        **_text_digest(frame, column.name),
        uses=((frame.var, (column.name,)),),
        cost=0.4,
        board=board.with_column(frame, full),
    )
