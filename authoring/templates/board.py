"""What stands in the session after each problem, known without running anything: frames, columns, variables."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Final

from authoring.seeds import ColumnProfile, ColumnRole, Profile
from authoring.templates.names_in_words import free_name, is_quotable
from evaluator.errors import ContentError
from evaluator.registry import nearest_name

MIN_VALUES: Final = 5  # values a column must have to be worth a question
BIG_ROWS: Final = 20_000  # tables above are asked for numbers, not for copies of themselves
MAX_ENTITIES: Final = 2_000
NAMES_NO_AMOUNT: Final = re.compile(
    r"(^|[\W_\d])(year|month|day|quarter|week|weekday|hour|minute|second|jahr|monat|zip|code|id|nr|no|key|phone|"
    r"(dep|arr|start|end|departure|arrival)[ _]time|postal|index|lat|lon|lng|latitude|longitude|sample number|flight|"
    r"rank|tz|timezone)($|[\W_\d])",
    re.IGNORECASE,
)
NAMES_AN_AMOUNT: Final = re.compile(
    r"amount|total|sales|revenue|cost|count|quantity|qty|volume|sum|price|paid|rain|precip|umsatz|menge|anzahl|金额|数量",
    re.IGNORECASE,
)

Slots = Mapping[str, Any]


@dataclass(frozen=True)
class Frame:
    """A DataFrame in the session."""

    var: str
    columns: tuple[ColumnProfile, ...]
    rows: int  # as far as known: cleaning may leave fewer
    table: int  # position in Profile.tables that it comes from
    made_by: int  # number of the problem that stored it
    steps: Mapping[str, int] = field(default_factory=dict)  # column -> problem that made or changed it
    duplicates: int = 0
    is_long: bool = False  # one column holds values of different kinds: only questions by kind make sense

    @property
    def is_big(self) -> bool:
        """Whether copies of it are too large to be worth asking for."""
        return self.rows > BIG_ROWS

    @property
    def usable(self) -> tuple[ColumnProfile, ...]:
        """The columns that a query can name and that hold comparable values."""
        return tuple(c for c in self.columns if is_quotable(c.name) and not c.nested and not c.empty)

    def column(self, name: str) -> ColumnProfile:
        """Return the column called `name`.

        Raises:
            ContentError: If there is none; the fix names the nearest.
        """
        for column in self.columns:
            if column.name == name:
                return column
        known = [column.name for column in self.columns]
        near = nearest_name(name, known)
        raise ContentError(
            f"{self.var!r} has no column {name!r}",
            fix=f"use {near!r}" if near else f"use one of {', '.join(map(repr, known[:8]))}",
        )

    def numbers(self, *, distinct: int = 5, ranged: bool = False) -> list[ColumnProfile]:
        """Numeric columns worth computing with; `ranged`: only those whose quantiles are known.

        Columns that name a year, a code and the like are left out as long as there are others.
        """
        found = [
            c
            for c in self.usable
            if c.role is ColumnRole.NUMBER
            and c.distinct >= distinct
            and not c.infinite
            and self.rows - c.missing >= MIN_VALUES
            and (c.quantiles or not ranged)
        ]
        return [c for c in found if not (NAMES_NO_AMOUNT.search(c.name) or self._numbers_rows(c))] or found

    def groups(self, *, most: int = 12) -> list[ColumnProfile]:
        """Columns of few values that divide the rows into groups."""
        return [c for c in self.usable if 2 <= c.distinct <= most and self._divides(c)]

    def entities(self) -> list[ColumnProfile]:
        """Text columns of many values that repeat, such as names of countries."""
        return [
            c
            for c in self.usable
            if c.role in (ColumnRole.TEXT, ColumnRole.CATEGORY)
            and 10 < c.distinct <= min(MAX_ENTITIES, (self.rows - c.missing) / 3)
        ]

    def dates(self) -> list[ColumnProfile]:
        """Columns that hold dates by now."""
        return [c for c in self.usable if c.role is ColumnRole.DATE and not c.date_format and c.distinct >= 3]

    def texts(self, *, distinct: int = 3) -> list[ColumnProfile]:
        """Columns of text."""
        return [
            c
            for c in self.usable
            if c.role in (ColumnRole.TEXT, ColumnRole.CATEGORY, ColumnRole.ID)
            and c.max_length
            and c.distinct >= distinct
            and self.rows - c.missing >= MIN_VALUES
        ]

    def labels(self, leave_out: Iterable[str] = ()) -> list[ColumnProfile]:
        """Columns that tell a reader which row is meant, best first."""
        order = {
            ColumnRole.ID: 0,
            ColumnRole.TEXT: 1,
            ColumnRole.CATEGORY: 2,
            ColumnRole.DATE: 3,
            ColumnRole.NUMBER: 4,
            ColumnRole.BOOL: 5,
        }
        out = set(leave_out)
        named = [c for c in self.usable if c.role in order and c.name not in out and not c.infinite]
        return sorted(named, key=lambda c: order[c.role])

    def _numbers_rows(self, column: ColumnProfile) -> bool:
        """Return whether a column counts the rows: whole numbers without repeats and with few gaps."""
        if not (column.integer and column.distinct >= self.rows and isinstance(column.max, int | float)):
            return False
        return float(column.max) - float(column.min or 0) < 1.5 * self.rows

    def _divides(self, column: ColumnProfile) -> bool:
        if column.role in (ColumnRole.CATEGORY, ColumnRole.BOOL):
            return column.role is ColumnRole.BOOL or self.rows - column.missing >= 2 * column.distinct
        whole = column.role is ColumnRole.NUMBER and column.integer and bool(column.top)
        return whole and self.rows - column.missing >= 4 * column.distinct


@dataclass(frozen=True)
class Summary:
    """A table of one row per group in the session: index = the groups, columns = numbers."""

    var: str
    frame: str  # the frame it was made from
    group: str  # the column whose values are its index
    number: str  # the column it summarises
    columns: tuple[str, ...]
    groups: int
    made_by: int


@dataclass(frozen=True)
class Callee:
    """A function in the session: of a Series of numbers, with one of the same length, or of single values."""

    var: str
    column: str  # where it was shown first
    made_by: int
    of_values: bool = False


@dataclass(frozen=True)
class Board:
    """The state before problem number `step`."""

    profile: Profile
    step: int = 1
    frames: Mapping[str, Frame] = field(default_factory=dict)
    main: str = ""  # the frame most problems are about
    summaries: tuple[Summary, ...] = ()
    callees: tuple[Callee, ...] = ()
    variables: tuple[str, ...] = ()
    makers: Mapping[str, int] = field(default_factory=dict)  # of variables that are no frames: the problem
    used: Mapping[str, int] = field(default_factory=dict)  # column -> times a query named it
    loaded: tuple[int, ...] = ()  # positions of the tables that are loaded
    seeks_made: bool = False  # questions shall be about what earlier problems made, if they can

    def frame(self, var: str) -> Frame:
        """Return the frame called `var`.

        Raises:
            ContentError: If no earlier problem stores it.
        """
        if var not in self.frames:
            fix = f"use one of {', '.join(map(repr, self.frames))}" if self.frames else "load the data first"
            raise ContentError(f"no earlier problem stores a table called {var!r}", fix=fix)
        return self.frames[var]

    def summary(self, var: str) -> Summary:
        """Return the summary called `var`.

        Raises:
            ContentError: If no earlier problem stores it.
        """
        found = next((one for one in self.summaries if one.var == var), None)
        if found is None:
            raise ContentError(f"no earlier problem stores a summary called {var!r}", fix="keep the problem that does")
        return found

    def free(self, base: str) -> str:
        """Return a variable name like `base` that nothing in the session has, columns included."""
        columns = {column.name for frame in self.frames.values() for column in frame.columns}
        return free_name(base, {*self.variables, *columns})

    def mains(self) -> list[Frame]:
        """The main frame, the only one that problems change; empty before it is loaded."""
        return [self.frames[self.main]] if self.main else []

    def sources(self, rng: Random) -> list[Frame]:
        """The frames a question may be about: the main one first, mostly."""
        others = [f for f in self.frames.values() if f.var != self.main and f.rows >= 15 and not f.is_long]
        made = [f for f in others if self.seeks_made and f.table == self.frames[self.main].table] if self.main else []
        likely = 0.55 if made else 0.25
        first = (made or others) if rng.random() < likely else []
        return [*first, *self.mains(), *(f for f in others if f not in first)]

    def ordered(self, rng: Random, columns: Iterable[ColumnProfile]) -> list[ColumnProfile]:
        """Return columns in random order, those rarely asked about first, odd ones last."""

        def weight(column: ColumnProfile) -> tuple[float, float]:
            lacking = column.missing / max(self.frames[self.main].rows, 1) if self.main else 0.0
            odd = column.name != column.name.strip() or lacking > 0.5
            made = self.main and column.name in self.frames[self.main].steps
            made = made and (self.seeks_made or not column.samples)
            liking = -1.2 if self.seeks_made else 1.5
            return (self.used.get(column.name, 0) + 3 * odd + liking * bool(made) + rng.random(), rng.random())

        return [column for _, column in sorted(((weight(c), c) for c in columns), key=lambda pair: pair[0])]

    def with_frame(self, frame: Frame, *, main: bool = False) -> "Board":
        """Return the board with `frame` stored under its name."""
        variables = self.variables if frame.var in self.variables else (*self.variables, frame.var)
        frames = {**self.frames, frame.var: frame}
        return replace(self, frames=frames, variables=variables, main=frame.var if main else self.main)

    def with_column(self, frame: Frame, column: ColumnProfile) -> "Board":
        """Return the board with one column of `frame` added or changed by this step."""
        known = any(c.name == column.name for c in frame.columns)
        kept = tuple(column if c.name == column.name else c for c in frame.columns)
        columns = kept if known else (*kept, column)
        steps = {**frame.steps, column.name: self.step}
        return self.with_frame(replace(frame, columns=columns, steps=steps))

    def with_variable(self, *names: str) -> "Board":
        """Return the board with plain variables stored."""
        added = (name for name in names if name not in self.variables)
        return replace(
            self, variables=(*self.variables, *added), makers={**self.makers, **dict.fromkeys(names, self.step)}
        )

    def with_summary(self, summary: Summary) -> "Board":
        """Return the board with a summary stored."""
        return replace(self.with_variable(summary.var), summaries=(*self.summaries, summary))

    def with_callee(self, callee: Callee) -> "Board":
        """Return the board with a function stored."""
        return replace(self.with_variable(callee.var), callees=(*self.callees, callee))

    def after(self, named: Iterable[str]) -> "Board":
        """Return the board before the next step, with the columns this one named counted."""
        used = dict(self.used)
        for name in named:
            used[name] = used.get(name, 0) + 1
        return replace(self, step=self.step + 1, used=used)


def is_amount(column: ColumnProfile) -> bool:
    """Return whether it makes sense to add up the column: whole numbers from 0 on, or a name that says so."""
    if not isinstance(column.min, int | float) or column.min < 0 or NAMES_NO_AMOUNT.search(column.name):
        return False
    return column.integer or NAMES_AN_AMOUNT.search(column.name) is not None


def made_number(
    name: str, *, like: ColumnProfile | None = None, missing: int = 0, distinct: int = 1000
) -> ColumnProfile:
    """Return the description of a numeric column that a problem makes; its range is not known."""
    distinct = min(distinct, like.distinct) if like is not None else distinct
    return ColumnProfile(name=name, dtype="float64", role=ColumnRole.NUMBER, missing=missing, distinct=distinct)


def made_aside(name: str) -> ColumnProfile:
    """Return the description of a column that a problem makes and that no other question is about."""
    return ColumnProfile(name=name, dtype="float64", role=ColumnRole.OTHER, missing=0, distinct=1000)


def made_category(name: str, labels: list[str], *, rows: int, missing: int = 0) -> ColumnProfile:
    """Return the description of a text column of few values that a problem makes."""
    share = max((rows - missing) // max(len(labels), 1), 1)
    return ColumnProfile(
        name=name,
        dtype="str",
        role=ColumnRole.CATEGORY,
        missing=missing,
        distinct=len(labels),
        top=tuple((label, share) for label in labels),
        max_length=max(map(len, labels)),
        min_length=min(map(len, labels)),
    )
