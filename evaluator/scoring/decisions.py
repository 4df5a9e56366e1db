"""From findings and ending to a verdict: section 5 of dseal.md as a table; what examples of answers must come to."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Final

from evaluator.language import ExampleAnswer
from evaluator.scoring.findings import Answer, AuthorFault, Cause, Finding
from evaluator.scoring.verdicts import Subverdict, Verdict
from evaluator.session import ENDING_WORDS, Ending


def wanted_in_words(example: ExampleAnswer) -> str:
    """Return the verdict that an example must get, for people."""
    return example.verdict or ("CORRECT" if example.side == "accept" else "anything but CORRECT")


def example_is_met(example: ExampleAnswer, verdict: Verdict) -> bool:
    """Return whether an example has the verdict that it must get."""
    if example.verdict:
        return verdict == example.verdict
    return (verdict is Verdict.CORRECT) == (example.side == "accept")


@dataclass(frozen=True)
class Judged:
    """How one submission was judged."""

    verdict: Verdict
    subverdict: Subverdict = Subverdict.UNCATEGORIZED
    reason: str = ""  # the record's `extended_verdict`: short, for people, may hold hostile text
    validation: dict[str, Any] | None = None  # the findings tree as records carry it; None: nothing was compared
    author_fault: AuthorFault | None = None  # with NOT_JUDGED: the problem is at fault, not the toolkit
    waits: bool = False  # with NOT_JUDGED: for a judge of figures; all else is known


_MISMATCHES: Final = {  # in this order, where several causes apply
    Cause.SHAPE: Subverdict.SHAPE_MISMATCH,
    Cause.DTYPE: Subverdict.DTYPE_MISMATCH,
    Cause.COLUMNS: Subverdict.COLUMNS_MISMATCH,
    Cause.VALUE: Subverdict.VALUE_MISMATCH,
    Cause.TYPE: Subverdict.UNEXPECTED_TYPE,
}
_PRESENTATION: Final = {  # where an answer is partial
    Cause.CONTAINER: Subverdict.CONTAINER_MISMATCH,
    Cause.NAME: Subverdict.NAME_MISMATCH,
    Cause.ORDER: Subverdict.ORDER_MISMATCH,
    Cause.EXTRA: Subverdict.EXTRA_VALUES,
    Cause.INDEX: Subverdict.INDEX_MISMATCH,
    Cause.DTYPE: Subverdict.DTYPE_MISMATCH,
    Cause.PARTIAL_MATCH: Subverdict.PARTIAL_MATCH,
    Cause.MISSING_RETURN: Subverdict.MISSING_RETURN,
    Cause.NON_CODE: Subverdict.NON_CODE,
}
_CRASHES: Final = {
    Cause.MODULE_NOT_FOUND: Subverdict.MODULE_NOT_FOUND,
    Cause.KEY_ERROR: Subverdict.KEY_ERROR,
    Cause.TYPE_ERROR: Subverdict.TYPE_ERROR,
    Cause.VALUE_ERROR: Subverdict.VALUE_ERROR,
    Cause.NAME_ERROR: Subverdict.NAME_ERROR,
    Cause.ATTRIBUTE_ERROR: Subverdict.ATTRIBUTE_ERROR,
}
_CALLED: Final = {  # causes by which a function under test crashes, or a model that predicts
    "table_test": frozenset({*_CRASHES, Cause.SYNTAX, Cause.OTHER_ERROR, Cause.TIMEOUT}),
    "model": frozenset({Cause.TIMEOUT}),  # whatever else keeps it from predicting makes it a bad model
}
_RESOURCES: Final = {  # a limit that was hit -> what it makes of a crash
    "memory": Subverdict.OUT_OF_MEMORY,
    "output": Subverdict.OUTPUT_LIMIT,
    "displays": Subverdict.OUTPUT_LIMIT,
    "files": Subverdict.OUTPUT_LIMIT,
    "processes": Subverdict.PROCESS_LIMIT,
}
GRADED_VALIDATORS: Final = ("numeric", "text", "visual", "judge", "final_answer")
"""Those that give a score beside their answer."""
_Ruling = tuple[Verdict, Subverdict, Finding | None]  # the finding that the reason is taken from


def _is_crash(finding: Finding) -> bool:
    return finding.validator == "crash" or finding.cause in _CALLED.get(finding.validator, ())


@dataclass(frozen=True)
class _Evidence:
    root: Finding
    limits_hit: frozenset[str]

    def leaves(self, answer: Answer) -> list[Finding]:
        """Return the findings without parts that gave an answer, in order."""
        return [finding for finding in self.root.walk() if not finding.children and finding.answer is answer]

    def crash(self) -> Finding | None:
        """Return the first crash: a cell, or a function under test, that raised or ran out of time; a slow model."""
        return next((finding for finding in self.leaves(Answer.NO) if _is_crash(finding)), None)

    def first(self, validator: str) -> Finding | None:
        """Return the first finding of a validator that did not answer yes."""
        wanted = (f for f in self.root.walk() if f.validator == validator and f.answer is not Answer.YES)
        return next(wanted, None)


def _correct(evidence: _Evidence) -> _Ruling | None:
    if evidence.root.answer is not Answer.YES:
        return None
    reads_output = any(finding.validator == "stream" for finding in evidence.root.walk())
    if reads_output and "output" in evidence.limits_hit:
        return Verdict.CRASH, Subverdict.OUTPUT_LIMIT, None  # what was cut off was not compared
    return Verdict.CORRECT, Subverdict.UNCATEGORIZED, None


def _crash(evidence: _Evidence) -> _Ruling | None:
    crash = evidence.crash()
    if evidence.root.answer is not Answer.NO or crash is None:
        return None
    if crash.cause is Cause.SYNTAX:
        return Verdict.SYNTAX_ERROR, Subverdict.UNCATEGORIZED, crash
    if crash.cause is Cause.TIMEOUT:
        return Verdict.TIMEOUT, Subverdict.UNCATEGORIZED, crash
    known = _CRASHES.get(crash.cause) if crash.cause is not None else None
    return Verdict.CRASH, known or _resource(evidence.limits_hit, Subverdict.UNCATEGORIZED), crash


def _intact(evidence: _Evidence) -> _Ruling | None:
    failed = evidence.leaves(Answer.NO)
    if {finding.validator for finding in failed} != {"namespace_intact"}:
        return None
    return Verdict.INTACT_VIOLATION, Subverdict.UNCATEGORIZED, failed[0]


def _presentation(evidence: _Evidence) -> _Ruling | None:
    if evidence.root.answer is not Answer.PARTIAL:
        return None
    partial = evidence.leaves(Answer.PARTIAL)
    for finding in partial:
        if finding.cause in _PRESENTATION:
            return Verdict.PRESENTATION_ERROR, _PRESENTATION[finding.cause], finding
    return Verdict.PRESENTATION_ERROR, Subverdict.INDEX_MISMATCH, partial[-1] if partial else None


def _wrong(validator: str, verdict: Verdict, *, categorized: bool = True) -> Callable[[_Evidence], _Ruling | None]:
    def decide_wrong(evidence: _Evidence) -> _Ruling | None:
        finding = evidence.first(validator)
        if finding is None:
            return None
        causes = {part.cause for part in finding.walk()}
        found = next((sub for cause, sub in _MISMATCHES.items() if cause in causes), None) if categorized else None
        return verdict, found or Subverdict.UNCATEGORIZED, _telling(finding)

    return decide_wrong


def _telling(finding: Finding) -> Finding:
    failed = [part for part in finding.walk() if part.reason and part.answer is finding.answer]
    return failed[0] if failed else finding


_DECISIONS: Final[tuple[Callable[[_Evidence], _Ruling | None], ...]] = (  # the first that rules decides
    _correct,
    _crash,
    _intact,
    _presentation,
    _wrong("namespace_check", Verdict.WRONG_VARIABLES),
    _wrong("result", Verdict.WRONG_OUTPUT),
    *(_wrong(name, Verdict.WRONG_OUTPUT) for name in GRADED_VALIDATORS),
    _wrong("model", Verdict.BAD_MODEL, categorized=False),
    _wrong("table_test", Verdict.UNIT_TEST_FAILURE),
)
_ENDED: Final = {  # endings that leave nothing to compare
    Ending.TIMED_OUT: Verdict.TIMEOUT,
    Ending.DIED: Verdict.CRASH,
    Ending.OVER_LIMIT: Verdict.CRASH,
    Ending.BAD_REPORT: Verdict.CRASH,
    Ending.ENGINE_ERROR: Verdict.NOT_JUDGED,
}


def has_report(ending: Ending) -> bool:
    """Return whether a cell that ended like this left something to compare."""
    return ending not in _ENDED


def decide_without_report(ending: Ending, limits_hit: Collection[str] = (), *, detail: str = "") -> Judged:
    """Judge a submission of which nothing can be compared.

    Raises:
        KeyError: If the ending leaves a report.
    """
    verdict, ended = _ENDED[ending], ENDING_WORDS[ending]
    reason = f"{ended}: {detail}" if detail else ended
    if verdict is Verdict.NOT_JUDGED:
        return Judged(verdict, reason=reason)
    fallback = Subverdict.KILLED if ending is Ending.DIED else Subverdict.UNCATEGORIZED
    subverdict = _resource(limits_hit, fallback) if verdict is Verdict.CRASH else Subverdict.UNCATEGORIZED
    return Judged(verdict, subverdict, reason, {"correct": "no", "category": "crash", "reason": reason})


def _resource(limits_hit: Collection[str], fallback: Subverdict) -> Subverdict:
    return next((subverdict for limit, subverdict in _RESOURCES.items() if limit in limits_hit), fallback)


def decide(finding: Finding, ending: Ending = Ending.OK, limits_hit: Collection[str] = ()) -> Judged:
    """Return the verdict of one submission.

    Args:
        finding: The findings tree, one node per validator.
        ending: How the submission's cell ended, by the host's own observation.
        limits_hit: Names of the limits it ran into.
    """
    if not has_report(ending):
        return decide_without_report(ending, limits_hit)
    evidence = _Evidence(finding, frozenset(limits_hit))
    rulings = (decision(evidence) for decision in _DECISIONS)
    fallback: _Ruling = (Verdict.UNKNOWN, Subverdict.UNCATEGORIZED, _telling(finding))
    verdict, subverdict, telling = next((ruling for ruling in rulings if ruling is not None), fallback)
    reason = "the output was cut off" if subverdict is Subverdict.OUTPUT_LIMIT and telling is None else ""
    return Judged(verdict, subverdict, telling.reason if telling else reason, finding.to_json())
