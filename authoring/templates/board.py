"""What stands in the session after each problem, known without running anything: frames, columns, results."""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from authoring.seeds import ColumnProfile, ColumnRole, Link, Profile, is_quotable
from authoring.seeds.semantics import AddsUp, ColumnMeaning, Meaning, Semantics
from authoring.templates.column_names import is_named_after, share_a_word
from authoring.templates.names_in_words import free_name
from evaluator.errors import ContentError
from evaluator.registry import nearest_name

MIN_VALUES: Final = 5  # values a column must have to be worth a question
MEAN_ROWS: Final = 5  # rows that a group needs for its mean to say something
RARE: Final = 0.1  # of the rows that a pair of values would have if all had as many
FEW_GROUPS: Final = 12  # that are read at one look
MOST_GROUPS: Final = 30  # that are compared where a table has no others
MAX_ENTITIES: Final = 2_000
MANY: Final = 25  # entities that a comparison at one time needs
MAX_CELLS: Final = 3_000_000  # tables above are compared by what a problem makes of them
TWINS: Final = 0.8  # how closely two columns go together that say the same
DERIVED: Final[Mapping[int, float]] = {2: 0.78, 3: 0.87}  # a number and so many groups that were cut from it
MOST_DERIVED: Final = 0.93  # and more groups; or two numbers of other names
IDENTICAL: Final = 0.98  # and two numbers of unlike things
RESTATES: Final = 1.0  # and a number that follows from another one
UNKNOWN: Final = 0.3  # how closely two columns are taken to go together that were never compared
NUMERIC: Final = frozenset({Meaning.MEASURE, Meaning.COUNT, Meaning.MONEY, Meaning.RATE})
DIVIDES: Final = frozenset(
    {Meaning.CATEGORY, Meaning.FLAG, Meaning.ORDINAL, Meaning.PLACE, Meaning.LABEL, Meaning.KEY, Meaning.CODE}
)

POPULATION: Final = re.compile(r"pop(?:ulation)?(?:\b|_|\d)|people|persons|residents|inhabitants|households", re.I)
GROWS: Final = 0.5  # how closely an amount goes with how many share it

