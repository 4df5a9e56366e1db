"""Fills the placeholders of a template: the cells of a problemset on other data."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from authoring.generalising.matching import Match
from authoring.generalising.template import PLACE, CellPlace, SetTemplate, places_in
from authoring.generalising.values import found_value
from authoring.seeds.semantics import Semantics
from authoring.templates.names_in_words import free_name, literal, shown, slug
from evaluator.language import ExecutionLimits, Problem, SetupCell

_PLAIN: Final = ""
_ASSIGNED: Final = re.compile(r"^([A-Za-z]\w*)\s*=(?!=)", re.MULTILINE)
RELATIVE_TOLERANCE: Final = 0.001


@dataclass(frozen=True)
class Filled:
    """The cells that could be filled, and those that could not."""

    cells: tuple[SetupCell | Problem, ...]
    left_out: tuple[tuple[str, str], ...]  # (problem, why)
    values: Mapping[str, str | int | float]
    makes: Mapping[str, str]  # variable -> the problem that would store it, of those that are left out


def fill_template(template: SetTemplate, match: Match, semantics: Semantics) -> Filled:
    """Return the cells of a template on other data; a cell that needs what the data lack is left out and named."""
    values = {
        key: found
        for key, place in template.values.items()
        if place.column in match.columns
        and (found := found_value(place, match.columns[place.column].profile)) is not None
    }
    prose, code = _spellings(match, semantics, values)
    cells: list[SetupCell | Problem] = []
    left_out = []
    makes: dict[str, str] = {}
    number = 0
    for cell in template.cells:
        number += bool(cell.query)
        lacking = sorted({name for name, _ in places_in(cell)} - {*match.tables, *match.columns, *values})
        if lacking:
            name = str(cell.settings.get("id") or number) if cell.query else "a preparing cell"
            left_out.append((name, _why(template, lacking[0])))
            makes |= dict.fromkeys(_ASSIGNED.findall(_filler(code)(cell.code)), name)
        else:
            cells.append(_cell(cell, _filler(prose), _filler(code)))
    return Filled(tuple(cells), tuple(left_out), values, makes)


def _why(template: SetTemplate, name: str) -> str:
    column = template.columns.get(name)
    if column is not None:
        return f"no column of the data stands for {column.name!r} ({column.meaning})"
    value = template.values.get(name)
    was = "" if value is None else f" for {value.was!r} of {value.column}"
    return f"no value of the data was found{was}"


Spellings = Mapping[tuple[str, str], str]


def _spellings(
    match: Match, semantics: Semantics, values: Mapping[str, str | int | float]
) -> tuple[Spellings, Spellings]:
    """Return how each placeholder is written in texts, and in code."""
    prose: dict[tuple[str, str], str] = {}
    taken: set[str] = set()

    def name(text: str, otherwise: str) -> str:
        made = free_name(slug(text, limit=40) or otherwise, taken)
        taken.add(made)
        return made

    for key, table in match.tables.items():
        told = next((one for one in semantics.tables if (one.file, one.sheet) == (table.file, table.sheet)), None)
        row, rows = (told.row, told.rows) if told and told.row else ("row", "rows")
        prose |= {(key, "file"): table.file, (key, "row"): row, (key, "rows"): rows or f"{row}s"}
        prose[key, "id"] = name(table.file.rsplit(".", 1)[0], key)
        prose[key, _PLAIN] = table.file
    for key, column in match.columns.items():
        words = slug(column.profile.name, limit=80).replace("_", " ") or column.profile.name
        prose |= {(key, _PLAIN): column.profile.name, (key, "words"): words}
        prose[key, "id"] = slug(column.profile.name, limit=60) or name("", key)
    code = dict(prose)
    code |= {(key, _PLAIN): literal(column.profile.name) for key, column in match.columns.items()}
    for key, value in values.items():
        prose[key, _PLAIN] = shown(value).strip('"')
        code[key, _PLAIN] = literal(value)
    return prose, code


def _filler(spellings: Spellings) -> Callable[[str], str]:
    def fill(text: str) -> str:
        return PLACE.sub(lambda found: spellings.get((found[1], found[2] or _PLAIN), found.group()), text)

    return fill


def _cell(cell: CellPlace, prose: Callable[[str], str], code: Callable[[str], str]) -> SetupCell | Problem:
    if not cell.query:
        return SetupCell(code(cell.code), prose(cell.title))
    settings = {
        key: _filled(value, code if key == "examples" else prose, why=prose) for key, value in cell.settings.items()
    }
    limits = cell.limits
    return Problem(
        query=prose(cell.query),
        code=code(cell.code),
        title=prose(cell.title),
        validator=None if cell.validator is None else _relative(_filled(cell.validator, prose, why=prose)),
        execution=ExecutionLimits(limits.max_time_s, limits.max_memory_mb, tuple(limits.forbid_names)),
        metadata=settings,
    )


def _filled(value: Any, fill: Callable[[str], str], *, why: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return fill(value)
    if isinstance(value, Mapping):
        return {fill(str(key)): _filled(one, why if key == "why" else fill, why=why) for key, one in value.items()}
    return [_filled(one, fill, why=why) for one in value] if isinstance(value, (list, tuple)) else value


def _relative(validator: Any) -> Any:
    """Return validators with relative tolerances: absolute ones fit the size of the old values only."""
    if isinstance(validator, list):
        return [_relative(one) for one in validator]
    if not isinstance(validator, Mapping):
        return validator
    kept = {key: _relative(one) for key, one in validator.items() if key != "atol"}
    return {**kept, "rtol": kept.get("rtol", RELATIVE_TOLERANCE)} if "atol" in validator else kept
