"""A benchmark's own validators: functions of two outcomes, called in a fork of the comparator (dseal.md, section 9)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from evaluator.inside.codec.decode.decoded import ABSENT, DecodedOutcome
from evaluator.inside.compare.identity import find_marker
from evaluator.inside.compare.match_model import Answer, AuthorFaultError, Cause
from evaluator.inside.compare.value_text import brief
from evaluator.inside.validators.author_code import readable, run_checker
from evaluator.inside.validators.interface import Case, InsideFinding
from evaluator.inside.validators.result import has_result
from evaluator.inside.validators.value_comparison import said_to_comparison

VARIABLES: Final = "variables"


@dataclass(frozen=True)
class OutcomeSeen:
    """What a cell left behind, as an author's function sees it; whatever cannot be rebuilt is a read-only stand-in."""

    result: Any  # value of the last expression; None if it has none
    has_result: bool
    variables: Mapping[str, Any]  # those that the option `variables` names, after the cell
    output: str  # text written to stdout and stderr, in order
    error: str | None  # class of the exception that left the cell
    source: str
    added: tuple[str, ...]  # names that the cell made
    changed: tuple[str, ...]  # names that were there before and hold something else now
    deleted: tuple[str, ...]


def check_own(case: Case, spec: Mapping[str, Any]) -> InsideFinding:
    """Call an author's function with the two outcomes.

    Args:
        case: The two outcomes.
        spec: `name` of the function, `options` as written, `code` of the file that defines it.
    """
    name, options = str(spec["name"]), dict(spec.get("options") or {})
    names = tuple(map(str, options.pop(VARIABLES, None) or ()))
    for part, value in _values(case.reference, names):
        if value is ABSENT:
            fix = "name a variable that the reference code makes"
            raise AuthorFaultError(f"the reference leaves no {part}", where=name, fix=fix)
        if (marker := find_marker(value)) is not None:
            what = f"the reference's {part} is {brief(marker)}"
            raise AuthorFaultError(what, where=name, fix="make the value smaller, or check a part of it")
    if not case.has_evidence:
        return InsideFinding(name, Answer.NO, "the cell left no report")
    for part, value in _values(case.submission, names):
        if value is ABSENT:
            return InsideFinding(name, Answer.NO, f"there is no {part} after the cell")
        if (marker := find_marker(value)) is not None:
            return InsideFinding(name, Answer.NO, f"the found {part} is {brief(marker)}")
    outcomes = tuple(_seen(outcome, names) for outcome in (case.reference, case.submission))
    said = said_to_comparison(run_checker(str(spec["code"]), name, outcomes, options))
    cause: Cause | None = next(iter(said.causes), None)
    return InsideFinding(name, said.answer, said.reason, cause)


def _values(outcome: DecodedOutcome, names: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    if has_result(outcome):
        yield "result", outcome.result
    for name in names:
        yield f"variable {name!r}", outcome.variables.get(name, ABSENT)


def _seen(outcome: DecodedOutcome, names: tuple[str, ...]) -> OutcomeSeen:
    diff = outcome.diff
    return OutcomeSeen(
        result=readable(outcome.result) if has_result(outcome) else None,
        has_result=has_result(outcome),
        variables={name: readable(outcome.variables[name]) for name in names},
        output="".join(text for _, text in outcome.streams),
        error=None if outcome.error is None else outcome.error.name,
        source=outcome.source,
        added=diff.added,
        changed=(*diff.updated, *diff.touched, *diff.replaced),
        deleted=diff.deleted,
    )
