"""Which tables and columns of a seed stand in the place of a template's: by meaning, by name, and as a person says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Final, NamedTuple

from authoring.generalising.template import ColumnPlace, SetTemplate, places_in
from authoring.seeds.meanings.column_names import ColumnName
from authoring.seeds.profile import ColumnProfile, Profile, TableProfile
from authoring.seeds.semantics import ColumnMeaning, Meaning, Semantics
from evaluator.errors import UsageError
from evaluator.registry import nearest_name

_QUANTITIES: Final = frozenset({Meaning.MEASURE, Meaning.RATE, Meaning.COUNT, Meaning.MONEY, Meaning.WEIGHT})
_GROUPS: Final = frozenset({Meaning.CATEGORY, Meaning.FLAG, Meaning.ORDINAL, Meaning.LABEL})
_NAMES: Final = frozenset({Meaning.IDENTIFIER, Meaning.KEY, Meaning.CODE, Meaning.LABEL})
_KINDS: Final = (
    _QUANTITIES,
    _GROUPS,
    _NAMES,
    frozenset({Meaning.TIME}),
    frozenset({Meaning.PLACE}),
    frozenset({Meaning.TEXT}),
)
_DIVIDING: Final = _GROUPS | _NAMES | {Meaning.PLACE}
_TEXTUAL: Final = frozenset({"category", "text", "id"})
SAME_MEANING: Final = 10.0
SAME_KIND: Final = 5.0
SAME_NAME: Final = 6.0
WEAK: Final = 2.0  # both divide or name the rows in texts
DETAIL: Final = 1.0  # unit, whether it adds up, granularity, the role that the profile tells
MAX_TABLES: Final = 6


class FoundColumn(NamedTuple):
    """A column of a seed."""

    table: TableProfile
    profile: ColumnProfile
    meaning: ColumnMeaning


class Candidate(NamedTuple):
    """A column that may stand in the place of a template's."""

    score: float
    key: str  # of the template's column
    column: FoundColumn


@dataclass(frozen=True)
class Match:
    """What of a seed stands in the place of what."""

    tables: Mapping[str, TableProfile]
    columns: Mapping[str, FoundColumn]
    unmatched: tuple[str, ...] = ()  # columns of the template for which the seed has none

    def to_json(self) -> dict[str, str | None]:
        """Return plain JSON values."""
        return {**{key: found.profile.name for key, found in self.columns.items()}, **dict.fromkeys(self.unmatched)}


def match_seed(
    template: SetTemplate, profile: Profile, semantics: Semantics, chosen: Mapping[str, str], *, where: str
) -> Match:
    """Return which columns stand in the place of a template's.

    Args:
        template: The template.
        profile: Of the seed.
        semantics: Of the seed.
        chosen: The name of a column of the template, or its placeholder -> the name of a column of the seed.
        where: The seed, for messages.

    Raises:
        UsageError: If a chosen column is not there on either side, the template has too many tables, or the seed too
            few.
    """
    if len(template.tables) > MAX_TABLES:
        what = f"the template has {len(template.tables)} tables; at most {MAX_TABLES} can be matched"
        raise UsageError(what, where=template.name, fix="make a template of a problemset on fewer tables")
    if len(profile.tables) < len(template.tables):
        what = f"the template needs {len(template.tables)} tables, the seed has {len(profile.tables)}"
        raise UsageError(what, where=where, fix="choose a seed with as many tables, or make a template of another set")
    wanted = _chosen(template, profile, chosen, where)
    best: tuple[float, Match] | None = None
    for tables in permutations(profile.tables[:MAX_TABLES], len(template.tables)):
        placed = dict(zip(template.tables, tables, strict=True))
        score, match = _match(template, placed, semantics, wanted)
        if best is None or score > best[0]:
            best = (score, match)
    assert best is not None, "there is at least one order of tables"
    return best[1]


