"""The verdicts and subverdicts that records carry (dseal.md, section 5); exactly these names."""

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
