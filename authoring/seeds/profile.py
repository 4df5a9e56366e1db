"""What is known about a seed's tables: the profile, its strict reader, and what in the data is awkward."""

import dataclasses
import functools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Final

from evaluator.errors import ContentError

if TYPE_CHECKING:
    from pydantic import TypeAdapter

MAX_JSON_CHARACTERS: Final = 4_000_000
PROFILE_VERSION: Final = 4
READABLE_VERSIONS: Final = frozenset({1, 2, 3, PROFILE_VERSION})
"""Version 1 lacks what `TableProfile.unique_together` and on tell, version 2 lacks `TableProfile.links`,
version 3 lacks `ColumnProfile.personal`."""

READERS: Final = frozenset({"read_csv", "read_json", "read_excel", "read_parquet"})
MAX_NAME: Final = 80  # characters of a column's name that a query can carry
Scalar = bool | int | float | str | None
_STRICT: Final = {"extra": "forbid", "allow_inf_nan": False, "str_max_length": 1000}


class ColumnRole(StrEnum):
    """What a column is good for in a task."""

    NUMBER = "number"
    CATEGORY = "category"
    DATE = "date"
    TEXT = "text"
    BOOL = "bool"
    ID = "id"
    OTHER = "other"  # empty, nested, of mixed kinds: named as a trap, used by few tasks


@dataclass(frozen=True, kw_only=True)
class PersonalForm:
    """How many rows of a column hold values of a form that data about persons has."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT

    form: str  # email, phone, digits, street, iban, card, national-id, ip, person, birth, place
    rows: int
    looked_at: int  # rows whose values were looked at; the others are missing, or too many
    shape: str = ""  # of one value: its first sign and its punctuation, the rest as stars


@dataclass(frozen=True, kw_only=True)
class TextForm:
    """How many cells of a column write dates, or numbers in groups of three digits, as text of one form."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT

    kind: str  # date, number
    form: str  # as in yyyy-mm-dd, dd.mm.yyyy, 1,234 or 1.234,5
    rows: int
    cells: int  # of the column, those without a value left out
    example: str = ""

    def in_words(self) -> str:
        """Return the form and its share of the column's cells."""
        return f"{self.form} ({self.rows / max(self.cells, 1):.0%} of its cells)"


