"""One thing that is doubtful about a problem, whoever reads it: a model that repairs, or a person."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from evaluator.diagnostics import Diagnostic, Severity


class WarningCode(StrEnum):
    """What can be doubtful about a problem; the name is also that of its waiver."""

    TIES = "ties"
    MUTATES_INPUT = "mutates-input"
    LOW_INFORMATION = "low-information"
    NOT_EXERCISED = "not-exercised"
    QUERY_CODE_MISMATCH = "query-code-mismatch"
    UNASKED_OUTPUT = "unasked-output"
    UNCHECKED_DEMAND = "unchecked-demand"
    DIFFICULTY_MISMATCH = "difficulty-mismatch"


TITLES: Final[Mapping[WarningCode, str]] = {
    WarningCode.TIES: "equal values decide the answer",
    WarningCode.MUTATES_INPUT: "an earlier variable changes unasked",
    WarningCode.LOW_INFORMATION: "the answer says little",
    WarningCode.NOT_EXERCISED: "the data never exercise what is asked",
    WarningCode.QUERY_CODE_MISMATCH: "query and code differ",
    WarningCode.UNASKED_OUTPUT: "an output that nobody asked for",
    WarningCode.UNCHECKED_DEMAND: "no validator checks what is asked",
    WarningCode.DIFFICULTY_MISMATCH: "the stated difficulty is far off",
}
"""Each code in words, for people."""


def warning_title(code: str) -> str:
    """Return a code in words; one that is not known as it is."""
    return next((title for each, title in TITLES.items() if each.value == code), code)


@dataclass(frozen=True)
class ProblemWarning:
    """One thing that is doubtful about a problem."""

    code: WarningCode
    what: str
    fix: str

    def __str__(self) -> str:
        """Return both in one line."""
        return f"{self.what}; {self.fix}"

    def diagnostic(self, path: Path, line: int, whose: str) -> Diagnostic:
        """Return it as a diagnostic of the problemset's file; `whose` names the problem."""
        return Diagnostic(self.code.value, Severity.WARNING, path, line, f"{whose}: {self.what}", self.fix)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"code": self.code.value, "severity": Severity.WARNING.value, "what": self.what, "fix": self.fix}
