"""Section 8 of the language's design where it speaks of execution: real sessions, judged under each rule set."""

import contextlib
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from evaluator.language import Problem, resolve_validators, wanted_names
from evaluator.running import SETUP_WALL_S
from evaluator.scoring import judge_submission
from evaluator.session import CaptureSpec, CellLimits, Engine, Outcome, Session, record_probes

pytestmark = pytest.mark.kernel

BOTH = pytest.mark.parametrize("rules", ["sound", "published"])
INTACT = {"template": "intact"}
CORRECT, CHANGED = "CORRECT/UNCATEGORIZED", "INTACT_VIOLATION/UNCATEGORIZED"


class Bench:
    """Runs and judges; submissions to one problem and setup are run on copies of one session, and only once."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.opened = contextlib.ExitStack()
        self.session = cache(self._session)
        self.run = cache(self._run)

    def _session(self, setup: str) -> Session:
        session = self.opened.enter_context(self.engine.open(key="rules", inputs=None))
        session.execute(setup, limits=CellLimits(wall_s=60))
        return session

    def _run(self, code: str, setup: str, names: tuple[str, ...], limits: CellLimits) -> Outcome:
        return self.session(setup).attempt(code, capture=CaptureSpec(names=names, infer=True), limits=limits)

    def judged(
        self,
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
        names = wanted_names(resolve_validators(problem))
        expected = self.run(reference, setup, names, CellLimits(wall_s=60))
        found = self.run(submission, setup, names, CellLimits(wall_s=wall_s, forbid_names=forbid))
        said = judge_submission(self.engine, expected, found, problem, rules)
        return f"{said.verdict}/{said.subverdict}"


@pytest.fixture(scope="module")
def bench(engine: Engine) -> Iterator[Bench]:
    made = Bench(engine)
    with made.opened:
        yield made


DATA = """
import numpy as np, pandas as pd
df = pd.DataFrame({'x': [1.0, 2.0], 'o': pd.Series([None, 'a'], dtype=object)})
numbers, big = [1.0, 2.0], np.zeros(100_000)
"""


CHANGES = (
    *(("df.loc[0, 'x'] = 1 + 1e-9", CORRECT), ("df.loc[0, 'x'] = 1.1", CHANGED), ("df.loc[0, 'o'] = np.nan", CORRECT)),
    *(("df.loc[0, 'o'] = 'b'", CHANGED), ("numbers[0] = 1 + 1e-9", CORRECT), ("numbers.append(3)", CHANGED)),
    *(("big[0] = 1", CHANGED), ("df = df.copy()", CHANGED), ("numbers = numbers", CORRECT)),
)


@BOTH
def test_updated_means_that_the_default_matcher_sees_a_change(bench: Bench, rules: str) -> None:
    for submission, verdict in CHANGES:
        assert bench.judged(submission, rules, setup=DATA, validator=INTACT) == verdict, submission


THING = "class Thing:\n    def __init__(self): self.part = object()\nthing = Thing()\nlisted = [thing]"


@BOTH
def test_an_object_without_equality_cancels_out_under_the_published_rules(bench: Bench, rules: str) -> None:
    verdict = CHANGED if rules == "sound" else CORRECT
    assert bench.judged("thing.count = 3", rules, setup=THING, validator=INTACT) == verdict
    assert bench.judged("thing.count", rules, setup=THING + "\nthing.count = 1", validator=INTACT) == CORRECT
    assert bench.judged("thing = Thing()", rules, setup=THING, validator=INTACT) == CHANGED


FORBIDDEN = (
    *(("y = raw\n2 + 3", CORRECT), ("raw + 1\n2 + 3", "CRASH/TYPE_ERROR")),
    *(("raw.head()\n2 + 3", "CRASH/ATTRIBUTE_ERROR"), ("raw[0]\n2 + 3", "CRASH/TYPE_ERROR")),
    ("raw = 3\n2 + 3", CORRECT),
)


@BOTH
def test_a_forbidden_name_stays_bound_to_a_dummy(bench: Bench, rules: str) -> None:
    for submission, verdict in FORBIDDEN:
        said = bench.judged(submission, rules, setup="raw = [1]", reference="5", forbid=("raw", "none"))
        assert said == verdict, submission


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
def test_a_submission_that_swallows_alarms_is_a_timeout_by_the_host_clock(bench: Bench, rules: str) -> None:
    assert bench.judged(SWALLOWS, rules, wall_s=0.5) == "TIMEOUT/UNCATEGORIZED"


MISSING, NOTHING = "PRESENTATION_ERROR/MISSING_RETURN", "WRONG_OUTPUT/UNCATEGORIZED"


SHOWN = (
    ("x = 3 + 3\nprint(f'it is {x}')", "2 * 3", MISSING),
    ("x = 3 + 3\nprint('{}'.format(x))", "str(2 * 3)", MISSING),
    ("x = 3 + 3\nprint('%d' % x)", "str(2 * 3)", MISSING),
    ("x = 3 + 3\nprint('n=' + str(x))", "'n=' + str(2 * 3)", MISSING),
    *(("x = [3 + 3]\nprint(*x)", "[2 * 3]", NOTHING), ("x = [3 + 3]\nprint(7, *x)", "[2 * 3]", NOTHING)),
    *(("x = y = 2 * 3", "6", MISSING), ("if True:\n    print(2 * 3)", "6", NOTHING)),
    ("table.loc[0, 'a'] = 6", "table.assign(a=[2 * 3])", "WRONG_OUTPUT/UNEXPECTED_TYPE"),
    ("table['a'] = 6", "table.assign(a=[2 * 3])", MISSING),
    ("raise ValueError('x')", "6", "CRASH/VALUE_ERROR"),
)


@BOTH
def test_what_a_cell_would_have_shown_is_inferred(bench: Bench, rules: str) -> None:
    setup = "import pandas as pd\ntable = pd.DataFrame({'a': [1]})"
    basic = {"template": "basic", "result": None}
    for submission, expected, verdict in SHOWN:
        said = bench.judged(submission, rules, reference=expected, setup=setup, validator=basic)
        assert said == verdict, submission


@BOTH
def test_a_bad_query_expression_is_a_crash_or_a_published_syntax_error(bench: Bench, rules: str) -> None:
    verdict = {"sound": "CRASH/UNCATEGORIZED", "published": "SYNTAX_ERROR/UNCATEGORIZED"}[rules]
    setup = "import pandas as pd\ndf = pd.DataFrame({'a': [1]})"
    assert bench.judged("df.query('a ==')", rules, setup=setup) == verdict
    indented = {"sound": "SYNTAX_ERROR/UNCATEGORIZED", "published": "CRASH/UNCATEGORIZED"}[rules]
    assert bench.judged("x = 1\n  y = 2", rules) == indented
    assert bench.judged("There are two rows", rules) == "SYNTAX_ERROR/UNCATEGORIZED"


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
    monkeypatch.setattr("evaluator.session.probes.TABLE_S", 2.0)
    predict = "class Model:\n    def predict(self, rows):\n        {}return [1, 2]"
    model = f"{predict}\nmodel = Model()\nX, y = [[1], [2]], [1, 2]"
    options = {"model_name": "model", "inputs_name": "X", "labels_name": "y", "metric_type": "accuracy"}
    problem = Problem(query="ask", code=model.format(""), validator={"template": "basic", "model": options})
    slow = model.format("import time; time.sleep(60); ")
    patient = CellLimits(wall_s=60)
    with engine.open(key="rules", inputs=None) as session:
        probes = record_probes(session, problem, CellLimits(wall_s=3))
        capture = CaptureSpec(wanted_names(resolve_validators(problem)), infer=True, probes=probes)
        codes = (slow, model.format("0 / 0; "), "b = 1")
        outcomes = [session.attempt(code, capture=capture, limits=patient) for code in codes]
        reference = session.execute(problem.code, capture=capture, limits=patient)
    verdicts = [judge_submission(engine, reference, found, problem, rules).verdict for found in outcomes]
    assert verdicts == ["TIMEOUT", "BAD_MODEL", "BAD_MODEL"]
