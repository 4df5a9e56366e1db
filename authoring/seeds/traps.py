"""What is awkward about a seed's data, in words: a careful task author uses it or keeps clear of it."""

from collections.abc import Iterator
from dataclasses import dataclass

from authoring.seeds.profile import ColumnProfile, Profile, TableProfile


@dataclass(frozen=True)
class Trap:
    """One awkward thing."""

    code: str  # stable, such as "stray-spaces"
    file: str
    column: str  # empty: the whole table
    count: int
    text: str


def find_traps(profile: Profile) -> tuple[Trap, ...]:
    """Return the traps of all tables, in the order of the columns."""
    return tuple(trap for table in profile.tables for trap in _of_table(table))


def _of_table(table: TableProfile) -> Iterator[Trap]:
    def trap(code: str, count: int, text: str, column: str = "") -> Trap:
        return Trap(code, table.file, column, count, text)

    if table.duplicate_rows:
        text = f"{table.duplicate_rows:,} rows repeat an earlier row"
        yield trap("duplicate-rows", table.duplicate_rows, text)
    if table.reset_index:
        yield trap("own-index", 1, "the file brings a row index of its own")
    seen: dict[str, str] = {}
    for column in table.columns:
        folded = column.name.strip().lower()
        if folded in seen:
            text = f"the names {seen[folded]!r} and {column.name!r} differ only by spaces or case"
            yield trap("like-names", 2, text, column.name)
        seen.setdefault(folded, column.name)
        for code, count, text in _of_column(column, table.rows):
            yield trap(code, count, text, column.name)


def _of_column(column: ColumnProfile, rows: int) -> Iterator[tuple[str, int, str]]:
    name = repr(column.name)
    if column.empty:
        yield "all-missing", column.missing, f"every value of {name} is missing"
        return
    if column.nested:
        yield "nested", rows, f"{name} holds lists or mappings"
        return
    yield from _of_name(column.name)
    if column.kinds:
        yield "mixed-types", rows, f"{name} mixes kinds of values: {', '.join(column.kinds)}"
    if column.distinct == 1 and rows > 1:
        yield "constant", rows, f"{name} holds one value only"
    if column.number_text:
        words = "with symbols" if column.number_text == "symbols" else "stored as text"
        yield "numbers-as-text", rows - column.missing - column.not_numbers, f"{name} holds numbers {words}"
    if column.stray_spaces:
        text = f"{column.stray_spaces:,} values of {name} have spaces at an end"
        yield "stray-spaces", column.stray_spaces, text
    if column.case_variants:
        text = f"{name} writes {column.case_variants} values in more than one case"
        yield "case-variants", column.case_variants, text
    if column.date_unclear:
        yield "date-order", rows, f"in {name} day and month could be swapped"
    if column.infinite:
        yield "infinite", column.infinite, f"{column.infinite:,} values of {name} are infinite"


def _of_name(name: str) -> Iterator[tuple[str, int, str]]:
    if name != name.strip():
        yield "padded-name", 1, f"the name {name!r} has spaces at an end"
    elif " " in name:
        yield "spaced-name", 1, f"the name {name!r} holds spaces"
    if not name.isascii():
        yield "non-ascii-name", 1, f"the name {name!r} holds characters outside ASCII"
    if name.startswith("Unnamed: "):
        yield "unnamed-column", 1, f"a column without a name is read as {name!r}"
