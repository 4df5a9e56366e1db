"""Dry runs of problems with unit tests: what their author got wrong is said, stored, and never accepted."""

import pytest

from authoring.checks.acceptance import accept
from authoring.checks.dry_run.dry_running import dry_run
from authoring.store import dry_runs, problemsets
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError
from evaluator.session import Engine

pytestmark = pytest.mark.kernel

PROBLEM = '''# %%
"""
query: Write `f(x)`, which returns the number after `x`.
validator:
  template: intact
  table_test:
    function_name: f
    test_cases:
      - [{case}]
"""
{code}
'''


def problem(ws: Workspace, *, case: str = "1", code: str = "def f(x):\n    return x + 1") -> int:
    text = PROBLEM.format(case=case, code=code)
    return problemsets.create(ws, name="successor", text=text, author="mei", origin=Origin.PERSON).id


def test_a_function_is_tested_and_an_empty_answer_fails(ws: Workspace, engine: Engine) -> None:
    revision = problem(ws)
    assert dry_run(ws, revision, engine=engine).passed
    found = dry_runs.latest(ws, revision)
    assert found is not None
    assert [(row.reference_verdict, row.empty_verdict) for row in found.problems] == [("CORRECT", "UNIT_TEST_FAILURE")]


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"case": "'`1/0`'"}, "case 1 cannot be built: ZeroDivisionError"),
        ({"code": "g = 1"}, "the reference defines no function 'f'"),
    ],
)
def test_a_case_or_a_reference_that_does_not_fit_is_named_and_not_accepted(
    ws: Workspace, engine: Engine, wrong: dict[str, str], reason: str
) -> None:
    revision = problem(ws, **wrong)
    assert not dry_run(ws, revision, engine=engine).passed
    assert dry_runs.latest(ws, revision) is not None
    with pytest.raises(ContentError) as refused:
        accept(ws, revision, by="ada", engine=engine)
    assert reason in refused.value.what
