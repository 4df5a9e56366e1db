"""Tasks that choose rows."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from authoring.seeds import ColumnProfile
from authoring.templates.board import Board, Frame, Slots
from authoring.templates.family import (
    Task,
    at,
    column_slot,
    count_slot,
    family,
    frame_slot,
    kept,
    list_slot,
    number_slot,
    pairs,
    text_slot,
)
from authoring.templates.names_in_words import code, ignoring_missing, is_quotable, literal, names, round_like, shown
from authoring.templates.phrasebook import (
    DIRECTIONS,
    HOW_MANY,
    IS_AT_MOST,
    IS_GREATER,
    MEASURES,
    SIGNS,
    SORTINGS,
    THEIR_COLUMNS,
    THEN_SHAPE,
)
from authoring.templates.phrases import Joint, Listing
from evaluator.errors import ContentError


def threshold(rng: Random, column: ColumnProfile, sign: str) -> int | float | None:
    """Return a round value that parts the column, or None when there is none strictly inside its range."""
    quantile = rng.choice(["0.5", "0.75"] if sign in (">", ">=") else ["0.25", "0.5"])
    value = round_like(column.quantiles[quantile], column)
    inside = isinstance(column.min, int | float) and isinstance(column.max, int | float)
    return value if inside and float(column.min or 0) < value < float(column.max or 0) else None


def values_of(rng: Random, column: ColumnProfile, most: int) -> list[Any]:
    """Return one or more frequent values of a group column, in the order of their text."""
    good = [v for v, n in column.top if n >= 2 and v is not None and (not isinstance(v, str) or is_quotable(v))]
    good = [v for v in good if not isinstance(v, str) or v == v.strip()]
    if len(good) < 2 or column.distinct < 2:
        return []
    return sorted(rng.sample(good[:6], min(most, len(good) - 1, 5)), key=str)


def show_columns(board: Board, rng: Random, frame: Frame, first: list[str]) -> list[str]:
    """Return a few columns worth seeing beside `first`: a label and a number."""
    labels = [c.name for c in frame.labels(first)[:4]]
    numbers = [c.name for c in board.ordered(rng, frame.numbers()) if c.name not in first]
    chosen = [*first, *labels[:1]] + [n for n in numbers[:1] if n not in labels[:1]]
    order = [c.name for c in frame.columns]
    return sorted(set(chosen), key=order.index)


def propose_threshold(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A numeric column with known quantiles."""
    for frame in board.sources(rng)[:2]:
        for column in board.ordered(rng, frame.numbers(distinct=8, ranged=True))[:4]:
            sign = rng.choice(list(SIGNS))
            value = threshold(rng, column, sign)
            if value is not None:
                show = show_columns(board, rng, frame, [column.name])
                yield {"frame": frame.var, "column": column.name, "sign": sign, "value": value, "show": show}


@family(
    theme="filtering",
    knowledge_points=("boolean filtering", "column selection"),
    idea="Rows of {frame} with {column} {sign}",
    wordings=(
        "Select the rows of {frame} whose {column} is {sign} and return {wish}.",
        "Which rows of {frame} have a value of {column} that is {sign}? Return {wish}.",
    ),
    propose=propose_threshold,
)
def filter_threshold(board: Board, slots: Slots) -> Task:
    """Return some columns of the rows beyond a threshold."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column", frame.numbers(distinct=2))
    sign, value = text_slot(slots, "sign", tuple(SIGNS)), number_slot(slots, "value")
    show = [frame.column(str(name)).name for name in list_slot(slots, "show")]
    wish = HOW_MANY() if frame.is_big else THEIR_COLUMNS(columns=names(show))
    mask = f"{at(frame, column)} {sign} {literal(value)}"
    return Task(
        words={
            "frame": code(frame.var),
            "column": code(column.name),
            "sign": SIGNS[sign](value=shown(value)),
            "wish": wish,
        },
        result=f"({mask}).sum()" if frame.is_big else f"{frame.var}.loc[{mask}, {literal(show)}]",
        uses=((frame.var, (column.name, *show)),),
        board=board,
    )


def propose_subset(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A group column with a frequent value; the subset is stored for later problems."""
    for frame in [f for f in board.sources(rng)[:1] if f.rows >= 20]:
        for column in board.ordered(rng, frame.groups())[:3]:
            values = values_of(rng, column, rng.choice([1, 2]))
            if values:
                var = board.free(rng.choice(["subset", "selected", "chosen"]))
                yield {"frame": frame.var, "column": column.name, "values": values, "var": var}


