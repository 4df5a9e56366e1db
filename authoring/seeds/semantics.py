"""What the columns and rows of a seed's tables mean: what a question about them may ask."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

SEMANTICS_VERSION: Final = 1


class Meaning(StrEnum):
    """What a column stands for; decides which questions about it make sense."""

    MEASURE = "measure"  # a quantity: a length, a temperature, a score
    RATE = "rate"  # a share, rate, ratio or index: averaged, never added up
    WEIGHT = "weight"  # how many of a population the row stands for: a weight of surveys, never a body's weight
    COUNT = "count"  # how many of something
    MONEY = "money"
    ORDINAL = "ordinal"  # levels with an order, in words or numbers
    CATEGORY = "category"  # few values that divide the rows
    LABEL = "label"  # the name of the thing that a row is about; people read it
    IDENTIFIER = "identifier"  # names one row of this table, says nothing else
    KEY = "key"  # names a row of another file
    CODE = "code"  # a number or short text that stands for something else: a postcode, a product code
    TIME = "time"  # a moment, a day, a year; with its granularity
    PLACE = "place"  # coordinates, or the name of a place
    FLAG = "flag"  # yes or no
    TEXT = "text"  # free text
    OTHER = "other"  # empty, constant, nested or not understood: no question is about it


class AddsUp(StrEnum):
    """Over which rows the sum of a column says something."""

    YES = "yes"  # over any rows: sales, rainfall, passengers
    AT_ONE_TIME = "at one time"  # over rows of one moment only: population, stock, balance
    NO = "no"  # temperatures, rates, scores


class Origin(StrEnum):
    """Who says so; people before models, models before rules."""

    RULE = "rule"
    MODEL = "model"
    PERSON = "person"


@dataclass(frozen=True, kw_only=True)
class ColumnMeaning:
    """What one column means."""

    name: str
    meaning: Meaning
    unit: str = ""  # as it is written behind a number, such as "mm" or "USD"
    adds_up: AddsUp = AddsUp.NO
    granularity: str = ""  # times: year, quarter, month, week, day, hour, minute; parts too, see `is_part`
    is_part: bool = False  # times: one part of a moment, such as the month 1..12 without its year
    levels: tuple[str | int | float, ...] = ()  # ordinals: from low to high
    weighted_by: str = ""  # rates: the column of this table that an average should weigh by
    refers_to: str = ""  # keys: "file:column"
    origin: Origin = Origin.RULE
    reason: str = ""  # why, in a few words for a person


@dataclass(frozen=True, kw_only=True)
class TableMeaning:
    """What one table is about."""

    file: str
    sheet: str = ""
    row: str = ""  # what one row is, without an article, such as "flight"; empty: not known
    rows: str = ""  # its plural
    order: tuple[str, ...] = ()  # columns whose order is that of time or another natural order; empty: none
    entity: tuple[str, ...] = ()  # columns that name what is observed again and again; the order holds within each
    groups: tuple[str, ...] = ()  # columns that people would compare the rows by, best first
    repeats_are_errors: bool = False  # whether two equal rows can only be a mistake
    columns: tuple[ColumnMeaning, ...] = ()

    def column(self, name: str) -> ColumnMeaning | None:
        """Return what the column called `name` means, if it is known."""
        return next((column for column in self.columns if column.name == name), None)

    def with_column(self, column: ColumnMeaning) -> "TableMeaning":
        """Return the table with the meaning of one column replaced or added."""
        known = any(one.name == column.name for one in self.columns)
        kept = tuple(column if one.name == column.name else one for one in self.columns)
        return replace(self, columns=kept if known else (*kept, column))


@dataclass(frozen=True, kw_only=True)
class Semantics:
    """What all tables of a seed mean, in the order of its profile."""

    tables: tuple[TableMeaning, ...]
    version: int = SEMANTICS_VERSION
