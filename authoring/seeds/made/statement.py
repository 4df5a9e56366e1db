"""What a made table holds: fields, distributions and relations as data, under limits."""

import json
import math
import operator
from collections.abc import Sequence
from datetime import date
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, ValidationError, model_validator

from evaluator.errors import ContentError
from evaluator.language import read_yaml, text_of_file, write_yaml

MAX_CELLS: Final = 1_000_000
MAX_ROWS: Final = 200_000
MAX_TABLES: Final = 6
MAX_FIELDS: Final = 60
MAX_VALUES: Final = 500  # of one category
MAX_FILE_CHARS: Final = 200_000
_EXACT: Final = Context(prec=400)  # the digits of any float and its decimals
_NAME: Final = r"^[^\s\"'`\\<>|{}][^\"'`\\<>|{}\n]{0,59}$"

Scalar = str | int | float
Share = Annotated[float, Field(ge=0, le=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Uniform(_Strict):
    """Any number between two is as likely as any other."""

    name: Literal["uniform"]
    low: float
    high: float

    @model_validator(mode="after")
    def _ordered(self) -> "Uniform":
        if self.high <= self.low:
            raise ValueError("high must be above low")
        return self


class Normal(_Strict):
    """A bell around the mean."""

    name: Literal["normal"]
    mean: float
    sd: float = Field(gt=0)


class LogNormal(_Strict):
    """Positive and skewed to the right, such as incomes: e to the power of a normal number."""

    name: Literal["lognormal"]
    mean: float = Field(ge=-20, le=20)  # of the logarithm
    sd: float = Field(gt=0, le=4)


class Exponential(_Strict):
    """Waiting times."""

    name: Literal["exponential"]
    mean: float = Field(gt=0)


class Gamma(_Strict):
    """Positive, skewed."""

    name: Literal["gamma"]
    shape: float = Field(gt=0, le=1000)
    scale: float = Field(gt=0)


class Beta(_Strict):
    """Shares between 0 and 1."""

    name: Literal["beta"]
    a: float = Field(gt=0, le=1000)
    b: float = Field(gt=0, le=1000)


class Poisson(_Strict):
    """Counts of what happens by chance."""

    name: Literal["poisson"]
    mean: float = Field(gt=0, le=1000)


class Binomial(_Strict):
    """How many of n trials succeed."""

    name: Literal["binomial"]
    n: int = Field(ge=1, le=10_000)
    p: Share


Distribution = Annotated[
    Uniform | Normal | LogNormal | Exponential | Gamma | Beta | Poisson | Binomial, Field(discriminator="name")
]


class Effect(_Strict):
    """What another field of the same row adds to a number."""

    field: str
    slope: float | None = None  # of a number: added for each unit of it
    add: dict[str, float] | None = None  # of a category or flag: added where it has that value

    @model_validator(mode="after")
    def _one(self) -> "Effect":
        if (self.slope is None) == (self.add is None):
            raise ValueError("state either slope (of a number) or add (for each value of a category)")
        return self


class _Field(_Strict):
    name: str = Field(pattern=_NAME)
    missing: Share = 0.0


class IdField(_Strict):
    """A number, or a text with a number, that names the row."""

    name: str = Field(pattern=_NAME)
    kind: Literal["id"]
    start: int = Field(default=1, ge=0, le=10**12)
    prefix: str = Field(default="", max_length=20)


class CategoryField(_Field):
    """One of a few values."""

    kind: Literal["category"]
    values: list[Scalar] = Field(min_length=1, max_length=MAX_VALUES)
    weights: list[Annotated[float, Field(ge=0)]] = []

    @model_validator(mode="after")
    def _fits(self) -> "CategoryField":
        if self.weights and (len(self.weights) != len(self.values) or not sum(self.weights) > 0):
            raise ValueError("weights must be as many as values, and one of them above 0")
        if len({str(value) for value in self.values}) < len(self.values):
            raise ValueError("a value stands twice")
        return self


class NumberField(_Field):
    """A number of a distribution, moved by other fields, cut to what can be written of a range."""

    kind: Literal["number", "integer"]
    distribution: Distribution
    decimals: int = Field(default=2, ge=0, le=6)
    min: float | None = None
    max: float | None = None
    effects: list[Effect] = Field(default=[], max_length=10)
    unit: str = Field(default="", max_length=20)

    def bounds(self) -> tuple[float, float]:
        """Return the least and the greatest number of the range with so many decimals; infinite where none is set."""
        low = -math.inf if self.min is None else self._written(self.min, ROUND_CEILING)
        return low, math.inf if self.max is None else self._written(self.max, ROUND_FLOOR)

    def _written(self, bound: float, rounding: str) -> float:
        step = Decimal(1).scaleb(0 if self.kind == "integer" else -self.decimals)
        return float(Decimal(repr(bound)).quantize(step, rounding, _EXACT))


class ProductField(_Field):
    """The product of other numbers of the row, with noise: price times quantity."""

    kind: Literal["product"]
    of: list[str] = Field(min_length=2, max_length=5)
    noise: Annotated[float, Field(ge=0, le=1)] = 0.0  # standard deviation as a share
    decimals: int = Field(default=2, ge=0, le=6)
    unit: str = Field(default="", max_length=20)


class DateField(_Field):
    """A day between two."""

    kind: Literal["date"]
    first: date = Field(alias="from")
    last: date = Field(alias="to")
    order: Literal["random", "ascending"] = "random"

    @model_validator(mode="after")
    def _ordered(self) -> "DateField":
        if self.last < self.first:
            raise ValueError("to must not be before from")
        return self


class FlagField(_Field):
    """Yes or no."""

    kind: Literal["flag"]
    share: Share = 0.5  # of yes


class KeyField(_Field):
    """The id of a row of another table."""

    kind: Literal["key"]
    to: str  # "customers.csv:customer_id"


class TextField(_Field):
    """Words in any order."""

    kind: Literal["text"]
    words: list[Annotated[str, Field(min_length=1, max_length=40)]] = Field(min_length=2, max_length=MAX_VALUES)
    length: tuple[int, int] = (2, 6)

    @model_validator(mode="after")
    def _ordered(self) -> "TextField":
        if not 1 <= self.length[0] <= self.length[1] <= 40:
            raise ValueError("length is two numbers of words, 1 to 40, the smaller first")
        return self


AnyField = Annotated[
    IdField | CategoryField | NumberField | ProductField | DateField | FlagField | KeyField | TextField,
    Field(discriminator="kind"),
]


class MadeTable(_Strict):
    """One table."""

    file: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_. -]{0,80}\.csv$")
    rows: int = Field(ge=2, le=MAX_ROWS)
    row: str = Field(default="", max_length=60)  # what one row is, such as "order"
    row_plural: str = Field(default="", max_length=60)
    fields: list[AnyField] = Field(min_length=1, max_length=MAX_FIELDS)


class MadeData(_Strict):
    """All tables of a made seed."""

    title: str = Field(min_length=1, max_length=200)
    description: str = Field(default="", max_length=4000)
    rng_seed: int = Field(default=0, ge=0, le=2**32 - 1)
    tables: list[MadeTable] = Field(min_length=1, max_length=MAX_TABLES)
    invented: StrictBool = True  # the data are about nothing that exists; a statement that says otherwise is refused

    @model_validator(mode="after")
    def _fits(self) -> "MadeData":
        if not self.invented:
            raise ValueError("made data are invented")
        cells = sum(table.rows * len(table.fields) for table in self.tables)
        if cells > MAX_CELLS:
            raise ValueError(f"the tables have {cells:,} cells; at most {MAX_CELLS:,} are made")
        files = [table.file.casefold() for table in self.tables]
        if len(set(files)) < len(files):
            raise ValueError("two tables have the same file")
        for table in self.tables:
            if wrong := next(_wrong_in(table, self.tables), None):
                raise ValueError(f"{table.file}: {wrong}")
        return self


def _wrong_in(table: MadeTable, tables: Sequence[MadeTable]) -> Any:
    """Yield what in a table names nothing, or what comes later."""
    known: dict[str, Any] = {}
    for one in table.fields:
        if one.name in known:
            yield f"the field {one.name!r} stands twice"
        if isinstance(one, NumberField):
            yield from _wrong_effects(one, known)
            if one.min is not None and one.max is not None and one.max <= one.min:
                yield f"{one.name}: max must be above min"
            elif operator.gt(*one.bounds()):
                written = "whole number" if one.kind == "integer" else f"number with {one.decimals} decimals"
                yield f"{one.name}: no {written} lies between min {one.min:g} and max {one.max:g}"
        if isinstance(one, ProductField):
            for name in one.of:
                if not isinstance(known.get(name), NumberField | ProductField):
                    yield f"{one.name}: {name!r} is no number that stands above it"
        if isinstance(one, KeyField) and _target(one, table, tables) is None:
            yield f"{one.name}: {one.to!r} is no id of a table above; write FILE:FIELD"
        known[one.name] = one


def _wrong_effects(one: NumberField, known: dict[str, Any]) -> Any:
    for effect in one.effects:
        other = known.get(effect.field)
        if other is None:
            yield f"{one.name}: {effect.field!r} is no field that stands above it"
        elif effect.slope is not None and not isinstance(other, NumberField | ProductField):
            yield f"{one.name}: {effect.field!r} is no number, state add"
        elif effect.add is not None:
            values = [str(value) for value in other.values] if isinstance(other, CategoryField) else ["yes", "no"]
            if not isinstance(other, CategoryField | FlagField):
                yield f"{one.name}: {effect.field!r} is no category, state slope"
            elif strange := sorted(set(effect.add) - set(values)):
                yield f"{one.name}: {strange[0]!r} is no value of {effect.field!r}; they are {', '.join(values[:12])}"


def _target(key: KeyField, table: MadeTable, tables: Sequence[MadeTable]) -> IdField | None:
    file, _, name = key.to.partition(":")
    above = list(tables)[: list(tables).index(table)]
    other = next((one for one in above if one.file == file), None)
    return next((f for f in (other.fields if other else ()) if isinstance(f, IdField) and f.name == name), None)


def parse_statement(text: str, *, where: str) -> MadeData:
    """Read a statement of made tables.

    Raises:
        ContentError: If it is none; the message names the place.
    """
    fix = "see 'Made data' in the pages for maintainers for what a field may state"
    if len(text) > MAX_FILE_CHARS:
        raise ContentError("the statement is too long", where=where, fix="state fewer fields and values")
    document = read_yaml(text)
    if document.faults:
        first = document.faults[0]
        raise ContentError(first.what, where=f"{where}:{first.line}", fix=first.fix or fix)
    try:
        data = MadeData.model_validate(document.value)
        json.dumps(data.model_dump(mode="python"), ensure_ascii=False, default=str).encode()
        return data
    except UnicodeEncodeError:
        raise ContentError("a text holds half a character, which no file can hold", where=where, fix=fix) from None
    except ValidationError as error:
        raise ContentError("; ".join(statement_faults(error)[:3]), where=where, fix=fix) from None


def statement_faults(error: ValidationError) -> list[str]:
    """Return what is wrong in words, each with its place."""
    rows = error.errors(include_url=False, include_input=False)
    return [f"{'.'.join(map(str, row['loc'])) or 'the statement'}: {row['msg']}" for row in rows]


def read_statement_file(path: Path) -> MadeData:
    """Read a statement from its file.

    Raises:
        UsageError: If there is no such file.
        ContentError: If it holds none.
    """
    text = text_of_file(path, most_bytes=4 * MAX_FILE_CHARS)
    return parse_statement(text, where=str(path))


def write_statement(data: MadeData) -> str:
    """Return a statement as a file to read and edit."""
    return write_yaml(data.model_dump(by_alias=True, exclude_defaults=True, mode="json"))


def summary_lines(data: MadeData) -> list[str]:
    """Return what was stated in a line for each table and field, for people."""
    lines = []
    for table in data.tables:
        lines.append(f"{table.file}: {table.rows:,} rows")
        lines += [f"{table.file}, {one.name}: {_in_words(one)}" for one in table.fields]
    return lines


def drawn_from(statement: str) -> list[str]:
    """Return a kept statement in lines for people; empty for none, or one that can no longer be read."""
    try:
        data = parse_statement(statement, where="the statement") if statement else None
    except ContentError:
        return []
    return [f"drawn with rng_seed {data.rng_seed}", *summary_lines(data)] if data else []


def _in_words(one: Any) -> str:
    missing = f"; {one.missing:.0%} missing" if getattr(one, "missing", 0) else ""
    match one:
        case IdField():
            return f"id from {one.prefix}{one.start}"
        case CategoryField():
            weights = f", weights {', '.join(f'{weight:g}' for weight in one.weights)}" if one.weights else ""
            shown = ", ".join(map(str, one.values[:12])) + (" ..." if len(one.values) > 12 else "")
            return f"one of {shown}{weights}{missing}"
        case NumberField():
            told = one.distribution.model_dump(exclude={"name"})
            numbers = ", ".join(f"{key} {value:g}" for key, value in told.items())
            moved = "".join(f"; moved by {effect.field}" for effect in one.effects)
            return f"{one.kind}, {one.distribution.name} ({numbers}){moved}{missing}"
        case ProductField():
            return f"product of {' and '.join(one.of)}{f', noise {one.noise:.0%}' if one.noise else ''}{missing}"
        case DateField():
            return f"date from {one.first} to {one.last}, {one.order}{missing}"
        case FlagField():
            return f"yes or no, {one.share:.0%} yes{missing}"
        case KeyField():
            return f"key to {one.to}{missing}"
        case _:
            return f"{one.length[0]} to {one.length[1]} words of {len(one.words)}{missing}"


def finite(value: float) -> float:
    """Return a number, 0 where it overflowed."""
    return value if math.isfinite(value) else 0.0
