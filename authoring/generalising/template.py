"""A template as a file: a problemset with placeholders in the place of files, columns and values of the data."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from authoring.seeds.semantics import Meaning
from evaluator.errors import ContentError
from evaluator.language import read_yaml, text_of_file, write_yaml

FORM_VERSION: Final = 1
MAX_FILE_CHARS: Final = 2_000_000
PLACE: Final = re.compile(r"<<([A-Za-z]\w*)(?:\.(\w+))?>>")
"""`<<region>>`, or one spelling of it: `<<region.id>>`, `<<region.words>>`, `<<table1.file>>`."""

SPELLINGS: Final = ("file", "id", "words", "row", "rows", "read")


class Made(BaseModel):
    """What a template was made of."""

    model_config = ConfigDict(extra="forbid")

    problemset: str = ""
    seed: str = ""


class TablePlace(BaseModel):
    """A table of the data."""

    model_config = ConfigDict(extra="forbid")

    file: str = Field(min_length=1, max_length=200)
    row: str = Field(default="", max_length=100)
    rows: str = Field(default="", max_length=100)


class ColumnPlace(BaseModel):
    """A column, with what another one must mean to stand in its place."""

    model_config = ConfigDict(extra="forbid")

    table: str
    name: str = Field(min_length=1, max_length=200)
    role: str = ""  # as profiles tell it: number, category, date, ...
    meaning: Meaning = Meaning.OTHER
    unit: str = ""
    adds_up: str = "no"
    granularity: str = ""
    distinct: int = Field(default=0, ge=0)


class ValuePlace(BaseModel):
    """A value that came from the data, with the rule that finds one in other data."""

    model_config = ConfigDict(extra="forbid")

    column: str
    rule: Literal["frequent", "level", "quantile", "moment"]
    at: float = Field(ge=0)  # frequent: 1 is the most frequent value; the others: a share of 0 to 1
    was: str | int | float


class CellLimits(BaseModel):
    """What the code of a problem may use, as `ExecutionLimits` has it."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    max_time_s: float | None = Field(default=None, gt=0)
    max_memory_mb: float | None = Field(default=None, gt=0)
    forbid_names: list[Annotated[str, Field(min_length=1)]] = []


class CellPlace(BaseModel):
    """One cell; without a query it prepares."""

    model_config = ConfigDict(extra="forbid")

    code: str = Field(max_length=100_000)
    title: str = ""
    query: str = ""
    validator: dict[str, Any] | None = None
    settings: dict[str, Any] = {}  # id, tags, difficulty and the other keys of a problem
    limits: CellLimits = CellLimits()


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    template: int
    name: str = Field(min_length=1, max_length=100)
    made_from: Made = Made()
    language_version: int = 0
    tables: dict[str, TablePlace]
    columns: dict[str, ColumnPlace] = {}
    values: dict[str, ValuePlace] = {}
    cells: list[CellPlace] = Field(min_length=1, max_length=500)


@dataclass(frozen=True)
class SetTemplate:
    """A problemset with placeholders."""

    name: str
    tables: Mapping[str, TablePlace]
    columns: Mapping[str, ColumnPlace]
    values: Mapping[str, ValuePlace]
    cells: tuple[CellPlace, ...]
    made_from: Made = field(default_factory=Made)
    language_version: int = 0

    @property
    def problems(self) -> int:
        """How many problems there are (count)."""
        return sum(bool(cell.query) for cell in self.cells)


_TOP: Final = """\
# A problemset with placeholders, to be put on other data: benchwright instantiate THIS --seed NAME
# In code <<region>> becomes a Python literal, in queries the plain text; .id an identifier, .words plain words.
# Edit freely: rules of values (frequent, level, quantile, moment), what a column means, queries and code.
"""


