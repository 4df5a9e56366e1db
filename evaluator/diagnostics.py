"""What is wrong with an author's file: values, not exceptions, and all of them at once."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Severity(StrEnum):
    """How much a diagnostic weighs: an error refuses the file, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True)
class Diagnostic:
    """One thing wrong with an author's file: what, where, and how to fix it."""

    code: str  # stable and searchable, such as "unknown-validator"
    severity: Severity
    path: Path
    line: int  # counts from 1, as editors do
    what: str
    fix: str

    def __str__(self) -> str:
        """Return the two lines that a terminal shows."""
        return f"{self.path}:{self.line}: {self.severity}[{self.code}] {self.what}\n  fix: {self.fix}"

    def to_json(self) -> dict[str, str | int]:
        """Return the fields as plain JSON values."""
        return {
            "code": self.code,
            "severity": str(self.severity),
            "path": str(self.path),
            "line": self.line,
            "what": self.what,
            "fix": self.fix,
        }


def has_errors(diagnostics: tuple[Diagnostic, ...]) -> bool:
    """Return whether any of the diagnostics refuses the file."""
    return any(d.severity is Severity.ERROR for d in diagnostics)


class Findings:
    """The diagnostics of one file so far; `broken` once something keeps the file from becoming objects."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.broken = False
        self._found: list[Diagnostic] = []

    def error(self, code: str, line: int, what: str, fix: str) -> None:
        """Record something that refuses the file."""
        self._add(Diagnostic(code, Severity.ERROR, self.path, line, what, fix))

    def fatal(self, code: str, line: int, what: str, fix: str) -> None:
        """Record an error that also keeps the file from becoming objects."""
        self.broken = True
        self.error(code, line, what, fix)

    def warning(self, code: str, line: int, what: str, fix: str) -> None:
        """Record something that an author should look at."""
        self._add(Diagnostic(code, Severity.WARNING, self.path, line, what, fix))

    def in_order(self) -> tuple[Diagnostic, ...]:
        """Return the diagnostics by line, in the order of their discovery within a line."""
        return tuple(sorted(self._found, key=lambda diagnostic: diagnostic.line))

    def _add(self, diagnostic: Diagnostic) -> None:
        if diagnostic not in self._found:
            self._found.append(diagnostic)
