"""Makes a template of a problemset: what came from the data becomes placeholders, in queries, code and settings."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from authoring.generalising.marking import Marker
from authoring.generalising.matching import columns_of
from authoring.generalising.template import (
    PLACE,
    CellLimits,
    CellPlace,
    ColumnPlace,
    Made,
    SetTemplate,
    TablePlace,
    texts_of,
)
from authoring.generalising.values import RuleMaker
from authoring.seeds.profile import ColumnProfile, Profile
from authoring.seeds.semantics import Semantics
from authoring.templates.names_in_words import free_name, slug
from evaluator.errors import ContentError
from evaluator.language import Problem, Problemset, SetupCell

_SPOKEN: Final = frozenset({"id", "difficulty", "language"})  # settings that hold nothing of the data


@dataclass(frozen=True)
class SeedFacts:
    """What is known of the seed that a set is about."""

    name: str
    profile: Profile
    semantics: Semantics


def make_template(problemset: Problemset, seed: SeedFacts, *, made_from: str = "") -> SetTemplate:
    """Return a problemset with placeholders for the files, columns and values of its seed.

    Raises:
        ContentError: If nothing in it comes from the seed, or its texts hold marks that placeholders use.
    """
    _refuse_marks(problemset)
    tables, columns, profiles = _places(seed)
    marker = Marker(tables, columns, RuleMaker(columns, profiles))
    codes = [
        marker.code(cell.source if isinstance(cell, SetupCell) else cell.code) for cell in problemset.cells
    ]  # first, so that queries know the values
    cells = tuple(_cell(cell, code, marker) for cell, code in zip(problemset.cells, codes, strict=True))
    whole = SetTemplate(
        name=problemset.name,
        tables=tables,
        columns=columns,
        values=marker.values,
        cells=cells,
        made_from=Made(problemset=made_from or problemset.name, seed=seed.name),
        language_version=problemset.language_version,
    )
    used = _used(whole)
    if not used & {*tables, *columns}:
        what = f"nothing in {problemset.name!r} comes from the seed {seed.name!r}"
        raise ContentError(what, where=problemset.name, fix="name the seed that it is about with --seed")
    kept_columns = {key: column for key, column in columns.items() if key in used}
    kept_tables = {column.table for column in kept_columns.values()} | used
    return replace(
        whole,
        columns=kept_columns,
        tables={key: table for key, table in tables.items() if key in kept_tables},
    )


def _used(template: SetTemplate) -> set[str]:
    used = {name for cell in template.cells for text in texts_of(cell) for name, _ in PLACE.findall(text)}
    return used | {value.column for key, value in template.values.items() if key in used}


def _places(seed: SeedFacts) -> tuple[dict[str, TablePlace], dict[str, ColumnPlace], dict[str, ColumnProfile]]:
    tables: dict[str, TablePlace] = {}
    columns: dict[str, ColumnPlace] = {}
    profiles: dict[str, ColumnProfile] = {}
    names: dict[str, str] = {}
    for number, table in enumerate(seed.profile.tables, 1):
        told = next((one for one in seed.semantics.tables if (one.file, one.sheet) == (table.file, table.sheet)), None)
        here = f"table{number}"
        tables[here] = TablePlace(file=table.file, row=told.row if told else "", rows=told.rows if told else "")
        for _, column, meaning in columns_of(table, seed.semantics):
            if column.name in names:  # the same name in two tables is the key that joins them, and one placeholder
                continue
            key = free_name(slug(column.name, limit=60) or f"column{len(columns) + 1}", {*columns, *tables})
            names[column.name], profiles[key] = key, column
            columns[key] = ColumnPlace(
                table=here,
                name=column.name,
                role=column.role.value,
                meaning=meaning.meaning,
                unit=meaning.unit,
                adds_up=meaning.adds_up.value,
                granularity=meaning.granularity,
                distinct=column.distinct,
            )
    return tables, columns, profiles


def _cell(cell: SetupCell | Problem, code: str, marker: Marker) -> CellPlace:
    if isinstance(cell, SetupCell):
        return CellPlace(code=code, title=cell.title)
    settings = {
        key: value if key in _SPOKEN else _examples(value, marker) if key == "examples" else marker.setting(value)
        for key, value in cell.metadata.items()
    }
    validator = None if cell.validator is None else marker.setting(cell.validator)
    return CellPlace(
        code=code,
        title=marker.prose(cell.title),
        query=marker.prose(cell.query),
        validator=validator,
        settings=settings,
        limits=CellLimits(
            max_time_s=cell.execution.max_time_s,
            max_memory_mb=cell.execution.max_memory_mb,
            forbid_names=list(cell.execution.forbid_names),
        ),
    )


def _examples(value: Any, marker: Marker) -> Any:
    """Return kept answers with placeholders in their code."""
    if isinstance(value, str):
        return marker.code(value)
    if isinstance(value, Mapping):
        return {key: one if key == "why" else _examples(one, marker) for key, one in value.items()}
    return [_examples(one, marker) for one in value] if isinstance(value, (list, tuple)) else value


def _refuse_marks(problemset: Problemset) -> None:
    for cell in problemset.cells:
        texts = (cell.source,) if isinstance(cell, SetupCell) else (cell.code, cell.query)
        if found := next((match for text in texts if (match := PLACE.search(text))), None):
            what = f"{found.group()!r} stands in the set, and is how placeholders are written"
            raise ContentError(what, where=f"{problemset.name}:{cell.line}", fix="put spaces around the signs")
