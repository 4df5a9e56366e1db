"""A page of a variable as a sandboxed cell printed it: checked field by field before anything is done with it."""

from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from evaluator.errors import ContentError
from evaluator.session.cell_report import read_hostile_json

MAX_ROWS: Final = 50  # of a page
MAX_COLUMNS: Final = 30  # of a page
MAX_CELL: Final = 120  # characters
MAX_NAMED: Final = 20  # rows or columns that came or went
TOTAL_S: Final = 120.0  # for the cells before, the cell and the page together
MAX_PRINTED: Final = 1_000_000  # characters
TABLE_TYPES: Final = frozenset(
    {
        *("DataFrame", "Series", "ndarray", "list", "tuple", "dict", "Index", "RangeIndex", "DatetimeIndex"),
        *("TimedeltaIndex", "PeriodIndex", "CategoricalIndex", "IntervalIndex", "MultiIndex"),
    }
)
"""Names of the types whose values have rows; by them a screen chooses what it offers, and the cell looks closer."""

Count = Annotated[int, Field(ge=0, le=10**10)]  # more pages than these rows make cannot be counted on a screen
Cell = Annotated[str, StringConstraints(max_length=MAX_CELL + 1)]
Why = Annotated[str, StringConstraints(max_length=401)]


class _Printed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class PageColumn(_Printed):
    """A column of the page."""

    name: Cell
    dtype: Cell
    was: Cell | None  # its dtype before; None: it was not there


class ChangedCell(_Printed):
    """A cell of the page that changed."""

    row: Count  # of the page, from 0
    column: Count
    was: Cell | None  # its text before; None: it was missing


class CameOrWent(_Printed):
    """Rows or columns that came or went."""

    count: Count
    names: Annotated[list[Cell], Field(max_length=MAX_NAMED)]  # the first of them


class VariableBefore(_Printed):
    """What the variable was before the cell, and what changed in the whole of it."""

    rows: Count
    columns: Count
    by: Literal["label", "place"]  # how rows were found again
    reordered: bool
    changed: Count | None  # cells; None: the table is too large for looking
    rows_added: CameOrWent
    rows_removed: CameOrWent
    columns_added: CameOrWent
    columns_removed: CameOrWent


class VariablePage(_Printed):
    """Rows of a variable after a cell, as text."""

    kind: Cell  # name of its type
    rows: Count  # of the whole table
    columns: Count
    total: Count  # rows that were asked for: all, or those that changed
    cell_chars: Annotated[int, Field(ge=1, le=MAX_CELL)]  # longer cells are cut here
    shown: Annotated[list[PageColumn], Field(max_length=MAX_COLUMNS)]
    labels: Annotated[list[Cell], Field(max_length=MAX_ROWS)]  # of the rows
    cells: Annotated[list[list[Cell | None]], Field(max_length=MAX_ROWS)]  # None: a missing value
    marked: Annotated[list[ChangedCell], Field(max_length=MAX_ROWS * MAX_COLUMNS)]
    before: VariableBefore | None  # None: it was not there, or no table
    why: Why  # there is no `before`

    @model_validator(mode="after")
    def _is_rectangular(self) -> Self:
        if len(self.cells) != len(self.labels) or any(len(row) != len(self.shown) for row in self.cells):
            raise ValueError("the rows are not of one length")
        if any(mark.row >= len(self.cells) or mark.column >= len(self.shown) for mark in self.marked):
            raise ValueError("a mark lies beside the page")
        return self


class _Refused(_Printed):
    refused: Why


def read_page(printed: str, name: str) -> VariablePage:
    """Return the page in the last line of what a cell printed.

    Raises:
        ContentError: If the variable has no rows to show, or the text is no page.
    """
    lines = printed[-MAX_PRINTED:].strip().splitlines()
    try:
        found = read_hostile_json(lines[-1].encode("utf-8", "replace")) if lines else None
        if isinstance(found, dict) and set(found) == {"refused"}:
            what = f"{name!r} {_Refused.model_validate(found).refused}"
            raise ContentError(what, where="Variables", fix="choose another variable, or press Run to see what is left")
        return VariablePage.model_validate(found)
    except ValueError:
        what = f"what was printed for {name!r} is no page: the code may have changed how Python prints"
        fix = "show the table in the last line of the code and press Run"
        raise ContentError(what, where="Variables", fix=fix) from None
