"""Families that make the columns which the rest of an analysis is about."""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final

from authoring.seeds.semantics import AddsUp, Meaning
from authoring.templates.board import GROWS, Board, Column, Frame, Slots
from authoring.templates.column_names import is_named_after
from authoring.templates.family import (
    Form,
    Mistake,
    Task,
    at,
    column_slot,
    family,
    frame_slot,
    lit,
    noun_of,
    rounding,
    text_slot,
)
from authoring.templates.made_columns import made_number
from authoring.templates.names_in_words import code, free_name, literal, slug
from authoring.templates.phrasebook import (
    RATIOS,
    SAMPLE_DEVIATION,
    STANDINGS,
)

DEVIATIONS: Final = "standard deviations"


MAX_PAIRED: Final = 60  # numbers of which each is tried against each
VARIED: Final = 15  # values that amounts have which are told for each row, rather than given as a class
EVENTS: Final = re.compile(r"claims?$|deaths|died|cases|accidents|births|crimes|arrests|murders|failures|defects", re.I)
EXPOSED: Final = re.compile(
    r"holders|pop(?:ulation)?(?:\b|_|\d)|people|persons|residents|inhabitants|polic(y|ies)$|exposed|exposure", re.I
)
"""Names of counts of what happens, and of those to whom it may happen."""


@dataclass(frozen=True)
class Ratio:
    """Two numbers whose ratio says something."""

    kind: str  # share, rate, likeness: how the query speaks of it
    upper: Column
    lower: Column


def ratios(frame: Frame) -> Iterator[Ratio]:
    """Yield pairs of numbers that can be divided by one another, the most telling first."""
    numbers = [c for c in frame.numbers() if c.is_positive and c.missing <= 0.5 * frame.rows][:MAX_PAIRED]
    found = [ratio for upper in numbers for lower in numbers if (ratio := _ratio(frame, upper, lower)) is not None]
    found += [Ratio("share", part, whole) for whole in numbers for part in numbers if part.name in whole.sources]
    once = {(ratio.upper.name, ratio.lower.name): ratio for ratio in found}
    yield from sorted(once.values(), key=lambda r: ("share", "rate", "likeness").index(r.kind))


def _ratio(frame: Frame, upper: Column, lower: Column) -> Ratio | None:
    """Return how two columns can be divided, if they can: a part by its whole, an amount by a count, like by like."""
    if upper.name == lower.name or not lower.about.min or upper.about.mean is None or lower.about.mean is None:
        return None
    above, below = upper.means, lower.means
    both = {above.meaning, below.meaning}
    if both in ({Meaning.MONEY}, {Meaning.COUNT}) and _is_part(upper, lower):
        return Ratio("share", upper, lower)
    varied = min(upper.about.distinct, lower.about.distinct) >= VARIED and not is_named_after(lower.name, upper.name)
    varied = varied and (frame.strength(upper, lower) or 1.0) >= GROWS  # else the amount is an average already
    if varied and above.meaning is Meaning.MONEY and below.meaning is Meaning.COUNT and above.adds_up is AddsUp.YES:
        return Ratio("rate", upper, lower)
    happens = EVENTS.search(upper.name) and EXPOSED.search(lower.name) and not EVENTS.search(lower.name)
    if both == {Meaning.COUNT} and happens and lower.about.mean > upper.about.mean:
        return Ratio("rate", upper, lower)
    same_unit = above.unit and above.unit == below.unit and above.meaning is below.meaning is Meaning.MEASURE
    if same_unit and upper.about.mean > lower.about.mean and _like_names(upper.name, lower.name):
        return Ratio("likeness", upper, lower)
    return None


def _is_part(part: Column, whole: Column) -> bool:
    """Return whether the first is a part of the second, as far as the profile tells: it is below it all over."""
    names_whole = any(word in whole.name.lower() for word in ("total", "all", "sum", "overall", "population"))
    marks = [(part.quantile(q), whole.quantile(q)) for q in ("0.05", "0.25", "0.5", "0.75", "0.95")]
    below = all(p is not None and w is not None and p <= w for p, w in marks)
    biggest = isinstance(part.about.max, int | float) and isinstance(whole.about.max, int | float)
    return names_whole and below and biggest and float(part.about.max or 0) <= float(whole.about.max or 0)


EXTENTS: Final = frozenset({"length", "width", "height", "depth", "diameter", "long", "wide", "high", "len"})


def _like_names(first: str, second: str) -> bool:
    """Return whether two names are of two sizes of the same thing: petal length and petal width."""
    one, other = (set(slug(name).split("_")) for name in (first, second))
    is_shape = bool(one & EXTENTS) and bool(other & EXTENTS) and one & EXTENTS != other & EXTENTS
    return is_shape and len(one & other - {"mm", "cm", "m", "kg", "g"}) >= 1


