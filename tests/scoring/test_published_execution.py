"""Section 8 of the language's design where it speaks of execution: real sessions, judged under each rule set."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from evaluator.language import Problem, resolve_validators, wanted_names
from evaluator.running import SETUP_WALL_S
from evaluator.scoring import judge_submission
from evaluator.session import CaptureSpec, CellLimits, Engine, Outcome, SandboxChoice, probe_sandbox, record_probes

pytestmark = pytest.mark.kernel

BOTH = pytest.mark.parametrize("rules", ["sound", "published"])
INTACT = {"template": "intact"}
_RUNS: dict[Any, tuple[Outcome, Outcome]] = {}
CORRECT, CHANGED = "CORRECT/UNCATEGORIZED", "INTACT_VIOLATION/UNCATEGORIZED"


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    choice = SandboxChoice.AUTO if probe_sandbox().available else SandboxChoice.NONE
    with Engine(sandbox=choice, trusted=True) as started:
        yield started


def judged(
    engine: Engine,
    submission: str,
    rules: str,
    *,
    reference: str = "'a b' * 7",
    setup: str = "a = 1",
    validator: Any = None,
    wall_s: float = 20.0,
    forbid: tuple[str, ...] = (),
) -> str:
    problem = Problem(query="ask", code=reference, validator=validator)
    found, expected = run(engine, problem, submission, setup, CellLimits(wall_s=wall_s, forbid_names=forbid))
    said = judge_submission(engine, expected, found, problem, rules)
    return f"{said.verdict}/{said.subverdict}"


def run(engine: Engine, problem: Problem, submission: str, setup: str, limits: CellLimits) -> tuple[Outcome, Outcome]:
    """Run a submission and the reference; both rule sets judge the same two outcomes."""
    key = (problem.code, str(problem.validator), submission, setup, limits)
    if key not in _RUNS:
        _RUNS[key] = run_anew(engine, problem, submission, setup, limits)
    return _RUNS[key]


def run_anew(
    engine: Engine, problem: Problem, submission: str, setup: str, limits: CellLimits
) -> tuple[Outcome, Outcome]:
    validators = resolve_validators(problem)
    with engine.open(key="rules", inputs=None) as session:
        session.execute(setup, limits=CellLimits(wall_s=60))
        probes = record_probes(session, problem, limits)
        capture = CaptureSpec(names=wanted_names(validators), infer=True, probes=probes)
        found = session.attempt(submission, capture=capture, limits=limits)
        patient = replace(limits, wall_s=60)
        return found, session.execute(
            problem.code, capture=CaptureSpec(names=capture.names, probes=probes), limits=patient
        )


DATA = """
import numpy as np, pandas as pd
df = pd.DataFrame({'x': [1.0, 2.0], 'o': pd.Series([None, 'a'], dtype=object)})
numbers, big = [1.0, 2.0], np.zeros(100_000)
"""


@BOTH
@pytest.mark.parametrize(
    ("submission", "verdict"),
    [
        ("df.loc[0, 'x'] = 1 + 1e-9", CORRECT),
        ("df.loc[0, 'x'] = 1.1", CHANGED),
        ("df.loc[0, 'o'] = np.nan", CORRECT),
        ("df.loc[0, 'o'] = 'b'", CHANGED),
        ("numbers[0] = 1 + 1e-9", CORRECT),
        ("numbers.append(3)", CHANGED),
        ("big[0] = 1", CHANGED),
        ("df = df.copy()", CHANGED),
        ("numbers = numbers", CORRECT),
    ],
)
def test_updated_means_that_the_default_matcher_sees_a_change(
    engine: Engine, submission: str, verdict: str, rules: str
) -> None:
    assert judged(engine, submission, rules, setup=DATA, validator=INTACT) == verdict


THING = "class Thing:\n    def __init__(self): self.part = object()\nthing = Thing()\nlisted = [thing]"


@pytest.mark.parametrize(("rules", "verdict"), [("sound", CHANGED), ("published", CORRECT)])
def test_an_object_without_usable_equality_cancels_out_under_the_published_rules(
    engine: Engine, rules: str, verdict: str
) -> None:
    assert judged(engine, "thing.count = 3", rules, setup=THING, validator=INTACT) == verdict
    assert judged(engine, "thing.count", rules, setup=THING + "\nthing.count = 1", validator=INTACT) == CORRECT
    assert judged(engine, "thing = Thing()", rules, setup=THING, validator=INTACT) == CHANGED


@BOTH
def test_a_new_object_is_never_taken_for_the_freed_one_it_replaces(engine: Engine, rules: str) -> None:
    replaced = {"template": "intact", "namespace_intact": {"replacement": False}}
    for _ in range(3):  # an identity would be reused now and then
        found = judged(engine, "a = [v + 1 for v in a]", rules, setup="a = [1, 2, 3]", validator=replaced)
        assert found == CHANGED


@BOTH
@pytest.mark.parametrize(
    ("submission", "verdict"),
    [
        ("y = raw\n2 + 3", CORRECT),
        ("raw + 1\n2 + 3", "CRASH/TYPE_ERROR"),
        ("raw.head()\n2 + 3", "CRASH/ATTRIBUTE_ERROR"),
        ("raw[0]\n2 + 3", "CRASH/TYPE_ERROR"),
        ("raw = 3\n2 + 3", CORRECT),
    ],
)
def test_a_forbidden_name_stays_bound_to_a_dummy(engine: Engine, submission: str, verdict: str, rules: str) -> None:
    assert judged(engine, submission, rules, setup="raw = [1]", reference="5", forbid=("raw", "none")) == verdict


SWALLOWS = """
import signal, time
def ring(*_): raise TimeoutError
signal.signal(signal.SIGALRM, ring)
for _ in range(100):
    try:
        time.sleep(1)
    except BaseException:
        pass
