"""A benchmark's own validators at work: real sessions, the real comparator, mistakes of authors, hostile cells."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from evaluator.diagnostics import has_errors
from evaluator.language import Problem, parse_problemset, read_own_validators, resolve_validators, wanted_names
from evaluator.scoring import Judged, find_author_fault, judge_submission
from evaluator.session import CaptureSpec, CellLimits, Ending, Engine, Outcome, Session
from evaluator.session.grader_pool import Grade, GradeItem

pytestmark = pytest.mark.kernel

OWN = """
import json


def same_total(reference, submission, *, column="sales", tolerance=0.01):
    want, got = (_total(outcome, column) for outcome in (reference, submission))
    return abs(want - got) <= tolerance * abs(want), f"the totals are {want} and {got}"


def _total(outcome, column):
    return outcome.variables["report"][column].sum()


def kept_names(reference, submission):
    return {"match": set(submission.changed) <= set(reference.changed), "reason": json.dumps(submission.changed)}


def graded(reference, submission):
    if submission.result == reference.result:
        return True
    found = "partial" if submission.output.strip() == str(reference.result) else False
    return {"match": found, "reason": "only printed", "cause": "MISSING_RETURN" if found else "VALUE"}


def depth(reference, submission):
    return submission.result.max_depth == reference.result.max_depth


def breaks(reference, submission):
    return 1 / 0


def breaks_on_others(reference, submission):
    if submission.result != reference.result:
        raise KeyError("x")
    return True


def refuses(reference, submission):
    return False


def hangs(reference, submission):
    import time
    time.sleep(60)


def answers_nonsense(reference, submission):
    return {"match": True, "cause": "SO_SO"} if reference.has_result else 5
"""


def problem(validator: str, code: str = "5") -> Problem:
    own = read_own_validators(OWN, Path("_validators.py"))
    text = f'# %%\n"""\nquery: ask\nvalidator:\n  template: empty\n  {validator}\n"""\n{code}\n'
    problemset, diagnostics = parse_problemset(text, name="own", own_validators=own)
    assert problemset is not None
    assert not has_errors(diagnostics)
    return problemset.problems[0]


@pytest.fixture(scope="module")
def session(engine: Engine) -> Iterator[Session]:
    with engine.open(key="own", inputs=None) as opened:
        opened.execute("a = 1")
        yield opened


@cache
def attempt(session: Session, code: str, names: tuple[str, ...]) -> Outcome:
    return session.attempt(code, capture=CaptureSpec(names=names), limits=CellLimits(wall_s=20.0))


def run(session: Session, asked: Problem, submission: str) -> tuple[Outcome, Outcome]:
    """Return the outcomes of the reference and of a submission."""
    names = wanted_names(resolve_validators(asked))
    return attempt(session, asked.code, names), attempt(session, submission, names)


def judged(engine: Engine, session: Session, validator: str, submission: str, code: str = "5") -> Judged:
    asked = problem(validator, code)
    reference, found = run(session, asked, submission)
    assert find_author_fault(engine, reference, asked) is None
    return judge_submission(engine, reference, found, asked)


REPORT = "import pandas as pd\nreport = pd.DataFrame({'sales': [1, 2], 'costs': [2, 2]})"
TOTAL = "same_total: {variables: [report]}"


DECIDED = (
    (TOTAL, REPORT, REPORT, "CORRECT/UNCATEGORIZED", ""),
    (TOTAL, REPORT.replace("1, 2", "0, 3"), REPORT, "CORRECT/UNCATEGORIZED", ""),
    (TOTAL, REPORT.replace("1, 2", "1, 3"), REPORT, "UNKNOWN/UNCATEGORIZED", "the totals are 3 and 4"),
    (TOTAL, "b = 1", REPORT, "UNKNOWN/UNCATEGORIZED", "there is no variable 'report' after the cell"),
    (TOTAL, "report = lambda: 0", REPORT, "UNKNOWN/UNCATEGORIZED", "TypeError"),
    ("same_total: {variables: [report], tolerance: 0.5}", REPORT.replace("1, 2", "1, 3"), REPORT, "CORRECT", ""),
    ("same_total: {variables: [report], column: costs}", REPORT.replace("1, 2", "1, 3"), REPORT, "CORRECT", ""),
    ("kept_names:", "a = 2", "b = 2", "UNKNOWN/UNCATEGORIZED", '["a"]'),
    ("kept_names:", "a = 2", "a = 3", "CORRECT/UNCATEGORIZED", ""),
    ("graded:", "2 + 3", "5", "CORRECT/UNCATEGORIZED", ""),
    ("graded:", "print(5)", "5", "PRESENTATION_ERROR/MISSING_RETURN", "only printed"),
    ("graded:", "6", "5", "UNKNOWN/UNCATEGORIZED", "only printed"),
    ("or: {graded: , result: {atol: 2}}", "6", "5", "CORRECT/UNCATEGORIZED", ""),
    ("graded:", "import os; os._exit(3)", "5", "CRASH/KILLED", "the process died"),
    ("breaks_on_others:", "6", "5", "UNKNOWN/UNCATEGORIZED", "KeyError"),
    ("breaks_on_others:", "5", "5", "CORRECT/UNCATEGORIZED", ""),
)


def test_the_function_decides(engine: Engine, session: Session) -> None:
    for validator, submission, code, verdict, reason in DECIDED:
        found = judged(engine, session, validator, submission, code)
        assert f"{found.verdict}/{found.subverdict}".startswith(verdict), (validator, submission, found)
        assert reason in found.reason


MODEL = "class Tree:\n    def __init__(self, d):\n        self.max_depth = d\nTree({})"
HOSTILE = """
class Tree:
    max_depth = 3
    def __eq__(self, other): return True
    def __getattr__(self, name): return 3
    def __reduce__(self): return (print, ("pwned",))
