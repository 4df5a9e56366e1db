"""What a table as a whole means: what one row is, its order, what is observed again and again, its groups."""

from collections.abc import Sequence
from typing import Final

from authoring.seeds.meanings import word_lists as words
from authoring.seeds.meanings.column_facts import ColumnFacts, TableFacts
from authoring.seeds.meanings.column_names import ColumnName, plural
from authoring.seeds.meanings.row_nouns import row_noun
from authoring.seeds.semantics import ColumnMeaning, Meaning, TableMeaning

_GROUPED: Final = frozenset(
    {Meaning.CATEGORY, Meaning.ORDINAL, Meaning.FLAG, Meaning.PLACE, Meaning.LABEL, Meaning.CODE, Meaning.KEY}
)
_OBSERVED: Final = frozenset(
    {*_GROUPED - {Meaning.FLAG}, Meaning.IDENTIFIER}  # what may be observed again and again
)
_STEPS: Final = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
_MAX_GROUPS: Final = 60


def table_meaning(
    facts: TableFacts, columns: tuple[ColumnMeaning, ...], *, name: str = "", alone: bool = True
) -> TableMeaning:
    """Return what a table means, given what its columns mean."""
    order, entity = _order(facts, columns)
    row = row_noun(facts, columns, order=order, entity=entity, name=name, alone=alone)
    return TableMeaning(
        file=facts.table.file,
        sheet=facts.table.sheet,
        row=row,
        rows=plural(row) if row else "",
        order=order,
        entity=entity,
        groups=_groups(facts, columns, order),
        repeats_are_errors=_repeats_are_errors(facts, columns, order),
        columns=columns,
    )


def _order(facts: TableFacts, columns: Sequence[ColumnMeaning]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns of time that order the rows, and those that name what is observed again and again."""
    times = {one.name: one for one in columns if one.meaning is Meaning.TIME and _tells_when(one)}
    whole = [name for name, one in times.items() if not one.is_part and facts.table.rows > 2 and facts.is_unique(name)]
    dated = [name for name in whole if times[name].granularity]
    if dated:
        own = any(one.meaning in {Meaning.IDENTIFIER, Meaning.LABEL} and _names_things(one) for one in columns)
        return ((), ()) if own and not _is_sorted(facts, dated[0]) else ((dated[0],), ())
    usable = [one for one in facts.table.unique_together if _is_panel(one, times, columns) and one[0] not in whole]
    known = {one.name: one.meaning for one in columns}
    for together in sorted(usable, key=lambda names: (len(names), known[names[0]] is Meaning.LABEL)):
        order = sorted((name for name in together if name in times), key=lambda name: _coarseness(times[name]))
        return tuple(order), tuple(name for name in together if name not in times)
    return ((whole[0],), ()) if whole else _events(facts, times)


def _coarseness(one: ColumnMeaning) -> int:
    """Return the place of a step of time, the coarsest first: years go before months."""
    return _STEPS.index(one.granularity) if one.granularity in _STEPS else len(_STEPS)


def _tells_when(one: ColumnMeaning) -> bool:
    """Return whether a time is when a row was observed, and not a birthday or a year of building."""
    name = ColumnName(one.name)
    attribute = name.stem_set & words.ATTRIBUTES_IN_TIME
    return not attribute


def _names_things(one: ColumnMeaning) -> bool:
    return not ColumnName(one.name).text.lower().startswith(("unnamed", "rownames", "index", "row", "obs"))


def _is_sorted(facts: TableFacts, name: str) -> bool:
    column = facts.table.column(name)
    return column is not None and column.sorted


def _is_panel(together: Sequence[str], times: dict[str, ColumnMeaning], columns: Sequence[ColumnMeaning]) -> bool:
    """Return whether things and moments together name the rows: parts of time only with what they are part of."""
    known = {one.name: one for one in columns}
    order = [name for name in together if name in times]
    things = [name for name in together if name not in times]
    if not order or any(known[name].meaning is Meaning.TIME for name in things):
        return False
    constant_year = any(one.meaning is Meaning.OTHER and "year" in ColumnName(one.name).stem_set for one in columns)
    if times[order[0]].granularity in {"hour", "minute"} and times[order[0]].is_part and not constant_year:
        return False
    if len(things) > 1 and any(known[name].meaning in {Meaning.CODE, Meaning.KEY, Meaning.LABEL} for name in things):
        return False  # a flight's number and carrier name a row of a day by chance
    return all(known[name].meaning in _OBSERVED for name in things)


def _events(facts: TableFacts, times: dict[str, ColumnMeaning]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the order of a log: a time of day in rows that are sorted by it."""
    for name, one in times.items():
        column = facts.table.column(name)
        if column is not None and column.sorted and column.distinct > 0.5 * facts.table.rows and not one.is_part:
            fine = one.granularity in {"minute", "second", "hour"}
            if fine:
                return (name,), ()
    return (), ()


def _groups(facts: TableFacts, columns: Sequence[ColumnMeaning], order: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns that people would compare the rows by, best first."""
    scored = []
    for position, (one, about) in enumerate(zip(columns, facts.columns, strict=True)):
        score = _group_score(one, about)
        if score > 0 and one.name not in order:
            scored.append((-score, position, one.name))
    return tuple(name for _, _, name in sorted(scored)[:8])


def _group_score(one: ColumnMeaning, about: ColumnFacts) -> float:
    """Return how good a column is for comparing groups; 0: not at all."""
    distinct, rows = about.column.distinct, max(about.rows, 1)
    if one.meaning not in _GROUPED or not 2 <= distinct <= _MAX_GROUPS or distinct > rows / 2:
        return 0
    if one.meaning is Meaning.PLACE and about.is_number:
        return 0
    base = {Meaning.CATEGORY: 10.0, Meaning.PLACE: 9.0, Meaning.KEY: 8.0, Meaning.ORDINAL: 8.0, Meaning.LABEL: 5.0}
    score = base.get(one.meaning, 4.0)
    score += 3 if 3 <= distinct <= 8 else 1 if distinct <= 15 else -2 if distinct <= 30 else -4
    score += 2 if about.name.has(words.GOOD_GROUPS) else 0
    score -= 3 if about.is_number and one.meaning is not Meaning.FLAG else 0
    score -= 6 if (about.low, about.high) in about.around.answer_ranges else 0
    counts = [count for _, count in about.column.top]
    score -= 5 if counts and max(counts) > 0.95 * about.filled else 0
    score -= 4 * about.column.missing / rows
    return max(score, 0.1)


def _repeats_are_errors(facts: TableFacts, columns: Sequence[ColumnMeaning], order: tuple[str, ...]) -> bool:
    """Return whether equal rows cannot be legitimate: something names each row once."""
    named = any(one.meaning in {Meaning.IDENTIFIER, Meaning.LABEL} for one in columns if facts.is_unique(one.name))
    return named or (bool(order) and bool(facts.table.unique_together or any(facts.is_unique(name) for name in order)))
