"""What a conversion gives: the text of a problemset, and what in it needs a person."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.errors import ContentError
from evaluator.language import Problem, Problemset, SetupCell, parse_problemset, render_problemset


@dataclass(frozen=True)
class Finding:
    """One thing that a rule could not settle."""

    code: str  # stable and searchable, such as "no-answer"
    source: str  # where it stands in the material, such as "cell 4"
    problem: str  # id of the problem it concerns; empty: none came of it
    what: str
    fix: str

    def __str__(self) -> str:
        """Return the two lines that a terminal shows."""
        about = f" ({self.problem})" if self.problem else ""
        return f"{self.source}{about}: {self.what} [{self.code}]\n  fix: {self.fix}"

    def to_json(self) -> dict[str, str]:
        """Return the fields as plain JSON values."""
        named = {"code": self.code, "source": self.source, "problem": self.problem}
        return {**named, "what": self.what, "fix": self.fix}


@dataclass(frozen=True)
class Converted:
    """A problemset made of other material."""

    name: str
    text: str
    problems: int
    findings: tuple[Finding, ...]

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values, the text left out."""
        findings = [finding.to_json() for finding in self.findings]
        return {"name": self.name, "problems": self.problems, "findings": findings}


def convert(
    name: str, cells: Sequence[SetupCell | Problem], findings: Sequence[Finding], *, source: str, preamble: str = ""
) -> Converted:
    """Write the cells as DSEAL and read the text again.

    Raises:
        ContentError: If no problem came of the material, or the text would not read back.
    """
    problemset = Problemset(name, tuple(cell for cell in cells if not _is_empty(cell)), preamble)
    if not problemset.problems:
        said = f": {findings[0].what}" if findings else ""
        fix = "give material with questions and the code that answers them"
        raise ContentError(f"no problem could be made of it{said}", where=source, fix=fix)
    text = render_problemset(problemset)
    parsed = parse_problemset(text, name=name)
    if parsed.problemset is None:
        first = parsed.diagnostics[0]
        raise ContentError(f"the problemset would not parse: {first.what}", where=source, fix=first.fix)
    return Converted(name, text, len(problemset.problems), tuple(findings))


def _is_empty(cell: SetupCell | Problem) -> bool:
    return isinstance(cell, SetupCell) and not cell.source.strip()
