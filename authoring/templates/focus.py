"""Chooses what a set is about: a measure, what may explain it, what the rows are divided by, and time."""

import re
from collections.abc import Sequence
from random import Random
from typing import Any, Final

from authoring.templates.board import MEAN_ROWS, Board, Column, Focus
from authoring.templates.column_names import is_numbered, names_the_table
from authoring.templates.families.measures import ratios

OUTCOMES: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"price|cost|salary|wage|income|revenue|sales|profit|gross|spend|tip|fare|score|scr$|perf|rating|grade|gpa$|yield|"
        r"mpg|hwy|miles|rate$|rte$|death|mort|crime|claims|life|surviv|sleep|delay|gdp|votes|quality|"
        r"production|consumption|emission|reaction",
        r"pay|mark|point|cty|rate|growth|speed|total|amount|value|weight|mass|wt$|wt\b|time|duration|pressure|height",
    )
)  # names of what an analysis is usually about, rather than of what explains it; the surest first
BACKGROUND: Final = re.compile(
    r"^(age|sex|gender|education|educ?|schooling|experience|exper?|kids?|children)(\b|_|\d|$)|^(yr|year)|(num|order|seq)$",
    re.I,
)
"""Names of what people bring along, of years and of places in an order: they explain rather than being explained."""


def choose_focus(board: Board, rng: Random) -> tuple[Focus, int]:
    """Choose what a set is about: a measure and another that may explain it, two ways to divide the rows, time.

    Returns:
        It, and how many measures one would rather expect.
    """
    frame = board.frames[board.main]
    whole = [c for c in frame.numbers() if c.missing <= 0.5 * frame.rows] or frame.numbers()
    parts = list(ratios(frame))
    explains = {r.lower.name for r in parts} - {r.upper.name for r in parts}

    def outcome(column: Column) -> tuple[Any, ...]:
        is_named = names_the_table(column.name, frame.var)
        is_background = bool(BACKGROUND.search(column.name))
        return column.name in explains, not is_named, is_background, _no_outcome(column.name), -frame.reach(column)

    ranked = sorted(whole, key=outcome)
    measures = _by_chance(ranked, rng, liking=2)
    if measures:
        told = {c.name: frame.tells(c, measures[0]) for c in measures}
        others = [c for c in measures[1:] if is_numbered(measures[0].name) or not is_numbered(c.name)]
        measures[1:] = sorted(others, key=lambda c: -told[c.name])

    def interest(group: Column) -> tuple[Any, ...]:
        told = frame.tells(group, measures[0]) if measures else 0.0
        return 0 < group.smallest < MEAN_ROWS, is_numbered(group.name), -round(told, 1)

    groups = _by_chance(sorted(frame.groups(), key=interest), rng, liking=1.5)
    groups[1:] = [g for g in groups[1:] if not frame.are_twins(g, groups[0])]
    entities, times, labels = frame.entities(), frame.times(), frame.labels()

    def name(columns: Sequence[Column], place: int = 0) -> str:
        return columns[place].name if len(columns) > place else ""

    focus = Focus(
        measure=name(measures),
        partner=name(measures, 1),
        group=name(groups),
        second=name(groups, 1),
        time=name([c for c in times if c.name in frame.order] or times),
        entity=name([c for c in entities if c.name in frame.entity] or entities),
        label=name(labels),
    )
    return focus, ranked.index(measures[0]) if measures else 0


def _no_outcome(name: str) -> int:
    """Return how little a name sounds like what an analysis is about."""
    return next((place for place, pattern in enumerate(OUTCOMES) if pattern.search(name)), len(OUTCOMES))


def _by_chance(columns: Sequence[Column], rng: Random, liking: float = 1.0) -> list[Column]:
    """Return columns in a random order that keeps the first ones more often in front."""
    return [
        c for _, c in sorted(((i * liking + 3 * rng.random(), c) for i, c in enumerate(columns)), key=lambda p: p[0])
    ]
