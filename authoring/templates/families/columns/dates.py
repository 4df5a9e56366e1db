"""Tasks about dates."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any, Final

from authoring.seeds import ColumnProfile, ColumnRole
from authoring.templates.board import Board, Slots, is_amount
from authoring.templates.family import Task, at, column_slot, family, frame_slot, kept, pairs, text_slot
from authoring.templates.names_in_words import code, ignoring_missing, literal
from authoring.templates.phrasebook import (
    DATE_PARTS,
    DATES_WRITTEN,
    DATES_WRITTEN_LIKE,
    FINAL_Z,
    MEASURES,
    MISSING_CHANGE,
    NO_EMPTY_MONTHS,
    ROWS_WITHOUT_NOT_COUNTED,
    THEN_DATES,
)

PARTS: Final = {
    "year": "dt.year",
    "month": "dt.month",
    "weekday": "dt.day_name()",
    "quarter": "dt.quarter",
    "hour": "dt.hour",
}
HOW: Final = ("mean", "sum", "max")


def parts_of(column: ColumnProfile) -> list[str]:
    """Return the parts of a date that vary in the column."""
    varied = {
        "year": column.span_days >= 700,
        "month": column.months >= 3,
        "weekday": column.days >= max(7, 0.3 * column.span_days),
        "quarter": column.span_days >= 300,
        "hour": column.timed,
    }
    return [part for part, does in varied.items() if does]


def propose_parse(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A column of dates written as text or digits."""
    for frame in board.mains():
        for column in board.ordered(rng, [c for c in frame.usable if c.role is ColumnRole.DATE and c.date_format])[:3]:
            yield {"frame": frame.var, "column": column.name}


@family(
    theme="dates",
    knowledge_points=("date parsing", "type conversion"),
    idea="Turn {column} into dates",
    wordings=(
        "Convert column {column} of {frame} to pandas datetimes, in {frame} itself.",
        "The dates in {column} of {frame} are not datetimes yet. Parse them and keep the result in that column.",
    ),
    propose=propose_parse,
    limit=2,
)
def parse_dates(board: Board, slots: Slots) -> Task:
    """Turn a column into dates."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column", [c for c in frame.usable if c.date_format])
    example = str(column.samples[0]) if column.samples else ""
    text = at(frame, column) + (".astype(str)" if column.dtype.startswith("int") else "")  # digits: not nanoseconds
    shape = DATES_WRITTEN(format=column.date_format)
    if example:
        shape = DATES_WRITTEN_LIKE(format=column.date_format, example=code(example))
    return Task(
        words={"frame": code(frame.var), "column": code(column.name)},
        notes=(shape, FINAL_Z() if column.date_format.endswith("Z") else None),
        body=f"{at(frame, column)} = pd.to_datetime({text}, format={literal(column.date_format)})",
        **kept(
            frame,
            f"({at(frame, column)}.min(), {at(frame, column)}.max())",
            THEN_DATES(),
            always=True,
        ),
        uses=((frame.var, (column.name,)),),
        cost=0.8,
        board=board.with_column(frame, replace(column, date_format="", dtype="datetime64")),
    )


def propose_counts(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A date with a part that varies."""
    for frame in board.sources(rng)[:1]:
        for column in board.ordered(rng, frame.dates())[:2]:
            for part in rng.sample(parts := parts_of(column), len(parts)):
                yield {"frame": frame.var, "date": column.name, "part": part}


@family(
    theme="dates",
    knowledge_points=("date parts", "frequencies"),
    idea="Rows by {part} of {date}",
    wordings=(
        "Count the rows of {frame} by the {part} of {date}. Return a dictionary that maps each one that occurs to "
        "its number of rows.",
        "How are the rows of {frame} spread over the {part} of {date}? Return a dictionary with the number of rows "
        "for each that occurs.",
    ),
    propose=propose_counts,
    limit=1,
)
def date_part_counts(board: Board, slots: Slots) -> Task:
    """Count rows by a part of a date."""
    frame = frame_slot(board, slots)
    date, part = column_slot(frame, slots, "date", frame.dates()), text_slot(slots, "part", tuple(PARTS))
    accessor = PARTS[part]
    return Task(
        words={"frame": code(frame.var), "date": code(date.name), "part": DATE_PARTS[part]},
        result=f"{at(frame, date)}.{accessor}.value_counts().sort_index().to_dict()",
        notes=(ROWS_WITHOUT_NOT_COUNTED(column=code(date.name)) if date.missing else None,),
        uses=((frame.var, (date.name,)),),
        checks=(f"{at(frame, date)}.{accessor}.nunique() >= 2",),
        cost=0.4,
        board=board,
    )


