"""Change one cell of a text and leave every other byte as it is."""

from typing import Any

from authoring.document.aligning import PlacedCell, PlacedCells
from evaluator.diagnostics import Severity
from evaluator.errors import ContentError, UsageError
from evaluator.language import changed_settings, problem_from_parts


def find_problem(cells: PlacedCells, name: str | int) -> PlacedCell:
    """Return the problem of that id or number.

    Raises:
        UsageError: If there is none.
    """
    found = cells.find(str(name))
    if found is None or not found.is_problem:
        known = ", ".join(cell.key for cell in cells.cells if cell.is_problem)
        raise UsageError(f"there is no problem {str(name)!r}", fix=f"use its number or one of {known or 'none'}")
    return found


def with_setting(cells: PlacedCells, cell: PlacedCell, key: str, value: Any) -> str:
    """Return the text with one setting of a problem changed, or added where it was not written.

    The other settings keep their comments and order; only a setting that is replaced is written anew with its place.

    Raises:
        ContentError: If the value cannot stand in a problem's settings.
    """
    return with_settings(cells, cell, changed_settings(cell.fields["settings"], key, value))


def with_settings(cells: PlacedCells, cell: PlacedCell, settings: str) -> str:
    """Return the text with other settings (YAML) of a problem.

    Raises:
        ContentError: If they cannot stand there.
    """
    fields = cell.fields
    made, diagnostics = problem_from_parts(fields["query"], settings, fields["code"], title=fields["title"])
    errors = [each for each in diagnostics if each.severity is Severity.ERROR]
    if made is None or made.raw is None or errors:
        what, fix = (errors[0].what, errors[0].fix) if errors else ("they cannot be read", "write plain values")
        raise ContentError(f"the settings of {cell.name} would be wrong: {what}", where=cell.key, fix=fix)
    end = cell.raw[len(cell.raw.rstrip()) :]
    line_end = "\r\n" if "\r\n" in cell.raw else "\n"
    raw = made.raw.rstrip().replace("\r\n", "\n").replace("\n", line_end) + end
    return cells.preamble + "".join(raw if each.key == cell.key else each.raw for each in cells.cells)