@dataclass(frozen=True, kw_only=True)
class ColumnProfile:
    """One column as pandas reads it. Counts are of values; min, max and the like leave missing values out."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT

    name: str
    dtype: str
    role: ColumnRole
    missing: int
    distinct: int  # values that are not missing
    candidate_key: bool = False  # no value missing, none repeated
    min: float | str | None = None  # dates as ISO 8601 text
    max: float | str | None = None
    mean: float | None = None
    quantiles: Mapping[str, float] = dataclasses.field(default_factory=dict)  # "0.05" .. "0.95"
    integer: bool = False  # numbers: all whole
    decimals: int = 0  # numbers: digits after the point that the column writes, at most 6
    infinite: int = 0
    samples: tuple[Scalar, ...] = ()
    top: tuple[tuple[Scalar, int], ...] = ()  # most frequent values with their counts; columns of few values only
    stray_spaces: int = 0  # text: values with spaces at an end
    case_variants: int = 0  # text: spellings that differ only by case
    number_text: str = ""  # text that is numbers: "plain", or "symbols" such as $1,200
    not_numbers: int = 0  # of those, values that are no number
    min_length: int = 0
    max_length: int = 0
    spaced: float = 0.0  # text: share of values with a space inside, 0..1
    date_format: str = ""  # dates written as text or digits; empty: pandas reads them as dates
    date_unclear: bool = False  # day and month could be swapped
    span_days: int = 0
    days: int = 0  # dates: distinct days
    months: int = 0  # dates: distinct months
    timed: bool = False  # dates: with a time of day
    kinds: tuple[str, ...] = ()  # mixed columns: Python types
    empty: bool = False  # every value missing
    nested: bool = False  # lists or mappings
    fixed_categories: bool = False  # a pandas categorical
    key_without_repeats: bool = False  # would be a candidate key if rows that repeat an earlier one were dropped
    sorted: bool = False  # numbers and dates: never falls from row to row
    levels: tuple[Scalar, ...] = ()  # text and numbers of few values: all of them, in sorted order
    personal: tuple[PersonalForm, ...] = ()
    text_forms: tuple[TextForm, ...] = ()  # of text that is not dates of one format throughout; a profile may lack it

    def forms_of(self, kind: str) -> str:
        """Return in words the forms of a kind, `date` or `number`, that the column writes as text; empty: none."""
        return ", ".join(form.in_words() for form in self.text_forms if form.kind == kind)


@dataclass(frozen=True, kw_only=True)
class SumOfParts:
    """A column that is the sum of others in every row."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT

    total: str
    parts: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Link:
    """How closely two columns go together, whatever the direction: 0 not at all, 1 fully."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT

    first: str
    second: str
    strength: float
    fewest: int = 0  # rows, of those measured, of the smallest group or cell, where one or both have few values


@dataclass(frozen=True, kw_only=True)
class TableProfile:
    """One table and the pandas call that reads it."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT

    file: str
    reader: str  # read_csv, read_json, read_excel, read_parquet
    rows: int
    columns: tuple[ColumnProfile, ...]
    sheet: str = ""
    options: Mapping[str, str | bool | int] = dataclasses.field(default_factory=dict)
    reset_index: str = ""  # the reader gives an index of its own: "keep" it as columns, "drop" it
    string_columns: bool = False  # some column names are no text and are turned into text
    duplicate_rows: int = 0
    short_rows: int = 0  # with fewer fields than the header line: the reader fills them with missing values
    size_bytes: int = 0
    sample_rows: tuple[tuple[str | None, ...], ...] = ()  # the first columns of a few rows, as text, long cells clipped
    unique_together: tuple[tuple[str, ...], ...] = ()  # columns of things, then of time, that name each row once
    sums: tuple[SumOfParts, ...] = ()
    decided_by: tuple[tuple[str, str], ...] = ()  # (a, b): rows with the same a have the same b, as country, continent
    links: tuple[Link, ...] = ()  # of numbers and of columns of few values

    def column(self, name: str) -> ColumnProfile | None:
        """Return the column called `name`, if there is one."""
        return next((column for column in self.columns if column.name == name), None)


@dataclass(frozen=True, kw_only=True)
class ForeignKey:
    """A column whose values are found in a key column of another table."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT

    table: int  # position in Profile.tables
    column: str
    to_table: int
    to_column: str
    coverage: float  # share of the column's values that are found, 0..1


@dataclass(frozen=True, kw_only=True)
class ImageProfile:
    """One picture among the files of a seed."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT

    file: str
    width: int  # in pixels
    height: int
    mode: str  # as Pillow names it: L, RGB, RGBA, ...


