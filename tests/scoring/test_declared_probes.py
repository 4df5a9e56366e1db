"""Values that probes make decide like variables, on real sessions."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluator.language import Problem, parse_problemset, resolve_validators, wanted_names
from evaluator.scoring import Judged, judge_submission
from evaluator.session import CaptureSpec, CellLimits, Engine, SandboxChoice, probe_sandbox, record_probes

pytestmark = pytest.mark.kernel
LIMITS = CellLimits(wall_s=3)
TEXT = '''# %%
"""
query: Make a generator `squares` of the squares from 1 on, and a class `Doubler` whose objects transform rows.
probes:
  first: {take: squares, count: 4}
  doubled: {transform: doubler, inputs: rows}
  kind: type(doubler).__name__
validator:
  template: basic
  namespace_check:
    first:
    doubled:
    kind:
"""

rows = [1, 2]
squares = (n * n for n in __import__("itertools").count(1))
class Doubler:
    def transform(self, rows):
        return [row * 2 for row in rows]
doubler = Doubler()
'''


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    choice = SandboxChoice.AUTO if probe_sandbox().available else SandboxChoice.NONE
    with Engine(sandbox=choice, trusted=True) as made:
        yield made


def problem() -> Problem:
    parsed = parse_problemset(TEXT, name="set", path=Path("set.py"))
    assert parsed.problemset is not None
    assert parsed.diagnostics == ()
    return parsed.problemset.problems[0]


def judged(engine: Engine, asked: Problem, code: str) -> Judged:
    with engine.open(key="probes", inputs=None) as session:
        capture = CaptureSpec(wanted_names(resolve_validators(asked)), True, record_probes(session, asked, LIMITS))
        submission = session.attempt(code, capture=capture, limits=LIMITS)
        reference = session.execute(asked.code, capture=capture, limits=LIMITS)
    return judge_submission(engine, reference, submission, asked)


def test_the_reference_passes_its_own_probes(engine: Engine) -> None:
    assert judged(engine, problem(), problem().code).verdict == "CORRECT"


@pytest.mark.parametrize(
    ("change", "by", "name"),
    [
        ("n * n", "n + n", "first"),
        ("row * 2", "row * 3", "doubled"),
        ("return [row", "while True: pass\n        return [row", "doubled"),
        ("return [row", "__import__('os')._exit(0)\n        return [row", "doubled"),
        ("class Doubler", "class Other(object):\n    transform = lambda self, rows: [2, 4]\nclass Doubler", "kind"),
        ("squares =", "triangles =", "first"),
    ],
)
def test_a_value_that_is_wrong_missing_or_never_comes_is_a_wrong_variable(
    engine: Engine, change: str, by: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluator.session.probes.VALUE_S", 1.0)
    code = problem().code.replace(change, by, 1)
    if name == "kind":
        code = code.replace("doubler = Doubler()", "doubler = Other()")
    found = judged(engine, problem(), code)
    assert found.verdict == "WRONG_VARIABLES"
    assert name in found.reason
