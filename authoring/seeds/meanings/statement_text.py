"""Statements about tables as YAML: `semantics.yaml` beside a seed's card, what a workspace keeps, what models write."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, Final

from authoring.seeds.meanings.statements import TABLE_FIELDS, Statement, TableStatement
from authoring.seeds.profile import Profile, TableProfile
from authoring.seeds.semantics import SEMANTICS_VERSION, AddsUp, ColumnMeaning, Meaning, Origin
from evaluator.errors import ContentError
from evaluator.language.yaml_text.reader import YamlDocument, read_yaml, write_yaml
from evaluator.registry import nearest_name

MAX_TEXT: Final = 200  # characters of a unit, a noun or a reason
MAX_LEVELS: Final = 200
GRANULARITIES: Final = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
_TOP: Final = ("version", "tables")
_TABLE: Final = ("file", "sheet", *TABLE_FIELDS, "columns")
_COLUMN: Final = tuple(one.name for one in fields(ColumnMeaning) if one.name != "name")
_LISTS: Final = ("order", "entity", "groups")
_TEXTS: Final = ("unit", "granularity", "weighted_by", "refers_to", "reason")


def statement_to_text(statement: Statement) -> str:
    """Return a statement as YAML text that `parse_statement` reads back."""
    tables = [_table_to_plain(table) for table in statement.tables]
    return write_yaml({"version": SEMANTICS_VERSION, "tables": tables})


def _table_to_plain(table: TableStatement) -> dict[str, Any]:
    plain: dict[str, Any] = {"file": table.file}
    if table.sheet:
        plain["sheet"] = table.sheet
    plain.update({name: list(value) if isinstance(value, tuple) else value for name, value in table.stated.items()})
    if table.columns:
        plain["columns"] = {column.name: _column_to_plain(column) for column in table.columns}
    return plain


def _column_to_plain(column: ColumnMeaning) -> dict[str, Any]:
    plain: dict[str, Any] = {"meaning": column.meaning.value}
    for one in fields(ColumnMeaning):
        value = getattr(column, one.name)
        if one.name not in {"name", "meaning"} and value != one.default:
            plain[one.name] = (
                list(value)
                if isinstance(value, tuple)
                else value.value
                if isinstance(value, AddsUp | Origin)
                else value
            )
    return plain


def parse_statement(
    text: str, *, profile: Profile | None = None, origin: Origin = Origin.PERSON, where: str = "semantics.yaml"
) -> Statement:
    """Read a statement strictly.

    Args:
        text: The YAML.
        profile: The tables that it is about: names that they do not have are refused; None: they are not looked at.
        origin: Who states it, where the text does not say.
        where: What the text is called in the error.

    Raises:
        ContentError: If it is no YAML, or anything in it is not known; the nearest known name is told.
    """
    statement, faults = read_statement(text, profile=profile, origin=origin)
    if faults:
        more = f" (and {len(faults) - 5} more)" if len(faults) > 5 else ""
        raise ContentError("; ".join(faults[:5]) + more, where=where, fix="correct the lines named")
    return statement


def read_statement(
    text: str, *, profile: Profile | None = None, origin: Origin = Origin.PERSON
) -> tuple[Statement, tuple[str, ...]]:
    """Read a statement, and return with it all that is wrong with the text; what is wrong is left out of it."""
    document = read_yaml(text)
    if document.faults or not document.is_readable:
        return Statement(), tuple(f"line {fault.line}: {fault.what}" for fault in document.faults) or ("no YAML",)
    reader = _Reader(document, profile, origin)
    return Statement(tuple(reader.tables())), tuple(reader.faults)


class _Reader:
    """Reads the plain values of one text and notes what is wrong, with its line."""

    def __init__(self, document: YamlDocument, profile: Profile | None, origin: Origin) -> None:
        self.document = document
        self.profile = profile
        self.origin = origin
        self.faults: list[str] = []

    def tables(self) -> Iterator[TableStatement]:
        """Yield the tables that can be read."""
        top = self.document.value
        if not isinstance(top, Mapping) or not isinstance(top.get("tables"), list):
            self.fault((), "the text has no list 'tables'")
            return
        self.known(top, _TOP, ())
        if top.get("version", SEMANTICS_VERSION) != SEMANTICS_VERSION:
            self.fault(("version",), f"version {top['version']!r} is not known; this program reads {SEMANTICS_VERSION}")
            return
        seen = set()
        for position, plain in enumerate(top["tables"]):
            found = self.table(plain, ("tables", position))
            if found is not None and (found.file, found.sheet) in seen:
                self.fault(("tables", position), f"the table {found.file!r} is stated twice")
            elif found is not None:
                seen.add((found.file, found.sheet))
                yield found

    def table(self, plain: Any, at: tuple[str | int, ...]) -> TableStatement | None:
        """Return what is stated of one table."""
        if not isinstance(plain, Mapping) or not isinstance(plain.get("file"), str):
            self.fault(at, "a table needs 'file', the name of its data file")
            return None
        self.known(plain, _TABLE, at)
        file, sheet = plain["file"], str(plain.get("sheet") or "")
        profiled = self.profiled(file, sheet, at)
        names = None if profiled is None else [column.name for column in profiled.columns]
        if self.profile is not None and profiled is None:
            return None
        whole: dict[str, Any] = {name: self.names(plain[name], names, (*at, name)) for name in _LISTS if name in plain}
        whole |= {name: self.text(plain[name], (*at, name)) for name in ("row", "rows") if name in plain}
        if "repeats_are_errors" in plain:
            whole["repeats_are_errors"] = self.yes_or_no(plain["repeats_are_errors"], (*at, "repeats_are_errors"))
        columns = tuple(self.columns(plain.get("columns") or {}, names, (*at, "columns")))
        return TableStatement(file=file, sheet=sheet, columns=columns, **whole)

    def profiled(self, file: str, sheet: str, at: tuple[str | int, ...]) -> TableProfile | None:
        """Return the table of the profile that is meant."""
        if self.profile is None:
            return None
        found = [one for one in self.profile.tables if one.file == file and (one.sheet == sheet or not sheet)]
        if not found:
            known = [one.file for one in self.profile.tables]
            self.fault((*at, "file"), f"no table is in a file called {file!r}{_nearest(file, known)}")
        return found[0] if found else None

    def columns(self, plain: Any, names: list[str] | None, at: tuple[str | int, ...]) -> Iterator[ColumnMeaning]:
        """Yield the columns that can be read."""
        if not isinstance(plain, Mapping):
            self.fault(at, "'columns' is no mapping of a column's name to what it means")
            return
        for key, value in plain.items():
            name = self.column_name(key, names, (*at, key))
            if name is not None and (found := self.column(name, value, names, (*at, key))) is not None:
                yield found

    def column_name(self, key: Any, names: list[str] | None, at: tuple[str | int, ...]) -> str | None:
        """Return the name of a column; numbers and yes are names too, written without quotes."""
        if names is None or key in names:
            return str(key)
        if str(key) in names:
            return str(key)
        self.fault(at, f"no column is called {str(key)!r}{_nearest(str(key), names)}")
        return None

    def column(self, name: str, plain: Any, names: list[str] | None, at: tuple[str | int, ...]) -> ColumnMeaning | None:
        """Return what one column means; a single word is its meaning."""
        stated = {"meaning": plain} if isinstance(plain, str) else plain
        if not isinstance(stated, Mapping) or "meaning" not in stated:
            self.fault(at, f"the column {name!r} lacks 'meaning'")
            return None
        self.known(stated, _COLUMN, at)
        meaning = self.choice(stated["meaning"], [one.value for one in Meaning], (*at, "meaning"), "meaning")
        if meaning is None:
            return None
        more: dict[str, Any] = {key: self.text(stated[key], (*at, key)) for key in _TEXTS if key in stated}
        if more.get("granularity"):
            self.choice(more["granularity"], list(GRANULARITIES), (*at, "granularity"), "granularity")
        if more.get("weighted_by") and names is not None:
            self.column_name(more["weighted_by"], names, (*at, "weighted_by"))
        if "adds_up" in stated:
            more["adds_up"] = self.adds_up(stated["adds_up"], (*at, "adds_up"))
        if "is_part" in stated:
            more["is_part"] = self.yes_or_no(stated["is_part"], (*at, "is_part"))
        if "levels" in stated:
            more["levels"] = self.levels(stated["levels"], (*at, "levels"))
        origin = self.choice(
            stated.get("origin", self.origin.value), [one.value for one in Origin], (*at, "origin"), "origin"
        )
        return ColumnMeaning(name=name, meaning=Meaning(meaning), origin=Origin(origin or self.origin), **more)

    def adds_up(self, value: Any, at: tuple[str | int, ...]) -> AddsUp:
        """Return over which rows a column adds up; YAML reads a bare yes and no as true and false."""
        if isinstance(value, bool):
            return AddsUp.YES if value else AddsUp.NO
        found = self.choice(value, [one.value for one in AddsUp], at, "answer to 'adds_up'")
        return AddsUp(found) if found is not None else AddsUp.NO

    def levels(self, value: Any, at: tuple[str | int, ...]) -> tuple[str | int | float, ...]:
        """Return levels from low to high."""
        plain = isinstance(value, list) and all(isinstance(one, str | int | float) for one in value)
        if not plain or len(value) > MAX_LEVELS or len({str(one) for one in value}) != len(value):
            self.fault(at, "'levels' is no list of texts or numbers, from low to high, each once")
            return ()
        return tuple(value)

    def names(self, value: Any, names: list[str] | None, at: tuple[str | int, ...]) -> tuple[str, ...]:
        """Return a list of names of columns."""
        if not isinstance(value, list):
            self.fault(at, f"{at[-1]!r} is no list of columns")
            return ()
        found = [self.column_name(one, names, (*at, position)) for position, one in enumerate(value)]
        return tuple(dict.fromkeys(one for one in found if one is not None))

    def text(self, value: Any, at: tuple[str | int, ...]) -> str:
        """Return a short text on one line."""
        if value is None:
            return ""
        if isinstance(value, (list, dict)) or len(str(value)) > MAX_TEXT or not str(value).isprintable():
            self.fault(at, f"{at[-1]!r} is no text of one line, at most {MAX_TEXT} characters")
            return ""
        return str(value).strip()

    def yes_or_no(self, value: Any, at: tuple[str | int, ...]) -> bool:
        """Return a boolean."""
        if not isinstance(value, bool):
            self.fault(at, f"{at[-1]!r} is neither true nor false")
        return value is True

    def choice(self, value: Any, known: list[str], at: tuple[str | int, ...], what: str) -> str | None:
        """Return one of the words that are known."""
        if isinstance(value, str) and value.strip().lower() in known:
            return value.strip().lower()
        self.fault(at, f"no {what} is called {str(value)[:60]!r}{_nearest(str(value), known)}")
        return None

    def known(self, plain: Mapping[Any, Any], keys: tuple[str, ...], at: tuple[str | int, ...]) -> None:
        """Note the keys that are not known."""
        for key in plain:
            if key not in keys:
                self.fault((*at, key), f"{str(key)[:60]!r} is not known here{_nearest(str(key), list(keys))}")

    def fault(self, at: tuple[str | int, ...], what: str) -> None:
        """Note one thing that is wrong."""
        self.faults.append(f"line {self.document.line(*at)}: {what}")


def _nearest(name: str, known: list[str]) -> str:
    near = nearest_name(name, known)
    return f"; {near!r} is meant?" if near else f"; known are {', '.join(map(repr, known[:20]))}"
