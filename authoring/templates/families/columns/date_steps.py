"""Tasks about dates that take more than one step."""

from collections.abc import Iterator
from random import Random
from typing import Any

from authoring.seeds import ColumnProfile
from authoring.templates.board import Board, Frame, Slots, is_amount, made_number
from authoring.templates.families.columns.dates import HOW
from authoring.templates.families.columns.deriving import new_column, new_slot
from authoring.templates.family import (
    Task,
    at,
    column_digest,
    column_slot,
    count_slot,
    family,
    frame_slot,
    pairs,
    text_slot,
)
from authoring.templates.names_in_words import code, ignoring_missing, literal, slug
from authoring.templates.phrasebook import MEASURES, MISSING_WITH, NO_EMPTY_QUARTERS


def _plain(frame: Frame) -> list[ColumnProfile]:
    """Return dates without a time zone."""
    return [c for c in frame.dates() if "," not in c.dtype]


def _of(board: Board, rng: Random, *, months: int) -> Iterator[tuple[Frame, ColumnProfile, ColumnProfile]]:
    """Yield a date over at least so many months, and a number."""
    for frame in board.sources(rng)[:1]:
        dates = [c for c in _plain(frame) if months <= c.months <= 400]
        for date, number in pairs(board.ordered(rng, dates)[:2], board.ordered(rng, frame.numbers())[:4], 4):
            yield frame, date, number