1
"""


@BOTH
def test_a_submission_that_swallows_alarms_and_ends_late_is_a_timeout_by_the_host_clock(
    engine: Engine, rules: str
) -> None:
    assert judged(engine, SWALLOWS, rules, wall_s=0.5) == "TIMEOUT/UNCATEGORIZED"


MISSING, NOTHING = "PRESENTATION_ERROR/MISSING_RETURN", "WRONG_OUTPUT/UNCATEGORIZED"


@BOTH
@pytest.mark.parametrize(
    ("submission", "expected", "verdict"),
    [
        ("x = 3 + 3\nprint(f'it is {x}')", "2 * 3", MISSING),
        ("x = 3 + 3\nprint('it is', x, 'today')", "2 * 3", MISSING),
        ("x = 3 + 3\nprint('{}'.format(x))", "str(2 * 3)", MISSING),
        ("x = 3 + 3\nprint('%d' % x)", "str(2 * 3)", MISSING),
        ("x = 3 + 3\nprint('n=' + str(x))", "'n=' + str(2 * 3)", MISSING),
        ("x = [3 + 3]\nprint(*x)", "[2 * 3]", NOTHING),
        ("x = [3 + 3]\nprint(7, *x)", "[2 * 3]", NOTHING),
        ("x = y = 2 * 3", "6", MISSING),
        ("if True:\n    print(2 * 3)", "6", NOTHING),
        ("import types\nx = types.SimpleNamespace(y={})\nx.y['k'] = 3 + 3", "{'k': 2 * 3}", MISSING),
        ("table.loc[0, 'a'] = 6", "table.assign(a=[2 * 3])", "WRONG_OUTPUT/UNEXPECTED_TYPE"),
        ("table['a'] = 6", "table.assign(a=[2 * 3])", MISSING),
        ("table.columns = ['b']", "table.rename(columns={'a': 'b'})", MISSING),
        ("raise ValueError('x')", "6", "CRASH/VALUE_ERROR"),
    ],
)
def test_what_a_cell_would_have_shown_is_inferred_by_the_published_rules_of_thumb(
    engine: Engine, submission: str, expected: str, verdict: str, rules: str
) -> None:
    validator = {"template": "basic", "result": None}
    setup = "import pandas as pd\ntable = pd.DataFrame({'a': [1]})"
    assert judged(engine, submission, rules, reference=expected, setup=setup, validator=validator) == verdict


@BOTH
def test_an_unsuitable_query_expression_is_a_crash_and_to_the_published_rules_a_syntax_error(
    engine: Engine, rules: str
) -> None:
    verdict = {"sound": "CRASH/UNCATEGORIZED", "published": "SYNTAX_ERROR/UNCATEGORIZED"}[rules]
    setup = "import pandas as pd\ndf = pd.DataFrame({'a': [1]})"
    assert judged(engine, "df.query('a ==')", rules, setup=setup) == verdict
    indented = {"sound": "SYNTAX_ERROR/UNCATEGORIZED", "published": "CRASH/UNCATEGORIZED"}[rules]
    assert judged(engine, "x = 1\n  y = 2", rules) == indented
    assert judged(engine, "There are two rows", rules) == "SYNTAX_ERROR/UNCATEGORIZED"


def test_setup_cells_and_tables_of_cases_have_limits_of_their_own(engine: Engine) -> None:
    table = {"function_name": "f", "test_cases": [[1]]}
    problem = Problem(query="ask", code="", validator={"template": "empty", "table_test": table})
    with engine.open(key="rules", inputs=None) as session:
        for wall_s, limit_s in ((1.0, 60.0), (90.0, 90.0)):
            (probe,) = record_probes(session, problem, CellLimits(wall_s=wall_s))
            assert probe.limit_s == limit_s
    assert SETUP_WALL_S >= 60


@BOTH
def test_a_model_that_does_not_predict_in_time_ran_out_of_time(
    engine: Engine, rules: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluator.session.probes.TABLE_S", 0.5)
    predict = "class Model:\n    def predict(self, rows):\n        {}return [1, 2]"
    model = f"{predict}\nmodel = Model()\nX, y = [[1], [2]], [1, 2]"
    options = {"model_name": "model", "inputs_name": "X", "labels_name": "y", "metric_type": "accuracy"}
    validator = {"template": "basic", "model": options}
    slow = model.format("import time; time.sleep(30); ")
    for submission, verdict in ((slow, "TIMEOUT"), (model.format("0 / 0; "), "BAD_MODEL"), ("b = 1", "BAD_MODEL")):
        found = judged(engine, submission, rules, reference=model.format(""), validator=validator, wall_s=0.5)
        assert found == f"{verdict}/UNCATEGORIZED"
