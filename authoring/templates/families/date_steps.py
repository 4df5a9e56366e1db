"""Tasks about dates that take more than one step."""

from collections.abc import Iterator
from random import Random
from typing import Any

from authoring.seeds import ColumnProfile
from authoring.templates.board import Board, Frame, Slots, is_amount, made_number
from authoring.templates.families.dates import HOW
from authoring.templates.families.deriving import new_column, new_slot
from authoring.templates.family import (
    Task,
    at,
    column_digest,
    column_slot,
    count_slot,
    frame_slot,
    pairs,
    text_slot,
)
from authoring.templates.phrasebook import MEASURES, MISSING_WITH, NO_EMPTY_QUARTERS
from authoring.templates.wording import code, ignoring_missing, literal, slug


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


def build_gaps(board: Board, slots: Slots) -> Task:
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


def build_quarters(board: Board, slots: Slots) -> Task:
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


def build_since_first(board: Board, slots: Slots) -> Task:
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


def build_month_changes(board: Board, slots: Slots) -> Task:
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


def build_best_months(board: Board, slots: Slots) -> Task:
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


def build_weekends(board: Board, slots: Slots) -> Task:
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