def propose_part_mean(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A date with a part that varies and a number."""
    for frame in board.sources(rng)[:1]:
        for date, number in pairs(board.ordered(rng, frame.dates())[:2], board.ordered(rng, frame.numbers())[:4], 4):
            for part in rng.sample(parts := parts_of(date), min(2, len(parts))):
                how = rng.choice(["mean", "max"])
                yield {"frame": frame.var, "date": date.name, "number": number.name, "part": part, "how": how}


@family(
    theme="dates",
    knowledge_points=("date parts", "group and aggregate"),
    idea="The {how} of {number} by {part} of {date}",
    wordings=(
        "What is the {how} of {number} in {frame} for each {part} of {date}? Return a dictionary that maps each "
        "one that occurs to its number, not rounded.",
        "Group {frame} by the {part} of {date} and return the {how} of {number} in each group, not rounded, as a "
        "dictionary with the groups as keys.",
    ),
    propose=propose_part_mean,
)
def date_part_aggregate(board: Board, slots: Slots) -> Task:
    """Return a number by a part of a date."""
    frame = frame_slot(board, slots)
    date, part = column_slot(frame, slots, "date", frame.dates()), text_slot(slots, "part", tuple(PARTS))
    number = column_slot(frame, slots, "number", frame.numbers(distinct=2))
    how = text_slot(slots, "how", HOW)
    accessor = PARTS[part]
    grouped = f"{frame.var}.groupby({at(frame, date)}.{accessor})[{literal(number.name)}]"
    return Task(
        words={
            "frame": code(frame.var),
            "date": code(date.name),
            "number": code(number.name),
            "part": DATE_PARTS[part],
            "how": MEASURES[how],
        },
        result=f"{grouped}.{how}().to_dict()",
        notes=(ignoring_missing([date, number]),),
        uses=((frame.var, (date.name, number.name)),),
        checks=(f"{at(frame, date)}.{accessor}.nunique() >= 2", f"{grouped}.count().min() > 0"),
        cost=0.4,
        board=board,
    )


def propose_months(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A date over several months and a number."""
    for frame in board.sources(rng)[:1]:
        dates = [c for c in frame.dates() if 3 <= c.months <= 400]
        for date, number in pairs(board.ordered(rng, dates)[:2], board.ordered(rng, frame.numbers())[:4], 5):
            how = rng.choice(["mean", "max", *(["sum"] if is_amount(number) else [])])
            yield {"frame": frame.var, "date": date.name, "number": number.name, "how": how}


@family(
    theme="dates",
    knowledge_points=("time series", "calendar months"),
    idea="The {how} of {number} in each calendar month",
    wordings=(
        "Compute the {how} of {number} in {frame} for every calendar month of {date}. Return an unrounded Series "
        "in order of time, whose index holds the months as text such as {example} (year, dash, two digits).",
        "What is the {how} of {number} in each month of each year, by {date} of {frame}? Return a Series indexed "
        "by month written like {example}, earliest month first, not rounded.",
    ),
    propose=propose_months,
)
def by_month(board: Board, slots: Slots) -> Task:
    """Return a number per calendar month."""
    frame = frame_slot(board, slots)
    date = column_slot(frame, slots, "date", frame.dates())
    number = column_slot(frame, slots, "number", frame.numbers(distinct=2))
    how = text_slot(slots, "how", HOW)
    month = f'{at(frame, date)}.dt.strftime("%Y-%m")'
    return Task(
        words={
            "frame": code(frame.var),
            "date": code(date.name),
            "number": code(number.name),
            "how": MEASURES[how],
            "example": code(str(date.min)[:7]),
        },
        result=f"{frame.var}.groupby({month})[{literal(number.name)}].{how}()",
        checks=(f"{frame.var}.groupby({month})[{literal(number.name)}].count().min() > 0",),
        notes=(NO_EMPTY_MONTHS(), ignoring_missing([date, number])),
        uses=((frame.var, (date.name, number.name)),),
        cost=1.5,
        board=board,
    )


def propose_since(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A date over more than a year and a number."""
    for frame in board.sources(rng)[:1]:
        for date, number in pairs(board.ordered(rng, frame.dates())[:2], board.ordered(rng, frame.numbers())[:3], 3):
            first, last = int(str(date.min)[:4]), int(str(date.max)[:4])
            if last - first >= 2:
                year = rng.randint(first + 1, last - 1)
                how = rng.choice(["mean", "median"])
                yield {"frame": frame.var, "date": date.name, "number": number.name, "year": year, "how": how}


@family(
    theme="dates",
    knowledge_points=("date parts", "boolean filtering", "mean and median"),
    idea="The {how} of {number} from {year} on",
    wordings=(
        "What is the {how} of {number} in {frame} over the rows whose {date} lies in {year} or later? Return one "
        "number, not rounded.",
        "Using only rows of {frame} with {date} from 1 January {year} on, return the {how} of {number} without "
        "rounding.",
    ),
    propose=propose_since,
    limit=1,
)
def since_year(board: Board, slots: Slots) -> Task:
    """Return the mean of a number from a year on."""
    frame = frame_slot(board, slots)
    date, number = column_slot(frame, slots, "date", frame.dates()), column_slot(frame, slots, "number")
    year, how = slots.get("year"), text_slot(slots, "how", ("mean", "median"))
    mask = f"{at(frame, date)}.dt.year >= {literal(year)}"
    return Task(
        words={
            "frame": code(frame.var),
            "date": code(date.name),
            "number": code(number.name),
            "year": str(year),
            "how": MEASURES[how],
        },
        result=f"{frame.var}.loc[{mask}, {literal(number.name)}].{how}()",
        notes=(ignoring_missing([number]),),
        uses=((frame.var, (date.name, number.name)),),
        checks=(f"3 <= ({mask}).sum() < len({frame.var})",),
        cost=0.3,
        board=board,
    )


def propose_change(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A date and a number, one row per date."""
    for frame in board.sources(rng)[:1]:
        if frame.is_big:
            continue
        dates = [c for c in frame.dates() if c.distinct >= frame.rows]
        for date, number in pairs(board.ordered(rng, dates)[:2], board.ordered(rng, frame.numbers())[:3], 3):
            yield {"frame": frame.var, "date": date.name, "number": number.name, "count": rng.choice([3, 5])}


@family(
    theme="dates",
    knowledge_points=("time series", "differences", "top-k"),
    idea="The {count} largest rises of {number} from one {date} to the next",
    wordings=(
        "Order {frame} by {date} and take the change of {number} from each row to the next. Return the {count} "
        "largest rises as a Series indexed by the later {date}, from largest to smallest. Leave {frame} as it is.",
        "When did {number} rise most from one {date} to the next? With {frame} sorted by {date}, return the "
        "{count} largest differences to the row before, largest first, as a Series indexed by {date}. Do not "
        "change {frame}.",
    ),
    propose=propose_change,
    limit=1,
)
def largest_changes(board: Board, slots: Slots) -> Task:
    """Return the largest rises from one date to the next."""
    frame = frame_slot(board, slots)
    date, number = column_slot(frame, slots, "date", frame.dates()), column_slot(frame, slots, "number")
    count = int(slots.get("count", 3))
    changes = (
        f"{frame.var}.sort_values({literal(date.name)}).set_index({literal(date.name)})[{literal(number.name)}].diff()"
    )
    return Task(
        words={"frame": code(frame.var), "date": code(date.name), "number": code(number.name), "count": str(count)},
        result=f"{changes}.nlargest({count})",
        notes=(MISSING_CHANGE(column=code(number.name)) if number.missing else None,),
        uses=((frame.var, (date.name, number.name)),),
        checks=(
            f"{at(frame, date)}.is_unique",
            f"{changes}.nlargest({count + 1}).round(9).is_unique",
            f"{changes}.nlargest({count}).min() > 0",
        ),
        board=board,
    )
