"""What tables and columns mean, in words: for prompts, the command line and the screen."""

from collections.abc import Iterator
from typing import Final

from authoring.seeds.semantics import AddsUp, ColumnMeaning, Meaning, Origin, Semantics, TableMeaning

MEANINGS_IN_WORDS: Final = {
    Meaning.MEASURE: "a quantity",
    Meaning.RATE: "a rate, share or index: averaged, never added up",
    Meaning.WEIGHT: "a survey weight: how many of the population the row stands for",
    Meaning.COUNT: "how many of something",
    Meaning.MONEY: "an amount of money",
    Meaning.ORDINAL: "levels with an order",
    Meaning.CATEGORY: "few values that divide the rows",
    Meaning.LABEL: "the name of what a row is about",
    Meaning.IDENTIFIER: "names one row, says nothing else",
    Meaning.KEY: "names a row of another file",
    Meaning.CODE: "stands for something else, such as a postcode",
    Meaning.TIME: "a moment, a day, a year",
    Meaning.PLACE: "coordinates, or the name of a place",
    Meaning.FLAG: "yes or no",
    Meaning.TEXT: "free text",
    Meaning.OTHER: "empty, constant or not understood: nothing is asked about it",
}
ADDS_UP_IN_WORDS: Final = {
    AddsUp.YES: "adds up",
    AddsUp.AT_ONE_TIME: "adds up over rows of one moment",
    AddsUp.NO: "does not add up",
}
MAX_LEVELS_SHOWN: Final = 12
_SUMMED: Final = frozenset({Meaning.MEASURE, Meaning.COUNT, Meaning.MONEY, Meaning.WEIGHT})


def semantics_text(semantics: Semantics, table: TableMeaning) -> str:
    """Return what one table of the semantics means as lines for a prompt: rows first, then a line per column."""
    return "\n".join([*table_lines(table, several=len(semantics.tables) > 1), *map(column_line, table.columns)])


def table_lines(table: TableMeaning, *, several: bool = True) -> Iterator[str]:
    """Yield what is said of a table as a whole."""
    where = f" of `{table.file}`" + (f", sheet {table.sheet!r}," if table.sheet else "") if several else ""
    if table.row:
        yield f"One row{where} is one {table.row} (plural: {table.rows})."
    if table.order:
        within = f" within each {_named(table.entity)}" if table.entity else ""
        yield f"The rows{where} have an order{within}: by {_named(table.order)}."
    else:
        yield f"The rows{where} have no order of their own: ask for no differences, runs or running sums over rows."
    if table.groups:
        yield f"Rows{where} are compared by, best first: {_named(table.groups)}."
    if table.repeats_are_errors:
        yield f"Two equal rows{where} are a mistake."
    else:
        yield f"Equal rows{where} can be legitimate: do not drop them as duplicates."


def column_line(column: ColumnMeaning) -> str:
    """Return what one column means on one line."""
    return f"- `{column.name}`: {', '.join(column_facts(column))}"


def column_facts(column: ColumnMeaning) -> Iterator[str]:
    """Yield the facts of one column, its meaning first."""
    part = " alone, without what it is part of" if column.is_part else ""
    yield column.meaning.value + (f" ({column.granularity}{part})" if column.granularity or part else "")
    if column.unit:
        yield f"in {column.unit}"
    if column.meaning in _SUMMED:
        yield ADDS_UP_IN_WORDS[column.adds_up]
    if column.levels:
        shown = " < ".join(str(level) for level in column.levels[:MAX_LEVELS_SHOWN])
        yield f"levels {shown}" + (" < ..." if len(column.levels) > MAX_LEVELS_SHOWN else "")
    if column.weighted_by:
        yield f"averages weigh by `{column.weighted_by}`"
    if column.refers_to:
        yield f"refers to `{column.refers_to}`"


def said_by(column: ColumnMeaning) -> str:
    """Return who says what a column means, with the reason if there is one."""
    who = {Origin.RULE: "rule", Origin.MODEL: "model", Origin.PERSON: "person"}[column.origin]
    return f"{who}: {column.reason}" if column.reason else who


def _named(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)
