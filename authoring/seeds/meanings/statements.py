"""What somebody states of tables, in whole or in part, and how it goes on top of what was known."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from authoring.seeds.semantics import ColumnMeaning, Origin, Semantics, TableMeaning

TABLE_FIELDS: Final = ("row", "rows", "order", "entity", "groups", "repeats_are_errors")
"""What can be stated of a table as a whole."""


@dataclass(frozen=True, kw_only=True)
class TableStatement:
    """What is stated of one table; None: nothing."""

    file: str
    sheet: str = ""
    row: str | None = None
    rows: str | None = None
    order: tuple[str, ...] | None = None
    entity: tuple[str, ...] | None = None
    groups: tuple[str, ...] | None = None
    repeats_are_errors: bool | None = None
    columns: tuple[ColumnMeaning, ...] = ()  # only those of which something is stated, each as a whole

    @property
    def stated(self) -> dict[str, Any]:
        """Field -> what is stated of the table as a whole."""
        return {name: value for name in TABLE_FIELDS if (value := getattr(self, name)) is not None}

    @property
    def is_empty(self) -> bool:
        """Whether nothing is stated."""
        return not self.stated and not self.columns


@dataclass(frozen=True)
class Statement:
    """What is stated of the tables of a seed."""

    tables: tuple[TableStatement, ...] = ()

    def table(self, file: str, sheet: str = "") -> TableStatement:
        """Return what is stated of one table."""
        found = (one for one in self.tables if (one.file, one.sheet) == (file, sheet))
        return next(found, TableStatement(file=file, sheet=sheet))

    @property
    def is_empty(self) -> bool:
        """Whether nothing is stated."""
        return all(one.is_empty for one in self.tables)


def with_statement(semantics: Semantics, statement: Statement) -> Semantics:
    """Return what is known with what is stated on top; tables and columns that are not there are left out."""
    return replace(
        semantics, tables=tuple(_on_top(one, statement.table(one.file, one.sheet)) for one in semantics.tables)
    )


def _on_top(table: TableMeaning, stated: TableStatement) -> TableMeaning:
    for column in stated.columns:
        if table.column(column.name) is not None:
            table = table.with_column(column)
    return replace(table, **stated.stated)


def difference(before: Semantics, after: Semantics, *, origin: Origin = Origin.PERSON) -> Statement:
    """Return what has to be stated so that `before` becomes `after`; changed columns get `origin`."""
    changed = []
    for old, new in zip(before.tables, after.tables, strict=True):
        whole = {name: getattr(new, name) for name in TABLE_FIELDS if getattr(new, name) != getattr(old, name)}
        columns = [column for column in new.columns if not _same(column, old.column(column.name))]
        marked = tuple(replace(column, origin=origin, reason="") for column in columns)
        changed.append(TableStatement(file=new.file, sheet=new.sheet, columns=marked, **whole))
    return Statement(tuple(one for one in changed if not one.is_empty))


def _same(column: ColumnMeaning, other: ColumnMeaning | None) -> bool:
    """Return whether two meanings say the same, whoever says it and why."""
    return other is not None and replace(column, origin=other.origin, reason=other.reason) == other


def combined(first: Statement, second: Statement) -> Statement:
    """Return both statements as one; where they differ the second counts."""
    places = dict.fromkeys((one.file, one.sheet) for one in (*first.tables, *second.tables))
    tables = (_combined(first.table(*place), second.table(*place)) for place in places)
    return Statement(tuple(one for one in tables if not one.is_empty))


def _combined(first: TableStatement, second: TableStatement) -> TableStatement:
    columns = {column.name: column for column in (*first.columns, *second.columns)}
    return replace(first, **second.stated, columns=tuple(columns.values()))


def whole_statement(semantics: Semantics, *, origin: Origin | None = None) -> Statement:
    """Return all that is known as a statement; `origin`: who says so from now on."""
    tables = []
    for table in semantics.tables:
        columns: Iterable[ColumnMeaning] = table.columns
        if origin is not None:
            columns = (replace(column, origin=origin, reason="") for column in columns)
        whole = {name: getattr(table, name) for name in TABLE_FIELDS}
        tables.append(TableStatement(file=table.file, sheet=table.sheet, columns=tuple(columns), **whole))
    return Statement(tuple(tables))


def without_columns(statement: Statement, kept: Statement, *, origin: Origin) -> Statement:
    """Return `statement` less the columns that `kept` states with that origin, and less what `kept` says of tables."""
    tables = []
    for one in statement.tables:
        other = kept.table(one.file, one.sheet)
        taken = {column.name for column in other.columns if column.origin is origin}
        whole = {name: value for name, value in one.stated.items() if name not in other.stated}
        columns = tuple(column for column in one.columns if column.name not in taken)
        tables.append(TableStatement(file=one.file, sheet=one.sheet, columns=columns, **whole))
    return Statement(tuple(one for one in tables if not one.is_empty))