@family(
    theme="filtering",
    knowledge_points=("boolean filtering", "membership"),
    idea="Keep the rows with {column} {values} as {var}",
    wordings=(
        "Store the rows of {frame} whose {column} is {values} as a new DataFrame {var} with a fresh index that "
        "starts at 0. Leave {frame} as it is.",
        "Make a DataFrame called {var} of those rows of {frame} in which {column} equals {values}. Number its "
        "rows from 0 and do not change {frame}.",
    ),
    propose=propose_subset,
    limit=1,
)
def store_subset(board: Board, slots: Slots) -> Task:
    """Store the rows of some groups under a new name."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column", frame.groups(most=50))
    values, var = list_slot(slots, "values"), text_slot(slots, "var")
    inside_rows = sum(count for value, count in column.top if value in values)
    if not inside_rows:
        raise ContentError(f"column {column.name!r} has no value {values[0]!r}", fix="choose values that occur")
    share = inside_rows / max(sum(count for _, count in column.top), 1)
    test = f"== {literal(values[0])}" if len(values) == 1 else f".isin({literal(values)})"
    inside = tuple((value, count) for value, count in column.top if value in values)
    left = tuple(
        replace(column, distinct=len(values), top=inside, missing=0)
        if c.name == column.name
        else replace(c, missing=round(c.missing * share), candidate_key=c.candidate_key, quantiles={})
        for c in frame.columns
    )
    made = replace(frame, var=var, columns=left, rows=round(frame.rows * share), made_by=board.step, steps={})
    spaced = " " if test.startswith("=") else ""
    return Task(
        words={
            "frame": code(frame.var),
            "column": code(column.name),
            "values": Listing(tuple(map(shown, values)), Joint.OR),
            "var": code(var),
        },
        body=f"{var} = {frame.var}.loc[{at(frame, column)}{spaced}{test}].reset_index(drop=True)",
        **kept(frame, f"{var}.shape", THEN_SHAPE(frame=code(var)), var=var),
        uses=((frame.var, (column.name,)),),
        checks=(f"0 < len({var}) < len({frame.var})",),
        board=board.with_frame(made),
    )


def propose_filtered_mean(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A group value, a threshold on one number, the mean or median of another."""
    for frame in board.sources(rng)[:2]:
        groups = board.ordered(rng, frame.groups())[:3]
        numbers = board.ordered(rng, frame.numbers(distinct=8))
        for group in groups:
            values = values_of(rng, group, 1)
            for column in [n for n in numbers if n.quantiles and n.name != group.name][:2] if values else []:
                sign = rng.choice([">", "<"])
                value = threshold(rng, column, sign)
                target = next((n for n in numbers if n.name not in (column.name, group.name)), None)
                if value is not None and target is not None:
                    yield {
                        "frame": frame.var,
                        "group": group.name,
                        "category": values[0],
                        "column": column.name,
                        "sign": sign,
                        "value": value,
                        "target": target.name,
                        "how": rng.choice(["mean", "median"]),
                    }


@family(
    theme="filtering",
    knowledge_points=("boolean filtering", "combined conditions", "mean and median"),
    idea="The {how} {target} where {group} is {category} and {column} is {sign}",
    wordings=(
        "Consider the rows of {frame} where {group} is {category} and {column} is {sign}. What is the {how} of "
        "{target} over these rows? Return a single number, not rounded.",
        "Return the {how} of {target} in {frame} for rows that have {group} equal to {category} and, at the "
        "same time, {column} {sign}. Do not round.",
    ),
    propose=propose_filtered_mean,
)
def filtered_mean(board: Board, slots: Slots) -> Task:
    """Return the mean of a column over the rows that meet two conditions."""
    frame = frame_slot(board, slots)
    group = column_slot(frame, slots, "group", frame.groups(most=50))
    column = column_slot(frame, slots, "column", frame.numbers(distinct=2))
    target = column_slot(frame, slots, "target", frame.numbers(distinct=2))
    sign, value = text_slot(slots, "sign", tuple(SIGNS)), number_slot(slots, "value")
    how, category = text_slot(slots, "how", ("mean", "median")), slots.get("category")
    first, second = f"{at(frame, group)} == {literal(category)}", f"{at(frame, column)} {sign} {literal(value)}"
    mask = f"({first}) & ({second})"
    result = f"{frame.var}.loc[{mask}, {literal(target.name)}].{how}()"
    return Task(
        words={
            "frame": code(frame.var),
            "group": code(group.name),
            "category": shown(category),
            "column": code(column.name),
            "sign": SIGNS[sign](value=shown(value)),
            "target": code(target.name),
            "how": MEASURES[how],
        },
        notes=(ignoring_missing([target]),),
        result=result,
        uses=((frame.var, (group.name, column.name, target.name)),),
        checks=(
            f"3 <= ({mask}).sum() < min(({first}).sum(), ({second}).sum())",
            *(f"{result} != {result.replace(mask, side)}" for side in (first, second)),  # both conditions matter
        ),
        cost=0.3,
        board=board,
    )


