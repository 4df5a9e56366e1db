"""The verdicts and subverdicts that records carry (dseal.md, section 5); exactly these names."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

SCORING_VERSION: Final = 4  # raised by every change that can flip a verdict


class Verdict(StrEnum):
    """How one submission was judged."""

    CORRECT = "CORRECT"
    INTACT_VIOLATION = "INTACT_VIOLATION"  # right, but it changed data that it should have left alone
    PRESENTATION_ERROR = "PRESENTATION_ERROR"  # right, but not in the form that was asked for
    WRONG_OUTPUT = "WRONG_OUTPUT"
    WRONG_VARIABLES = "WRONG_VARIABLES"
    UNIT_TEST_FAILURE = "UNIT_TEST_FAILURE"
    TIMEOUT = "TIMEOUT"
    CRASH = "CRASH"
    BAD_MODEL = "BAD_MODEL"
    SYNTAX_ERROR = "SYNTAX_ERROR"
    UNKNOWN = "UNKNOWN"
    NOT_JUDGED = "NOT_JUDGED"  # an infrastructure error: outside every rate, counted beside it


class Subverdict(StrEnum):
    """The cause behind a verdict; UNCATEGORIZED where there is none."""

    UNCATEGORIZED = "UNCATEGORIZED"
    CONTAINER_MISMATCH = "CONTAINER_MISMATCH"
    NAME_MISMATCH = "NAME_MISMATCH"
    ORDER_MISMATCH = "ORDER_MISMATCH"
    EXTRA_VALUES = "EXTRA_VALUES"
    INDEX_MISMATCH = "INDEX_MISMATCH"
    MISSING_RETURN = "MISSING_RETURN"
    PARTIAL_MATCH = "PARTIAL_MATCH"
    NON_CODE = "NON_CODE"
    SHAPE_MISMATCH = "SHAPE_MISMATCH"
    DTYPE_MISMATCH = "DTYPE_MISMATCH"
    COLUMNS_MISMATCH = "COLUMNS_MISMATCH"
    VALUE_MISMATCH = "VALUE_MISMATCH"
    UNEXPECTED_TYPE = "UNEXPECTED_TYPE"
    MODULE_NOT_FOUND = "MODULE_NOT_FOUND"
    ATTRIBUTE_ERROR = "ATTRIBUTE_ERROR"
    KEY_ERROR = "KEY_ERROR"
    NAME_ERROR = "NAME_ERROR"
    TYPE_ERROR = "TYPE_ERROR"
    VALUE_ERROR = "VALUE_ERROR"
    OUT_OF_MEMORY = "OUT_OF_MEMORY"
    OUTPUT_LIMIT = "OUTPUT_LIMIT"
    PROCESS_LIMIT = "PROCESS_LIMIT"
    KILLED = "KILLED"


MEANINGS: Final[Mapping[str, str]] = {
    Verdict.CORRECT: "every validator passed",
    Verdict.INTACT_VIOLATION: "the answer is right, but data that it should have left alone was changed",
    Verdict.PRESENTATION_ERROR: "the answer is right, but not in the form that was asked for",
    Verdict.WRONG_OUTPUT: "the value or the printed text differs from the reference's",
    Verdict.WRONG_VARIABLES: "a variable that was asked for is missing or holds something else",
    Verdict.UNIT_TEST_FAILURE: "a function that was asked for returns something else than the reference's in some case",
    Verdict.BAD_MODEL: "a model that was asked for scores below the limit",
    Verdict.TIMEOUT: "the code took longer than the problem allows",
    Verdict.CRASH: "the code raised an exception, or its process ended; the subverdict names the kind",
    Verdict.SYNTAX_ERROR: "the code cannot be parsed",
    Verdict.UNKNOWN: "it is wrong, and no validator says in which way",
    Verdict.NOT_JUDGED: "an infrastructure error: outside every rate, and counted beside it",
    Subverdict.UNCATEGORIZED: "no closer cause is known",
    Subverdict.CONTAINER_MISMATCH: "the right values in another container, such as a list instead of a Series",
    Subverdict.NAME_MISMATCH: "the right values under other column labels",
    Subverdict.ORDER_MISMATCH: "the right rows, columns or elements in another order",
    Subverdict.EXTRA_VALUES: "the right values, and columns, labels or entries that nobody asked for",
    Subverdict.INDEX_MISMATCH: "the right rows under other row labels, or labels as a column",
    Subverdict.MISSING_RETURN: "the right value was printed or assigned instead of being the cell's result",
    Subverdict.PARTIAL_MATCH: "the right values in another form, by the loose comparison of the published rules",
    Subverdict.NON_CODE: "the right answer stands in the text instead of being computed",
    Subverdict.SHAPE_MISMATCH: "another number of rows, columns or elements",
    Subverdict.DTYPE_MISMATCH: "values of another type, such as text instead of numbers",
    Subverdict.COLUMNS_MISMATCH: "a table with other columns",
    Subverdict.VALUE_MISMATCH: "some values differ",
    Subverdict.UNEXPECTED_TYPE: "an object of another type",
    Subverdict.MODULE_NOT_FOUND: "it imports a module that is not installed",
    Subverdict.ATTRIBUTE_ERROR: "it asks an object for an attribute or method that it does not have",
    Subverdict.KEY_ERROR: "it asks for a column, label or key that is not there",
    Subverdict.NAME_ERROR: "it uses a name that is not defined",
    Subverdict.TYPE_ERROR: "an operation or a call got an object of a type that does not fit",
    Subverdict.VALUE_ERROR: "a call got a value that does not fit",
    Subverdict.OUT_OF_MEMORY: "it took more memory than it may",
    Subverdict.OUTPUT_LIMIT: "it printed more than it may, so that the end was cut off",
    Subverdict.PROCESS_LIMIT: "it started more processes than it may",
    Subverdict.KILLED: "its process ended before the code had finished: it exited, or was killed",
}
"""What each verdict and subverdict means, in a plain sentence; the glossary, the app and reports say the same."""


def meaning_of(verdict: str, subverdict: str = "") -> str:
    """Return what a verdict or a subverdict means, and what a second one adds; empty for a name that is none."""
    names = [verdict] if subverdict in ("", Subverdict.UNCATEGORIZED) else [verdict, subverdict]
    return "; ".join(MEANINGS[name] for name in names if name in MEANINGS)
