"""The rules that tell what the tables of a profile mean; nothing here reads data, only what the profile tells."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from authoring.seeds.meanings import word_lists as words
from authoring.seeds.meanings.column_facts import ColumnFacts, TableFacts
from authoring.seeds.meanings.number_rules import FEW, number_meaning
from authoring.seeds.meanings.table_rules import table_meaning
from authoring.seeds.meanings.text_rules import text_meaning
from authoring.seeds.meanings.time_rules import time_meaning
from authoring.seeds.meanings.unit_words import DURATIONS, Clause, read_description
from authoring.seeds.profile import ColumnRole, Profile
from authoring.seeds.semantics import AddsUp, ColumnMeaning, Meaning, Semantics, TableMeaning

_KEYED: Final = frozenset(
    set(Meaning) - {Meaning.TIME, Meaning.FLAG, Meaning.TEXT, Meaning.OTHER, Meaning.MONEY, Meaning.RATE}
)
_WEIGHED: Final = frozenset(
    {"capita", "percap", "expectancy", "literacy", "fertility", "mortality", "unemployment", "poverty"}
)


def infer_semantics(
    profile: Profile, *, title: str = "", description: str = "", table_names: Mapping[str, str] | None = None
) -> Semantics:
    """Return what the columns and rows of all tables mean, as far as names, ranges and texts tell.

    Args:
        profile: What is known about the data.
        title: The title of the data, if there is one.
        description: A description of the data in English; units and what one row is are read from it.
        table_names: File -> a telling name such as "hospital visits", where the file's own says nothing.
    """
    clauses = read_description(description)
    keys = _keys(profile)
    tables = []
    for position, table in enumerate(profile.tables):
        facts = TableFacts(table, clauses, tuple(keys.get(position, ())), f"{title}\n{description}".lower())
        columns = tuple(column_meaning(column) for column in facts.columns)
        name = (table_names or {}).get(table.file, "")
        found = table_meaning(facts, columns, name=name, alone=len(profile.tables) == 1)
        tables.append(replace(found, columns=_weighed(facts, _lone_unit(found, clauses))))
    return Semantics(tables=tuple(tables))


def column_meaning(facts: ColumnFacts) -> ColumnMeaning:
    """Return what one column means, its link to another file included."""
    found = _own_meaning(facts)
    target = next((target for name, target in facts.around.keys if name == facts.column.name), "")
    if not target:
        return found
    if found.meaning in _KEYED and not facts.is_unique:
        return facts.means(Meaning.KEY, f"its values are found in {target}", refers_to=target)
    generic = facts.is_unique and facts.name.head in {"id", "index", "no", "nr", "number", "key", "rownames"}
    if generic and len(facts.name.stems) == 1:  # two files that both number their rows have nothing in common
        return found
    return replace(found, refers_to=target)


def _own_meaning(facts: ColumnFacts) -> ColumnMeaning:
    column = facts.column
    if column.empty or column.nested:
        return facts.means(Meaning.OTHER, "no value at all" if column.empty else "lists or mappings")
    if column.distinct <= 1 and facts.rows > 1:
        return facts.means(Meaning.OTHER, "one value only")
    if column.role is ColumnRole.BOOL:
        return facts.means(Meaning.FLAG, "true and false")
    if (time := time_meaning(facts)) is not None:
        return time
    if column.number_text:
        return _numbers_as_text(facts)
    if facts.is_number:
        return number_meaning(facts)
    if column.kinds or column.role is ColumnRole.OTHER:
        return facts.means(Meaning.OTHER, "values of several kinds")
    return text_meaning(facts)


def _numbers_as_text(facts: ColumnFacts) -> ColumnMeaning:
    """Judge numbers written as text by their name and signs; their range is not known."""
    shown = " ".join(str(value) for value in facts.column.samples)
    reason = "numbers written as text"
    if facts.name.has(words.ORDINALS) and facts.column.distinct <= FEW:
        return facts.means(Meaning.CATEGORY, f"few {reason}")
    if facts.is_unique and facts.name.words and facts.name.words[-1] in words.IDENTIFYING:
        return facts.means(Meaning.IDENTIFIER, f"{reason}, and its name says that it names a row")
    if facts.name.has(words.RATES) or ("%" in shown and facts.column.number_text == "symbols"):
        return facts.means(Meaning.RATE, reason, unit=facts.unit or ("%" if "%" in shown else ""))
    if facts.name.has(words.MONEY) or re.search(r"[$€£¥]", shown):
        level = facts.name.has(words.UNIT_PRICES | words.STATISTICS)
        return facts.means(Meaning.MONEY, reason, unit=facts.unit, adds_up=AddsUp.NO if level else AddsUp.YES)
    if facts.name.has(words.THINGS | words.COUNTED):
        at_once = facts.name.has(words.LEVELS_AT_A_TIME)
        return facts.means(Meaning.COUNT, reason, adds_up=AddsUp.AT_ONE_TIME if at_once else AddsUp.YES)
    if facts.name.has(words.CODES):
        return facts.means(Meaning.CODE, reason)
    return facts.means(Meaning.MEASURE, reason, unit=facts.unit)


def _keys(profile: Profile) -> dict[int, list[tuple[str, str]]]:
    """Return table -> its columns that point to another file; the link that finds most counts."""
    found: dict[int, list[tuple[str, str]]] = {}
    for key in sorted(profile.foreign_keys, key=lambda one: -one.coverage):
        target = profile.tables[key.to_table]
        found.setdefault(key.table, []).append((key.column, f"{target.file}:{key.to_column}"))
    return found


def _lone_unit(table: TableMeaning, clauses: Sequence[Clause]) -> TableMeaning:
    """Give the only unit of a description to the only measure of the only kind."""
    measures = [one for one in table.columns if one.meaning in {Meaning.MEASURE, Meaning.MONEY, Meaning.COUNT}]
    units = {clause.unit for clause in clauses if clause.unit not in DURATIONS}
    if len(measures) != 1 or measures[0].unit or len(units) != 1:
        return table
    return table.with_column(replace(measures[0], unit=units.pop()))


def _weighed(facts: TableFacts, table: TableMeaning) -> tuple[ColumnMeaning, ...]:
    """Say by which column the averages of rates should be weighed, where there is one candidate.

    In a series of one thing there is nothing to weigh.
    """
    columns = table.columns
    if table.order and not table.entity:
        return columns
    named = {column.name: one.name for column, one in zip(columns, facts.columns, strict=True)}
    counts = [one for one in columns if one.meaning is Meaning.COUNT]
    people = [
        one.name for one in counts if named[one.name].has(frozenset({"population", "inhabitant", "人口", "einwohner"}))
    ]
    bases = [one.name for one in counts if named[one.name].head in words.BASES]
    total: Sequence[str] = people if len(people) == 1 else ()

    def weighed(one: ColumnMeaning) -> ColumnMeaning:
        by_people = total and (named[one.name].has(_WEIGHED) or one.meaning is Meaning.RATE)
        if by_people and one.meaning in {Meaning.RATE, Meaning.MEASURE, Meaning.MONEY}:
            return replace(one, weighted_by=total[0], adds_up=AddsUp.NO)
        share = one.meaning is Meaning.RATE and "per" not in named[one.name].stem_set
        if share and not people and len(bases) == 1:
            return replace(one, weighted_by=bases[0])
        return one

    return tuple(weighed(one) for one in columns)


def find_table(semantics: Semantics, file: str, sheet: str = "") -> TableMeaning | None:
    """Return what the table of a file, and sheet, means."""
    return next((one for one in semantics.tables if (one.file, one.sheet) == (file, sheet)), None)