@dataclass(frozen=True, kw_only=True)
class Profile:
    """All tables and pictures of a seed."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT

    tables: tuple[TableProfile, ...]
    foreign_keys: tuple[ForeignKey, ...] = ()
    images: tuple[ImageProfile, ...] = ()
    version: int = PROFILE_VERSION

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; traps are added as text for readers."""
        return {**_plain(self), "traps": [_plain(trap) for trap in find_traps(self)]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Profile":
        """Rebuild a profile from `to_json`.

        Raises:
            ContentError: If it is no profile.
        """
        return parse_profile(json.dumps({key: value for key, value in data.items() if key != "traps"}))


def _plain(value: Any) -> Any:
    """Return a dataclass as JSON values, fields that hold their default left out."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        shown = {}
        for field in dataclasses.fields(value):
            held = getattr(value, field.name)
            default = field.default_factory() if callable(field.default_factory) else field.default
            if held != default or field.name in _ALWAYS:  # a field without default holds more than MISSING
                shown[field.name] = _plain(held)
        return shown
    if isinstance(value, (tuple, list)):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    return str(value) if isinstance(value, StrEnum) else value


_ALWAYS: Final = frozenset({"candidate_key", "min", "max", "quantiles", "samples", "version", "foreign_keys"})


@functools.cache
def _reader() -> "TypeAdapter[Profile]":
    from pydantic import TypeAdapter

    return TypeAdapter(Profile)


def parse_profile(text: str) -> Profile:
    """Read a profile from JSON text that may be hostile.

    Raises:
        ContentError: If it is too long or anything in it is not as stated.
    """
    from pydantic import ValidationError

    fix = "profile the seed again"
    if len(text) > MAX_JSON_CHARACTERS:
        raise ContentError("the profile is too large", fix="keep the columns that matter")
    try:
        profile = _reader().validate_json(text, strict=True)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ContentError(f"the profile is not readable: {first['msg']}", where=where, fix=fix) from None
    if profile.version not in READABLE_VERSIONS:
        raise ContentError(f"the profile has version {profile.version}, not {PROFILE_VERSION}", fix=fix)
    for table in profile.tables:
        if wrong := next(_contradictions(table), None):
            raise ContentError(f"the profile is not readable: {wrong}", where=table.file, fix=fix)
    count = len(profile.tables)
    if not all(0 <= key.table < count and 0 <= key.to_table < count for key in profile.foreign_keys):
        raise ContentError("a foreign key of the profile names no table", fix=fix)
    return profile


def _contradictions(table: TableProfile) -> Iterator[str]:
    """Yield what no profile of a table can say."""
    if table.reader not in READERS:
        yield f"{table.reader!r} reads no table"
    if table.rows < 0:
        yield f"{table.rows} rows"
    names = {column.name for column in table.columns}
    if len(names) < len(table.columns):
        yield "a column stands twice"
    for link in table.links:
        if not {link.first, link.second} <= names or link.first == link.second:
            yield f"{link.first!r} and {link.second!r} are not two of its columns"
        if not 0 <= link.strength <= 1 or link.fewest < 0:
            yield f"a link of strength {link.strength} and {link.fewest} rows"


@dataclass(frozen=True)
class Trap:
    """One awkward thing."""

    code: str  # stable, such as "stray-spaces"
    file: str
    column: str  # empty: the whole table
    count: int
    text: str


def find_traps(profile: Profile) -> tuple[Trap, ...]:
    """Return the traps of all tables, in the order of the columns."""
    return (*_unrelated(profile), *(trap for table in profile.tables for trap in _of_table(table)))


def _unrelated(profile: Profile) -> Iterator[Trap]:
    """Yield a trap for every table of a seed in which no key joins any two."""
    if len(profile.tables) > 1 and not profile.foreign_keys:
        text = "no key was found that joins it with another table of this seed"
        yield from (Trap("unrelated-table", table.file, "", 1, text) for table in profile.tables)


def _of_table(table: TableProfile) -> Iterator[Trap]:
    def trap(code: str, count: int, text: str, column: str = "") -> Trap:
        return Trap(code, table.file, column, count, text)

    unnamed = sum(_has_no_name(column.name) for column in table.columns)
    if unnamed > 1 and 2 * unnamed >= len(table.columns):
        text = (
            f"its first line names {len(table.columns) - unnamed} of {len(table.columns)} columns: if it is a title, "
            "delete what stands above the line with the names, and add the file again"
        )
        yield trap("title-line", unnamed, text)
    if table.duplicate_rows:
        rows = "1 row repeats" if table.duplicate_rows == 1 else f"{table.duplicate_rows:,} rows repeat"
        text = f"{rows} an earlier row"
        yield trap("duplicate-rows", table.duplicate_rows, text)
    if table.short_rows:
        rows = "1 row has" if table.short_rows == 1 else f"{table.short_rows:,} rows have"
        text = f"{rows} fewer fields than the header; what is lacking is read as missing"
        yield trap("short-rows", table.short_rows, text)
    if table.reset_index:
        yield trap("own-index", 1, "the file brings a row index of its own")
    seen: dict[str, str] = {}
    for column in table.columns:
        folded = column.name.strip().lower()
        if folded in seen:
            text = f"the names {seen[folded]!r} and {column.name!r} differ only by spaces or case"
            yield trap("like-names", 2, text, column.name)
        seen.setdefault(folded, column.name)
        for code, count, text in _of_column(column, table.rows):
            yield trap(code, count, text, column.name)


def _of_column(column: ColumnProfile, rows: int) -> Iterator[tuple[str, int, str]]:
    name = repr(column.name)
    if column.empty:
        yield "all-missing", column.missing, f"every value of {name} is missing"
        return
    if column.nested:
        yield "nested", rows, f"{name} holds lists or mappings"
        return
    yield from _of_name(column.name)
    if column.kinds:
        yield "mixed-types", rows, f"{name} mixes kinds of values: {', '.join(column.kinds)}"
    if column.distinct == 1 and rows > 1:
        yield "constant", rows, f"{name} holds one value only"
    if column.number_text:
        words = "with symbols" if column.number_text == "symbols" else "stored as text"
        yield "numbers-as-text", rows - column.missing - column.not_numbers, f"{name} holds numbers {words}"
    yield from _of_text_forms(column)
    if column.stray_spaces:
        values = "1 value" if column.stray_spaces == 1 else f"{column.stray_spaces:,} values"
        text = f"{values} of {name} {'has' if column.stray_spaces == 1 else 'have'} spaces at an end"
        yield "stray-spaces", column.stray_spaces, text
    if column.case_variants:
        values = "1 value" if column.case_variants == 1 else f"{column.case_variants:,} values"
        text = f"{name} writes {values} in more than one case"
        yield "case-variants", column.case_variants, text
    if column.date_unclear:
        yield "date-order", rows, f"in {name} day and month could be swapped"
    if column.infinite:
        yield "infinite", column.infinite, f"{column.infinite:,} values of {name} are infinite"


def _of_text_forms(column: ColumnProfile) -> Iterator[tuple[str, int, str]]:
    name = repr(column.name)
    dates = [form for form in column.text_forms if form.kind == "date"]
    if dates:
        ways = f"in {len(dates)} forms" if len(dates) > 1 else "among other text" if _is_part(dates) else "as text"
        yield (
            "dates-as-text",
            sum(form.rows for form in dates),
            f"{name} writes dates {ways}: {column.forms_of('date')}",
        )
    grouped = [form for form in column.text_forms if form.kind == "number"]
    if grouped:
        text = f"{name} writes numbers in groups of digits: {column.forms_of('number')}"
        yield "grouped-numbers", sum(form.rows for form in grouped), text


def _is_part(forms: list[TextForm]) -> bool:
    return sum(form.rows for form in forms) < forms[0].cells


def is_quotable(text: str) -> bool:
    """Return whether a query can name `text` exactly: printable, of readable length, no marks of the file format."""
    return bool(text.strip()) and text.isprintable() and len(text) <= MAX_NAME and not {"\\", '"', "`"} & set(text)


def _has_no_name(name: str) -> bool:
    """Return whether a column has the name that pandas gives to one without."""
    return name.startswith("Unnamed: ")


def _of_name(name: str) -> Iterator[tuple[str, int, str]]:
    if not is_quotable(name):
        text = f"no query can name {name[:MAX_NAME]!r}: rename it, or the template author leaves it out"
        yield "unquotable-name", 1, text
    if name != name.strip():
        yield "padded-name", 1, f"the name {name!r} has spaces at an end"
    elif " " in name and not _has_no_name(name):
        yield "spaced-name", 1, f"the name {name!r} holds spaces"
    if not name.isascii():
        yield "non-ascii-name", 1, f"the name {name!r} holds characters outside ASCII"
    if _has_no_name(name):
        yield "unnamed-column", 1, f"a column without a name is read as {name!r}"
