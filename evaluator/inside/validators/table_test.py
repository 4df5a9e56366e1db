"""The `table_test` validator: a function's outputs, and its arguments afterwards, case by case (dseal.md, 3.3)."""

import itertools
from collections.abc import Mapping
from typing import Any, Final

from evaluator.inside.codec.decode.decoded import CaseAnswer, ProbeReport
from evaluator.inside.compare.identity import find_incomparable
from evaluator.inside.compare.match_model import (
    Answer,
    AuthorFaultError,
    Cause,
    Comparison,
    first_cause,
    presentation_cause,
)
from evaluator.inside.validators.crash import error_cause
from evaluator.inside.validators.interface import Case, InsideFinding
from evaluator.inside.validators.value_comparison import Comparer, read_comparer

NAME: Final = "table_test"
_TOO_LONG: Final = "the cases of {!r} take too long: time is up in case {}"


def check_table(case: Case, options: Mapping[str, Any], number: int) -> InsideFinding:
    """Compare what two functions did with the same cases; the first case that is not yes decides.

    Args:
        case: The two outcomes.
        options: As written.
        number: Which probe of the problem holds the answers.
    """
    name = str(options.get("function_name"))
    outputs = read_comparer(options.get("output_checker"), rules=case.rules, where=f"{NAME}.output_checker")
    arguments = _read_input_checker(case, options)
    expected = _reference_cases(case.report(case.reference, number), name)
    for position, one in enumerate(expected, 1):
        _require_comparable(one, outputs, name, position)
    found = case.report(case.submission, number)
    if case.has_evidence and found.ending == "ok" and not found.found:
        return _no(f"there is no function {name!r} after the cell")
    if case.has_evidence and found.cases:
        finding = _compare_cases(case, expected, found.cases, outputs, arguments)
        if finding.answer is not Answer.YES:
            return finding
    next_case = len(found.cases) + 1
    if case.has_evidence and found.ending == "timed_out":
        return _no(_TOO_LONG.format(name, next_case), Cause.TIMEOUT)
    if not case.has_evidence or found.ending in ("missing", "died"):
        where = f" from case {next_case} on" if found.ending == "died" else ""
        return _no(f"the tests of {name!r} left no report{where}")
    return InsideFinding(NAME, Answer.YES) if len(found.cases) == len(expected) else _no("not every case was tested")


def _read_input_checker(case: Case, options: Mapping[str, Any]) -> Comparer | None:
    raw = options.get("input_checker")
    if raw is False:
        return None
    return read_comparer(None if raw is True else raw, rules=case.rules, where=f"{NAME}.input_checker")


def _reference_cases(report: ProbeReport, name: str) -> tuple[CaseAnswer, ...]:
    fix = "correct the reference code, or the test cases"
    next_case = len(report.cases) + 1
    if report.ending == "timed_out":
        what = f"with the reference, {_TOO_LONG.format(name, next_case)}"
        raise AuthorFaultError(what, where=NAME, fix="use fewer cases")
    if report.ending != "ok":
        what = f"the tests of the reference's {name!r} left no report from case {next_case} on"
        raise AuthorFaultError(what, where=NAME, fix=fix)
    if not report.found:
        where = f"{NAME}.function_name"
        raise AuthorFaultError(f"the reference defines no function {name!r}", where=where, fix="define it in the code")
    for number, one in enumerate(report.cases, 1):
        if one.error is not None:
            what = f"the reference's {name!r} raises {one.error.name} in case {number}: {one.error.message}"
            raise AuthorFaultError(what[:500], where=f"{NAME}.test_cases", fix=fix)
    return report.cases


def _require_comparable(one: CaseAnswer, outputs: Comparer, name: str, position: int) -> None:
    try:
        outputs.require_comparable(one.output)
    except AuthorFaultError as fault:
        what = f"{name!r} in case {position}: {fault.what}"
        raise AuthorFaultError(what, where=NAME, fix=fault.fix) from fault


def _compare_cases(
    case: Case,
    expected: tuple[CaseAnswer, ...],
    found: tuple[CaseAnswer, ...],
    outputs: Comparer,
    arguments: Comparer | None,
) -> InsideFinding:
    pairs = list(zip(expected, found, strict=False))
    runs = itertools.takewhile(lambda pair: pair[1].error is None, pairs)
    matched = outputs.matched_ahead([(want.output, got.output) for want, got in runs])
    for number, (want, got) in enumerate(pairs, 1):
        if got.error is not None:
            cause = error_cause(got.error, case.rules) or Cause.OTHER_ERROR
            return _no(f"case {number} raises {got.error.name}: {got.error.message}", cause)
        if arguments is not None and not _are_yes(want, got, arguments):
            finding = _finding(_compare_arguments(want, got, arguments), f"case {number}, arguments after the call")
            if finding.answer is not Answer.YES:
                return finding
        if number - 1 in matched or _is_yes(want, got, outputs):
            continue
        finding = _finding(outputs.compare(want.output, got.output), f"case {number}")
        if finding.answer is not Answer.YES:
            return finding
    return InsideFinding(NAME, Answer.YES)


def _is_yes(want: CaseAnswer, got: CaseAnswer, outputs: Comparer) -> bool:
    """Return whether an output needs no comparison: it is the same to the byte, and can be compared."""
    return got.is_same_as(want) and outputs.accepts_same(want.output)


def _are_yes(want: CaseAnswer, got: CaseAnswer, arguments: Comparer) -> bool:
    """Return whether arguments need no comparison, of which those that cannot be compared do not count."""
    if not got.is_same_as(want) or not isinstance(want.arguments, (list, dict)):
        return False
    values = list(want.arguments.values() if isinstance(want.arguments, dict) else want.arguments)
    return bool(values) and all(map(arguments.accepts_same, values))


def _compare_arguments(want: CaseAnswer, got: CaseAnswer, comparer: Comparer) -> Comparison:
    """Compare arguments after the call; those that cannot be compared on the reference's side do not count."""
    expected, found = want.arguments, got.arguments
    if comparer.code is None and isinstance(expected, (list, dict)) and type(expected) is type(found):
        keys = range(len(expected)) if isinstance(expected, list) else list(expected)
        skipped = {key for key in keys if find_incomparable(expected[key]) is not None}
        expected, found = _without(expected, skipped), _without(found, skipped)
    return comparer.compare(expected, found)


def _without(arguments: Any, skipped: set[Any]) -> Any:
    if isinstance(arguments, list):
        return [item for position, item in enumerate(arguments) if position not in skipped]
    return {name: item for name, item in arguments.items() if name not in skipped}


def _finding(comparison: Comparison, what: str) -> InsideFinding:
    if comparison.answer is Answer.YES:
        return InsideFinding(NAME, Answer.YES)
    if comparison.answer is Answer.PARTIAL:
        cause = presentation_cause(comparison.causes)
        return InsideFinding(NAME, Answer.PARTIAL, f"{what}: {comparison.loosely}", cause)
    loose = first_cause(comparison.loose_causes or ())
    return InsideFinding(NAME, Answer.NO, f"{what}: {comparison.reason}", first_cause(comparison.causes), loose)


def _no(reason: str, cause: Cause | None = None) -> InsideFinding:
    return InsideFinding(NAME, Answer.NO, reason, cause)
