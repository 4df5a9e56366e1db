"""Single settings such as `price.unit=EUR`, as the command line takes them, become statements about a table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from authoring.seeds.meanings.statement_text import parse_statement, statement_to_text
from authoring.seeds.meanings.statements import Statement, TableStatement
from authoring.seeds.profile import Profile
from authoring.seeds.semantics import AddsUp, ColumnMeaning, Meaning, Origin, Semantics, TableMeaning
from evaluator.errors import UsageError
from evaluator.registry import nearest_name

SETTABLE: Final = ("meaning", "unit", "adds_up", "granularity", "is_part", "levels", "weighted_by", "refers_to")
_KEPT: Final = {  # a meaning -> what of an earlier meaning still holds
    Meaning.TIME: ("granularity", "is_part"),
    Meaning.ORDINAL: ("levels", "unit"),
    Meaning.RATE: ("unit", "weighted_by"),
    Meaning.KEY: ("refers_to",),
}
_QUANTITY: Final = ("unit", "adds_up", "weighted_by")
_QUANTITIES: Final = frozenset({Meaning.MEASURE, Meaning.MONEY, Meaning.COUNT})


@dataclass(frozen=True)
class TableSettings:
    """What is set of one table as a whole; None: left as it is. Lists are names separated by commas."""

    row: str | None = None
    rows: str | None = None
    order: str | None = None
    entity: str | None = None
    groups: str | None = None
    repeats_are_errors: bool | None = None

    @property
    def stated(self) -> dict[str, Any]:
        """Field -> value, of those that are set."""
        texts = {name: getattr(self, name) for name in ("row", "rows") if getattr(self, name) is not None}
        lists = {name: _names(getattr(self, name)) for name in ("order", "entity", "groups")}
        repeats = {} if self.repeats_are_errors is None else {"repeats_are_errors": self.repeats_are_errors}
        return {**texts, **{name: value for name, value in lists.items() if value is not None}, **repeats}


def find_table(semantics: Semantics, file: str = "") -> TableMeaning:
    """Return the table in a file, or the only one.

    Raises:
        UsageError: If there is none, or none is named and there are several.
    """
    known = [table.file for table in semantics.tables]
    found = [table for table in semantics.tables if file in {table.file, ""} or file == f"{table.file}:{table.sheet}"]
    if len(found) == 1:
        return found[0]
    near = nearest_name(file, known) if file else None
    what = f"no table is in a file called {file!r}" if file and not found else "there are several tables"
    sheets = [f"{table.file}:{table.sheet}" if table.sheet else table.file for table in semantics.tables]
    raise UsageError(what, where="--table", fix=f"use {near!r}" if near else f"name one of {', '.join(sheets)}")


def statement_of_settings(
    semantics: Semantics,
    profile: Profile,
    *,
    table: TableMeaning,
    columns: Sequence[str] = (),
    whole: TableSettings = TableSettings(),
) -> Statement:
    """Return what settings such as `price=money` and `price.unit=EUR` state of one table.

    Raises:
        UsageError: If a setting has another form, or names no column.
        ContentError: If a value is not known; the nearest one is told.
    """
    changed = table
    names = [column.name for column in table.columns]
    for setting in columns:
        changed = changed.with_column(_set(changed, names, setting))
    touched = tuple(one for one in changed.columns if one is not table.column(one.name))
    stated = TableStatement(file=table.file, sheet=table.sheet, columns=touched, **whole.stated)
    assert table in semantics.tables
    return parse_statement(statement_to_text(Statement((stated,))), profile=profile, where="what is set")


def _set(table: TableMeaning, names: Sequence[str], setting: str) -> ColumnMeaning:
    target, equals, value = setting.rpartition("=") if setting.count("=") > 1 else setting.partition("=")
    if not equals or not target.strip():
        raise UsageError(f"{setting!r} sets nothing", where="--set", fix="write COLUMN=MEANING or COLUMN.unit=mm")
    name, field = _target(target.strip(), names)
    column = table.column(name)
    assert column is not None
    value = value.strip()
    if field == "meaning":
        return _with_meaning(column, value)
    return replace(column, origin=Origin.PERSON, reason="", **{field: _value(field, value)})


def _target(target: str, names: Sequence[str]) -> tuple[str, str]:
    """Return the column and the field that are meant; a dot may be part of the column's name."""
    if target in names:
        return target, "meaning"
    name, dot, field = target.rpartition(".")
    if dot and name in names and field in SETTABLE:
        return name, field
    if dot and name in names:
        near = nearest_name(field, list(SETTABLE))
        fix = f"use {near!r}" if near else f"use one of {', '.join(SETTABLE)}"
        raise UsageError(f"a column has no {field!r}", where="--set", fix=fix)
    near = nearest_name(target, list(names)) or (nearest_name(name, list(names)) if dot else None)
    fix = f"use {near!r}" if near else f"use one of {', '.join(map(repr, names[:20]))}"
    raise UsageError(f"no column is called {target!r}", where="--set", fix=fix)


def with_meaning(column: ColumnMeaning, meaning: Meaning) -> ColumnMeaning:
    """Return the column with another meaning, and of what else was said of it only what still holds."""
    kept = _QUANTITY if meaning in _QUANTITIES else _KEPT.get(meaning, ())
    values = {name: getattr(column, name) for name in kept}
    if meaning in {Meaning.MONEY, Meaning.COUNT} and column.meaning not in _QUANTITIES:
        values["adds_up"] = AddsUp.YES  # as most do; what the column was before says nothing of it
    return ColumnMeaning(name=column.name, meaning=meaning, origin=Origin.PERSON, **values)


def _with_meaning(column: ColumnMeaning, value: str) -> ColumnMeaning:
    known = [one.value for one in Meaning]
    if value.lower() not in known:
        near = nearest_name(value, known)
        fix = f"use {near!r}" if near else f"use one of {', '.join(known)}"
        raise UsageError(f"no meaning is called {value!r}", where="--set", fix=fix)
    return with_meaning(column, Meaning(value.lower()))


def _value(field: str, value: str) -> Any:
    if field == "levels":
        return tuple(_number(one) for one in _names(value) or ())
    if field == "is_part":
        return value.lower() in {"yes", "true", "1"}
    if field == "adds_up":
        return _adds_up(value)
    return value


def _adds_up(value: str) -> Any:

    try:
        return AddsUp(value.lower().replace("_", " "))
    except ValueError:
        fix = f"use one of {', '.join(repr(one.value) for one in AddsUp)}"
        raise UsageError(f"{value!r} does not say whether a column adds up", where="--set", fix=fix) from None


def _names(value: str | None) -> tuple[str, ...] | None:
    """Return names separated by commas; a lone dash stands for none."""
    if value is None:
        return None
    return tuple(one.strip() for one in value.split(",") if one.strip() and one.strip() != "-")


def _number(text: str) -> str | int | float:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
