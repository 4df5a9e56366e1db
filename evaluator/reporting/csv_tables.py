"""Results of runs as tables for spreadsheets."""

from collections.abc import Iterable, Sequence
from typing import Final

from evaluator.reporting.run_comparison import ComparedProblem
from evaluator.reporting.spreadsheet import csv_text
from evaluator.running import Record

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
