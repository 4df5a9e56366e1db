"""The validators that give a score: `numeric`, `text`, `visual` and `final_answer` (CIBench, Qwen's benchmark).

The score comes with the request, from a grader, which compares texts and pictures. What the values and figures
themselves say is compared here.
"""

from collections.abc import Mapping
from typing import Any, Final

from evaluator.inside.codec.decode.decoded import ABSENT, DecodedOutcome
from evaluator.inside.compare.figure_facts import difference
from evaluator.inside.compare.match_model import Answer, AuthorFaultError, Cause, Rules
from evaluator.inside.compare.value_text import shown
from evaluator.inside.validators.interface import Case, Grade, InsideFinding, refuse_options
from evaluator.inside.validators.result import has_result
from evaluator.inside.validators.value_comparison import read_comparer

PASS_AT: Final = {"numeric": 1.0, "text": 0.9, "visual": 0.9, "judge": 0.6, "final_answer": 1.0}
"""From which score on the answer is yes; a picture that is resized to itself may reach 0.99999 only."""
_FACTS: Final = ("data", "scales", "labels")
_OPTIONS: Final = {
    "text": {"pass_at"},
    "visual": {"pass_at", "facts"},
    "judge": {"pass_at", "scale", "counts"},
    "final_answer": {"expected"},
}
_RTOL: Final = 1e-6
_SAME_NUMBERS: Final = frozenset({Cause.CONTAINER, Cause.NAME, Cause.INDEX, Cause.DTYPE})
"""In which other forms a value still has the same numbers in the same order, and no more of them."""
_WHY: Final = {
    "nothing-expected": "nothing is expected that could be compared",
    "nothing-found": "the cell shows nothing of the kind",
    "unreadable": "the picture cannot be read",
    "unreadable-expected": "the expected side cannot be read",
    "too-large": "a picture is too large to be compared",
    "broke-grader": "what the cell shows breaks what compares it",
    "channels": "the picture has other channels than the expected one",
    "too-small": "a picture is too small to be compared",
}


def check_graded(name: str, case: Case, raw_options: Mapping[str, Any], number: int) -> InsideFinding:
    """Answer by the score of graded validator `number`, from 0; figures must show the same, too."""
    for option in raw_options.keys() - _OPTIONS.get(name, set()):
        refuse_options(name, {option: None})
    grade = case.grade(number)
    if not case.has_evidence:
        return InsideFinding(name, Answer.NO, "the cell left no report", score=0.0)
    if name == "judge":
        return _by_opinion(grade, raw_options)
    if grade.score is None:
        raise AuthorFaultError(_WHY.get(grade.why, "it could not be graded"), where=name, fix="look at the reference")
    score = grade.score
    if name == "numeric" and _are_values(case):  # whose text may be abbreviated, or have its numbers in another place
        score = float(_same_values(case))
    pass_at = _pass_at(name, raw_options)
    if name == "visual" and not pass_at and (grade.why or case.is_recorded or not _facts(case.reference)):
        pass_at = PASS_AT[name]  # where there are no facts to decide, likeness does
    if pass_at and score < pass_at:  # 0 lets facts decide alone, although a likeness may be below it
        why = _WHY.get(grade.why) or _too_low(name, score, pass_at) + _facts_too(name, case, raw_options)
        return InsideFinding(name, Answer.NO, why, Cause.VALUE, score=score)
    if name == "visual":
        told = _other_figures(case, raw_options)
        if told:
            return InsideFinding(name, Answer.NO, told, Cause.VALUE, score=score)
    return InsideFinding(name, Answer.YES, score=score)


def _by_opinion(grade: Grade, options: Mapping[str, Any]) -> InsideFinding:
    """Answer by a judge's opinion where it counts; one that has not been given is told, and decides nothing here."""
    if grade.score is None:
        return InsideFinding("judge", Answer.YES, "no judge has looked at it")
    pass_at = _pass_at("judge", options)
    if grade.score >= pass_at:
        return InsideFinding("judge", Answer.YES, score=grade.score)
    why = _WHY.get(grade.why) or f"the judge gives {grade.score:.1f}; {pass_at:g} is needed"
    if options.get("counts") is not True:
        return InsideFinding("judge", Answer.YES, f"{why}, but its opinion does not count", score=grade.score)
    return InsideFinding("judge", Answer.NO, why, Cause.VALUE, score=grade.score)


def _pass_at(name: str, options: Mapping[str, Any]) -> float:
    written = options.get("pass_at")
    if written is None:
        return PASS_AT[name]
    if isinstance(written, bool) or not isinstance(written, int | float) or not 0 <= written <= 1:
        raise AuthorFaultError("pass_at must be a number from 0 to 1", where=name, fix="write a fraction")
    return float(written)


def _too_low(name: str, score: float, pass_at: float) -> str:
    if name == "numeric":
        return "the numbers that are shown are not those expected; all that are shown count, in order"
    if name == "final_answer":
        return "the closing answer is another one"
    if name == "text":
        return f"the words agree to {score:.3f} (ROUGE-1); {pass_at:g} is needed"
    return f"the likeness is {score:.3f}; {pass_at:g} is needed"


def _facts_too(name: str, case: Case, options: Mapping[str, Any]) -> str:
    """Return what else differs between figures that are not alike, in words; it decides nothing."""
    if name != "visual":
        return ""
    try:
        told = _other_figures(case, options)
    except AuthorFaultError:
        return ""
    return f"; {told}" if told else ""


def _are_values(case: Case) -> bool:
    """Return whether both sides end with a value that is no text; the published rules read texts only."""
    if case.rules is not Rules.SOUND or case.is_recorded:
        return False
    sides = (case.reference, case.submission)
    return all(has_result(side) and not isinstance(side.result, str) for side in sides)


def _same_values(case: Case) -> bool:
    """Return whether the last values are equal in any container: in their order, and no others beside them."""
    comparer = read_comparer({"rtol": _RTOL}, rules=case.rules, where="numeric")
    found = comparer.compare(case.reference.result, case.submission.result)
    return found.answer is Answer.YES or (found.answer is Answer.PARTIAL and found.causes <= _SAME_NUMBERS)


def _other_figures(case: Case, options: Mapping[str, Any]) -> str:
    """Return how what the figures show differs from what is expected; empty where it does not."""
    written = options.get("facts") or _FACTS[:2]
    wanted = [written] if isinstance(written, str) else list(written)
    if not set(wanted) <= set(_FACTS):
        raise AuthorFaultError("facts are some of data, scales, labels", where="visual", fix="name some of them")
    expected = _facts(case.reference)
    if case.is_recorded or not expected:  # a picture that no figure made has no facts
        return ""
    if any(facts is ABSENT or facts["cut"] for facts in expected):
        what = "what the reference's figure shows cannot be read"
        raise AuthorFaultError(what, where="visual", fix="draw fewer points, or a smaller figure")
    if case.submission.diff.tampered:
        return shown(f"the cell changed what reports it: {', '.join(case.submission.diff.tampered)}", limit=200)
    found = _facts(case.submission)
    if any(facts is ABSENT for facts in found):
        return "what the figure shows cannot be read"
    try:
        return shown(difference(expected, found, wanted))
    except Exception:  # noqa: BLE001  facts of a submission are whatever it sent
        return "what the figure shows cannot be read"


def _facts(outcome: DecodedOutcome) -> list[Any]:
    return [figure.facts for figure in outcome.figures]
