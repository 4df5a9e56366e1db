"""The `result` validator and the rule "answered in code" (dseal.md, section 3.1)."""

import re
from collections.abc import Mapping, Sized
from typing import Any, Final

from evaluator.inside.codec.decode.decoded import ABSENT, DecodedOutcome, Inferred
from evaluator.inside.compare.match_model import Answer, Cause, Rules, first_cause, presentation_cause
from evaluator.inside.compare.value_text import shown
from evaluator.inside.runtime.inference import ASSIGNMENT, DISPLAY, FORMAT
from evaluator.inside.validators.answer_in_source import says
from evaluator.inside.validators.interface import Case, InsideFinding
from evaluator.inside.validators.value_comparison import Comparer, read_comparer

NAME = "result"
_NO_VALUE: Final = "there is no result: the cell ends without a value"


def has_result(outcome: DecodedOutcome) -> bool:
    """Return whether the cell's last expression had a value; None counts as no result."""
    return outcome.result is not ABSENT and outcome.result is not None


def answered_in_source(case: Case) -> bool:
    """Return whether the submission's source says the expected result; the published rules take any whole word."""
    if not has_result(case.reference):
        return False
    expected, source = case.reference.result, case.submission.source
    try:
        if isinstance(expected, Sized) and len(expected) > len(source):
            return False  # its text is longer still
        text = str(expected)
    except Exception:  # noqa: BLE001  a value without a text was not written down
        return False
    if len(text) > len(source):
        return False
    if case.rules is Rules.SOUND:
        return says(source, expected)
    return re.search(rf"\b{re.escape(text)}\b", source) is not None


def check_result(case: Case, raw_options: Mapping[str, Any]) -> InsideFinding:
    """Compare the value of the cell's last expression statement."""
    comparer = read_comparer(dict(raw_options) or None, rules=case.rules, where=NAME)
    if has_result(case.reference):
        comparer.require_comparable(case.reference.result)
    if not case.has_evidence:
        return InsideFinding(NAME, Answer.NO, "the cell left no report")
    if not has_result(case.reference):
        return InsideFinding(NAME, Answer.YES, "the reference has no result, so any is accepted")
    if has_result(case.submission):
        return _compared(case.reference.result, case.submission.result, comparer)
    if answered_in_source(case):
        return InsideFinding(NAME, Answer.PARTIAL, "the expected result stands in the code", Cause.NON_CODE)
    return _inferred_result(case, comparer)


def _compared(expected: Any, found: Any, comparer: Comparer) -> InsideFinding:
    comparison = comparer.compare(expected, found)
    if comparison.answer is Answer.PARTIAL:
        cause = presentation_cause(comparison.causes)
        return InsideFinding(NAME, Answer.PARTIAL, comparison.loosely, cause)
    loose = first_cause(comparison.loose_causes or ())
    return InsideFinding(NAME, comparison.answer, comparison.reason, first_cause(comparison.causes), loose)


def _inferred_result(case: Case, comparer: Comparer) -> InsideFinding:
    if case.submission.inference_failed:
        return InsideFinding(NAME, Answer.NO, f"{_NO_VALUE}, and what it shows cannot be evaluated")
    shown_values = _shown_values(case)
    if not shown_values:
        return InsideFinding(NAME, Answer.NO, f"{_NO_VALUE} (what loops and functions print is not looked at)")
    found = shaped_like(case.reference.result, [item.value for item in shown_values])
    if found is None or found is ABSENT:
        return InsideFinding(NAME, Answer.NO, _NO_VALUE)
    finding = _compared(case.reference.result, found, comparer)
    if finding.answer is Answer.NO:
        return finding
    compared = shown_values if len(shown_values) == 1 or found is not shown_values[-1].value else shown_values[-1:]
    sources = shown(", ".join(item.source for item in compared), limit=80)
    reason = f"the expected value is not returned, but here it is: {sources}"
    cause = finding.cause if case.rules is Rules.PUBLISHED else None
    return InsideFinding(NAME, Answer.PARTIAL, reason, cause or Cause.MISSING_RETURN)


def _shown_values(case: Case) -> list[Inferred]:
    """Return what the cell showed: by the published rules only what it printed, else its last assignment."""
    inferred = case.submission.inferred
    if case.rules is Rules.PUBLISHED:
        return [item for item in inferred if item.kind != DISPLAY]
    shown_values = [item for item in inferred if item.kind not in (FORMAT, ASSIGNMENT)]
    return shown_values or [item for item in inferred if item.kind == ASSIGNMENT]


def shaped_like(expected: Any, values: list[Any]) -> Any:
    """Shape several inferred values like the expected tuple, list or dict; else take the last one.

    A dict gets the expected keys, aligned from the end; keys without a value hold None.
    """
    if len(values) == 1:
        return values[0]
    if isinstance(expected, tuple):
        return tuple(values)
    if isinstance(expected, list):
        return values
    if isinstance(expected, dict) and expected:
        missing = max(0, len(expected) - len(values))
        return dict(zip(expected, [None] * missing + values[-len(expected) :], strict=True))
    return values[-1]