def _chosen(template: SetTemplate, profile: Profile, chosen: Mapping[str, str], where: str) -> dict[str, str]:
    keys = {column.name: key for key, column in template.columns.items()} | {key: key for key in template.columns}
    names = [column.name for table in profile.tables for column in table.columns]
    for old, new in chosen.items():
        if old not in keys:
            near = nearest_name(old, list(keys)) or ", ".join(template.columns)
            raise UsageError(f"the template has no column {old!r}", where=template.name, fix=f"use {near}")
        if new not in names:
            near = nearest_name(new, names) or ", ".join(names[:12])
            raise UsageError(f"the seed has no column {new!r}", where=where, fix=f"use {near}")
    return {keys[old]: new for old, new in chosen.items()}


def _match(
    template: SetTemplate, tables: Mapping[str, TableProfile], semantics: Semantics, wanted: Mapping[str, str]
) -> tuple[float, Match]:
    found: dict[str, FoundColumn] = {}
    taken: set[tuple[str, str]] = set()
    uses = _uses(template)
    most = max(uses.values(), default=1)
    candidates = [
        Candidate(_score(place, column, wanted.get(key)) * (1 + uses[key] / most), key, column)
        for key, place in template.columns.items()
        for column in columns_of(tables[place.table], semantics)
    ]
    total = 0.0
    for score, key, column in sorted(candidates, key=lambda one: -one.score):
        where = (f"{column.table.file}\0{column.table.sheet}", column.profile.name)
        if score <= 0 or key in found or where in taken:
            continue
        found[key] = column
        taken.add(where)
        total += score
    unmatched = tuple(key for key in template.columns if key not in found)
    ordered = {key: found[key] for key in template.columns if key in found}
    return total - SAME_MEANING * len(unmatched), Match(tables, ordered, unmatched)


def _uses(template: SetTemplate) -> dict[str, int]:
    """Return in how many cells each column stands: what many need is matched first."""
    held = [{name for name, _ in places_in(cell)} for cell in template.cells]
    return {key: sum(key in names for names in held) for key in template.columns}


def columns_of(table: TableProfile, semantics: Semantics) -> Sequence[FoundColumn]:
    """Return the columns of a table with what they mean."""
    told = next((one for one in semantics.tables if (one.file, one.sheet) == (table.file, table.sheet)), None)
    return [
        FoundColumn(
            table,
            column,
            (told.column(column.name) if told else None) or ColumnMeaning(name=column.name, meaning=Meaning.OTHER),
        )
        for column in table.columns
    ]


def _both_divide(place: ColumnPlace, column: FoundColumn) -> bool:
    """Return whether both hold texts that stand for several rows each."""
    are_texts = place.role in _TEXTUAL and column.profile.role.value in _TEXTUAL
    repeats = 3 * column.profile.distinct <= column.table.rows
    return are_texts and repeats and {place.meaning, column.meaning.meaning} <= _DIVIDING


def _score(place: ColumnPlace, column: FoundColumn, wanted: str | None) -> float:
    """Return how well a column fits; 0: not at all."""
    if wanted is not None:
        return 1_000.0 if column.profile.name == wanted else 0.0
    meaning = column.meaning.meaning
    same_name = place.name.casefold() == column.profile.name.casefold()
    if place.meaning is meaning:
        score = SAME_MEANING
    elif any(place.meaning in kind and meaning in kind for kind in _KINDS):
        score = SAME_KIND
    elif _both_divide(place, column):
        score = WEAK
    else:
        return SAME_NAME if same_name and place.role == column.profile.role.value else 0.0
    if place.meaning is Meaning.OTHER and not same_name:
        return 0.0
    shared = set(ColumnName(place.name).stems) & set(ColumnName(column.profile.name).stems)
    score += SAME_NAME if same_name else min(len(shared), 2) * SAME_NAME / 3
    details = (
        bool(place.unit) and place.unit == column.meaning.unit,
        place.adds_up == column.meaning.adds_up.value,
        place.granularity == column.meaning.granularity,
        place.role == column.profile.role.value,
    )
    score += DETAIL * sum(details)
    if place.distinct and column.profile.distinct and place.role != "number":
        score += DETAIL * min(place.distinct, column.profile.distinct) / max(place.distinct, column.profile.distinct)
    return score - DETAIL * column.profile.missing / max(1, column.table.rows)
