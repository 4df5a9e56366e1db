"""What the rules look at: a column with the words in its name, its unit, and the table around it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from authoring.seeds.meanings.column_names import ColumnName
from authoring.seeds.meanings.unit_words import Clause, unit_of_description, unit_of_name
from authoring.seeds.profile import ColumnProfile, ColumnRole, TableProfile
from authoring.seeds.semantics import ColumnMeaning, Meaning


@dataclass(frozen=True)
class TableFacts:
    """One table as the rules see it."""

    table: TableProfile
    clauses: tuple[Clause, ...] = ()  # what the description states of units
    keys: tuple[tuple[str, str], ...] = ()  # (column, "file:column") of foreign keys
    text: str = ""  # title and description, lower case

    @cached_property
    def columns(self) -> tuple["ColumnFacts", ...]:
        """All columns, in order."""
        return tuple(ColumnFacts(column, self) for column in self.table.columns)

    def is_unique(self, name: str) -> bool:
        """Return whether no two rows share a value of a column, repeated rows aside."""
        return any(one.is_unique for one in self.columns if one.column.name == name)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The words of all names of columns."""
        return frozenset(stem for column in self.columns for stem in column.name.stem_set)

    @cached_property
    def is_price_table(self) -> bool:
        """Whether the columns are prices of a day: open, high, low, close."""
        return len({"open", "high", "low", "close"} & self.stems) >= 3

    @cached_property
    def answer_ranges(self) -> tuple[tuple[float, float], ...]:
        """Ranges that at least three whole-number columns of few values share: answers on one scale."""
        ranges = [
            (float(one.min), float(one.max))
            for one in self.table.columns
            if one.role is ColumnRole.NUMBER and one.integer and 3 <= one.distinct <= 11
            if isinstance(one.min, int | float) and isinstance(one.max, int | float)
        ]
        return tuple({one for one in ranges if ranges.count(one) >= 3 and 0 <= one[0] <= 1 and one[1] <= 10})


@dataclass(frozen=True)
class ColumnFacts:
    """One column as the rules see it."""

    column: ColumnProfile
    around: TableFacts

    @cached_property
    def name(self) -> ColumnName:
        """The name and the words in it."""
        return ColumnName(self.column.name)

    @cached_property
    def unit(self) -> str:
        """The unit that the name or the description states."""
        return unit_of_name(self.name) or unit_of_description(self.name, self.around.clauses)

    @property
    def rows(self) -> int:
        """Rows of the table."""
        return self.around.table.rows

    @property
    def filled(self) -> int:
        """Values that are not missing."""
        return self.rows - self.column.missing

    @property
    def low(self) -> float:
        """The least number; NaN without one."""
        return float(self.column.min) if isinstance(self.column.min, int | float) else float("nan")

    @property
    def high(self) -> float:
        """The greatest number; NaN without one."""
        return float(self.column.max) if isinstance(self.column.max, int | float) else float("nan")

    @property
    def is_number(self) -> bool:
        """Whether pandas reads numbers."""
        return self.column.role is ColumnRole.NUMBER or (
            self.column.role is ColumnRole.ID and bool(self.column.quantiles)
        )

    @property
    def is_unique(self) -> bool:
        """Whether no two rows share a value, repeated rows aside."""
        return self.column.candidate_key or self.column.key_without_repeats or self._full_and_distinct

    @property
    def _full_and_distinct(self) -> bool:
        return self.column.missing == 0 and self.column.distinct == self.rows > 1

    @cached_property
    def values(self) -> tuple[Any, ...]:
        """All values if the profile tells them, otherwise those that it shows."""
        if self.column.levels:
            return self.column.levels
        shown = [value for value, _ in self.column.top] or list(self.column.samples)
        return tuple(value for value in shown if value is not None)

    @property
    def all_values(self) -> tuple[Any, ...]:
        """All distinct values, or nothing when the profile does not tell all."""
        return self.values if len(self.values) == self.column.distinct else ()

    @property
    def numeric_levels(self) -> tuple[int | float, ...]:
        """All distinct numbers in order, whole ones without a point."""
        numbers = [value for value in self.all_values if isinstance(value, int | float)]
        return tuple(int(value) if self.column.integer else value for value in sorted(numbers))

    def within(self, low: float, high: float) -> bool:
        """Return whether all numbers lie in a range."""
        return low <= self.low and self.high <= high

    def means(self, meaning: Meaning, reason: str, **more: Any) -> ColumnMeaning:
        """Return a meaning of this column."""
        return ColumnMeaning(name=self.column.name, meaning=meaning, reason=reason, **more)
