"""What every validator gets and gives."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from evaluator.inside.codec.decode.decoded import DecodedOutcome, Marker, Opaque, ProbeReport
from evaluator.inside.compare.identity import find_incomparable
from evaluator.inside.compare.match_model import Answer, AuthorFaultError, Cause, MatchOptions, Rules
from evaluator.inside.compare.value_text import brief, remedy, shown

ENDINGS_WITH_REPORT = frozenset({"ok", "error"})  # after any other ending there is no evidence, so nothing is right


@dataclass(frozen=True)
class Grade:
    """What a grader said of one graded validator."""

    score: float | None  # None: it could not be graded
    why: str = ""  # one word


@dataclass(frozen=True)
class Case:
    """One submission beside the reference."""

    reference: DecodedOutcome
    submission: DecodedOutcome
    rules: Rules
    protected: frozenset[str] | None = None  # names that the submission's author did not make; None: all there were
    grades: tuple[Grade, ...] = ()  # one per graded validator, as asked
    is_recorded: bool = False  # graded beside stored outputs, of which nothing but the picture is known

    @property
    def has_evidence(self) -> bool:
        """Whether the submission's cell ended and reported."""
        return self.submission.ending in ENDINGS_WITH_REPORT

    def report(self, outcome: DecodedOutcome, number: int) -> ProbeReport:
        """Return what probe `number` of an outcome reported; one without evidence if there is none."""
        return outcome.reports[number] if number < len(outcome.reports) else ProbeReport("missing")

    def grade(self, number: int) -> Grade:
        """Return the grade of graded validator `number`, from 0; none where none came."""
        return self.grades[number] if number < len(self.grades) else Grade(None)


@dataclass(frozen=True)
class InsideFinding:
    """One validator's answer; `reason` is for people, code reads `answer` and `cause`."""

    validator: str
    answer: Answer
    reason: str = ""
    cause: Cause | None = None
    loose_cause: Cause | None = None  # of the loose comparison, where one was made and failed
    variable: str | None = None
    children: tuple["InsideFinding", ...] = ()
    score: float | None = None  # of a graded validator

    def to_json(self) -> dict[str, Any]:
        """Return the tree in the form that travels to the host."""
        return {
            "validator": self.validator,
            "answer": self.answer.value,
            "cause": None if self.cause is None else self.cause.value,
            "loose_cause": None if self.loose_cause is None else self.loose_cause.value,
            "reason": shown(self.reason),
            "variable": self.variable,
            "children": [child.to_json() for child in self.children],
            "score": self.score,
        }


Check = Callable[[Case, Mapping[str, Any]], InsideFinding]  # a validator without children: case, options
ProbeCheck = Callable[[Case, Mapping[str, Any], int], InsideFinding]  # one that reads a probe: its number, too


def require_comparable(value: Any, options: MatchOptions, *, where: str) -> None:
    """Refuse a reference value that no submission could ever equal.

    Raises:
        AuthorFaultError: If the value went over a limit, could not be exported, or (sound rules) is opaque.
    """
    part = find_incomparable(value)
    if part is None or (isinstance(part, Opaque) and (options.type_only or not options.sound)):
        return
    if isinstance(part, Marker):
        raise AuthorFaultError(f"the reference's value is {brief(part)}", where=where, fix=remedy(part))
    what = f"the reference's value holds {brief(part)}, which cannot be compared"
    raise AuthorFaultError(what, where=where, fix=remedy(part))


def refuse_options(name: str, raw: Mapping[str, Any]) -> None:
    """Refuse options of a validator that takes none."""
    if raw:
        raise AuthorFaultError(f"{name} has no option {str(next(iter(raw)))!r}", where=name, fix="remove it")