Slots = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a frame: what is known of its values, and what they mean."""

    about: ColumnProfile
    means: ColumnMeaning
    made_by: int  # number of the problem that made or changed it
    within: str = ""  # the group whose mean was taken away, so that means of its values are 0
    is_joined: bool = False  # from another table
    sources: tuple[str, ...] = ()  # columns that it was made of, or is the sum of

    @cached_property  # asked for millions of times while threads are compared
    def name(self) -> str:
        """What the column is called."""
        return self.about.name

    @property
    def missing(self) -> int:
        """How many values are missing, as far as known."""
        return self.about.missing

    def is_related(self, other: "Column") -> bool:
        """Return whether one was made of the other or both of the same, so that to compare them says nothing."""
        return bool({self.name, *self.sources} & {other.name, *other.sources})

    @property
    def is_positive(self) -> bool:
        """Whether it holds numbers of which none is below 0."""
        return isinstance(self.about.min, int | float) and self.about.min >= 0

    @cached_property
    def is_number(self) -> bool:
        """Whether it holds numbers that can be averaged."""
        return self.about.role is ColumnRole.NUMBER and self.means.meaning in NUMERIC and not self.about.infinite

    @property
    def values(self) -> tuple[Any, ...]:
        """The values of a column of few, most frequent first."""
        return tuple(value for value, _ in self.about.top)

    @property
    def smallest(self) -> int:
        """The number of rows of the rarest value of a column of few; 0 where it is not known."""
        return self.about.top[-1][1] if len(self.about.top) == self.about.distinct else 0

    def quantile(self, share: str) -> float | None:
        """Return a value of the column at a share of its order, such as "0.75", where the profile knows it."""
        return self.about.quantiles.get(share)


@dataclass(frozen=True, kw_only=True)
class Frame:
    """A DataFrame in the session with one row per thing observed."""

    var: str
    columns: tuple[Column, ...]
    rows: int  # as far as known: cleaning may leave fewer
    table: int  # position in Profile.tables that it comes from
    made_by: int  # number of the problem that stored it
    noun: str = ""  # what its rows are, in the plural; empty: not known
    order: tuple[str, ...] = ()  # columns with the natural order of the rows
    entity: tuple[str, ...] = ()  # columns that name what is observed again and again
    likes: tuple[str, ...] = ()  # columns that people would compare the rows by, best first
    duplicates: int = 0  # rows that repeat an earlier one and should not
    decided: frozenset[tuple[str, str]] = frozenset()  # (a, b): rows with the same a have the same b
    links: Mapping[frozenset[str], Link] = field(default_factory=dict)  # by the names of the two columns
    is_snapshot: bool = False  # the rows of a panel at one time

    @property
    def is_big(self) -> bool:
        """Whether copies of it are too large to be worth comparing whole."""
        return self.rows * len(self.columns) > MAX_CELLS

    @property
    def is_series(self) -> bool:
        """Whether it has one row for each moment, so that levels of two columns rise and fall together anyhow."""
        times = [c for c in self.columns if c.name in self.order]
        if not times or self.entity or all(c.means.is_part for c in times):  # some months of one year are compared
            return False
        return len(times) > 1 or times[0].about.distinct >= 0.98 * self.rows

    @property
    def is_panel(self) -> bool:
        """Whether the same things are observed again and again."""
        return bool(self.entity) and bool(self.order)

    @property
    def is_grid(self) -> bool:
        """Whether each thing has one row for each moment, at most."""
        things = [c.about.distinct for c in self.columns if c.name in self.entity]
        moments = [c.about.distinct for c in self.columns if c.name in self.order]
        return len(things) == len(moments) == 1 and self.rows <= 1.02 * things[0] * moments[0]

    @property
    def has_many_entities(self) -> bool:
        """Whether the rows of one time are enough to be compared with one another."""
        return any(c.name in self.entity and c.about.distinct >= MANY for c in self.columns)

    @cached_property
    def usable(self) -> tuple[Column, ...]:
        """The columns that a query can name and that hold comparable values."""
        return tuple(
            c
            for c in self.columns
            if is_quotable(c.name)
            and not c.about.nested
            and not c.about.empty
            and c.means.meaning is not Meaning.OTHER
            and self.rows - c.missing >= MIN_VALUES
        )

    def has(self, name: str) -> bool:
        """Return whether there is a column of that name."""
        return name in self._by_name

    def column(self, name: str) -> Column:
        """Return the column called `name`.

        Raises:
            ContentError: If there is none; the fix names the nearest.
        """
        if name in self._by_name:
            return self._by_name[name]
        known = [column.name for column in self.columns]
        near = nearest_name(name, known)
        raise ContentError(
            f"{self.var!r} has no column {name!r}",
            fix=f"use {near!r}" if near else f"use one of {', '.join(map(repr, known[:8]))}",
        )

    def numbers(self, *, distinct: int = 5) -> list[Column]:
        """Columns of numbers that stand for a quantity, and do not only say again what another one says."""
        return [c for c in self._quantities if c.about.distinct >= distinct]

    def levels(self, *, distinct: int = 5) -> list[Column]:
        """Numbers that are compared as they are, not distances from a mean."""
        return [c for c in self.numbers(distinct=distinct) if not c.within]

    def amounts(self) -> list[Column]:
        """Numbers whose sum over rows says something."""
        at_once = (AddsUp.YES, AddsUp.AT_ONE_TIME) if not self.order else (AddsUp.YES,)
        found = [c for c in self.numbers() if c.means.adds_up in at_once and c.is_positive]
        return [c for c in found if c.means.meaning is not Meaning.MONEY or self.grows_with_size(c)]

    def grows_with_size(self, money: Column) -> bool:
        """Return whether money goes with how many people a row stands for, if that is told: else it is an average."""
        sizes = [c for c in self.usable if c.means.meaning is Meaning.COUNT and POPULATION.search(c.name)]
        known = [s for s in (self.strength(money, c) for c in sizes if c.name != money.name) if s is not None]
        return not known or max(known) >= GROWS

    def groups(self, *, most: int = FEW_GROUPS, least: int = 2) -> list[Column]:
        """Columns of few values that divide the rows into groups worth comparing, best first; else of more values."""
        divide = [c for c in self.usable if _divides(c) and least <= c.about.distinct]
        few = [c for c in divide if c.about.distinct <= most]
        many = [c for c in divide if c.about.distinct <= MOST_GROUPS and self.rows >= 20 * c.about.distinct]
        found = few or (many if most >= FEW_GROUPS else [])
        known = [c for c in found if (self.rows - c.missing) >= 4 * c.about.distinct and not self._is_lopsided(c)]
        return sorted(known, key=lambda c: self.likes.index(c.name) if c.name in self.likes else len(self.likes))

    def entities(self, *, least: int = 8) -> list[Column]:
        """Columns of many values that repeat, such as names of countries."""
        most = min(MAX_ENTITIES, (self.rows) // 2)
        wide = (Meaning.CATEGORY, Meaning.LABEL, Meaning.KEY, Meaning.CODE, Meaning.PLACE)
        return [
            c
            for c in self.usable
            if c.means.meaning in wide and least <= c.about.distinct <= most and c.about.role is not ColumnRole.NUMBER
        ]

    def strength(self, one: Column, other: Column) -> float | None:
        """Return how closely two columns go together, from 0 to 1; None where it is not known.

        A column that was never measured goes with another as closely as the closest of those that it was made of.
        """
        own = self.links.get(frozenset((one.name, other.name)))
        if own is not None and not one.is_related(other):
            return own.strength
        mine, theirs = (column.sources or (column.name,) for column in (one, other))
        pairs = [frozenset((a, b)) for a in mine for b in theirs]
        known = [self.links[pair].strength for pair in pairs if pair in self.links]
        return 1.0 if set(mine) & set(theirs) else max(known, default=None)

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}

    @cached_property
    def _quantities(self) -> tuple[Column, ...]:
        return tuple(c for c in self.usable if c.is_number and c.name not in self._restating)

    @cached_property
    def _restating(self) -> frozenset[str]:
        """Columns of numbers that follow from another one, as its logarithm, its square or what it lacks to a whole.

        Where rows have an order, whatever only grows goes with whatever else does, and names must tell it, too.
        """
        close: dict[str, set[str]] = defaultdict(set)
        for pair, link in self.links.items():
            for name in pair if link.strength >= RESTATES else ():
                close[name] |= pair - {name}
        kept: set[str] = set()
        numbers = [c.name for c in self.columns if c.is_number and not c.sources]
        for name in sorted(numbers, key=len):  # the plain one has the shortest name
            if not any(not self.order or is_named_after(name, other) for other in close[name] & kept):
                kept.add(name)
        return frozenset(numbers) - kept

    @cached_property
    def _totals(self) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if len(column.sources) > 1)

    @cached_property
    def _reaches(self) -> dict[str, float]:
        strengths: dict[str, list[float]] = {}
        for link in self.links.values():
            for name in (link.first, link.second):
                strengths.setdefault(name, []).append(link.strength if link.strength < TWINS else 0.0)
        return {name: sum(sorted(known)[-3:]) for name, known in strengths.items()}

    def reach(self, column: Column) -> float:
        """Return how closely a column goes with the three others that it goes with most."""
        return self._reaches.get(column.name, 3 * UNKNOWN)

    def has_cells(self, one: Column, other: Column, rows: int) -> bool:
        """Return whether each pair of values of two columns has at least so many rows, as far as known or likely.

        Where means are compared, no pair may be so rare that its mean is one of exceptions.
        """
        link = self.links.get(frozenset((one.name, other.name)))
        cells = one.about.distinct * other.about.distinct
        if link is None:
            return self.rows >= 4 * rows * cells
        return link.fewest >= (max(rows, RARE * self.rows / cells) if rows >= MEAN_ROWS else rows)

    def are_twins(self, one: Column, other: Column) -> bool:
        """Return whether two columns say nearly the same, or one was made of the other.

        Numbers of unlike things, such as a price and a weight, may go together closely and still be worth comparing.
        """
        if one.is_related(other) or _names_column(one, other) or _names_column(other, one):
            return True
        if not one.is_number or not other.is_number:
            kinds = min(one.about.distinct, other.about.distinct)
            limit = DERIVED.get(kinds, MOST_DERIVED) if one.is_number or other.is_number else TWINS
        elif is_named_after(one.name, other.name) or is_named_after(other.name, one.name):
            limit = TWINS
        elif (one.means.meaning is Meaning.MONEY) != (other.means.meaning is Meaning.MONEY):
            limit = IDENTICAL
        else:
            limit = TWINS if share_a_word(one.name, other.name) else MOST_DERIVED
        return (self.strength(one, other) or 0.0) >= limit

    def tells(self, one: Column, other: Column) -> float:
        """Return how much one column is worth to whoever asks about another: twins and strangers least."""
        strength = self.strength(one, other)
        return UNKNOWN if strength is None else 0.0 if self.are_twins(one, other) else strength

    def are_parts(self, one: Column, other: Column) -> bool:
        """Return whether two columns are parts of the same sum, so that they go together by size alone."""
        return any({one.name, other.name} <= set(column.sources) for column in self._totals)

    def are_nested(self, one: Column, other: Column) -> bool:
        """Return whether one of two columns follows from the other, as a continent from a country."""
        return not self.decided.isdisjoint({(one.name, other.name), (other.name, one.name)})

    def labels(self) -> list[Column]:
        """Columns that tell a reader which row is meant: one value for each row, nearly."""
        named = (Meaning.LABEL, Meaning.PLACE, Meaning.IDENTIFIER)
        found = [
            c
            for c in self.usable
            if c.means.meaning in named
            and not c.missing
            and c.about.distinct >= 0.9 * self.rows
            and c.about.max_length <= 80
        ]
        return sorted(found, key=lambda c: named.index(c.means.meaning))

    def times(self) -> list[Column]:
        """Columns that hold moments, days, months or years (not one part of a moment alone)."""
        return [
            c
            for c in self.usable
            if c.means.meaning is Meaning.TIME
            and not c.means.is_part
            and not c.about.date_format
            and (c.about.role is ColumnRole.DATE or c.means.granularity == "year")
        ]

    def dates(self) -> list[Column]:
        """Columns of dates by now."""
        return [c for c in self.times() if c.about.role is ColumnRole.DATE]

    def texts(self) -> list[Column]:
        """Columns of texts of more than one word, mostly."""
        found = (Meaning.TEXT, Meaning.LABEL, Meaning.CATEGORY)
        worded = [c for c in self.usable if c.means.meaning in found and c.about.max_length and c.about.spaced >= 0.5]
        return [c for c in worded if c.means.meaning is Meaning.TEXT or c.about.max_length >= 25]

    def _is_lopsided(self, column: Column) -> bool:
        """Return whether nearly all rows are in one group."""
        known = self.rows - column.missing
        return bool(column.about.top) and known > 0 and column.about.top[0][1] > 0.97 * known


def _names_column(group: Column, number: Column) -> bool:
    """Return whether the values of a group are names of columns, as that of the winner among columns of votes."""
    return bool({number.name, *number.sources} & {value for value in group.values if isinstance(value, str)})


def _divides(column: Column) -> bool:
    """Return whether the values of a column divide rows into kinds; months of a year and hours of a day do, too."""
    return column.means.meaning in DIVIDES or (column.means.meaning is Meaning.TIME and column.means.is_part)


@dataclass(frozen=True, kw_only=True)
class Result:
    """What a problem leaves for later ones, beside frames: a table of groups, a fit, a number, a name."""

    var: str
    kind: str  # what later problems look for, such as "group table"
    made_by: int
    facts: Mapping[str, Any] = field(default_factory=dict)  # names of columns and the like, set by its family


@dataclass(frozen=True)
class Focus:
    """What a whole set is about, so that its problems belong together; names of columns, empty where there is none."""

    measure: str = ""
    group: str = ""
    second: str = ""  # another group, to look inside of one
    time: str = ""
    partner: str = ""  # another measure, to explain the first
    entity: str = ""
    label: str = ""

    def to_slots(self) -> dict[str, str]:
        """Return the parts that are set."""
        return {key: value for key, value in vars(self).items() if value}

    @property
    def columns(self) -> frozenset[str]:
        """The columns that the set is about."""
        return frozenset(self.to_slots().values())


@dataclass(frozen=True)
class Board:
    """The state before problem number `step`."""

    profile: Profile
    semantics: Semantics
    step: int = 1
    frames: Mapping[str, Frame] = field(default_factory=dict)
    main: str = ""  # the frame most problems are about
    results: tuple[Result, ...] = ()
    variables: tuple[str, ...] = ()
    makers: Mapping[str, int] = field(default_factory=dict)  # variable -> the problem that stored it
    loaded: tuple[int, ...] = ()  # positions of the tables that are loaded
    focus: Focus = Focus()

    def frame(self, var: str) -> Frame:
        """Return the frame called `var`.

        Raises:
            ContentError: If no earlier problem stores it.
        """
        if var not in self.frames:
            fix = f"use one of {', '.join(map(repr, self.frames))}" if self.frames else "load the data first"
            raise ContentError(f"no earlier problem stores a table called {var!r}", fix=fix)
        return self.frames[var]

    def result(self, var: str, kind: str) -> Result:
        """Return the result of that kind called `var`.

        Raises:
            ContentError: If no earlier problem stores it.
        """
        found = next((one for one in self.results if one.var == var and one.kind == kind), None)
        if found is None:
            what = f"no earlier problem stores a {kind} called {var!r}"
            raise ContentError(what, fix="keep the problem that does")
        return found

    def results_of(self, *kinds: str) -> list[Result]:
        """Return the results of these kinds, the newest first."""
        return [one for one in reversed(self.results) if one.kind in kinds]

    def free(self, base: str) -> str:
        """Return a variable name like `base` that nothing in the session has, columns included."""
        columns = {column.name for frame in self.frames.values() for column in frame.columns}
        return free_name(base, {*self.variables, *columns})

    def mains(self) -> list[Frame]:
        """The main frame; empty before it is loaded."""
        return [self.frames[self.main]] if self.main else []

    def crosses(self) -> list[Frame]:
        """The frame whose rows can be compared with one another: of a panel the rows of one time, if taken."""
        mains = self.mains()
        if not mains or not mains[0].is_panel:
            return mains
        taken = [f for f in self.frames.values() if f.is_snapshot and f.table == mains[0].table]
        return taken or ([] if mains[0].has_many_entities and mains[0].is_grid else mains)

    def with_frame(self, frame: Frame, *, main: bool = False) -> "Board":
        """Return the board with `frame` stored under its name."""
        return replace(
            self.with_variable(frame.var),
            frames={**self.frames, frame.var: frame},
            main=frame.var if main else self.main,
        )

    def with_column(self, frame: Frame, *columns: Column) -> "Board":
        """Return the board with columns of `frame` added or changed."""
        new = {column.name: column for column in columns}
        kept = tuple(new.pop(c.name, c) for c in frame.columns)
        changed = replace(frame, columns=(*kept, *new.values()))
        return replace(self, frames={**self.frames, frame.var: changed})

    def with_variable(self, *names: str) -> "Board":
        """Return the board with variables stored by this problem."""
        added = (name for name in names if name not in self.variables)
        makers = {**self.makers, **dict.fromkeys(names, self.step)}
        return replace(self, variables=(*self.variables, *added), makers=makers)

    def with_result(self, var: str, kind: str, **facts: Any) -> "Board":
        """Return the board with a result stored by this problem."""
        result = Result(var=var, kind=kind, made_by=self.step, facts=facts)
        return replace(self.with_variable(var), results=(*(r for r in self.results if r.var != var), result))

    def with_fact(self, kind: str, **facts: Any) -> "Board":
        """Return the board with something that later problems must know and that stands in no variable."""
        return replace(self, results=(*self.results, Result(var="", kind=kind, made_by=self.step, facts=facts)))

    def after(self) -> "Board":
        """Return the board before the next problem."""
        return replace(self, step=self.step + 1)