def propose_top(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number with enough distinct values, and a label."""
    for frame in board.sources(rng)[:2]:
        numbers = board.ordered(rng, frame.numbers(distinct=10))
        numbers.sort(key=lambda c: c.distinct < 0.4 * frame.rows)  # few values: ties at the top are likely
        for column in numbers[:4]:
            labels = [c.name for c in frame.labels([column.name])[:2]]
            for count in rng.sample([3, 4, 5, 6, 8, 10], 2) if labels else []:
                if count * 2 <= min(column.distinct, frame.rows):
                    direction = rng.choice(["largest", "smallest"])
                    yield {
                        "frame": frame.var,
                        "column": column.name,
                        "count": count,
                        "direction": direction,
                        "show": [*labels, column.name],
                    }


@family(
    theme="sorting",
    knowledge_points=("sorting", "top-k"),
    idea="The {count} rows with the {direction} {column}",
    wordings=(
        "Return the {count} rows of {frame} with the {direction} values of {column}, sorted {sorting}. Show only "
        "the columns {show}, in this order, with an index that starts at 0.",
        "Find the {count} rows of {frame} that have the {direction} {column}. Return a DataFrame of the columns "
        "{show}, ordered by {column} {sorting} and indexed from 0.",
    ),
    propose=propose_top,
)
def top_rows(board: Board, slots: Slots) -> Task:
    """Return the rows with the largest or smallest values."""
    frame = frame_slot(board, slots)
    column = column_slot(frame, slots, "column", frame.numbers(distinct=2))
    count, direction = count_slot(slots, "count"), text_slot(slots, "direction", ("largest", "smallest"))
    show = [frame.column(str(name)).name for name in list_slot(slots, "show")]
    method = f"n{direction}"
    return Task(
        words={
            "frame": code(frame.var),
            "column": code(column.name),
            "count": str(count),
            "direction": DIRECTIONS[direction],
            "show": names(show),
            "sorting": SORTINGS[direction],
        },
        result=f"{frame.var}.{method}({count}, {literal(column.name)})[{literal(show)}].reset_index(drop=True)",
        uses=((frame.var, (column.name, *show)),),
        checks=(
            f"{at(frame, column)}.{method}({count + 1}).is_unique",
            f"{at(frame, column)}.notna().sum() > {count}",
        ),
        cost=0.3,
        board=board,
    )


def propose_two_conditions(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Two numbers with thresholds, counted by group."""
    for frame in board.sources(rng)[:2]:
        numbers = board.ordered(rng, frame.numbers(distinct=8, ranged=True))
        for group in board.ordered(rng, frame.groups())[:2]:
            for first, second in pairs(numbers[:3], numbers[:3], 3):
                low, high = threshold(rng, first, ">"), threshold(rng, second, "<=")
                if low is not None and high is not None and group.name not in (first.name, second.name):
                    columns = [first.name, second.name]
                    yield {"frame": frame.var, "group": group.name, "columns": columns, "values": [low, high]}


@family(
    theme="filtering",
    knowledge_points=("combined conditions", "group sizes"),
    idea="Rows per {group} where {first} or {second}",
    wordings=(
        "For each {group}, how many rows of {frame} meet at least one of two conditions: {first}, or {second}? "
        "Return a Series of counts indexed and sorted by {group}; leave out groups without such rows.",
        "Take the rows of {frame} where {first} or {second} (or both) and count them by {group}. Return the "
        "counts as a Series sorted by its index; groups with no such row do not appear.",
    ),
    propose=propose_two_conditions,
    limit=1,
)
def count_either(board: Board, slots: Slots) -> Task:
    """Count the rows of each group that meet at least one of two conditions."""
    frame = frame_slot(board, slots)
    group = column_slot(frame, slots, "group", frame.groups(most=50))
    columns = [frame.column(str(name)) for name in list_slot(slots, "columns")]
    values = list_slot(slots, "values")
    if len(columns) != 2 or len(values) != 2:
        raise ContentError("two columns and two values are needed", fix="write two of each")
    mask = f"({at(frame, columns[0])} > {literal(values[0])}) | ({at(frame, columns[1])} <= {literal(values[1])})"
    return Task(
        words={
            "frame": code(frame.var),
            "group": code(group.name),
            "first": IS_GREATER(column=code(columns[0].name), value=shown(values[0])),
            "second": IS_AT_MOST(column=code(columns[1].name), value=shown(values[1])),
        },
        result=f"{frame.var}.loc[{mask}].groupby({literal(group.name)}).size().sort_index()",
        notes=(ignoring_missing([group]),),
        uses=((frame.var, (group.name, *(c.name for c in columns))),),
        checks=(f"({mask}).sum() < len({frame.var})",),
        cost=0.3,
        board=board,
    )
