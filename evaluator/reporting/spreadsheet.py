"""Tables for spreadsheet programs, in which no cell starts a formula."""

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from evaluator.errors import ContentError, UsageError
from evaluator.reporting.run_comparison import ComparedProblem
from evaluator.running import Record

FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")
_MAX_BYTES: Final = 10_000_000  # of a table that is read
MAX_CELL: Final = 32_000  # characters; spreadsheets take no more


def safe_cell(value: object) -> str | int | float:
    """Return a cell: numbers as they are, a text that begins like a formula with an apostrophe before it."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    text = "" if value is None else str(value)[:MAX_CELL].replace("\0", "\N{SYMBOL FOR NULL}")
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def csv_text(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV with the line ends that RFC 4180 names."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow([safe_cell(header) for header in headers])
    writer.writerows([safe_cell(cell) for cell in row] for row in rows)
    return buffer.getvalue()


def csv_table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """Return a table as CSV in UTF-8 with a mark at its start, by which spreadsheet programs know the encoding."""
    return csv_text(headers, rows).encode("utf-8-sig", "replace")


def leaderboard_csv(found: Mapping[str, Any]) -> str:
    """Return a leaderboard, as its `to_json` gives it, with the columns of the published file; scores in percent."""
    columns = list(found["columns"])
    opened = {True: "TRUE", False: "FALSE", None: ""}

    def cells(row: Mapping[str, Any]) -> list[object]:
        scores = (row["scores"][name] for name in columns)
        shown = ("" if score is None else round(score * 100, 1) for score in scores)
        return [row["model"], *shown, opened[row["open"]], "published" if row["published"] else "here"]

    return csv_text(["Model", *columns, "opensourced", "source"], map(cells, found["rows"]))


def read_columns(path: Path) -> dict[str, dict[str, float]]:
    """Return the columns of numbers of another leaderboard: column -> model -> score.

    Raises:
        UsageError: If there is no such file.
        ContentError: If it is no table that begins with a column Model, or has no column of numbers.
    """
    fix = "write a header line that begins with Model, then a line for each model"
    try:
        if path.exists() and not path.is_file():
            raise UsageError("this is no plain file", where=str(path), fix="name a CSV file")
        if path.stat().st_size > _MAX_BYTES:
            raise ContentError("the file is no board: it has more than 10 MB", where=str(path), fix=fix)
        rows = [row for row in csv.reader(path.read_text(encoding="utf-8-sig").splitlines()) if any(row)]
    except FileNotFoundError as error:
        raise UsageError("there is no such file", where=str(path), fix="name a CSV file") from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ContentError(f"the file cannot be read: {error}", where=str(path), fix=fix) from error
    if len(rows) < 2 or rows[0][0].strip().lower() != "model":
        raise ContentError("the file is no board", where=str(path), fix=fix)
    found: dict[str, dict[str, float]] = {}
    for row in rows[1:]:
        for name, cell in zip(rows[0][1:], row[1:], strict=False):
            number = _finite(cell)
            if number is not None:
                found.setdefault(name, {})[row[0]] = number
    if not found:
        raise ContentError("the file has no column of numbers", where=str(path), fix=fix)
    return found


def _finite(cell: str) -> float | None:
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


ATTEMPT_HEADERS: Final = (
    *("problemset", "problem", "epoch", "attempt", "counts", "verdict", "subverdict", "seconds"),
    *("reason", "query", "code"),
)


def attempts_csv(records: Iterable[Record]) -> str:
    """Return the attempts of a run, one a row."""
    return csv_text(ATTEMPT_HEADERS, map(_attempt_row, records))


def comparison_csv(problems: Iterable[ComparedProblem]) -> str:
    """Return the problems of two runs with both verdicts, one a row."""
    headers = ("problemset", "problem", "epoch", "first", "second", "solved by")
    return csv_text(headers, ((*each, solved_by(each.first, each.second)) for each in problems))


def solved_by(first: str, second: str) -> str:
    """Return which of two runs solved a problem: both, first, second, neither; nothing when one was not judged."""
    if "NOT_JUDGED" in (first, second):
        return ""
    if first == second == "CORRECT":
        return "both"
    if "CORRECT" not in (first, second):
        return "neither"
    return "first" if first == "CORRECT" else "second"


def _attempt_row(record: Record) -> Sequence[object]:
    return (
        *(record.problemset, record.index, record.epoch, record.attempt, "yes" if record.is_last else "no"),
        *(record.verdict, record.subverdict, record.seconds, record.extended_verdict, record.question, record.code),
    )