def propose_ratio(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Two numbers of which one is a part of the other, or is spread over the other."""
    for frame in board.crosses():
        for ratio in list(ratios(frame))[:6]:
            new = free_name(_ratio_name(ratio), {c.name for c in frame.columns})
            yield {
                "frame": frame.var,
                "upper": ratio.upper.name,
                "lower": ratio.lower.name,
                "kind": ratio.kind,
                "new": new,
            }


def _ratio_name(ratio: Ratio) -> str:
    upper, lower = slug(ratio.upper.name) or "upper", slug(ratio.lower.name) or "lower"
    if ratio.kind == "share":
        return f"{upper}_share"
    return f"{upper}_per_{lower}" if ratio.kind == "rate" else f"{upper}_ratio"


@family(
    theme="measures",
    knowledge_points=("derived columns", "ratios"),
    idea="{upper} as a share of {lower}, or per {lower}",
    wordings=(
        "To make the {rows} comparable, add a column {new} to {frame}: {ratio}.",
        "I want to compare the {rows} by {new}, a new column of {frame}: {ratio}.",
    ),
    propose=propose_ratio,
    prepares=True,
    worth=4.0,
    about=("upper", "lower"),
)
def ratio_column(board: Board, slots: Slots) -> Task:
    """Add the ratio of two columns."""
    frame = frame_slot(board, slots)
    upper = column_slot(frame, slots, "upper", frame.numbers())
    lower = column_slot(frame, slots, "lower", frame.numbers())
    kind, new = text_slot(slots, "kind", tuple(RATIOS)), text_slot(slots, "new")
    target = at(frame, new)
    typical = (upper.about.mean or 1) / (lower.about.mean or 1)
    meaning = Meaning.MONEY if kind == "rate" else Meaning.RATE
    column = made_number(
        board, new, meaning, missing=max(upper.missing, lower.missing), typical=typical, low=0.0, of=(upper, lower)
    )
    return Task(
        words={
            "frame": code(frame.var),
            "upper": code(upper.name),
            "lower": code(lower.name),
            "new": code(new),
            "rows": noun_of(frame),
            "ratio": RATIOS[kind](upper=code(upper.name), lower=code(lower.name)),
        },
        body=f"{target} = {at(frame, upper)} / {at(frame, lower)}",
        stores=(frame.var,),
        stored_form=Form.TABLE,
        makes={frame.var: (new,)} if frame.is_big else {},
        atol=rounding(typical),
        uses=((frame.var, (upper.name, lower.name)),),
        checks=(
            f"np.isfinite({target}.dropna()).all()",
            f"{target}.nunique() >= 5",
            f'not ({frame.var}.select_dtypes("number").drop(columns=[{literal(new)}])'
            f".corrwith({target}).abs() > 0.99999).any()",  # else the table has it already
        ),
        mistakes=(
            Mistake(f"{target} = {at(frame, lower)} / {at(frame, upper)}", "upside down"),
            Mistake(f"{target} = {at(frame, upper)} / {at(frame, lower)}.sum()", "divides by the sum of the column"),
            Mistake(f"{target} = {at(frame, upper)} / {at(frame, lower)} * 100", "in percent"),
        ),
        others=(f"{frame.var} = {frame.var}.assign(**{{{literal(new)}: {at(frame, upper)}.div({at(frame, lower)})}})",),
        board=board.with_column(frame, column),
    )


def group_and_measure(board: Board, *, smallest: int = 2) -> Iterator[tuple[Frame, Column, Column]]:
    """Yield the main frame with a group and a number, those that the set is about first.

    Args:
        board: The state.
        smallest: Rows that each group must have, as far as it is known.
    """
    for frame in board.crosses():
        numbers, groups = by_nearness(board, frame.levels()), by_nearness(board, frame.groups())
        if frame.is_series:  # what rises with time is no different from month to month
            numbers = [c for c in numbers if not grows(c)]
        if not numbers:
            continue
        number = numbers[0]
        able = [g for g in groups[:4] if not frame.are_twins(g, number)]
        for group in [g for g in able if is_telling(frame, g, number)] or able:
            if (group.smallest or smallest) >= smallest:
                yield frame, group, number


def worth_adding(board: Board, frame: Frame) -> list[Column]:
    """Return the numbers whose sum somebody would ask for: of money, of counts that the set is about, over time."""

    def is_asked(column: Column) -> bool:
        is_counted = column.means.meaning is Meaning.COUNT and column.name == board.focus.measure
        return bool(frame.order) or column.means.meaning is Meaning.MONEY or is_counted

    return [column for column in frame.amounts() if is_asked(column)]


def is_interval(column: Column) -> bool:
    """Return whether the zero of a column is arbitrary, as that of temperatures and of years."""
    words = set(slug(column.name).split("_"))
    named = bool(words & {"temp", "temperature", "celsius", "fahrenheit", "year", "date"})
    return named or "°" in column.means.unit


APART: Final = 0.03  # standard deviations between the outermost groups that are worth comparing
FAINT: Final = 0.1  # how closely two columns go together that have hardly anything to do with one another


def is_telling(frame: Frame, group: Column, number: Column) -> bool:
    """Return whether a number differs between groups by more than it would by chance."""
    chance = math.sqrt((group.about.distinct - 1) / max(frame.rows - number.missing, 1))
    return frame.tells(group, number) >= max(FAINT, 1.7 * chance)


def by_nearness(board: Board, columns: Iterable[Column]) -> list[Column]:
    """Return columns in the order of what the set is about."""
    return sorted(columns, key=lambda c: _nearness(board, c))


def grows(column: Column) -> bool:
    """Return whether a column mostly rises with time, as money and populations do."""
    return column.means.meaning is Meaning.MONEY or column.means.adds_up is AddsUp.AT_ONE_TIME


def _nearness(board: Board, column: Column) -> tuple[int, int]:
    """Return how far a column is from what the set is about: columns made for it first, then its own."""
    focus = board.focus
    order = (focus.measure, focus.group, focus.second, focus.partner, focus.entity)
    is_made = column.is_joined or (column.made_by > 1 and not column.about.samples and not column.within)
    if is_made and not column.is_number:
        return (1, order.index(focus.second))
    return (0 if is_made else 1, order.index(column.name) if column.name in order else len(order))


def _is_coarse(frame: Frame, number: Column) -> bool:
    """Return whether so many rows have the same value that few of them stand out."""
    return number.about.distinct < max(15, 0.15 * min(frame.rows, 400))


def propose_deviation(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A group and a number whose distance from the group's mean is worth a column."""
    for frame, group, number in group_and_measure(board, smallest=4):
        if frame.is_series or _is_coarse(frame, number) or any(one.within == group.name for one in frame.columns):
            continue
        named = slug(group.name) or "group"
        base = f"{slug(number.name) or 'value'}_{'within' if named == 'vs' else 'vs'}_{named}"
        new = free_name(base, {c.name for c in frame.columns})
        how = rng.choice(("difference", "score"))
        yield {"frame": frame.var, "group": group.name, "number": number.name, "how": how, "new": new}


@family(
    theme="measures",
    knowledge_points=("comparison within groups", "transform"),
    idea="How each row's {number} compares with its {group}",
    wordings=(
        "How do the {rows} compare with others of the same {group}? Add a column {new} to {frame}: {how}.",
        "To compare the {rows} of {frame} within each {group}, add a column {new} that says {how}.",
    ),
    propose=propose_deviation,
    prepares=True,
    about=("group", "number"),
)
def standing_in_group(board: Board, slots: Slots) -> Task:
    """Add the distance from the mean of the group, plain or in standard deviations."""
    frame = frame_slot(board, slots)
    group = column_slot(frame, slots, "group", frame.groups())
    number, new = column_slot(frame, slots, "number", frame.numbers()), text_slot(slots, "new")
    how = text_slot(slots, "how", tuple(STANDINGS))
    target, source = at(frame, new), at(frame, number)
    grouped = f"{frame.var}.groupby({lit(group)})[{lit(number)}]"
    away = f'{source} - {grouped}.transform("mean")'
    whole = f"{source} - {source}.mean()"
    middle = f'{source} - {grouped}.transform("median")'
    if how == "score":
        body = f'{target} = ({away}) / {grouped}.transform("std")'
        mistakes = (
            Mistake(f"{target} = ({whole}) / {source}.std()", "compares with all rows"),
            Mistake(f"{target} = ({away}) / {source}.std()", "divides by the standard deviation of all rows"),
            Mistake(f'{target} = ({middle}) / {grouped}.transform("std")', "distance from the median"),
        )
        other = f"{target} = {grouped}.transform(lambda one: (one - one.mean()) / one.std(ddof=1))"
    else:
        body = f"{target} = {away}"
        mistakes = (
            Mistake(f"{target} = {whole}", "compares with all rows"),
            Mistake(f"{target} = {middle}", "distance from the median"),
            Mistake(f"{target} = -({away})", "the other way round"),
        )
        other = f"{target} = {grouped}.transform(lambda one: one - one.mean())"
    spread = abs((number.quantile("0.75") or 1) - (number.quantile("0.25") or 0)) or 1.0
    made = made_number(
        board,
        new,
        Meaning.MEASURE,
        missing=number.missing,
        unit=DEVIATIONS if how == "score" else number.means.unit,
        typical=0.8 if how == "score" else spread,
        of=(number,),
    )
    made = replace(made, within=group.name)
    return Task(
        words={
            "frame": code(frame.var),
            "group": code(group.name),
            "number": code(number.name),
            "new": code(new),
            "rows": noun_of(frame),
            "how": STANDINGS[how](number=code(number.name), group=code(group.name)),
        },
        body=body,
        stores=(frame.var,),
        stored_form=Form.TABLE,
        makes={frame.var: (new,)} if frame.is_big else {},
        atol=6e-4 if how == "score" else rounding(spread),
        notes=(SAMPLE_DEVIATION() if how == "score" else None,),
        uses=((frame.var, (group.name, number.name)),),
        checks=(f"{grouped}.count().min() >= 3", f"{grouped}.std().min() > 0"),
        mistakes=mistakes,
        others=(other,),
        conventions=int(how == "score"),
        board=board.with_column(frame, made),
    )