Tree()
"""


def test_a_hostile_object_arrives_as_a_stand_in_with_plain_attributes_only(engine: Engine, session: Session) -> None:
    for submission, verdict in ((MODEL.format(3), "CORRECT"), (MODEL.format(4), "UNKNOWN"), (HOSTILE, "UNKNOWN")):
        assert judged(engine, session, "depth:", submission, MODEL.format(3)).verdict == verdict


def test_a_hostile_claim_never_reaches_the_function(engine: Engine, session: Session) -> None:
    asked = problem("graded:")
    reference, found = run(session, asked, "5")
    for payload in (b"", b"{}", b"\x80\x04.", bytes(200), (found.payload or b"")[:-1]):
        spoilt = judge_submission(engine, reference, replace(found, payload=payload), asked)
        assert f"{spoilt.verdict}/{spoilt.subverdict}" == "CRASH/UNCATEGORIZED"


FAULTS = (
    ("breaks:", "5", "breaks raised ZeroDivisionError"),
    ("refuses:", "5", "the reference fails its own validators: refuses says"),
    ("answers_nonsense:", "5", "names the cause 'SO_SO'"),
    ("answers_nonsense:", "a = 5", "returned int instead of match and reason"),
    ("same_total: {variables: [report], column: cost}", REPORT, "raised KeyError"),
    ("same_total: {variables: [reports]}", REPORT, "the reference leaves no variable 'reports'"),
    ("result: 'def compare_fn(e, f): return 1 / 0'", "5", "compare_fn raised ZeroDivisionError"),
    ("namespace_check: {a: 'def compare_fn(e, f): return e < f'}", "5", "fails its own validators"),
    ("hangs:", "5", "the validator's own code fails on the reference: hangs did not answer within 5 s"),
)


@pytest.mark.parametrize("faults", [FAULTS[:-1], pytest.param(FAULTS[-1:], marks=pytest.mark.deep)])
def test_code_that_fails_on_the_reference_is_the_authors_error(
    engine: Engine, session: Session, faults: tuple[tuple[str, str, str], ...]
) -> None:
    for validator, code, what in faults:
        asked = problem(validator, code)
        reference, _ = run(session, asked, "5")
        fault = find_author_fault(engine, reference, asked)
        assert fault is not None, validator
        assert what in fault.what
        assert fault.fix


def test_a_problem_without_code_is_not_compared_with_itself() -> None:
    class Untouched:
        def judge(self, *_arguments: Any, **_options: Any) -> dict[str, Any]:
            raise AssertionError("nothing needs to be compared")

        def grade(self, items: Sequence[GradeItem]) -> list[Grade]:
            raise AssertionError(f"nothing is to be graded: {items}")

    asked = Problem(query="ask", code="5")
    assert find_author_fault(Untouched(), Outcome(Ending.OK, "5"), asked) is None