def propose_gaps(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A date without a time of day."""
    for frame in board.sources(rng)[:1]:
        for date in board.ordered(rng, [c for c in _plain(frame) if not c.timed and c.days >= 10])[:2]:
            yield {"frame": frame.var, "date": date.name}


@family(
    theme="dates",
    knowledge_points=("date differences", "distinct values"),
    idea="The days between consecutive values of {date}",
    wordings=(
        "Sort the distinct values of {date} in {frame} and take the number of days from each to the next. Return "
        "the mean and the maximum of these as a Series labelled `mean` and `max`, not rounded.",
        "How many days lie between one {date} and the next in {frame}, each date counted once? Return an unrounded "
        "Series with the labels `mean` and `max`.",
    ),
    propose=propose_gaps,
    limit=1,
)
def date_gaps(board: Board, slots: Slots) -> Task:
    """Return the mean and the largest distance between consecutive dates."""
    frame, date = frame_slot(board, slots), column_slot(frame_slot(board, slots), slots, "date")
    return Task(
        words={"frame": code(frame.var), "date": code(date.name)},
        result=f'{at(frame, date)}.drop_duplicates().sort_values().diff().dt.days.agg(["mean", "max"])',
        uses=((frame.var, (date.name,)),),
        cost=0.6,
        board=board,
    )


def propose_quarters(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A date over several quarters and a number."""
    for frame, date, number in _of(board, rng, months=6):
        how = rng.choice(["mean", "max", *(["sum"] if is_amount(number) else [])])
        yield {"frame": frame.var, "date": date.name, "number": number.name, "how": how}


@family(
    theme="dates",
    knowledge_points=("time series", "calendar quarters"),
    idea="The {how} of {number} in each quarter",
    wordings=(
        "Compute the {how} of {number} in {frame} for every quarter of {date}. Return an unrounded Series in order "
        "of time, whose index holds the quarters as text such as {example}.",
        "What is the {how} of {number} in each calendar quarter, by {date} of {frame}? Return a Series, earliest "
        "quarter first and not rounded, indexed by text in the form {example} (year, Q, number of the quarter).",
    ),
    propose=propose_quarters,
)
def by_quarter(board: Board, slots: Slots) -> Task:
    """Return a number per quarter of each year."""
    frame, how = frame_slot(board, slots), text_slot(slots, "how", HOW)
    date = column_slot(frame, slots, "date", _plain(frame))
    number = column_slot(frame, slots, "number", frame.numbers(distinct=2))
    grouped = f'{frame.var}.groupby({at(frame, date)}.dt.to_period("Q").astype(str))[{literal(number.name)}]'
    lacking = f"[{at(frame, date)}.notna()]" if date.missing else ""
    if lacking:
        grouped = grouped.replace(f"{frame.var}.groupby(", f"{frame.var}{lacking}.groupby(", 1)
    return Task(
        words={
            "frame": code(frame.var),
            "date": code(date.name),
            "number": code(number.name),
            "how": MEASURES[how],
            "example": code(f"{str(date.min)[:4]}Q1"),
        },
        result=f"{grouped}.{how}()",
        notes=(NO_EMPTY_QUARTERS(), ignoring_missing([date, number])),
        uses=((frame.var, (date.name, number.name)),),
        checks=(f"{grouped}.count().min() > 0",),
        cost=1.5,
        board=board,
    )


def propose_since_first(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A date."""
    for frame in board.mains():
        for date in board.ordered(rng, [c for c in _plain(frame) if c.days >= 5])[:2]:
            stem = slug(date.name, limit=14)
            new = new_column(frame, f"days_since_{stem}" if stem and "date" not in stem else "days_since_start")
            yield {"frame": frame.var, "date": date.name, "new": new}


@family(
    theme="dates",
    knowledge_points=("date differences", "derived columns"),
    idea="Days since the first {date} in a column {new}",
    wordings=(
        "Add a column {new} to {frame} with the number of whole days from the earliest {date} in {frame} to the "
        "{date} of the row.",
        "How many full days after the earliest {date} of the table does each row of {frame} lie? Store the numbers "
        "in a new column {new}.",
    ),
    propose=propose_since_first,
    limit=1,
)
def days_since_start(board: Board, slots: Slots) -> Task:
    """Add the days since the earliest date."""
    frame, new = frame_slot(board, slots), new_slot(frame_slot(board, slots), slots)
    date = column_slot(frame, slots, "date", _plain(frame))
    made = made_number(new, missing=date.missing, distinct=date.days)
    return Task(
        words={"frame": code(frame.var), "date": code(date.name), "new": code(new)},
        body=f"{at(frame, new)} = ({at(frame, date)} - {at(frame, date)}.min()).dt.days",
        **column_digest(frame, new),
        notes=(MISSING_WITH(column=code(date.name)) if date.missing else None,),
        uses=((frame.var, (date.name,)),),
        board=board.with_column(frame, made),
    )


def propose_month_changes(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A date over many months and a number."""
    for frame, date, number in _of(board, rng, months=12):
        yield {"frame": frame.var, "date": date.name, "number": number.name, "count": rng.choice([3, 4])}


@family(
    theme="dates",
    knowledge_points=("calendar months", "differences", "top-k"),
    idea="The {count} largest rises of the monthly mean of {number}",
    wordings=(
        "Take the mean of {number} in {frame} for every calendar month of {date}, and the change from each month "
        "to the next one that has rows. Return the {count} largest rises as an unrounded Series, largest first, "
        "indexed by the later month written like {example}.",
        "From which month to the next did the monthly mean of {number} in {frame} rise most? Months are those of "
        "{date}; months without rows are skipped. Return the {count} largest differences as a Series indexed by "
        "the later month as text (for example {example}), in descending order and not rounded.",
    ),
    propose=propose_month_changes,
    limit=1,
)
def month_to_month(board: Board, slots: Slots) -> Task:
    """Return the largest rises of a monthly mean."""
    frame, count = frame_slot(board, slots), count_slot(slots, "count")
    date = column_slot(frame, slots, "date", _plain(frame))
    number = column_slot(frame, slots, "number", frame.numbers(distinct=2))
    months = f'{frame.var}.groupby({at(frame, date)}.dt.strftime("%Y-%m"))[{literal(number.name)}].mean()'
    return Task(
        words={
            "frame": code(frame.var),
            "date": code(date.name),
            "number": code(number.name),
            "count": str(count),
            "example": code(str(date.min)[:7]),
        },
        result=f"{months}.diff().nlargest({count})",
        notes=(ignoring_missing([date, number]),),
        uses=((frame.var, (date.name, number.name)),),
        checks=(
            f"{months}.diff().nlargest({count + 1}).round(9).is_unique",
            f"{months}.diff().nlargest({count}).min() > 0",
            f"{months}.notna().all()",
        ),
        cost=1.5,
        board=board,
    )


def propose_best_months(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A date over several years and a number."""
    for frame, date, number in _of(board, rng, months=20):
        yield {"frame": frame.var, "date": date.name, "number": number.name}


@family(
    theme="dates",
    knowledge_points=("date parts", "unstacking", "label of the extreme value"),
    idea="The month of each year with the highest mean {number}",
    wordings=(
        "For each year of {date} in {frame}, in which month was the mean of {number} highest? Return a dictionary "
        "that maps each year to the number of that month (1 to 12).",
        "Average {number} of {frame} by year and month of {date}. Return, as a dictionary from year to month "
        "number (1 to 12), the month with the largest average in every year.",
    ),
    propose=propose_best_months,
    limit=1,
)
def best_month_of_year(board: Board, slots: Slots) -> Task:
    """Return, for each year, the month with the highest mean."""
    frame = frame_slot(board, slots)
    date = column_slot(frame, slots, "date", _plain(frame))
    number = column_slot(frame, slots, "number", frame.numbers(distinct=2))
    parts = f"[{at(frame, date)}.dt.year, {at(frame, date)}.dt.month]"
    table = f"{frame.var}.groupby({parts})[{literal(number.name)}].mean().unstack()"
    return Task(
        words={"frame": code(frame.var), "date": code(date.name), "number": code(number.name)},
        result=f"{table}.idxmax(axis=1).to_dict()",
        notes=(ignoring_missing([date, number]),),
        uses=((frame.var, (date.name, number.name)),),
        checks=(
            f"{table}.notna().sum(axis=1).min() >= 2",
            f"{table}.round(9).eq({table}.round(9).max(axis=1), axis=0).sum(axis=1).max() == 1",
        ),
        cost=0.8,
        board=board,
    )


def propose_weekends(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Dates on all days of the week and a number."""
    for frame, date, number in _of(board, rng, months=1):
        if date.days >= max(14, 0.5 * date.span_days):
            how = rng.choice(["mean", "median"])
            yield {"frame": frame.var, "date": date.name, "number": number.name, "how": how}


@family(
    theme="dates",
    knowledge_points=("date parts", "comparison of groups", "boolean filtering"),
    idea="How weekends differ from other days in {number}",
    wordings=(
        "Compare weekends with other days in {frame}: subtract the {how} of {number} over the rows whose {date} is "
        "a Monday to Friday from that over the rows whose {date} is a Saturday or Sunday. Return one number, not "
        "rounded.",
        "By how much is the {how} of {number} in {frame} higher on weekends (Saturday and Sunday, by {date}) than "
        "on the other days? Return the difference, negative if it is lower, without rounding.",
    ),
    propose=propose_weekends,
    limit=1,
)
def weekend_difference(board: Board, slots: Slots) -> Task:
    """Return the difference between weekends and other days."""
    frame, how = frame_slot(board, slots), text_slot(slots, "how", ("mean", "median"))
    date = column_slot(frame, slots, "date", _plain(frame))
    number = column_slot(frame, slots, "number", frame.numbers(distinct=2))
    days = f"{at(frame, date)}.dt.dayofweek"
    ends, rest = (f"{frame.var}.loc[{days} {sign} 5, {literal(number.name)}].{how}()" for sign in (">=", "<"))
    return Task(
        words={"frame": code(frame.var), "date": code(date.name), "number": code(number.name), "how": MEASURES[how]},
        result=f"(\n    {ends}\n    - {rest}\n)",
        notes=(ignoring_missing([date, number]),),
        uses=((frame.var, (date.name, number.name)),),
        checks=(f"{days}.nunique() == 7", f"{ends} != {rest}"),
        cost=0.3,
        board=board,
    )