def write_template(template: SetTemplate) -> str:
    """Return a template as a file to read and edit."""
    rows: dict[str, Any] = {
        "template": FORM_VERSION,
        "name": template.name,
        "made_from": template.made_from.model_dump(exclude_defaults=True),
        "language_version": template.language_version,
        "tables": {key: table.model_dump(exclude_defaults=True) for key, table in template.tables.items()},
        "columns": {key: _plain(column) for key, column in template.columns.items()},
        "values": {key: value.model_dump() for key, value in template.values.items()},
        "cells": [_cell(cell) for cell in template.cells],
    }
    return _TOP + write_yaml({key: row for key, row in rows.items() if row or key == "tables"})


def _plain(column: ColumnPlace) -> dict[str, Any]:
    return {**column.model_dump(exclude_defaults=True), "meaning": column.meaning.value}


def _cell(cell: CellPlace) -> dict[str, Any]:
    held = cell.model_dump(exclude_defaults=True)
    order = ("title", "query", "code", "validator", "settings", "limits")
    return {key: held[key] for key in order if key in held}


def read_template(path: Path) -> SetTemplate:
    """Read a template from its file.

    Raises:
        UsageError: If there is no such file.
        ContentError: If it is no template; the message names the place.
    """
    text = text_of_file(path, most_bytes=4 * MAX_FILE_CHARS)
    return parse_template(text, where=str(path))


def parse_template(text: str, *, where: str) -> SetTemplate:
    """Read a template from its text.

    Raises:
        ContentError: If it is none.
    """
    fix = "make one anew: benchwright generalise SET --out FILE"
    if len(text) > MAX_FILE_CHARS:
        raise ContentError("the template is too long", where=where, fix="make it of a smaller problemset")
    document = read_yaml(text)
    if document.faults:
        first = document.faults[0]
        raise ContentError(first.what, where=f"{where}:{first.line}", fix=first.fix or fix)
    try:
        file = _File.model_validate(document.value)
    except ValidationError as error:
        one = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, one["loc"])) or "the file"
        raise ContentError(f"{place}: {one['msg']}", where=where, fix=fix) from None
    if file.template != FORM_VERSION:
        raise ContentError(f"the template has form {file.template}, not {FORM_VERSION}", where=where, fix=fix)
    made = SetTemplate(
        *(file.name, file.tables, file.columns, file.values, tuple(file.cells), file.made_from, file.language_version)
    )
    if wrong := _contradiction(made):
        raise ContentError(wrong, where=where, fix="correct the name, or take the placeholder out")
    return made


def _contradiction(template: SetTemplate) -> str:
    """Return what names nothing; empty when all does."""
    for key, column in template.columns.items():
        if column.table not in template.tables:
            return f"column {key!r} stands in the table {column.table!r}, which is not listed"
    for key, value in template.values.items():
        if value.column not in template.columns:
            return f"value {key!r} is one of the column {value.column!r}, which is not listed"
        if value.rule != "frequent" and value.at > 1:
            return f"value {key!r}: {value.rule} takes a share of 0 to 1, not {value.at:g}"
    known = {*template.tables, *template.columns, *template.values}
    for number, cell in enumerate(template.cells, 1):
        for name, spelling in places_in(cell):
            if name not in known:
                return f"cell {number} holds <<{name}>>, which is not listed"
            if spelling and spelling not in SPELLINGS:
                return f"cell {number} holds <<{name}.{spelling}>>; spellings are {', '.join(SPELLINGS)}"
    return ""


def places_in(cell: CellPlace) -> set[tuple[str, str]]:
    """Return the placeholders of a cell with their spellings, empty for the plain one."""
    return {(match[0], match[1]) for text in texts_of(cell) for match in PLACE.findall(text)}


def texts_of(cell: CellPlace) -> list[str]:
    """Return all texts of a cell."""
    return [cell.code, cell.title, cell.query, *_texts(cell.validator), *_texts(cell.settings)]


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for key, one in value.items() for text in (*_texts(key), *_texts(one))]
    return [text for one in value for text in _texts(one)] if isinstance(value, (list, tuple)) else []
