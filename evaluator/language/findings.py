"""Collects diagnostics while a file is read, so that an author gets all of them at once."""

from pathlib import Path

from evaluator.diagnostics import Diagnostic, Severity


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
