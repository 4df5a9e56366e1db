"""Values that probes make decide like variables, on real sessions."""

from pathlib import Path

import pytest

from evaluator.language import Problem, parse_problemset, resolve_validators, wanted_names
from evaluator.scoring import judge_submission
from evaluator.session import CaptureSpec, CellLimits, Engine, record_probes

pytestmark = pytest.mark.kernel
LIMITS = CellLimits(wall_s=20)
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


def problem() -> Problem:
    parsed = parse_problemset(TEXT, name="set", path=Path("set.py"))
    assert parsed.problemset is not None
    assert parsed.diagnostics == ()
    return parsed.problemset.problems[0]


CHANGES = (  # of the reference's code: what, by what, and the name that is then another variable's
    ("n * n", "n + n", "first"),
    ("row * 2", "row * 3", "doubled"),
    ("return [row", "__import__('time').sleep(60)\n        return [row", "doubled"),
    ("return [row", "__import__('os')._exit(0)\n        return [row", "doubled"),
    ("doubler = Doubler()", "class Other(Doubler):\n    pass\ndoubler = Other()", "kind"),
    ("squares =", "triangles =", "first"),
)


def test_a_value_that_is_wrong_missing_or_never_comes_is_a_wrong_variable(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluator.session.probes.VALUE_S", 2.0)
    asked = problem()
    with engine.open(key="probes", inputs=None) as session:
        probes = record_probes(session, asked, CellLimits(wall_s=3))
        capture = CaptureSpec(wanted_names(resolve_validators(asked)), True, probes)
        codes = [asked.code, *(asked.code.replace(change, by, 1) for change, by, _ in CHANGES)]
        right, *wrong = (session.attempt(code, capture=capture, limits=LIMITS) for code in codes)
        reference = session.execute(asked.code, capture=capture, limits=LIMITS)
    assert judge_submission(engine, reference, right, asked).verdict == "CORRECT"
    for submission, (change, _, name) in zip(wrong, CHANGES, strict=True):
        found = judge_submission(engine, reference, submission, asked)
        assert found.verdict == "WRONG_VARIABLES", (change, found.reason)
        assert name in found.reason
